"""Which producer wrote a batch, as its header says.

Follows ``MemoryRecordsBuilder.validateProducerState`` of ``org.apache.kafka.common.record`` (2.3.1
to 4.4.0).
"""

from typing import NamedTuple, Self

from ..errors import JavaIllegalArgumentError
from .batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, check_numbers


class ProducerState(NamedTuple):
    """An idempotent producer, or none: id (int64), epoch (int16), first sequence (int32)."""

    producer_id: int
    producer_epoch: int
    base_sequence: int
    is_transactional: bool

    @classmethod
    def of(
        cls, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> Self:
        """The same with Python's own numbers; ``ValueError`` for one that is beyond its type."""
        producer_id, producer_epoch, base_sequence = check_numbers(
            "qhi",
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
        )
        return cls(producer_id, producer_epoch, base_sequence, is_transactional)

    def check(self, is_control_batch: bool) -> None:
        """Raise :class:`JavaIllegalArgumentError` for what no broker takes."""
        if self.producer_id == NO_PRODUCER_ID:
            if self.is_transactional:
                raise JavaIllegalArgumentError(
                    "Cannot write transactional messages without a valid producer ID"
                )
            return
        if self.producer_epoch == NO_PRODUCER_EPOCH:
            raise JavaIllegalArgumentError("Invalid negative producer epoch")
        if self.base_sequence < 0 and not is_control_batch:
            raise JavaIllegalArgumentError("Invalid negative sequence number used")

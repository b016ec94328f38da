"""What a broker makes of a batch: it writes it, finds that it has it, or refuses its sequence.

Follows ``ProducerStateEntry`` and ``ProducerAppendInfo`` of Kafka's brokers (3.8.0) for producers
without transactions, and what ``UnifiedLog`` asks them.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from python_impl.producer.produce_request import PartitionResponse
from python_impl.producer.producer_batch import ProducerBatch
from python_impl.producer.protocol_errors import (
    INVALID_PRODUCER_EPOCH,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    ProtocolError,
)

KEPT_BATCHES: Final = 5
"""A broker recognises so many of a producer's latest batches; so many requests may be in flight."""
_NONE: Final = -1
_LAST_SEQUENCE: Final = 2**31 - 1
"""0 follows it."""


class Appended(NamedTuple):
    """The answer to a batch, and whether it was written."""

    response: PartitionResponse
    is_written: bool


class _Kept(NamedTuple):
    first_sequence: int
    last_sequence: int
    offset: int


@dataclass(slots=True)
class _Producer:
    """What a broker knows of a producer, by its latest batches in one epoch."""

    epoch: int = _NONE
    kept: deque[_Kept] = field(default_factory=lambda: deque(maxlen=KEPT_BATCHES))

    def offset_of(self, batch: ProducerBatch, epoch: int) -> int | None:
        """Where a batch was written that is one of the latest; None for any other."""
        if epoch != self.epoch:
            return None
        sequences = _sequences(batch)
        return next((one.offset for one in self.kept if one[:2] == sequences), None)

    def refusal(self, first_sequence: int, epoch: int) -> ProtocolError | None:
        """Why a batch is not written; None if it is."""
        if epoch < self.epoch:
            return INVALID_PRODUCER_EPOCH
        if epoch == self.epoch:
            # Of a producer that it knows it has a batch, at least.
            follows = (self.kept[-1].last_sequence + 1) & _LAST_SEQUENCE
        else:
            # One that it does not know may begin anywhere.
            follows = first_sequence if self.epoch == _NONE else 0
        return None if first_sequence == follows else OUT_OF_ORDER_SEQUENCE_NUMBER

    def note(self, batch: ProducerBatch, epoch: int, offset: int) -> None:
        """A batch is written; a new epoch begins without any."""
        if epoch != self.epoch:
            self.epoch = epoch
            self.kept.clear()
        self.kept.append(_Kept(*_sequences(batch), offset))


def _sequences(batch: ProducerBatch) -> tuple[int, int]:
    """The sequences of its first and its last record, as brokers count them."""
    first = batch.base_sequence
    return first, (first + batch.record_count - 1) & _LAST_SEQUENCE


class PartitionLog:
    """The log of a partition: its end, and what idempotent producers have written to it."""

    def __init__(self) -> None:
        self.end = 0
        """The offset of the next record."""
        self._producers: dict[int, _Producer] = {}

    def append(self, batch: ProducerBatch) -> Appended:
        """A batch has arrived, with the sequence that it has now."""
        if not batch.has_sequence:
            return self._write(batch)
        producer_id, epoch = batch.producer_id_and_epoch
        producer = self._producers.setdefault(producer_id, _Producer())
        known = producer.offset_of(batch, epoch)
        if known is not None:
            return Appended(PartitionResponse(0, known), is_written=False)
        refusal = producer.refusal(batch.base_sequence, epoch)
        if refusal is not None:
            return Appended(PartitionResponse(refusal.code), is_written=False)
        producer.note(batch, epoch, self.end)
        return self._write(batch)

    def _write(self, batch: ProducerBatch) -> Appended:
        offset = self.end
        self.end += batch.record_count
        return Appended(PartitionResponse(0, offset), is_written=True)

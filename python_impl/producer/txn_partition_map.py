"""Sequence numbers by partition: which one is next, which are on their way, which have arrived.

Follows ``TxnPartitionMap`` and ``TxnPartitionEntry`` of 3.8.0, which were
``TransactionManager.TopicPartitionBookkeeper`` before 3.7.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Final

from ..errors import JavaIllegalStateError
from ..int32 import int32
from ..records.batch import increment_sequence
from .producer_batch import INVALID_OFFSET, ProducerBatch
from .producer_id import NO_PRODUCER_ID_AND_EPOCH, ProducerIdAndEpoch

NO_LAST_ACKED_SEQUENCE: Final = -1

Partition = tuple[str, int]
Order = Callable[[ProducerBatch], tuple[int, ...]]
"""By what batches in flight are sorted; two that are equal in it are taken for one."""


def by_id_and_sequence(batch: ProducerBatch) -> tuple[int, ...]:
    """The order since KAFKA-13793."""
    return (*batch.producer_id_and_epoch, batch.base_sequence)


def by_sequence(batch: ProducerBatch) -> tuple[int, ...]:
    """The order before."""
    return (batch.base_sequence,)


class TxnPartitionEntry:
    """One partition's. Sequences are int32, offsets int64."""

    def __init__(self, at: Partition, order: Order) -> None:
        self._at = at
        self._order = order
        self.producer_id_and_epoch = NO_PRODUCER_ID_AND_EPOCH
        self.next_sequence = 0
        self.last_acked_sequence = NO_LAST_ACKED_SEQUENCE
        self.last_acked_offset = INVALID_OFFSET
        self._in_flight: list[ProducerBatch] = []

    @property
    def has_in_flight_batches(self) -> bool:
        """Whether a batch with a sequence has not ended."""
        return bool(self._in_flight)

    @property
    def first_in_flight(self) -> ProducerBatch | None:
        """The first of them."""
        return self._in_flight[0] if self._in_flight else None

    def increment_sequence(self, increment: int) -> None:
        """That many records have got a sequence."""
        self.next_sequence = increment_sequence(self.next_sequence, increment)

    def add_in_flight_batch(self, batch: ProducerBatch) -> None:
        """A batch has got a sequence; it is left out if there is one that is equal."""
        self._add(self._in_flight, batch)

    def _add(self, batches: list[ProducerBatch], batch: ProducerBatch) -> None:
        place = self._place(batches, batch)
        if not self._is_at(batches, place, batch):
            batches.insert(place, batch)

    def remove_in_flight_batch(self, batch: ProducerBatch) -> None:
        """A batch has ended; what is removed is the one that is equal."""
        place = self._place(self._in_flight, batch)
        if self._is_at(self._in_flight, place, batch):
            del self._in_flight[place]

    def _place(self, batches: list[ProducerBatch], batch: ProducerBatch) -> int:
        return bisect_left(batches, self._order(batch), key=self._order)

    def _is_at(self, batches: list[ProducerBatch], place: int, batch: ProducerBatch) -> bool:
        found = batches[place : place + 1]
        return bool(found) and self._order(found[0]) == self._order(batch)

    def start_sequences_at_beginning(self, current: ProducerIdAndEpoch, rewrites: bool) -> None:
        """Number the batches in flight from 0 on, as that producer's if ``rewrites``."""
        sequence = 0
        renumbered: list[ProducerBatch] = []
        for batch in self._in_flight:
            owner = current if rewrites else batch.producer_id_and_epoch
            batch.reset_producer_state(owner, sequence)
            sequence = int32(sequence + batch.record_count)
            self._add(renumbered, batch)
        self._in_flight = renumbered
        self.producer_id_and_epoch = current
        self.next_sequence = sequence
        self.last_acked_sequence = NO_LAST_ACKED_SEQUENCE

    def adjust_sequences_due_to_failed_batch(self, failed: ProducerBatch) -> None:
        """Close the gap of a batch that a broker refused for good (up to 2.4)."""
        self.next_sequence = self._not_negative(self.next_sequence - failed.record_count)
        first = failed.base_sequence
        renumbered: list[ProducerBatch] = []
        for batch in self._in_flight:
            if batch.base_sequence >= first:
                sequence = self._not_negative(batch.base_sequence - failed.record_count)
                batch.reset_producer_state(batch.producer_id_and_epoch, sequence)
            self._add(renumbered, batch)
        self._in_flight = renumbered

    def _not_negative(self, sequence: int) -> int:
        if sequence < 0:
            raise JavaIllegalStateError(
                f"Sequence number for partition {self._at} is going to become negative: {sequence}"
            )
        return sequence


class TxnPartitionMap:
    """Those of all partitions."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._entries: dict[Partition, TxnPartitionEntry] = {}

    def get(self, at: Partition) -> TxnPartitionEntry:
        """A partition's entry; raises :class:`JavaIllegalStateError` if it has none."""
        if at not in self._entries:
            raise JavaIllegalStateError(
                f"Trying to get txnPartitionEntry for {at}, but it was never set for this partition"
            )
        return self._entries[at]

    def get_or_create(self, at: Partition) -> TxnPartitionEntry:
        """A partition's entry, which is made if there is none."""
        entry = self._entries.get(at)
        if entry is None:
            entry = self._entries[at] = TxnPartitionEntry(at, self._order)
        return entry

    def find(self, at: Partition) -> TxnPartitionEntry | None:
        """A partition's entry, or None."""
        return self._entries.get(at)

    def reset(self) -> None:
        """Forget all."""
        self._entries.clear()

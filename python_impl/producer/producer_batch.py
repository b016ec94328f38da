"""A batch on its way: records that a producer collects for a partition until a broker has them.

Follows ``org.apache.kafka.clients.producer.internals.ProducerBatch`` (2.3.1 to 4.4.0).
"""

import logging
from collections.abc import Callable
from enum import Enum
from typing import ClassVar, Final

from ..errors import JavaError, JavaIllegalStateError
from ..int32 import int32
from ..records.batch import NO_SEQUENCE, estimate_batch_size_upper_bound
from ..records.builder import MemoryRecordsBuilder
from ..records.compression_ratio import CompressionRatioEstimator
from ..records.record import Headers

INVALID_OFFSET: Final = -1
_LOG: Final = logging.getLogger(__name__)

Callback = Callable[[int, JavaError | None], None]
"""Told a record's offset (int64; -1 with an error), and the error or None.

What it raises is logged, and changes nothing, as in Java.
"""


class FinalState(Enum):
    """How a batch ended."""

    ABORTED = "aborted"
    FAILED = "failed"
    SUCCEEDED = "succeeded"


_Appended = tuple[int, bytes | None, bytes | None, Headers, Callback | None]
"""A record of a batch, and who is told of it. There are many, so they are plain tuples."""


class ProducerBatch:
    """The records of one partition that go to a broker together; times are in ms.

    ``capacity`` is the buffer's size in bytes, which limits what is written unless a single record
    is larger. ``ratios`` are the producer's estimates of compression. ``builder`` makes what writes
    the records: for sizes alone a :class:`.sized_builder.SizedRecordsBuilder`.
    """

    closes_when_split: ClassVar[bool] = True

    def __init__(
        self,
        topic: str,
        partition: int,
        capacity: int,
        created_ms: int,
        *,
        ratios: CompressionRatioEstimator,
        compression: str = "none",
        is_split: bool = False,
        builder: Callable[..., MemoryRecordsBuilder] = MemoryRecordsBuilder,
    ) -> None:
        self.topic = topic
        self.partition = partition
        self.initial_capacity = capacity
        self.created_ms = created_ms
        self.is_split = is_split
        self.attempts = 0
        self.in_flight = False
        """Whether a request with it is on its way."""
        self.final_state: FinalState | None = None
        self._compression = compression
        self._ratios = ratios
        self._last_attempt_ms = created_ms
        self._last_append_ms = created_ms
        self._leader_epoch: int | None = None
        self._attempts_at_change_of_leader = 0
        self._appended: list[_Appended] = []
        self.in_retry = False
        """Whether it was sent before."""
        self.producer_id_and_epoch = -1, -1
        self.base_sequence = NO_SEQUENCE
        self.sequence_has_been_reset = False
        """Whether its sequence was changed after it was sent last."""
        self._make_builder = builder
        self._grown = capacity
        self.builder = builder(compression=compression, write_limit=capacity)
        """What writes its records."""
        self.builder.set_estimated_compression_ratio(ratios.estimation(topic, compression))

    @property
    def at(self) -> tuple[str, int]:
        """Topic and partition."""
        return self.topic, self.partition

    @property
    def has_sequence(self) -> bool:
        """Whether its records are numbered: an idempotent producer has sent it once."""
        return self.base_sequence != NO_SEQUENCE

    @property
    def last_sequence(self) -> int:
        """The sequence (int32) of its last record."""
        return int32(self.base_sequence + self.record_count - 1)

    @property
    def record_count(self) -> int:
        """How many records it has."""
        return len(self._appended)

    @property
    def max_record_size(self) -> int:
        """Bytes of a batch for the largest of its records, at most; 0 without records."""
        bounds = (estimate_batch_size_upper_bound(*record[1:4]) for record in self._appended)
        return max(bounds, default=0)

    @property
    def is_full(self) -> bool:
        """Whether it takes no more records."""
        return self.builder.is_full

    @property
    def is_closed(self) -> bool:
        """Whether its bytes are final."""
        return self.builder.is_closed

    @property
    def is_done(self) -> bool:
        """Whether its records' callbacks have been told."""
        return self.final_state is not None

    @property
    def estimated_size_in_bytes(self) -> int:
        """Bytes that a request needs for it, as far as one can tell."""
        return self.builder.estimated_size_in_bytes

    @property
    def capacity(self) -> int:
        """Bytes of its buffer, which grows if compression does worse than was expected."""
        written = self.builder.estimated_size_in_bytes if self.is_closed else 0
        return max(self._grown, written)

    def records(self) -> bytes:
        """The bytes of the batch, which is closed by it."""
        return self.builder.build()

    def try_append(
        self,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers,
        callback: Callback | None,
        now_ms: int,
    ) -> bool:
        """Append a record if there is room."""
        if not self.builder.append_if_room(timestamp, key, value, headers):
            return False
        self._appended.append((timestamp, key, value, headers, callback))
        self._last_append_ms = now_ms
        return True

    def _add(self, record: _Appended) -> bool:
        if not self.builder.append_if_room(*record[:4]):
            return False
        self._appended.append(record)
        return True

    def close_for_record_appends(self) -> None:
        """Take no more records."""
        self.builder.close_for_record_appends()

    def abort_record_appends(self) -> None:
        """Take no more records, nor ever be sent."""
        self.builder.abort()

    def close(self) -> None:
        """Make the bytes final, and learn from them how well records of the topic compress."""
        self.builder.close()
        ratio = self.builder.compression_ratio
        self._ratios.update_estimation(self.topic, self._compression, ratio)
        self.sequence_has_been_reset = False

    def set_producer_state(self, owner: tuple[int, int], base_sequence: int) -> None:
        """Number its records, as those of a producer's id and epoch.

        Raises :class:`JavaIllegalStateError` if its bytes are final.
        """
        self.builder.set_producer_state(*owner, base_sequence, False)
        self.producer_id_and_epoch, self.base_sequence = owner, base_sequence

    def reset_producer_state(self, owner: tuple[int, int], base_sequence: int) -> None:
        """Number them anew, though it may have been sent.

        Raises :class:`JavaIllegalStateError` if it was given up.
        """
        self.sequence_has_been_reset = True
        self._grown = self.capacity
        self.builder.reopen_and_rewrite_producer_state(*owner, base_sequence, False)
        self.producer_id_and_epoch, self.base_sequence = owner, base_sequence

    @property
    def compression_ratio(self) -> float:
        """Compressed bytes for each byte of records (a float32), once it is closed."""
        return self.builder.compression_ratio

    def complete(self, base_offset: int) -> bool:
        """The broker has it, from that offset on; answers whether nobody had ended it before.

        Raises :class:`JavaIllegalStateError` if it had been completed.
        """
        return self._done(FinalState.SUCCEEDED, base_offset, None)

    def complete_exceptionally(
        self, error: JavaError, error_of: Callable[[int], JavaError] | None = None
    ) -> bool:
        """It has failed; likewise. ``error_of`` answers what a record is told, by its place."""
        return self._done(FinalState.FAILED, INVALID_OFFSET, error, error_of)

    def abort(self, error: JavaError) -> None:
        """It is given up; :class:`JavaIllegalStateError` if it had ended."""
        if self.final_state is not None:
            raise JavaIllegalStateError(
                f"Batch has already been completed in final state {self.final_state.name}"
            )
        self._end(FinalState.ABORTED, INVALID_OFFSET, error)

    def _done(
        self,
        state: FinalState,
        base_offset: int,
        error: JavaError | None,
        error_of: Callable[[int], JavaError] | None = None,
    ) -> bool:
        if self.final_state is None:
            self._end(state, base_offset, error, error_of)
            return True
        if self.final_state is FinalState.SUCCEEDED:
            raise JavaIllegalStateError(
                f"A {self.final_state.name} batch must not attempt another state change to "
                f"{state.name}"
            )
        return False

    def _end(
        self,
        state: FinalState,
        base_offset: int,
        error: JavaError | None,
        error_of: Callable[[int], JavaError] | None = None,
    ) -> None:
        self.final_state = state
        for number, record in enumerate(self._appended):
            callback = record[-1]
            if callback is not None:
                offset = INVALID_OFFSET if base_offset == INVALID_OFFSET else base_offset + number
                told = error if error_of is None else error_of(number)
                try:
                    callback(offset, told)
                except Exception:
                    _LOG.exception("Error executing user-provided callback on %s", self.at)

    def split(self, split_batch_size: int) -> list["ProducerBatch"]:
        """Its records in batches of that many bytes, because a broker finds it too large.

        They are as old as it is. Raises :class:`JavaIllegalStateError` if it has no records.
        """
        if not self._appended:
            raise JavaIllegalStateError("Cannot split an empty producer batch.")
        self.builder.close()
        batches: list[ProducerBatch] = []
        for record in self._appended:
            if batches and batches[-1]._add(record):
                continue
            if batches:
                batches[-1]._end_of_split()
            batches.append(self._for_split(record, split_batch_size))
            batches[-1]._add(record)
        batches[-1]._end_of_split()
        if self.has_sequence:
            sequence = self.base_sequence
            for batch in batches:
                batch.set_producer_state(self.producer_id_and_epoch, sequence)
                sequence = int32(sequence + batch.record_count)
        return batches

    def _for_split(self, record: _Appended, size: int) -> "ProducerBatch":
        bound = estimate_batch_size_upper_bound(*record[1:4])
        return type(self)(
            *(self.topic, self.partition, max(bound, size), self.created_ms),
            ratios=self._ratios,
            compression=self._compression,
            is_split=True,
            builder=self._make_builder,
        )

    def _end_of_split(self) -> None:
        if self.closes_when_split:
            self.close_for_record_appends()

    def reenqueued(self, now_ms: int) -> None:
        """It waits to be sent again."""
        self.attempts += 1
        self.in_retry = True
        self._last_attempt_ms = max(self._last_append_ms, now_ms)
        self._last_append_ms = max(self._last_append_ms, now_ms)

    def waited_time_ms(self, now_ms: int) -> int:
        """How long it has waited since it was created, or sent last."""
        return max(0, now_ms - self._last_attempt_ms)

    def has_reached_delivery_timeout(self, delivery_timeout_ms: int, now_ms: int) -> bool:
        """Whether its records have no time left."""
        return delivery_timeout_ms <= now_ms - self.created_ms

    def maybe_update_leader_epoch(self, leader_epoch: int | None) -> None:
        """Remember when its partition got another leader; from 3.7 on (KAFKA-15415)."""
        if leader_epoch is None:
            return
        if self._leader_epoch is None or self._leader_epoch < leader_epoch:
            self._attempts_at_change_of_leader = self.attempts
            self._leader_epoch = leader_epoch

    @property
    def has_leader_changed_for_the_ongoing_retry(self) -> bool:
        """Whether the next attempt goes to another leader than the last one did."""
        return self.attempts >= 1 and self.attempts == self._attempts_at_change_of_leader


class UnclosedWhenSplit(ProducerBatch):
    """The same in 2.3.1, where parts of a batch that was split take further records."""

    closes_when_split = False

"""Batches that are open, wait, are on their way, or come back: what a producer holds.

Follows ``org.apache.kafka.clients.producer.internals.RecordAccumulator`` without idempotence and
transactions. Time is an argument, in ms, never a clock; ``linger.ms`` and the like are constructor
arguments. Up to 3.2 it is told a record's partition (:mod:`.partition_accumulator`); from 3.3 on it
chooses one itself if it is not (:mod:`.topic_accumulator`).
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import ClassVar, Final, NamedTuple

from ..errors import JavaError, JavaIllegalStateError, JavaKafkaError
from ..records.batch import estimate_batch_size_upper_bound
from ..records.builder import MemoryRecordsBuilder
from ..records.compression_ratio import CompressionRatioEstimator
from ..records.record import Headers
from .buffer_pool import BufferPool
from .producer_batch import Callback, ProducerBatch
from .sequences import give_sequence, insert_in_sequence_order, stops_drain
from .transaction_manager import TransactionManager

NEVER: Final = 2**63 - 1
"""``Long.MAX_VALUE``, where there is nothing to wait for."""

Queue = deque[ProducerBatch]

Contents = tuple[int, bytes | None, bytes | None, Headers]
"""A record's time, key, value and headers."""


class RecordAppendResult(NamedTuple):
    """What became of a record."""

    partition: int
    batch_is_full: bool
    new_batch_created: bool
    abort_for_new_batch: bool = False
    """It was not appended: the partitioner shall be asked once more (2.4 to 3.9)."""
    appended_bytes: int = 0
    """By how much its batch has grown; 0 up to 3.2, which do not tell."""


class ReadyCheckResult(NamedTuple):
    """Which nodes have something to be sent, in the order in which they were found."""

    ready_nodes: tuple[int, ...]
    next_ready_check_delay_ms: int
    """For how long no other will have."""
    unknown_leader_topics: frozenset[str]


class RecordAccumulator:
    """What all versions have alike; use the class of a release.

    ``batch_size`` and the pool's memory are bytes, times ms. ``compression`` is a
    ``compression.type``. Nodes are their ids, and a partition's leader is one of them. ``builder``
    is what writes batches: ``records.SizedRecordsBuilder`` where sizes are all that is wanted.
    """

    batch: ClassVar[type[ProducerBatch]] = ProducerBatch

    def __init__(
        self,
        buffer_pool: BufferPool,
        *,
        batch_size: int,
        compression: str = "none",
        linger_ms: int = 0,
        retry_backoff_ms: int = 100,
        delivery_timeout_ms: int = 120_000,
        ratios: CompressionRatioEstimator | None = None,
        builder: Callable[..., MemoryRecordsBuilder] = MemoryRecordsBuilder,
        transactions: TransactionManager | None = None,
    ) -> None:
        self._transactions = transactions
        self._pool = buffer_pool
        self._batch_size = batch_size
        self._compression = compression
        self._linger_ms = linger_ms
        self._retry_backoff_ms = retry_backoff_ms
        self._delivery_timeout_ms = delivery_timeout_ms
        self._ratios = CompressionRatioEstimator() if ratios is None else ratios
        self._builder = builder
        self._incomplete: dict[int, ProducerBatch] = {}
        self._muted: set[tuple[str, int]] = set()
        self._flushes = 0
        self._closed = False
        self._next_expiry_ms = NEVER

    # What differs between versions.

    def _queues(self) -> Iterable[Queue]:
        """The queues of all batches that wait, in Java's order."""
        raise NotImplementedError

    def _queue(self, topic: str, partition: int) -> Queue | None:
        raise NotImplementedError

    def _queue_made(self, topic: str, partition: int) -> Queue:
        """The queue, which is made if there is none."""
        raise NotImplementedError

    def _forget_queues(self) -> None:
        raise NotImplementedError

    def last_is_full(self, topic: str, partition: int) -> bool:
        """Whether the last batch that waits for a partition takes no more records."""
        queue = self._queue(topic, partition)
        return queue[-1].is_full if queue else False

    # Appending.

    def _try_append(
        self,
        record: Contents,
        callback: Callback | None,
        partition: int,
        queue: Queue,
        now_ms: int,
    ) -> RecordAppendResult | None:
        """Append to the queue's last batch, which is closed for good if it has no room."""
        if self._closed:
            raise JavaKafkaError("Producer closed while send in progress")
        if not queue:
            return None
        last = queue[-1]
        builder = last.builder
        before = builder.estimated_size_in_bytes
        timestamp, key, value, headers = record  # a call with a star takes longer
        if last.try_append(timestamp, key, value, headers, callback, now_ms):
            grown = builder.estimated_size_in_bytes - before
            full = len(queue) > 1 or builder.is_full
            return RecordAppendResult(partition, full, False, False, grown)
        last.close_for_record_appends()
        return None

    def _allocate(self, record: Contents) -> int:
        _, key, value, headers = record
        bound = estimate_batch_size_upper_bound(key, value, headers)
        return self._pool.allocate(max(self._batch_size, bound))

    def _append_new_batch(
        self,
        record: Contents,
        callback: Callback | None,
        topic: str,
        partition: int,
        queue: Queue,
        buffer: int,
        now_ms: int,
    ) -> RecordAppendResult:
        """Append to a batch of that buffer, unless somebody else has opened one meanwhile."""
        appended = self._try_append(record, callback, partition, queue, now_ms)
        if appended is not None:
            return appended
        batch = self.batch(
            *(topic, partition, buffer, now_ms),
            ratios=self._ratios,
            compression=self._compression,
            builder=self._builder,
        )
        batch.try_append(*record, callback, now_ms)
        queue.append(batch)
        self._incomplete[id(batch)] = batch
        return RecordAppendResult(
            partition,
            len(queue) > 1 or batch.is_full,
            True,
            appended_bytes=batch.estimated_size_in_bytes,
        )

    def _is_sendable(self, queue: Queue, expired: bool) -> bool:
        """Whether the first batch of a queue need not wait any longer."""
        full = len(queue) > 1 or queue[0].is_full
        exhausted = self._pool.queued > 0
        return full or expired or exhausted or self._closed or self.flush_in_progress

    def _take_first(self, queue: Queue) -> ProducerBatch:
        """The first batch of a queue, closed, to be sent."""
        batch = queue.popleft()
        if self._transactions is not None:
            give_sequence(self._transactions, batch)
        batch.close()
        return batch

    def _stops_drain(self, queue: Queue) -> bool:
        """Whether the first batch of a queue must wait, for its sequence."""
        return self._transactions is not None and stops_drain(self._transactions, queue[0])

    # What happens to batches that were drained.

    def reenqueue(self, batch: ProducerBatch, now_ms: int) -> None:
        """Send a batch once more, before all others of its partition.

        An idempotent producer keeps them in the order of their sequences; raises what
        :func:`.insert_in_sequence_order` does.
        """
        batch.reenqueued(now_ms)
        self._put_back(self._queue_made(batch.topic, batch.partition), batch)

    def _put_back(self, queue: Queue, batch: ProducerBatch) -> None:
        if self._transactions is None:
            queue.appendleft(batch)
        else:
            insert_in_sequence_order(self._transactions, queue, batch)

    def split_and_reenqueue(self, batch: ProducerBatch) -> int:
        """Send a batch's records in smaller ones; answers how many.

        What was too large was not compressed as well as expected: from now on nothing is expected.
        """
        ratio = max(1.0, batch.compression_ratio)
        self._ratios.set_estimation(batch.topic, self._compression, ratio)
        parts = batch.split(self._split_size(batch))
        queue = self._queue_made(batch.topic, batch.partition)
        for part in reversed(parts):
            self._incomplete[id(part)] = part
            if self._transactions is not None:
                self._transactions.add_in_flight_batch(part)
            self._put_back(queue, part)
        return len(parts)

    def _split_size(self, batch: ProducerBatch) -> int:
        """Bytes of the parts of a batch that is too large."""
        del batch
        return self._batch_size

    def deallocate(self, batch: ProducerBatch) -> None:
        """Forget a batch and return its buffer; parts of one that was split have none of the pool.

        Raises :class:`JavaIllegalStateError` for a batch that was forgotten before.
        """
        self.forget(batch)
        self.return_buffer(batch)

    def forget(self, batch: ProducerBatch) -> None:
        """Forget a batch whose buffer is still in use; raises as above."""
        if self._incomplete.pop(id(batch), None) is None:
            raise JavaIllegalStateError(
                "Remove from the incomplete set failed. This should be impossible."
            )

    def return_buffer(self, batch: ProducerBatch) -> None:
        """Return the buffer of a batch that was forgotten."""
        if not batch.is_split:
            self._pool.deallocate(batch.capacity, batch.initial_capacity)

    def expired_batches(self, now_ms: int) -> list[ProducerBatch]:
        """Take out what has waited for ``delivery.timeout.ms``; its records will not be sent."""
        expired = []
        for queue in self._queues():
            while queue:
                if not queue[0].has_reached_delivery_timeout(self._delivery_timeout_ms, now_ms):
                    self.maybe_update_next_expiry(queue[0])
                    break
                batch = queue.popleft()
                batch.abort_record_appends()
                expired.append(batch)
        return expired

    def maybe_update_next_expiry(self, batch: ProducerBatch) -> None:
        """Remember when a batch expires, if that is before others."""
        expiry = batch.created_ms + self._delivery_timeout_ms
        if 0 < expiry <= NEVER:
            self._next_expiry_ms = min(self._next_expiry_ms, expiry)

    @property
    def delivery_timeout_ms(self) -> int:
        """How long a batch may wait from its first record on, retries included."""
        return self._delivery_timeout_ms

    @property
    def next_expiry_time_ms(self) -> int:
        """When the next batch expires, of those that the last looks at expiry left."""
        return self._next_expiry_ms

    def reset_next_batch_expiry_time(self) -> None:
        """Forget that."""
        self._next_expiry_ms = NEVER

    # The state as a whole.

    @property
    def has_undrained(self) -> bool:
        """Whether a batch waits to be sent."""
        return any(self._queues())

    @property
    def has_incomplete(self) -> bool:
        """Whether a batch has not ended."""
        return bool(self._incomplete)

    @property
    def flush_in_progress(self) -> bool:
        """Whether everything is to be sent at once."""
        return self._flushes > 0

    def begin_flush(self) -> None:
        """Send everything at once until :meth:`end_flush`."""
        self._flushes += 1

    def end_flush(self) -> None:
        """``awaitFlushCompletion``, after all is complete."""
        self._flushes -= 1

    def close(self) -> None:
        """Take no more records, and send what there is."""
        self._closed = True
        self._pool.close()

    def mute_partition(self, topic: str, partition: int) -> None:
        """Let a partition's batches wait, because one is in flight."""
        self._muted.add((topic, partition))

    def unmute_partition(self, topic: str, partition: int) -> None:
        """End that."""
        self._muted.discard((topic, partition))

    def abort_incomplete_batches(self) -> None:
        """Give up all batches, those in flight, too."""
        self.abort_batches(JavaKafkaError("Producer is closed forcefully."))
        self._forget_queues()

    def abort_batches(self, reason: JavaError) -> None:
        """The same for another reason; the producer goes on."""
        for batch in [*self._incomplete.values()]:
            self._abort(batch, reason)

    def abort_undrained_batches(self, reason: JavaKafkaError) -> None:
        """Give up the batches that were never drained."""
        for batch in [*self._incomplete.values()]:
            drained = batch.is_closed if self._transactions is None else batch.has_sequence
            if not drained:
                self._abort(batch, reason)

    def _abort(self, batch: ProducerBatch, reason: JavaError) -> None:
        batch.abort_record_appends()
        queue = self._queue(batch.topic, batch.partition)
        if queue is not None and batch in queue:
            queue.remove(batch)
        batch.abort(reason)
        self._let_go(batch)

    def _let_go(self, batch: ProducerBatch) -> None:
        """Forget a batch that was given up."""
        self.deallocate(batch)

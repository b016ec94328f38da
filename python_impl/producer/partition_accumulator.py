"""The accumulator of 2.3.1 and 3.2.3, which is told the partition of each record.

Follows ``RecordAccumulator`` of these versions; what they have in common with later ones is in
:mod:`.record_accumulator`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..cluster import Cluster
from ..errors import JavaArithmeticError
from ..hash_order import CopyOnWriteMap, hash_of_topic_partition
from ..records.compression_ratio import SteppingRatioEstimator
from ..records.record import Headers
from .buffer_pool import BufferPool
from .producer_batch import Callback, ProducerBatch, UnclosedWhenSplit
from .record_accumulator import (
    NEVER,
    Queue,
    ReadyCheckResult,
    RecordAccumulator,
    RecordAppendResult,
)


class PartitionAccumulator(RecordAccumulator):
    """Queues by topic and partition (3.2.3)."""

    def __init__(self, buffer_pool: BufferPool, **settings: Any) -> None:
        super().__init__(buffer_pool, **settings)
        self._batches = CopyOnWriteMap[tuple[str, int], Queue](hash_of_topic_partition)
        self._drain_index = 0

    def append(
        self,
        topic: str,
        partition: int,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers = (),
        *,
        now_ms: int,
        abort_on_new_batch: bool = False,
        callback: Callback | None = None,
    ) -> RecordAppendResult:
        """Append a record to the open batch of its partition, or to a new one.

        With ``abort_on_new_batch`` a record that would open one is not appended. Raises
        :class:`JavaKafkaError` if the accumulator is closed, and what :meth:`BufferPool.allocate`
        raises.
        """
        record = timestamp, key, value, headers
        queue = self._queue_made(topic, partition)
        appended = self._try_append(record, callback, partition, queue, now_ms)
        if appended is not None:
            return appended
        if abort_on_new_batch:
            return RecordAppendResult(partition, False, False, abort_for_new_batch=True)
        buffer = self._allocate(record)
        new = False
        try:
            appended = self._append_new_batch(
                record, callback, topic, partition, queue, buffer, now_ms
            )
            new = appended.new_batch_created
        finally:
            if not new:
                self._pool.deallocate(buffer)
        return appended

    def ready(self, cluster: Cluster, now_ms: int) -> ReadyCheckResult:
        """Which nodes have a batch that is to be sent now."""
        ready: dict[int, None] = {}
        unknown: set[str] = set()
        delay = NEVER
        for (topic, partition), queue in self._batches.items():
            leader = cluster.leader_for(topic, partition)
            if leader is None and queue:
                unknown.add(topic)
                continue
            # Also where nothing waits: 2.3.1 forgets a time that is over when it looks at it.
            if leader in ready or self._is_muted(topic, partition, now_ms) or not queue:
                continue
            assert leader is not None
            waited = queue[0].waited_time_ms(now_ms)
            backs_off = self._backs_off(queue[0], now_ms)
            to_wait = self._retry_backoff_ms if backs_off else self._linger_ms
            if self._is_sendable(queue, waited >= to_wait) and not backs_off:
                ready[leader] = None
            else:
                delay = min(delay, max(to_wait - waited, 0))
        return ReadyCheckResult(tuple(ready), delay, frozenset(unknown))

    def drain(
        self, cluster: Cluster, nodes: Sequence[int], max_size: int, now_ms: int
    ) -> dict[int, list[ProducerBatch]]:
        """Take out the first batch of each partition of these nodes, closed, to be sent.

        A node's batches have ``max_size`` bytes at most, but for a first one that is larger. All
        nodes share the place from which partitions take their turns. Raises
        :class:`JavaArithmeticError` for a node without partitions.
        """
        return {node: self._drain_node(cluster, node, max_size, now_ms) for node in nodes}

    def _drain_node(
        self, cluster: Cluster, node: int, max_size: int, now_ms: int
    ) -> list[ProducerBatch]:
        parts = cluster.partitions_for_node(node)
        if not parts:
            raise JavaArithmeticError("/ by zero")
        drained: list[ProducerBatch] = []
        size = 0
        start = self._drain_index = self._drain_index % len(parts)
        while True:
            info = parts[self._drain_index]
            topic, partition = str(info.topic), info.partition
            self._drain_index = (self._drain_index + 1) % len(parts)
            queue = self._queue(topic, partition)
            if (
                not self._is_muted(topic, partition, now_ms)
                and queue
                and not self._backs_off(queue[0], now_ms)
            ):
                if drained and size + queue[0].estimated_size_in_bytes > max_size:
                    break
                if self._stops_drain(queue):
                    break
                batch = self._take_first(queue)
                size += batch.estimated_size_in_bytes
                drained.append(batch)
            if self._drain_index == start:
                break
        return drained

    def _is_muted(self, topic: str, partition: int, now_ms: int) -> bool:
        del now_ms
        return (topic, partition) in self._muted

    def _backs_off(self, batch: ProducerBatch, now_ms: int) -> bool:
        return batch.attempts > 0 and batch.waited_time_ms(now_ms) < self._retry_backoff_ms

    def _queues(self) -> Iterable[Queue]:
        return self._batches.values()

    def _queue(self, topic: str, partition: int) -> Queue | None:
        return self._batches.get((topic, partition))

    def _queue_made(self, topic: str, partition: int) -> Queue:
        return self._batches.compute_if_absent((topic, partition), Queue)

    def _forget_queues(self) -> None:
        self._batches.clear()


class ThrottledAccumulator(PartitionAccumulator):
    """The same in 2.3.1, where a partition is muted until a time."""

    batch = UnclosedWhenSplit

    def __init__(self, buffer_pool: BufferPool, **settings: Any) -> None:
        settings.setdefault("ratios", SteppingRatioEstimator())
        super().__init__(buffer_pool, **settings)
        self._muted_until: dict[tuple[str, int], int] = {}

    def mute_partition(self, topic: str, partition: int) -> None:
        """Let a partition's batches wait, because one is in flight."""
        self._muted_until[topic, partition] = NEVER

    def unmute_partition(self, topic: str, partition: int, throttle_until_ms: int = 0) -> None:
        """End that, at a time if the broker throttles."""
        self._muted_until[topic, partition] = throttle_until_ms

    def _is_muted(self, topic: str, partition: int, now_ms: int) -> bool:
        is_muted = self._muted_until.get((topic, partition), now_ms) > now_ms
        if not is_muted:
            # If the clock goes back, it is not muted again.
            self._muted_until.pop((topic, partition), None)
        return is_muted

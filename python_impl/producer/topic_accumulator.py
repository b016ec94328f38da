"""The accumulator from 3.3 on, which chooses partitions and tells the partitioner of its queues.

Follows ``RecordAccumulator`` of 3.8.0 (KIP-794); what it has in common with earlier ones is in
:mod:`.record_accumulator`.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, ClassVar
from weakref import WeakSet

from ..cluster import Cluster
from ..errors import JavaIllegalStateError
from ..hash_order import CopyOnWriteMap, hash_of_text
from ..randomness import random_int32
from ..records.record import Headers
from .backoff import ExponentialBackoff
from .buffer_pool import BufferPool
from .built_in_partitioner import BuiltInPartitioner, StickyPartitionInfo
from .producer_batch import Callback, ProducerBatch
from .rack_aware_partitioner import RackAwareBuiltInPartitioner
from .record_accumulator import (
    NEVER,
    Queue,
    ReadyCheckResult,
    RecordAccumulator,
    RecordAppendResult,
)

LeaderEpochs = Callable[[str, int], int | None]
"""The epoch of a partition's leader, as metadata have it, or None."""


class _TopicInfo:
    """A topic's queues by partition, and its partitioner."""

    def __init__(self, partitioner: BuiltInPartitioner) -> None:
        self.batches = CopyOnWriteMap[int, Queue](int)
        self.partitioner = partitioner


class _NodeLatency:
    """When a node last had batches to send (ms), and when it last took some."""

    def __init__(self, now_ms: int) -> None:
        self.ready_ms = self.drain_ms = now_ms


def no_epoch(topic: str, partition: int) -> None:
    """Metadata without epochs of leaders."""
    del topic, partition


class TopicAccumulator(RecordAccumulator):
    """Queues by topic, then by partition (3.8.0).

    ``random`` answers an int32 for the partitioner's choices, ``jitter`` a number from 0 to 1 for
    backoffs. ``availability_timeout_ms`` of 0 keeps slow nodes' partitions in the choice.
    """

    partitioner: ClassVar[type[BuiltInPartitioner]] = BuiltInPartitioner

    def __init__(
        self,
        buffer_pool: BufferPool,
        *,
        batch_size: int,
        retry_backoff_ms: int = 100,
        retry_backoff_max_ms: int = 1000,
        adaptive: bool = True,
        availability_timeout_ms: int = 0,
        random: Callable[[], int] = random_int32,
        jitter: Callable[[], float] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(
            buffer_pool, batch_size=batch_size, retry_backoff_ms=retry_backoff_ms, **settings
        )
        self.retry_backoff = ExponentialBackoff(
            retry_backoff_ms, retry_backoff_max_ms, random=jitter
        )
        self._adaptive = adaptive
        self._availability_timeout_ms = availability_timeout_ms
        self._random = random
        self._topics = CopyOnWriteMap[str, _TopicInfo](hash_of_text)
        self._latencies: dict[int, _NodeLatency] = {}
        self._drain_index: dict[int, int] = {}

    def append(
        self,
        topic: str,
        partition: int | None,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers = (),
        *,
        cluster: Cluster,
        now_ms: int,
        abort_on_new_batch: bool = False,
        callback: Callback | None = None,
        set_partition: Callable[[int], None] | None = None,
    ) -> RecordAppendResult:
        """Append a record to the open batch of a partition, or to a new one.

        Without a partition the topic's partitioner chooses; it is told the bytes, and may choose
        another one for the next record. ``set_partition`` is told the choice at once, which an
        error does not tell. With ``abort_on_new_batch`` (up to 3.9) a record that would
        open a batch is not appended. Raises :class:`JavaKafkaError` if the accumulator is closed,
        what :meth:`BufferPool.allocate` raises and what :meth:`BuiltInPartitioner.peek` raises.
        """
        record = timestamp, key, value, headers
        known = self._topics.get(topic) or self._topic_made(topic)
        partitioner, batches = known.partitioner, known.batches
        buffer: int | None = None
        try:
            while True:
                info = partitioner.peek(cluster) if partition is None else None
                chosen = info.partition() if info is not None else int(partition or 0)
                if set_partition is not None:
                    set_partition(chosen)
                queue = batches.get(chosen) or batches.compute_if_absent(chosen, Queue)
                if info is not None and _partition_changed(partitioner, info, queue, cluster):
                    continue
                appended = self._try_append(record, callback, chosen, queue, now_ms)
                if appended is None:
                    if abort_on_new_batch:
                        return RecordAppendResult(chosen, False, False, abort_for_new_batch=True)
                    if buffer is None:
                        buffer = self._allocate(record)
                    if info is not None and _partition_changed(partitioner, info, queue, cluster):
                        continue
                    appended = self._append_new_batch(
                        record, callback, topic, chosen, queue, buffer, now_ms
                    )
                    if appended.new_batch_created:
                        buffer = None
                if info is not None:
                    enable_switch = appended.batch_is_full and _all_batches_full(queue)
                    partitioner.update_partition_info(
                        info, appended.appended_bytes, cluster, enable_switch
                    )
                return appended
        finally:
            if buffer is not None:
                self._pool.deallocate(buffer)

    def ready(
        self, cluster: Cluster, now_ms: int, leader_epoch: LeaderEpochs = no_epoch
    ) -> ReadyCheckResult:
        """Which nodes have a batch that is to be sent now.

        Tells each topic's partitioner how long its queues are, if all partitions have had one.
        """
        seen = _Ready(now_ms, leader_epoch)
        for topic, known in self._topics.items():
            self._look_at_topic(topic, known, cluster, seen)
        return ReadyCheckResult(tuple(seen.nodes), seen.delay_ms, frozenset(seen.unknown))

    def _look_at_topic(
        self, topic: str, known: _TopicInfo, cluster: Cluster, seen: "_Ready"
    ) -> None:
        sizes: list[int] | None = None
        if self._adaptive and len(known.batches) >= len(cluster.partitions_for_topic(topic)):
            sizes = [0] * len(known.batches)
        ids = [0] * len(known.batches)
        last = -1
        for partition, queue in known.batches.items():
            leader = cluster.leader_for(topic, partition)
            if leader is not None and sizes is not None:
                last += 1
                ids[last] = partition
            if not queue:
                continue
            waited, backs_off = self._waiting(queue[0], topic, partition, seen)
            if leader is None:
                seen.unknown.add(topic)
                continue
            if sizes is not None:
                sizes[last] = len(queue)
            if self._is_late(leader):
                last -= 1
            self._look_at_queue(queue, (topic, partition), leader, waited, backs_off, seen)
        known.partitioner.update_partition_load_stats(sizes, ids, last + 1)

    def _waiting(
        self, batch: ProducerBatch, topic: str, partition: int, seen: "_Ready"
    ) -> tuple[int, bool]:
        """How long a batch has waited, and whether it must wait before it is tried again."""
        batch.maybe_update_leader_epoch(seen.leader_epoch(topic, partition))
        return batch.waited_time_ms(seen.now_ms), self._backs_off(batch, seen.now_ms)

    def _look_at_queue(
        self,
        queue: Queue,
        at: tuple[str, int],
        leader: int,
        waited: int,
        backs_off: bool,
        seen: "_Ready",
    ) -> None:
        if leader in seen.nodes or at in self._muted:
            return
        to_wait = self._linger_ms
        if backs_off:
            to_wait = self.retry_backoff.backoff(max(queue[0].attempts - 1, 0))
        if self._is_sendable(queue, waited >= to_wait) and not backs_off:
            seen.nodes[leader] = None
        else:
            seen.delay_ms = min(seen.delay_ms, max(to_wait - waited, 0))

    def _is_late(self, node: int) -> bool:
        latency = self._latencies.get(node)
        if self._availability_timeout_ms <= 0 or latency is None:
            return False
        return latency.ready_ms - latency.drain_ms > self._availability_timeout_ms

    def drain(
        self,
        cluster: Cluster,
        nodes: Sequence[int],
        max_size: int,
        now_ms: int,
        leader_epoch: LeaderEpochs = no_epoch,
    ) -> dict[int, list[ProducerBatch]]:
        """Take out the first batch of each partition of these nodes, closed, to be sent.

        A node's batches have ``max_size`` bytes at most, but for a first one that is larger. The
        next call begins with the partition that this one looked at last.
        """
        seen = _Ready(now_ms, leader_epoch)
        return {node: self._drain_node(cluster, node, max_size, seen) for node in nodes}

    def _drain_node(
        self, cluster: Cluster, node: int, max_size: int, seen: "_Ready"
    ) -> list[ProducerBatch]:
        parts = cluster.partitions_for_node(node)
        drained: list[ProducerBatch] = []
        size = 0
        first = self._drain_index.get(node, 0) % len(parts) if parts else 0
        for turn in range(len(parts)):
            index = (first + turn) % len(parts)
            topic, partition = str(parts[index].topic), parts[index].partition
            self._drain_index[node] = index
            queue = self._queue(topic, partition)
            if not queue or (topic, partition) in self._muted:
                continue
            _, backs_off = self._waiting(queue[0], topic, partition, seen)
            if backs_off:
                continue
            if drained and size + queue[0].estimated_size_in_bytes > max_size:
                break
            if self._stops_drain(queue):
                break
            batch = self._take_first(queue)
            size += batch.estimated_size_in_bytes
            drained.append(batch)
        return drained

    def update_node_latency_stats(self, node: int, now_ms: int, can_drain: bool) -> None:
        """A node has batches to send, and can take them or not."""
        if self._availability_timeout_ms <= 0:
            return
        latency = self._latencies.setdefault(node, _NodeLatency(now_ms))
        if can_drain:
            latency.drain_ms = now_ms
        latency.ready_ms = now_ms

    def built_in_partitioner(self, topic: str) -> BuiltInPartitioner | None:
        """The partitioner of a topic; None before its first record."""
        known = self._topics.get(topic)
        return None if known is None else known.partitioner

    def _backs_off(self, batch: ProducerBatch, now_ms: int) -> bool:
        if batch.attempts == 0:
            return False
        # The backoff is drawn also where a change of leader makes it meaningless.
        waits = batch.waited_time_ms(now_ms) < self.retry_backoff.backoff(batch.attempts - 1)
        return waits and not batch.has_leader_changed_for_the_ongoing_retry

    def _topic_made(self, topic: str) -> _TopicInfo:
        return self._topics.compute_if_absent(
            topic, lambda: _TopicInfo(self._new_partitioner(topic))
        )

    def _new_partitioner(self, topic: str) -> BuiltInPartitioner:
        return self.partitioner(topic, self._batch_size, random=self._random)

    def _queues(self) -> Iterable[Queue]:
        return chain.from_iterable([known.batches.values() for known in self._topics.values()])

    def _queue(self, topic: str, partition: int) -> Queue | None:
        known = self._topics.get(topic)
        return None if known is None else known.batches.get(partition)

    def _queue_made(self, topic: str, partition: int) -> Queue:
        return self._topic_made(topic).batches.compute_if_absent(partition, Queue)

    def _forget_queues(self) -> None:
        self._topics.clear()


class RackAwareAccumulator(TopicAccumulator):
    """The same in 4.4.0, which halves a part of a batch that is still too large.

    Its partitioner may look at racks; a producer's does not by default.
    """

    partitioner = RackAwareBuiltInPartitioner

    def __init__(self, buffer_pool: BufferPool, **settings: Any) -> None:
        super().__init__(buffer_pool, **settings)
        self._returned: WeakSet[ProducerBatch] = WeakSet()

    def return_buffer(self, batch: ProducerBatch) -> None:
        """Return a batch's buffer, once.

        Raises :class:`JavaIllegalStateError` for one that is in flight, whose buffer is read still;
        memory for another one is returned in its place.
        """
        if batch.is_split or batch in self._returned:
            return
        self._returned.add(batch)
        if batch.in_flight:
            self._pool.deallocate(batch.initial_capacity)
            raise JavaIllegalStateError("Attempting to deallocate a batch that is inflight.")
        super().return_buffer(batch)

    def _let_go(self, batch: ProducerBatch) -> None:
        if batch.in_flight:
            self.forget(batch)
        else:
            super()._let_go(batch)

    def _split_size(self, batch: ProducerBatch) -> int:
        """``batch.size`` again would make the same part again, without end."""
        if not batch.is_split:
            return super()._split_size(batch)
        return max(batch.max_record_size, batch.estimated_size_in_bytes // 2)


class _Ready:
    """What a look at all queues has found so far, and what it goes by."""

    def __init__(self, now_ms: int, leader_epoch: LeaderEpochs) -> None:
        self.now_ms = now_ms
        self.leader_epoch = leader_epoch
        self.nodes: dict[int, None] = {}
        self.unknown: set[str] = set()
        self.delay_ms = NEVER


def _all_batches_full(queue: Queue) -> bool:
    """Whether a new record would open a batch; only the last one can be unfinished."""
    return not queue or queue[-1].builder.is_full


def _partition_changed(
    partitioner: BuiltInPartitioner, info: StickyPartitionInfo, queue: Queue, cluster: Cluster
) -> bool:
    """Whether the partitioner has moved on since ``info`` was peeked, or does so now.

    It may have been kept from it by an unfinished batch, which has been finished meanwhile.
    """
    if partitioner.is_partition_changed(info):
        return True
    if not _all_batches_full(queue):
        return False
    partitioner.update_partition_info(info, 0, cluster, True)
    return partitioner.is_partition_changed(info)

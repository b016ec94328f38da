"""``BuiltInPartitioner`` of 3.3 to 4.3 (KIP-794): sticky by bytes, uniform or adaptive."""

from collections.abc import Sequence

from ..cluster import Cluster, PartitionInfo, known
from ..errors import (
    JavaAssertionError,
    JavaIllegalArgumentError,
    JavaIndexOutOfBoundsError,
    JavaNullPointerError,
)
from ..int32 import int32, remainder, to_positive
from ..randomness import RandomInts, random_int32
from .load_stats import PartitionLoadStats, fold_queue_sizes


class StickyPartitionInfo:
    """The current sticky partition, and how many bytes (int32) were produced to it."""

    __slots__ = ("_partition", "produced_bytes")

    def __init__(self, partition: int) -> None:
        self._partition = partition
        self.produced_bytes = 0

    def partition(self) -> int:
        """The partition's id (or its index, if none was available when it was chosen)."""
        return self._partition


class BuiltInPartitioner:
    """Chooses partitions for the records of one topic that have no key.

    A partition is kept until ``sticky_batch_size`` bytes (batch.size, at least 1) were
    appended. The intended use is that of ``RecordAccumulator.append``: :meth:`peek`, lock the
    partition's queue, :meth:`is_partition_changed` (then start over), append,
    :meth:`update_partition_info`.

    ``random`` answers the next int32 of ``ThreadLocalRandom``, whose sign is cleared;
    ``mock_random``, if given, is Java's test hook and is used raw. ``assertions`` mirrors a
    JVM started with ``-ea``; production JVMs, and the default, run without.

    Raises :class:`JavaIllegalArgumentError` for a ``sticky_batch_size`` below 1.
    """

    def __init__(
        self,
        topic: str,
        sticky_batch_size: int,
        *,
        random: RandomInts = random_int32,
        mock_random: RandomInts | None = None,
        assertions: bool = False,
    ) -> None:
        if sticky_batch_size < 1:
            raise JavaIllegalArgumentError(
                f"stickyBatchSize must be >= 1 but got {sticky_batch_size}"
            )
        self._topic = topic
        self._sticky_batch_size = sticky_batch_size
        self._random = random
        self._mock_random = mock_random
        self._assertions = assertions
        self._info: StickyPartitionInfo | None = None
        self._load_stats: PartitionLoadStats | None = None

    @property
    def current(self) -> StickyPartitionInfo | None:
        """The sticky partition info, or None before the first :meth:`peek`."""
        return self._info

    @property
    def load_stats(self) -> PartitionLoadStats | None:
        """The table behind the adaptive choice, or None while the choice is uniform."""
        return self._load_stats

    def load_stats_range_end(self) -> int:
        """``loadStatsRangeEnd``; raises :class:`JavaNullPointerError` without load stats."""
        if self._load_stats is None:
            if self._assertions:
                raise JavaAssertionError("partitionLoadStats != null")
            raise JavaNullPointerError("there are no load stats")
        return self._load_stats.range_end

    def peek(self, cluster: Cluster | None) -> StickyPartitionInfo:
        """``peekCurrentPartitionInfo``: the sticky partition info, chosen now if there is none.

        ``cluster`` is only looked at then, and only without load stats. Raises
        :class:`JavaArithmeticError` for a topic without partitions,
        :class:`JavaNullPointerError` for null metadata, :class:`JavaIndexOutOfBoundsError` for
        a negative ``mock_random``, and what :meth:`PartitionLoadStats.choose` raises.
        """
        if self._info is None:
            self._info = StickyPartitionInfo(self._next_partition(cluster))
        return self._info

    def is_partition_changed(self, info: StickyPartitionInfo | None) -> bool:
        """Whether ``info``, peeked earlier, is no longer the current one; False for None."""
        return info is not None and self._info is not info

    def update_partition_info(
        self,
        info: StickyPartitionInfo | None,
        appended_bytes: int,
        cluster: Cluster | None,
        enable_switch: bool = True,
    ) -> None:
        """Count appended bytes (int32) and switch partition when enough were produced.

        Enough is the batch size if ``enable_switch`` (the batch is ready to be sent), twice
        the batch size in any case; both compared in int32, where a batch size of 2**30 or more
        doubles to a negative number. ``info`` None (a record with a key) does nothing. A stale
        ``info`` counts its bytes and may still switch, because Java relies on the caller
        having checked; with ``assertions`` it raises :class:`JavaAssertionError`. A switch
        raises what :meth:`peek` raises; the bytes are counted all the same.
        """
        if info is None:
            return
        if self._assertions and info is not self._info:
            raise JavaAssertionError("partitionInfo == stickyPartitionInfo.get()")
        info.produced_bytes = int32(info.produced_bytes + appended_bytes)
        produced = info.produced_bytes
        enough = produced >= self._sticky_batch_size and enable_switch
        too_much = produced >= int32(self._sticky_batch_size * 2)
        if enough or too_much:
            self._info = StickyPartitionInfo(self._next_partition(cluster))

    def update_partition_load_stats(
        self, queue_sizes: list[int] | None, partition_ids: Sequence[int], length: int
    ) -> None:
        """Install the queue sizes (batches waiting per partition) for the adaptive choice.

        ``queue_sizes`` is changed in place and kept, as in Java; None switches back to the
        uniform choice. Only the first ``length`` entries count. Raises what
        :func:`fold_queue_sizes` raises.
        """
        if queue_sizes is None:
            self._load_stats = None
        else:
            self._load_stats = fold_queue_sizes(
                queue_sizes, partition_ids, length, assertions=self._assertions
            )

    def _next_partition(self, cluster: Cluster | None) -> int:
        random = to_positive(self._random()) if self._mock_random is None else self._mock_random()
        load_stats = self._stats_to_choose_by()
        if load_stats is not None:
            return load_stats.choose(random, assertions=self._assertions)
        available = self._partitions_to_choose_from(known(cluster))
        if not available:
            count = len(known(cluster).partitions_for_topic(self._topic))
            return remainder(random, count)
        index = remainder(random, len(available))
        if index < 0:
            raise JavaIndexOutOfBoundsError(f"index {index} of {len(available)} partitions")
        return available[index].partition

    def _stats_to_choose_by(self) -> PartitionLoadStats | None:
        return self._load_stats

    def _partitions_to_choose_from(self, cluster: Cluster) -> Sequence[PartitionInfo]:
        return cluster.available_partitions_for_topic(self._topic)

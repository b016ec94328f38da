"""``BuiltInPartitioner`` of 4.4 (KIP-1123): the same, and it may prefer leaders in its own rack."""

from collections.abc import Sequence

from ..cluster import Cluster, PartitionInfo
from ..errors import JavaAssertionError, JavaNullPointerError
from ..int32 import int32
from ..randomness import RandomInts, random_int32
from .built_in_partitioner import BuiltInPartitioner
from .load_stats import PartitionLoadStats, differ, element, invert_and_fold


class RackAwareBuiltInPartitioner(BuiltInPartitioner):
    """Chooses as :class:`BuiltInPartitioner` does, but among leaders in ``rack`` if it can.

    ``rack_aware`` is ``partitioner.rack.aware``, which is off by default, and ``rack`` is the
    producer's ``client.rack``. With it off, racks are never looked at. With it on, a choice is made
    among the available partitions whose leader is in that rack; without any, among all that are
    available, as if it were off. An empty rack is one like any other: that of the leaders whose
    rack is empty, not of those that have none.

    ``mock_random``, if given, is what overrides ``randomPartition``, and is used raw. The other
    parameters, and what is raised, are as in :class:`BuiltInPartitioner`.
    """

    def __init__(
        self,
        topic: str,
        sticky_batch_size: int,
        *,
        rack_aware: bool = False,
        rack: str = "",
        random: RandomInts = random_int32,
        mock_random: RandomInts | None = None,
        assertions: bool = False,
    ) -> None:
        super().__init__(
            topic, sticky_batch_size, random=random, mock_random=mock_random, assertions=assertions
        )
        self._rack_aware = rack_aware
        self._rack = rack
        self._stats_in_this_rack: PartitionLoadStats | None = None

    @property
    def load_stats_in_this_rack(self) -> PartitionLoadStats | None:
        """The table of the partitions led in this rack; None while the choice is uniform.

        None also if racks are not looked at. Its length is 0 if no leader is in this rack.
        """
        return self._stats_in_this_rack

    def load_stats_in_this_rack_range_end(self) -> int:
        """``loadStatsInThisRackRangeEnd``.

        Raises :class:`JavaNullPointerError` without load stats or where racks are not looked at,
        and :class:`JavaArrayIndexOutOfBoundsError` if no leader is in this rack; with assertions
        both are :class:`JavaAssertionError`, but not that there are no load stats at all.
        """
        if self._load_stats is None:
            raise JavaNullPointerError("there are no load stats")
        stats = self._stats_in_this_rack
        if self._assertions and (stats is None or stats.length < 1):
            raise JavaAssertionError("inThisRack != null and length > 0")
        if stats is None:
            raise JavaNullPointerError("there are no load stats of this rack")
        return element(stats.table, stats.length - 1)

    def update_partition_load_stats(
        self,
        queue_sizes: list[int] | None,
        partition_ids: Sequence[int],
        length: int,
        leader_racks: Sequence[str | None] | None = None,
    ) -> None:
        """As in :class:`BuiltInPartitioner`; whether to adapt is decided by all racks together.

        ``leader_racks`` are the racks of the leaders, one for each size, None for a leader
        without; None altogether if no leader has one. Raises also
        :class:`JavaArrayIndexOutOfBoundsError` where racks are looked at and they or the ids are
        too few (with ``assertions``, :class:`JavaAssertionError` for racks of another number).
        """
        in_this_rack = None
        if queue_sizes is not None:
            racks = [None] * len(queue_sizes) if leader_racks is None else leader_racks
            if self._assertions and len(queue_sizes) != len(racks):
                raise JavaAssertionError("queueSizes.length == partitionLeaderRacks.length")
            if self._rack_aware and differ(
                queue_sizes, partition_ids, length, assertions=self._assertions
            ):
                # Before the sizes are folded, which changes them.
                in_this_rack = fold_those_in_rack(
                    queue_sizes, partition_ids, racks, length, self._rack
                )
        super().update_partition_load_stats(queue_sizes, partition_ids, length)
        self._stats_in_this_rack = in_this_rack

    def _stats_to_choose_by(self) -> PartitionLoadStats | None:
        in_this_rack = self._stats_in_this_rack
        if in_this_rack is not None and in_this_rack.length > 0:
            return in_this_rack
        return super()._stats_to_choose_by()

    def _partitions_to_choose_from(self, cluster: Cluster) -> Sequence[PartitionInfo]:
        available = super()._partitions_to_choose_from(cluster)
        if not self._rack_aware:
            return available
        return [info for info in available if info.leader_rack == self._rack] or available


def fold_those_in_rack(
    queue_sizes: Sequence[int],
    partition_ids: Sequence[int],
    leader_racks: Sequence[str | None],
    length: int,
    rack: str,
) -> PartitionLoadStats:
    """``createPartitionLoadStatsForThisRackIfNeeded``: the table of one rack, weighed by itself.

    A weight is the largest size in the rack + 1 - the partition's own. The arrays have ``length``
    entries, of which the table uses as many as leaders are in the rack; the rest is 0. Raises
    :class:`JavaArrayIndexOutOfBoundsError` for fewer racks or, in the rack, ids than ``length``.
    """
    mine = [at for at in range(length) if element(leader_racks, at) == rack]
    unused = [0] * (length - len(mine))
    sizes = [queue_sizes[at] for at in mine] + unused
    ids = [element(partition_ids, at) for at in mine] + unused
    largest = max((queue_sizes[at] for at in mine), default=-1)
    invert_and_fold(sizes, int32(largest + 1), len(mine))
    return PartitionLoadStats(sizes, ids, len(mine))

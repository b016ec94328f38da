"""``StickyPartitionCache`` of 2.4 to 3.8 (KIP-480): one partition per topic, until a new batch."""

from ..cluster import Cluster, known
from ..errors import JavaNullPointerError
from ..int32 import remainder, to_positive
from ..randomness import RandomInts, random_int32


class StickyPartitionCache:
    """Remembers each topic's sticky partition. ``random`` answers the next int32."""

    def __init__(self, *, random: RandomInts = random_int32) -> None:
        self._random = random
        self._partitions: dict[str, int] = {}

    def get(self, topic: str) -> int | None:
        """The topic's sticky partition, or None if none was chosen yet; never chooses one."""
        return self._partitions.get(topic)

    def partition(self, topic: str | None, cluster: Cluster | None) -> int:
        """The topic's sticky partition, chosen now if there is none.

        The remembered partition is answered even when it is no longer in the metadata.
        Raises what :meth:`next_partition` raises.
        """
        if topic is None:
            raise JavaNullPointerError("the topic is null")
        part = self._partitions.get(topic)
        if part is None:
            return self.next_partition(topic, cluster, -1)
        return part

    def next_partition(self, topic: str | None, cluster: Cluster | None, previous: int) -> int:
        """Choose another partition if ``previous`` is the sticky one, or if there is none.

        Among two or more available partitions it draws until the choice differs; with one it
        takes that; with none it draws among all, and may stay. A ``previous`` that is not the
        sticky partition (someone else was faster) changes nothing.

        Raises :class:`JavaArithmeticError` for a topic without partitions, after one draw, and
        :class:`JavaNullPointerError` for null metadata or a null topic.
        """
        partitions = known(cluster).partitions_for_topic(topic)
        if topic is None:
            raise JavaNullPointerError("the topic is null")
        old = self._partitions.get(topic)
        if old is None or old == previous:
            self._partitions[topic] = self._choose(old, topic, known(cluster), len(partitions))
        return self._partitions[topic]

    def _choose(self, old: int | None, topic: str, cluster: Cluster, count: int) -> int:
        available = cluster.available_partitions_for_topic(topic)
        if not available:
            return remainder(to_positive(self._random()), count)
        if len(available) == 1:
            return available[0].partition
        new = old
        while new is None or new == old:
            new = available[to_positive(self._random()) % len(available)].partition
        return new

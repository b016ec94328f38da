"""``UniformStickyPartitioner`` of 2.4 to 3.8 (deprecated since 3.3): sticky for every key."""

from ..cluster import Cluster
from ..randomness import RandomInts, random_int32
from .sticky_partition_cache import StickyPartitionCache


class UniformStickyPartitioner:
    """Ignores keys: every record goes to the topic's sticky partition.

    ``random`` answers the next int32.
    """

    def __init__(self, *, random: RandomInts = random_int32) -> None:
        self._sticky = StickyPartitionCache(random=random)

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """The sticky partition; raises what :meth:`StickyPartitionCache.partition` raises."""
        del key  # whatever it is
        return self._sticky.partition(topic, cluster)

    def on_new_batch(self, topic: str | None, cluster: Cluster | None, previous: int) -> None:
        """A batch was opened while the sticky partition was ``previous``: move on from it."""
        self._sticky.next_partition(topic, cluster, previous)

    def sticky_partition(self, topic: str) -> int | None:
        """The topic's sticky partition, or None if none was chosen yet."""
        return self._sticky.get(topic)

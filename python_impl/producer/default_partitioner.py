"""``DefaultPartitioner``: what a producer uses without ``partitioner.class``, up to 3.2.

Two classes, because 2.4 (KIP-480) replaced round robin by sticky partitioning for null keys.
"""

from ..cluster import Cluster, known
from ..randomness import RandomInts, random_int32
from .keyed import partition_for_key
from .sticky_partition_cache import StickyPartitionCache
from .topic_counters import TopicCounters, partition_for_counter


class RoundRobinDefaultPartitioner:
    """``DefaultPartitioner`` of 2.3.1: keys by hash, null keys round robin over each topic.

    The round robin starts, per topic, at a random int32 and wraps at 2**31.
    ``random`` answers the next int32.
    """

    def __init__(self, *, random: RandomInts = random_int32) -> None:
        self._counters = TopicCounters(first=random)

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """The partition of a record with this serialized key (None: no key).

        Raises :class:`JavaArithmeticError` for a topic without partitions (after the counter
        has advanced) and :class:`JavaNullPointerError` for null metadata or a null topic.
        """
        cluster = known(cluster)
        count = len(cluster.partitions_for_topic(topic))
        if key is not None:
            return partition_for_key(key, count)
        return partition_for_counter(self._counters.next_value(topic), topic, cluster, count)

    def counter(self, topic: str) -> int | None:
        """The int32 that the topic's next null-key record will use, or None before its first."""
        return self._counters.get(topic)


class StickyDefaultPartitioner:
    """``DefaultPartitioner`` of 2.4 to 3.8 (deprecated since 3.3): keys by hash, others sticky.

    ``random`` answers the next int32.
    """

    def __init__(self, *, random: RandomInts = random_int32) -> None:
        self._sticky = StickyPartitionCache(random=random)

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        """The partition of a record with this serialized key (None: no key).

        Raises :class:`JavaArithmeticError` for a topic without partitions and
        :class:`JavaNullPointerError` for null metadata (also where it is not needed), or for
        a null topic without key.
        """
        count = len(known(cluster).partitions_for_topic(topic))
        if key is None:
            return self._sticky.partition(topic, cluster)
        return partition_for_key(key, count)

    def on_new_batch(self, topic: str | None, cluster: Cluster | None, previous: int) -> None:
        """A batch was opened while the sticky partition was ``previous``: move on from it."""
        self._sticky.next_partition(topic, cluster, previous)

    def sticky_partition(self, topic: str) -> int | None:
        """The topic's sticky partition, or None if none was chosen yet."""
        return self._sticky.get(topic)

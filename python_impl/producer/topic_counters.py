"""The per-topic counter behind both round robins."""

from collections.abc import Callable, Mapping

from ..cluster import Cluster
from ..errors import JavaNullPointerError
from ..int32 import int32, remainder, to_positive


class TopicCounters:
    """One int32 counter per topic that wraps from 2**31 - 1 to -2**31 (``AtomicInteger``)."""

    def __init__(self, first: Callable[[], int], initial: Mapping[str, int] | None = None) -> None:
        self._first = first
        self._counters: dict[str, int] = dict(initial or {})

    def get(self, topic: str) -> int | None:
        """The value that the topic's next record will use, or None before its first."""
        return self._counters.get(topic)

    def next_value(self, topic: str | None) -> int:
        """``nextValue``: the topic's counter, which then advances by one."""
        if topic is None:
            raise JavaNullPointerError("the topic is null")
        if topic not in self._counters:
            self._counters[topic] = self._first()
        value = self._counters[topic]
        self._counters[topic] = int32(value + 1)
        return value


def partition_for_counter(value: int, topic: str | None, cluster: Cluster, count: int) -> int:
    """The partition that a counter value stands for.

    An available partition if there is any, else an index below ``count``, the number of
    partitions. Raises :class:`JavaArithmeticError` if that is 0 too.
    """
    available = cluster.available_partitions_for_topic(topic)
    if available:
        return available[to_positive(value) % len(available)].partition
    # No partition has a leader: Java answers an index, whatever the ids are.
    return remainder(to_positive(value), count)

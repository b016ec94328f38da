"""Cluster metadata as the partitioners see it (``org.apache.kafka.common.Cluster``)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .errors import JavaNullPointerError


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """One partition of a topic: its id, and the id of its leader's node or None without one.

    ``leader_rack`` is that node's rack (``broker.rack``), or None if it has none.
    """

    topic: str | None
    partition: int
    leader: int | None
    leader_rack: str | None = None


class Cluster:
    """The partitions of each topic, in the order given, and which of them have a leader.

    Follows the constructor of ``Cluster`` (2.3.1 to 4.4.0): partitions keep the order of
    ``partitions``; a partition is *available* when it has a leader. Ids need be neither
    contiguous nor sorted.
    """

    def __init__(self, partitions: Iterable[PartitionInfo]) -> None:
        self._by_topic: dict[str | None, list[PartitionInfo]] = {}
        self._by_node: dict[int, list[PartitionInfo]] = {}
        self._leaders: dict[tuple[str | None, int], int | None] = {}
        for info in partitions:
            self._by_topic.setdefault(info.topic, []).append(info)
            self._leaders[info.topic, info.partition] = info.leader
            if info.leader is not None:
                self._by_node.setdefault(info.leader, []).append(info)
        self._available = {
            topic: [info for info in infos if info.leader is not None]
            for topic, infos in self._by_topic.items()
        }

    @classmethod
    def of(cls, topics: Mapping[str, int] | None = None, /, **named: int) -> "Cluster":
        """A cluster in which each topic has so many partitions 0, 1, 2 ..., all led.

        ``Cluster.of(orders=6)``, or ``Cluster.of({"my-topic": 6})`` where the name is no
        Python name.
        """
        return cls(
            PartitionInfo(topic, partition, leader=0)
            for topic, count in {**(topics or {}), **named}.items()
            for partition in range(count)
        )

    def partitions_for_topic(self, topic: str | None) -> Sequence[PartitionInfo]:
        """All partitions of the topic; empty for an unknown one."""
        return self._by_topic.get(topic, [])

    def leader_for(self, topic: str | None, partition: int) -> int | None:
        """The node that leads a partition, or None if there is none or it is not known."""
        return self._leaders.get((topic, partition))

    def partitions_for_node(self, node: int) -> Sequence[PartitionInfo]:
        """The partitions of all topics that a node leads; empty for an unknown one."""
        return self._by_node.get(node, [])

    def available_partitions_for_topic(self, topic: str | None) -> Sequence[PartitionInfo]:
        """The partitions of the topic that have a leader; empty for an unknown one."""
        return self._available.get(topic, [])


def known(cluster: Cluster | None) -> Cluster:
    """The cluster, or :class:`JavaNullPointerError` where Java would dereference null."""
    if cluster is None:
        raise JavaNullPointerError("the cluster metadata is null")
    return cluster

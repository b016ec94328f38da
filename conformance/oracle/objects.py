"""Kafka's own objects, made one by one: for helpers that are handed them once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import jpype
import jpype.nio

from conformance.model.program import LoadedClient
from conformance.oracle.kafka_classes import CLUSTER, COMMON


def java_cluster(
    client: LoadedClient,
    topics: Mapping[str, Iterable[int]],
    leaderless: Collection[int] = (),
    racks: Sequence[str | None] = (),
) -> Any:
    """A ``Cluster`` in which each partition has a node, of its own number, as its leader.

    The partitions of the ids ``leaderless`` have none; ``racks`` are those of the first nodes.
    """
    node_class = client.java_class(f"{COMMON}.Node")
    info_class = client.java_class(f"{COMMON}.PartitionInfo")
    infos = jpype.java.util.ArrayList()
    nodes: dict[int, Any] = {}
    for topic, partitions in topics.items():
        for partition in partitions:
            node = None
            if partition not in leaderless:
                rack = racks[partition] if partition < len(racks) else None
                new = node_class(partition, "localhost", 9092, rack)
                node = nodes.setdefault(partition, new)
            infos.add(info_class(topic, partition, node, None, None))
    nothing = jpype.java.util.Collections.emptySet()
    all_nodes = jpype.java.util.ArrayList(list(nodes.values()))
    return client.java_class(CLUSTER)(None, all_nodes, infos, nothing, nothing)


def set_counters(client: LoadedClient, partitioner: Any, counters: Mapping[str, int]) -> None:
    """Give a round robin's counters, by topic, the int32 values that they are to have next."""
    field = partitioner.getClass().getDeclaredField("topicCounterMap")
    field.setAccessible(True)
    counter = client.java_class("java.util.concurrent.atomic.AtomicInteger")
    for topic, value in counters.items():
        field.get(partitioner).put(jpype.JString(topic), counter(value))


def strings(texts: Iterable[str | None]) -> Any:
    """A ``String[]``."""
    return jpype.JArray(jpype.JString)(list(texts))


def direct_buffer(array: Any) -> Any:
    """An array's or Arrow buffer's memory as a ``java.nio.ByteBuffer``, without a copy."""
    return jpype.nio.convertToDirectBuffer(array)

"""``StickyPartitionCache``: what both sticky partitioners rest on, driven directly."""

from typing import Any

from conformance.behaviours.partitioning.labels import STICKY_CLASSES
from conformance.behaviours.partitioning.partitioner_history import StickyHistory, sticky_ways
from conformance.model.case import Operation
from conformance.model.trace import Answer
from conformance.model.ways import Member
from conformance.oracle.kafka_classes import (
    CLUSTER,
    STICKY_PARTITION_CACHE,
    STICKY_PARTITIONS,
    STRING,
)


class StickyCache(StickyHistory):
    """``partition`` and ``nextPartition``, which also answers what it chose."""

    name = "sticky-cache"
    summary = "the sticky partition of each topic, and the choice of the next one, by themselves"
    ways = sticky_ways("nextPartition", Member(STICKY_PARTITION_CACHE))
    meaning = (
        "Another partition is chosen for the next batch than with Java, given the same random "
        "numbers."
    )
    interesting = STICKY_CLASSES
    java_methods = (("partition", (STRING, CLUSTER)), ("nextPartition", (STRING, CLUSTER, "int")))
    java_state = (Member(STICKY_PARTITION_CACHE, "indexCache", STICKY_PARTITIONS),)
    port_class = "StickyPartitionCache"

    def call_partition(self, subject: Any, operation: Operation, cluster: Any) -> Answer:
        return subject.partition(operation["topic"], cluster)

    def call_new_batch(
        self, subject: Any, topic: str | None, cluster: Any, previous: int
    ) -> Answer:
        return subject.next_partition(topic, cluster, previous)

    def state_of(self, subject: Any, topic: str) -> Answer:
        return subject.get(topic)

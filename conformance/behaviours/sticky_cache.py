"""``StickyPartitionCache``: what both sticky partitioners rest on, driven directly."""

from typing import Any

from conformance.behaviours.labels import STICKY_CLASSES
from conformance.behaviours.partitioner_history import PartitionerHistory
from conformance.case import Operation
from conformance.oracle.kafka import CLUSTER, STRING
from conformance.trace import Answer


class StickyCache(PartitionerHistory):
    """``partition`` and ``nextPartition``, which also answers what it chose."""

    name = "sticky-cache"
    summary = "the sticky partition of each topic, and the choice of the next one, by themselves"
    interesting = STICKY_CLASSES
    partitions_in_turn = False
    java_methods = (
        ("partition", (STRING, CLUSTER)),
        ("nextPartition", (STRING, CLUSTER, "int")),
    )
    java_state = ("indexCache",)
    port_class = "StickyPartitionCache"

    def call_partition(self, subject: Any, operation: Operation, cluster: Any) -> Answer:
        """See :class:`PartitionerHistory`."""
        return subject.partition(operation["topic"], cluster)

    def call_new_batch(
        self, subject: Any, topic: str | None, cluster: Any, previous: int
    ) -> Answer:
        """See :class:`PartitionerHistory`."""
        return subject.next_partition(topic, cluster, previous)

    def state_of(self, subject: Any, topic: str) -> Answer:
        """See :class:`PartitionerHistory`."""
        return subject.get(topic)

"""``DefaultPartitioner`` since 2.4: records without key stick to a partition until a new batch."""

from conformance.behaviours.labels import KEY_CLASSES, STICKY_CLASSES
from conformance.behaviours.partitioner_history import (
    ON_NEW_BATCH,
    PARTITION,
    PartitionerHistory,
)


class Sticky(PartitionerHistory):
    """Keys are hashed; null keys share the topic's sticky partition (KIP-480)."""

    name = "sticky"
    summary = "null keys stick to one partition until a batch is opened; keys are hashed (KIP-480)"
    interesting = {**STICKY_CLASSES, **KEY_CLASSES}
    keys_hashed = True
    partitions_in_turn = False
    java_methods = (PARTITION, ON_NEW_BATCH)
    java_state = ("stickyPartitionCache", "indexCache")
    port_class = "DefaultPartitioner"

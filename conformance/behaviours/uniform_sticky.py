"""``UniformStickyPartitioner``: sticky for every record, whatever its key."""

from conformance.behaviours.labels import KEY_CLASSES, STICKY_CLASSES
from conformance.behaviours.partitioner_history import (
    ON_NEW_BATCH,
    PARTITION,
    PartitionerHistory,
)


class UniformSticky(PartitionerHistory):
    """Like sticky, but keys are ignored."""

    name = "uniform-sticky"
    summary = "every record, keyed or not, sticks to one partition until a batch is opened"
    interesting = {**STICKY_CLASSES, **KEY_CLASSES}
    partitions_in_turn = False
    java_methods = (PARTITION, ON_NEW_BATCH)
    java_state = ("stickyPartitionCache", "indexCache")
    port_class = "UniformStickyPartitioner"

"""``UniformStickyPartitioner``: sticky for every record, whatever its key."""

from conformance.behaviours.partitioning.labels import KEY_CLASSES, STICKY_CLASSES
from conformance.behaviours.partitioning.meanings import STICKY_MEANING
from conformance.behaviours.partitioning.partitioner_history import (
    ON_NEW_BATCH,
    PARTITION,
    StickyHistory,
    sticky_ways,
)
from conformance.model.ways import Member
from conformance.oracle.kafka_classes import (
    STICKY_PARTITION_CACHE,
    STICKY_PARTITIONS,
    UNIFORM_STICKY,
)


class UniformSticky(StickyHistory):
    """Like sticky, but keys are ignored."""

    name = "uniform-sticky"
    summary = "every record, keyed or not, sticks to one partition until a batch is opened"
    ways = sticky_ways("partition", Member(UNIFORM_STICKY))
    meaning = STICKY_MEANING.format(records="Records")
    sampled = True
    interesting = {**STICKY_CLASSES, **KEY_CLASSES}
    java_methods = (PARTITION, ON_NEW_BATCH)
    java_state = (
        Member(UNIFORM_STICKY, "stickyPartitionCache", STICKY_PARTITION_CACHE),
        Member(STICKY_PARTITION_CACHE, "indexCache", STICKY_PARTITIONS),
    )
    port_class = "UniformStickyPartitioner"

"""``DefaultPartitioner`` since 2.4: records without key stick to a partition until a new batch."""

from conformance.behaviours.partitioning.labels import KEY_CLASSES, STICKY_CLASSES
from conformance.behaviours.partitioning.meanings import STICKY_MEANING
from conformance.behaviours.partitioning.partitioner_history import (
    ON_NEW_BATCH,
    PARTITION,
    StickyHistory,
    sticky_ways,
)
from conformance.model.ways import Member
from conformance.oracle.kafka_classes import DEFAULT, STICKY_PARTITION_CACHE, STICKY_PARTITIONS


class Sticky(StickyHistory):
    """Keys are hashed; null keys share the topic's sticky partition (KIP-480)."""

    name = "sticky"
    summary = "null keys stick to one partition until a batch is opened; keys are hashed (KIP-480)"
    ways = sticky_ways("partition", Member(DEFAULT, "stickyPartitionCache", STICKY_PARTITION_CACHE))
    meaning = STICKY_MEANING.format(records="Records without key")
    sampled = True
    only_null_keys = True
    interesting = {**STICKY_CLASSES, **KEY_CLASSES}
    keys_hashed = True
    java_methods = (PARTITION, ON_NEW_BATCH)
    java_state = (
        Member(DEFAULT, "stickyPartitionCache", STICKY_PARTITION_CACHE),
        Member(STICKY_PARTITION_CACHE, "indexCache", STICKY_PARTITIONS),
    )
    port_class = "DefaultPartitioner"

"""``DefaultPartitioner`` since 2.4: records without key stick to a partition until a new batch."""

from conformance.behaviours.labels import KEY_CLASSES, STICKY_CLASSES
from conformance.behaviours.meanings import STICKY_ARRIVED, STICKY_GONE, STICKY_MEANING
from conformance.behaviours.partitioner_history import (
    ON_NEW_BATCH,
    PARTITION,
    PartitionerHistory,
)
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import DEFAULT


class Sticky(PartitionerHistory):
    """Keys are hashed; null keys share the topic's sticky partition (KIP-480)."""

    name = "sticky"
    summary = "null keys stick to one partition until a batch is opened; keys are hashed (KIP-480)"
    ways = (
        Way(
            f"{DEFAULT}.partition",
            (Member(DEFAULT, "stickyPartitionCache"),),
            since="2.4",
            until="4.0",
        ),
    )
    arrived = STICKY_ARRIVED
    gone = STICKY_GONE
    meaning = STICKY_MEANING.format(records="Records without key")
    sampled = True
    only_null_keys = True
    interesting = {**STICKY_CLASSES, **KEY_CLASSES}
    keys_hashed = True
    partitions_in_turn = False
    java_methods = (PARTITION, ON_NEW_BATCH)
    java_state = ("stickyPartitionCache", "indexCache")
    port_class = "DefaultPartitioner"

"""``UniformStickyPartitioner``: sticky for every record, whatever its key."""

from conformance.behaviours.labels import KEY_CLASSES, STICKY_CLASSES
from conformance.behaviours.meanings import STICKY_ARRIVED, STICKY_GONE, STICKY_MEANING
from conformance.behaviours.partitioner_history import (
    ON_NEW_BATCH,
    PARTITION,
    PartitionerHistory,
)
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import UNIFORM_STICKY


class UniformSticky(PartitionerHistory):
    """Like sticky, but keys are ignored."""

    name = "uniform-sticky"
    summary = "every record, keyed or not, sticks to one partition until a batch is opened"
    ways = (
        Way(f"{UNIFORM_STICKY}.partition", (Member(UNIFORM_STICKY),), since="2.4", until="4.0"),
    )
    arrived = STICKY_ARRIVED
    gone = STICKY_GONE
    meaning = STICKY_MEANING.format(records="Records")
    sampled = True
    interesting = {**STICKY_CLASSES, **KEY_CLASSES}
    partitions_in_turn = False
    java_methods = (PARTITION, ON_NEW_BATCH)
    java_state = ("stickyPartitionCache", "indexCache")
    port_class = "UniformStickyPartitioner"

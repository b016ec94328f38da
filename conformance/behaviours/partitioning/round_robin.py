"""``RoundRobinPartitioner``: every record in turn, with or without key."""

from conformance.behaviours.partitioning.dimensions.histories import COUNTER_STARTS
from conformance.behaviours.partitioning.labels import COUNTER_CLASSES, KEY_CLASSES
from conformance.behaviours.partitioning.partitioner_history import PARTITION, PartitionerHistory
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import COUNTERS, ROUND_ROBIN


class RoundRobin(PartitionerHistory):
    """A counter per topic that starts at 0, or at ``config["counters"]`` to reach its wrap."""

    name = "round-robin"
    summary = "every record goes to the next available partition, from a counter that wraps at 2^31"
    ways = (Way(f"{ROUND_ROBIN}.partition", (Member(ROUND_ROBIN),), since="2.4"),)
    arrived = "arrived in 2.4 (KIP-369)"
    meaning = (
        "Records go to the partitions in a different order than in Java. No record is lost; "
        "shares may be less even."
    )
    sampled = True
    takes_records = True
    dimensions = (*PartitionerHistory.dimensions, COUNTER_STARTS)
    interesting = {**COUNTER_CLASSES, **KEY_CLASSES}
    partitions_in_turn = True
    counters_can_be_set = True
    java_methods = (PARTITION, None)
    java_state = (Member(ROUND_ROBIN, "topicCounterMap", COUNTERS),)
    port_class = "RoundRobinPartitioner"

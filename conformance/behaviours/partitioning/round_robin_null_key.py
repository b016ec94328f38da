"""``DefaultPartitioner`` before 2.4: records without key go round the topic's partitions."""

from conformance.behaviours.partitioning.labels import COUNTER_CLASSES, KEY_CLASSES
from conformance.behaviours.partitioning.partitioner_history import PARTITION, PartitionerHistory
from conformance.model.ways import Member, Way
from conformance.oracle.kafka_classes import COUNTERS, DEFAULT


class RoundRobinNullKey(PartitionerHistory):
    """A counter per topic that starts at a random int32; keys are hashed and do not count."""

    name = "round-robin-null-key"
    summary = "null keys go round the available partitions, from a random start; keys are hashed"
    ways = (
        Way(f"{DEFAULT}.partition", (Member(DEFAULT, "topicCounterMap", COUNTERS),), until="2.4"),
    )
    gone = "replaced by sticky partitioning in 2.4 (KIP-480)"
    meaning = (
        "Records without key are dealt in another order than with Java. None is lost; shares may "
        "be less even."
    )
    sampled = True
    only_null_keys = True
    interesting = {**COUNTER_CLASSES, **KEY_CLASSES}
    keys_hashed = True
    partitions_in_turn = True
    java_methods = (PARTITION, None)
    java_state = (Member(DEFAULT, "topicCounterMap", COUNTERS),)
    port_class = "DefaultPartitioner"

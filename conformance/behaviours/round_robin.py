"""``RoundRobinPartitioner``: every record in turn, with or without key."""

from conformance.behaviours.labels import COUNTER_CLASSES, KEY_CLASSES
from conformance.behaviours.partitioner_history import PARTITION, PartitionerHistory


class RoundRobin(PartitionerHistory):
    """A counter per topic that starts at 0, or at ``config["counters"]`` to reach its wrap."""

    name = "round-robin"
    summary = "every record goes to the next available partition, from a counter that wraps at 2^31"
    interesting = {**COUNTER_CLASSES, **KEY_CLASSES}
    partitions_in_turn = True
    counters_can_be_set = True
    java_methods = (PARTITION, None)
    java_state = ("topicCounterMap",)
    port_class = "RoundRobinPartitioner"

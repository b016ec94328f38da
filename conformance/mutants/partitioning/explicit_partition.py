"""Bugs with records that name their partition."""

from conformance.mutants.mutant import Mutant

_RECORD = "producer/producer_record.py"
_EXPLICIT = ("explicit-partition", "3.8.0")
_EXPLICIT_3_2 = ("explicit-partition", "3.2.3")
_EXPLICIT_2_3 = ("explicit-partition", "2.3.1")

_NAMED = "    if record.partition is not None:\n        return"
_NEGATIVE = 'if self.partition is not None and check_int32("partition", self.partition) < 0:'

MUTANTS = [
    Mutant(
        "key wins over the named partition",
        "a record with a partition and a key goes where its key goes",
        _RECORD,
        _NAMED,
        "    if record.partition is not None and record.key is None:\n        return",
        *_EXPLICIT,
    ),
    Mutant(
        "partition 0 taken for none",
        "a truth value instead of a comparison with null",
        _RECORD,
        _NAMED,
        "    if record.partition or record.partition == 0 and not record.key:\n        return",
        *_EXPLICIT_2_3,
    ),
    Mutant(
        "partition -1 stands for none",
        "-1 is not refused, but means that the key decides",
        _RECORD,
        _NEGATIVE,
        'if self.partition == -1:\n            object.__setattr__(self, "partition", None)\n'
        '        elif self.partition is not None and check_int32("partition", self.partition) < 0:',
        *_EXPLICIT,
        seen_in="librdkafka (RD_KAFKA_PARTITION_UA)",
    ),
    Mutant(
        "negative partitions handed on",
        "a record for partition -2 is made",
        _RECORD,
        _NEGATIVE,
        "if self.partition == -1:",
        *_EXPLICIT,
    ),
    Mutant(
        "named partition looked up among the ids",
        "a partition that the metadata does not list is refused",
        _RECORD,
        _NAMED,
        "    ids = [one.partition for one in known(cluster).partitions_for_topic(record.topic)]\n"
        "    if ids and record.partition is not None and record.partition not in ids:\n"
        '        raise JavaIllegalArgumentError("no such partition")\n' + _NAMED,
        *_EXPLICIT_3_2,
        seen_in="kafka-python, aiokafka",
    ),
    Mutant(
        "named partition needs a leader",
        "a partition without a leader is replaced by an available one",
        _RECORD,
        _NAMED,
        "    led = known(cluster).available_partitions_for_topic(record.topic)\n"
        "    if record.partition is not None and led:\n"
        "        ids = [one.partition for one in led]\n"
        "        return record.partition if record.partition in ids else ids[0]\n" + _NAMED,
        *_EXPLICIT_3_2,
    ),
    Mutant(
        "record without topic",
        "a null topic is only noticed later",
        _RECORD,
        "if self.topic is None:",
        "if self.topic is None and self.partition is None:",
        *_EXPLICIT_2_3,
    ),
    Mutant(
        "record with an empty key has none",
        "a truth value instead of a comparison with null",
        _RECORD,
        "    if record.key is None:\n        return UNKNOWN_PARTITION\n",
        "    if not record.key:\n        return UNKNOWN_PARTITION\n",
        *_EXPLICIT,
    ),
    Mutant(
        "null topic accepted",
        "a record without topic is made",
        _RECORD,
        "        if self.topic is None:\n"
        '            raise JavaIllegalArgumentError("a record without topic")\n',
        "",
        *_EXPLICIT_3_2,
    ),
]

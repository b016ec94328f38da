"""Bugs in both round robins."""

from conformance.mutants.mutant import Mutant

_COUNTERS = "producer/topic_counters.py"
_DEFAULT = "producer/default_partitioner.py"
_ROUND_ROBIN = "producer/round_robin_partitioner.py"
_NULL_KEY = ("round-robin-null-key", "2.3.1")
_ALL_KEYS = ("round-robin", "3.2.3")
_ALL_KEYS_3_8 = ("round-robin", "3.8.0")

_AVAILABLE = "        return available[to_positive(value) % len(available)].partition"

MUTANTS = [
    Mutant(
        "round robin starts at 0",
        "the counter of 2.3.1 starts at 0 instead of a random number",
        _DEFAULT,
        "TopicCounters(first=random)",
        "TopicCounters(first=lambda: 0)",
        *_NULL_KEY,
    ),
    Mutant(
        "counter does not wrap",
        "an unbounded integer for Java's int",
        _COUNTERS,
        "int32(value + 1)",
        "value + 1",
        *_NULL_KEY,
    ),
    Mutant(
        "counter wraps to 0",
        "a counter that starts over after 2^31-1",
        _COUNTERS,
        "int32(value + 1)",
        "(value + 1) & 0x7FFFFFFF if value >= 0 else value + 1",
        *_ALL_KEYS,
    ),
    Mutant(
        "one counter for all topics",
        "topics share one counter",
        _COUNTERS,
        "        if topic not in self._counters:\n            self._counters[topic]",
        '        topic = ""\n        if topic not in self._counters:\n'
        "            self._counters[topic]",
        *_ALL_KEYS,
    ),
    Mutant(
        "counter advances first",
        "pre-increment for post-increment",
        _COUNTERS,
        "        return value\n",
        "        return int32(value + 1)\n",
        *_NULL_KEY,
    ),
    Mutant(
        "counter abs",
        "abs for the mask, on a negative counter",
        _COUNTERS,
        _AVAILABLE,
        "        return available[abs(value) % len(available)].partition",
        *_NULL_KEY,
    ),
    Mutant(
        "counter signed modulo",
        "a negative counter is not made positive",
        _COUNTERS,
        _AVAILABLE,
        "        return available[value % len(available)].partition",
        *_NULL_KEY,
    ),
    Mutant(
        "round robin over all partitions",
        "leaderless partitions take their turn",
        _COUNTERS,
        "cluster.available_partitions_for_topic(topic)",
        "cluster.partitions_for_topic(topic)",
        *_ALL_KEYS,
    ),
    Mutant(
        "round robin answers the index",
        "the index of an available partition for its id",
        _COUNTERS,
        _AVAILABLE,
        "        return to_positive(value) % len(available)",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "round robin without leaders answers the id",
        "the id for the index, when no partition has a leader",
        _COUNTERS,
        "    return remainder(to_positive(value), count)",
        "    index = remainder(to_positive(value), count)\n"
        "    return cluster.partitions_for_topic(topic)[index].partition",
        *_NULL_KEY,
    ),
    Mutant(
        "keyed records count",
        "records with a key advance the round robin of null keys",
        _DEFAULT,
        "        if key is not None:\n            return partition_for_key(key, count)\n"
        "        return partition_for_counter(",
        "        if key is not None:\n            self._counters.next_value(topic)\n"
        "            return partition_for_key(key, count)\n"
        "        return partition_for_counter(",
        *_NULL_KEY,
    ),
    Mutant(
        "failed records do not count",
        "a record for an unknown topic leaves the counter alone",
        _DEFAULT,
        "        count = len(cluster.partitions_for_topic(topic))\n"
        "        if key is not None:\n            return partition_for_key(key, count)\n"
        "        return partition_for_counter(",
        "        count = len(cluster.partitions_for_topic(topic))\n"
        "        if key is not None or not count:\n"
        "            return partition_for_key(key or b'', count)\n"
        "        return partition_for_counter(",
        *_NULL_KEY,
    ),
    Mutant(
        "round robin hashes keys",
        "RoundRobinPartitioner honours keys",
        _ROUND_ROBIN,
        "        del key  # whatever it is\n        value = self._counters.next_value(topic)\n",
        "        value = self._counters.next_value(topic)\n"
        "        value = value if key is None else sum(key)\n",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "round robin starts at 1",
        "RoundRobinPartitioner starts with the second partition",
        _ROUND_ROBIN,
        "first=lambda: 0",
        "first=lambda: 1",
        *_ALL_KEYS,
    ),
    Mutant(
        "3.8.0 checks metadata first",
        "3.8.0's RoundRobinPartitioner as in 3.2.3: null metadata does not count",
        "kafka_3_8_0.py",
        "from .producer.round_robin_partitioner import RoundRobinPartitioner",
        "from .producer.round_robin_partitioner import "
        "EagerRoundRobinPartitioner as RoundRobinPartitioner",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "3.2.3 counts first",
        "3.2.3's RoundRobinPartitioner as in 3.8.0: null metadata counts",
        "kafka_3_2_3.py",
        "EagerRoundRobinPartitioner as RoundRobinPartitioner",
        "RoundRobinPartitioner",
        *_ALL_KEYS,
    ),
    Mutant(
        "counter steps by two",
        "every other partition is skipped, as KAFKA-9965 made the 3.2.3 producer do",
        _COUNTERS,
        "int32(value + 1)",
        "int32(value + 2)",
        *_ALL_KEYS,
    ),
    Mutant(
        "counter saturates",
        "the counter stays at 2^31-1",
        _COUNTERS,
        "int32(value + 1)",
        "min(value + 1, 2**31 - 1)",
        *_NULL_KEY,
    ),
    Mutant(
        "counter is unsigned",
        "the counter goes on to 2^31 and wraps at 2^32",
        _COUNTERS,
        "int32(value + 1)",
        "(value + 1) & 0xFFFFFFFF",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "mask after the remainder",
        "a negative remainder is masked to a giant index",
        _COUNTERS,
        "        return available[to_positive(value) % len(available)].partition",
        "        return available[to_positive(remainder(value, len(available)))].partition",
        *_NULL_KEY,
    ),
    Mutant(
        "mask of 30 bits",
        "the mask clears one bit too many",
        _COUNTERS,
        "        return available[to_positive(value) % len(available)].partition",
        "        return available[(value & 0x3FFFFFFF) % len(available)].partition",
        *_ALL_KEYS,
    ),
    Mutant(
        "no leaders, signed",
        "without leaders a negative counter gives a negative index",
        _COUNTERS,
        "    return remainder(to_positive(value), count)",
        "    return remainder(value, count)",
        *_NULL_KEY,
    ),
    Mutant(
        "unknown topic answers 0",
        "zero partitions are no error",
        _COUNTERS,
        "    return remainder(to_positive(value), count)",
        "    return remainder(to_positive(value), count) if count else 0",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "null topic is a topic",
        "a null topic is counted, then taken for an unknown one",
        _COUNTERS,
        '        if topic is None:\n            raise JavaNullPointerError("the topic is null")\n',
        "",
        *_ALL_KEYS,
    ),
    Mutant(
        "random start loses its sign",
        "the first counter is masked, not its use",
        _COUNTERS,
        "            self._counters[topic] = self._first()\n",
        "            self._counters[topic] = to_positive(self._first())\n",
        *_NULL_KEY,
    ),
    Mutant(
        "a draw for each record",
        "a random number is drawn though the topic has its counter",
        _COUNTERS,
        "        if topic not in self._counters:\n",
        "        self._first()\n        if topic not in self._counters:\n",
        *_NULL_KEY,
    ),
    Mutant(
        "round robin in order of ids",
        "partitions take their turn by id, not in metadata order",
        _COUNTERS,
        "    available = cluster.available_partitions_for_topic(topic)\n",
        "    available = sorted(\n"
        "        cluster.available_partitions_for_topic(topic), key=lambda info: info.partition\n"
        "    )\n",
        *_ALL_KEYS,
    ),
    Mutant(
        "leader 0 taken for none",
        "a truth value instead of a comparison with null",
        "cluster.py",
        "if info.leader is not None",
        "if info.leader",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "null metadata knows no topics",
        "null metadata acts as empty metadata",
        "cluster.py",
        '        raise JavaNullPointerError("the cluster metadata is null")\n',
        "        return Cluster(())\n",
        *_NULL_KEY,
    ),
    Mutant(
        "turns without leaders do not count",
        "the counter stands while no partition is available",
        _ROUND_ROBIN,
        "        return partition_for_counter(value, topic, cluster, count)\n",
        "        if not cluster.available_partitions_for_topic(topic):\n"
        '            self._counters._counters[topic or ""] = value\n'
        "        return partition_for_counter(value, topic, cluster, count)\n",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "empty key taken for none",
        "a record with an empty key takes its turn",
        _DEFAULT,
        "        if key is not None:\n            return partition_for_key(key, count)\n",
        "        if key:\n            return partition_for_key(key, count)\n",
        *_NULL_KEY,
    ),
    Mutant(
        "counters are the caller's",
        "counts in the mapping that it was given",
        _COUNTERS,
        "dict(initial or {})",
        "initial if initial else {}",
        *_ALL_KEYS,
    ),
    Mutant(
        "topics by identity",
        "is for ==: two equal names are two topics",
        "cluster.py",
        "        return self._available.get(topic, [])\n",
        "        found = (infos for name, infos in self._available.items() if name is topic)\n"
        "        return next(found, [])\n",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "partitions listed apart",
        "of a topic whose partitions do not stand together in the metadata, the last ones are all",
        "cluster.py",
        "            self._by_topic.setdefault(info.topic, []).append(info)\n",
        "            if info.topic != getattr(self, '_last', None):\n"
        "                self._by_topic[info.topic] = []\n"
        "            self._by_topic[info.topic].append(info)\n"
        "            self._last = info.topic\n",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "one leader is missing in the middle",
        "only the first and the last partition are looked at",
        "cluster.py",
        "            topic: [info for info in infos if info.leader is not None]\n",
        "            topic: [info for info in infos if info.leader is not None]\n"
        "            if None in (infos[0].leader, infos[-1].leader)\n            else infos\n",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "round robin by the length of names",
        "topics whose names are as long and begin alike share a counter",
        _COUNTERS,
        '            raise JavaNullPointerError("the topic is null")\n',
        '            raise JavaNullPointerError("the topic is null")\n'
        "        like = [one for one in self._counters if len(one) == len(topic)]\n"
        "        topic = next((one for one in like if one[:1] == topic[:1]), topic)\n",
        *_ALL_KEYS_3_8,
    ),
    Mutant(
        "round robin of few topics",
        "the counter that was made first is forgotten when there are more than eight",
        _COUNTERS,
        "            self._counters[topic] = self._first()\n",
        "            self._counters[topic] = self._first()\n"
        "            if len(self._counters) > 8:\n"
        "                del self._counters[next(iter(self._counters))]\n",
        *_ALL_KEYS_3_8,
    ),
]

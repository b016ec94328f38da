"""Bugs in BuiltInPartitioner: peeks, bytes and switches."""

from conformance.mutants.mutant import Mutant

_FILE = "producer/built_in_partitioner.py"
_CELL = ("built-in", "3.8.0")

_ENOUGH = "        enough = produced >= self._sticky_batch_size and enable_switch\n"
_TOO_MUCH = "        too_much = produced >= int32(self._sticky_batch_size * 2)\n"
_DRAW = "random = to_positive(self._random()) if self._mock_random is None else self._mock_random()"
_COUNT = "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n"


def _built_in(name: str, bug: str, before: str, after: str) -> Mutant:
    return Mutant(name, bug, _FILE, before, after, *_CELL)


MUTANTS = [
    _built_in(
        "switch after the batch size",
        "switches above batch.size, not at it",
        _ENOUGH,
        _ENOUGH.replace(">=", ">"),
    ),
    _built_in(
        "switch although forbidden",
        "the caller's wish to keep the partition is ignored",
        _ENOUGH,
        _ENOUGH.replace(" and enable_switch", ""),
    ),
    _built_in(
        "no switch at twice the batch size",
        "a forbidden switch stays forbidden, however many bytes there are",
        "        if enough or too_much:\n",
        "        if enough:\n",
    ),
    _built_in(
        "switch after twice the batch size",
        "the forced switch comes above 2 x batch.size, not at it",
        _TOO_MUCH,
        _TOO_MUCH.replace(">=", ">"),
    ),
    _built_in(
        "doubled batch size does not wrap",
        "2 x batch.size in unbounded integers",
        _TOO_MUCH,
        "        too_much = produced >= self._sticky_batch_size * 2\n",
    ),
    _built_in(
        "produced bytes do not wrap",
        "the byte count in unbounded integers",
        _COUNT,
        "        info.produced_bytes = info.produced_bytes + appended_bytes\n",
    ),
    _built_in(
        "stale update ignored",
        "bytes of an outdated peek are dropped",
        "        if self._assertions and info is not self._info:\n",
        "        if info is not self._info and not self._assertions:\n            return\n"
        "        if self._assertions and info is not self._info:\n",
    ),
    _built_in(
        "stale update counts for the current",
        "bytes of an outdated peek are added to the current partition",
        _COUNT,
        "        info = self._info or info\n" + _COUNT,
    ),
    _built_in(
        "changed compares partitions",
        "a new info for the same partition counts as unchanged",
        "return info is not None and self._info is not info",
        "return info is not None and (\n"
        "            self._info is None or self._info.partition() != info.partition()\n        )",
    ),
    _built_in(
        "changed for no info",
        "a record with a key is told that its partition changed",
        "return info is not None and self._info is not info",
        "return self._info is not info",
    ),
    _built_in(
        "peek always chooses",
        "every peek starts a new partition",
        "        if self._info is None:\n            self._info = Sticky",
        "        if True:\n            self._info = Sticky",
    ),
    _built_in(
        "switch is lazy",
        "the next peek chooses, not the update",
        "            self._info = StickyPartitionInfo(self._next_partition(cluster))\n\n",
        "            self._info = None\n\n",
    ),
    _built_in(
        "switch must move",
        "the old partition is never chosen again, as in 3.2.3",
        "        return available[index].partition\n",
        "        if self._info is not None and len(available) > 1:\n"
        "            if available[index].partition == self._info.partition():\n"
        "                index = (index + 1) % len(available)\n"
        "        return available[index].partition\n",
    ),
    _built_in(
        "bytes are kept over a switch",
        "the new partition starts with the old one's bytes",
        "            self._info = StickyPartitionInfo(self._next_partition(cluster))\n\n",
        "            old = info.produced_bytes\n"
        "            self._info = StickyPartitionInfo(self._next_partition(cluster))\n"
        "            self._info.produced_bytes = old - self._sticky_batch_size\n\n",
    ),
    _built_in(
        "thread draw keeps its sign",
        "ThreadLocalRandom's value is used raw",
        _DRAW,
        "random = self._random() if self._mock_random is None else self._mock_random()",
    ),
    _built_in(
        "mock draw loses its sign",
        "mockRandom's value is made positive",
        _DRAW,
        "random = to_positive((self._mock_random or self._random)())",
    ),
    _built_in(
        "floor modulo",
        "Python's remainder of a negative draw",
        "index = remainder(random, len(available))",
        "index = random % len(available)",
    ),
    _built_in(
        "built-in without leaders answers the id",
        "the id for the index, when no partition has a leader",
        "            return remainder(random, count)\n",
        "            index = remainder(random, count)\n"
        "            return known(cluster).partitions_for_topic(self._topic)[index].partition\n",
    ),
    _built_in(
        "built-in over all partitions",
        "leaderless partitions are chosen",
        "        return cluster.available_partitions_for_topic(self._topic)\n",
        "        return cluster.partitions_for_topic(self._topic)\n",
    ),
    _built_in(
        "batch size 0 accepted",
        "the constructor checks for negative sizes only",
        "if sticky_batch_size < 1:",
        "if sticky_batch_size < 0:",
    ),
    _built_in(
        "batch size 1 refused",
        "the constructor wants more than 1",
        "if sticky_batch_size < 1:",
        "if sticky_batch_size <= 1:",
    ),
    _built_in(
        "short form forbids the switch",
        "updatePartitionInfo without enableSwitch means false",
        "        enable_switch: bool = True,\n",
        "        enable_switch: bool = False,\n",
    ),
    _built_in(
        "produced bytes saturate",
        "the byte count stays at 2^31-1",
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n",
        "        info.produced_bytes = min(info.produced_bytes + appended_bytes, 2**31 - 1)\n",
    ),
    _built_in(
        "doubled batch size saturates",
        "2 x batch.size stays at 2^31-1",
        "        too_much = produced >= int32(self._sticky_batch_size * 2)\n",
        "        too_much = produced >= min(self._sticky_batch_size * 2, 2**31 - 1)\n",
    ),
    _built_in(
        "switch one byte early",
        "switches at batch.size - 1",
        "        enough = produced >= self._sticky_batch_size and enable_switch\n",
        "        enough = produced >= self._sticky_batch_size - 1 and enable_switch\n",
    ),
    _built_in(
        "forced switch one byte early",
        "the forced switch comes at 2 x batch.size - 1",
        "        too_much = produced >= int32(self._sticky_batch_size * 2)\n",
        "        too_much = produced >= int32(self._sticky_batch_size * 2 - 1)\n",
    ),
    _built_in(
        "forced switch at three batches",
        "3 x batch.size mistaken for 2 x",
        "        too_much = produced >= int32(self._sticky_batch_size * 2)\n",
        "        too_much = produced >= int32(self._sticky_batch_size * 3)\n",
    ),
    _built_in(
        "switch whenever allowed",
        "an allowed switch does not wait for the batch size",
        "        enough = produced >= self._sticky_batch_size and enable_switch\n",
        "        enough = enable_switch\n",
    ),
    _built_in(
        "switch looks before it counts",
        "the bytes before the append are compared",
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n"
        "        produced = info.produced_bytes\n",
        "        produced = info.produced_bytes\n"
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n",
    ),
    _built_in(
        "only the last append counts",
        "the appended bytes are compared, not the sum",
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n"
        "        produced = info.produced_bytes\n",
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n"
        "        produced = appended_bytes\n",
    ),
    _built_in(
        "bytes are set, not added",
        "each append overwrites the count",
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n",
        "        info.produced_bytes = int32(appended_bytes)\n",
    ),
    _built_in(
        "failed switch counts nothing",
        "the bytes are counted after the switch, so not if it fails",
        "        info.produced_bytes = int32(info.produced_bytes + appended_bytes)\n"
        "        produced = info.produced_bytes\n",
        "        produced = int32(info.produced_bytes + appended_bytes)\n"
        "        will_switch = (\n"
        "            produced >= self._sticky_batch_size and enable_switch\n"
        "        ) or produced >= int32(self._sticky_batch_size * 2)\n"
        "        if will_switch:\n"
        "            known(cluster)\n"
        "        info.produced_bytes = produced\n",
    ),
    _built_in(
        "failed switch leaves no partition",
        "the current partition is given up before the next is known",
        "            self._info = StickyPartitionInfo(self._next_partition(cluster))\n\n",
        "            self._info = None\n"
        "            self._info = StickyPartitionInfo(self._next_partition(cluster))\n"
        "\n",
    ),
    _built_in(
        "outdated update is not asserted",
        "an outdated peek is not noticed with -ea",
        "        if self._assertions and info is not self._info:\n",
        "        if False:\n",
    ),
    _built_in(
        "outdated update is refused",
        "an outdated peek is an error also without -ea",
        "        if self._assertions and info is not self._info:\n",
        "        if info is not self._info:\n",
    ),
    _built_in(
        "outdated peeks are current",
        "a partition never counts as changed",
        "return info is not None and self._info is not info",
        "return False",
    ),
    _built_in(
        "no draw for one partition",
        "the only available partition is taken without drawing, as in 3.2.3",
        "        random = to_positive(self._random()) if self._mock_random is "
        "None else self._mock_random()\n",
        "        led = [] if cluster is None else "
        "cluster.available_partitions_for_topic(self._topic)\n"
        "        if self._load_stats is None and len(led) == 1:\n"
        "            return led[0].partition\n"
        "        random = to_positive(self._random()) if self._mock_random is "
        "None else self._mock_random()\n",
    ),
    _built_in(
        "thread draw abs",
        "abs for the mask: -2^31 becomes 2^31",
        "random = to_positive(self._random()) if self._mock_random is None else "
        "self._mock_random()",
        "random = abs(self._random()) if self._mock_random is None else self._mock_random()",
    ),
    _built_in(
        "negative draw turned over",
        "the absolute value of a negative index",
        "        if index < 0:\n"
        '            raise JavaIndexOutOfBoundsError(f"index {index} of '
        '{len(available)} partitions")\n',
        "        index = abs(index)\n",
    ),
    _built_in(
        "built-in without leaders answers 0",
        "the first index, whatever was drawn",
        "            return remainder(random, count)\n",
        "            return 0 if count else remainder(random, count)\n",
    ),
    _built_in(
        "built-in unknown topic answers -1",
        "zero partitions are no error",
        "            return remainder(random, count)\n",
        "            return remainder(random, count) if count else -1\n",
    ),
    _built_in(
        "built-in in order of ids",
        "the draw is an index among sorted ids, not in metadata order",
        "        return cluster.available_partitions_for_topic(self._topic)\n",
        "        return sorted(\n"
        "            cluster.available_partitions_for_topic(self._topic),\n"
        "            key=lambda info: info.partition,\n"
        "        )\n",
    ),
    _built_in(
        "peek leaves a lost leader",
        "a partition that has lost its leader is given up by the next peek",
        "        if self._info is None:\n            self._info = Sticky",
        "        led = () if cluster is None else "
        "cluster.available_partitions_for_topic(self._topic)\n"
        "        ids = [one.partition for one in led]\n"
        "        if self._info is not None and ids and self._info.partition() not in ids:\n"
        "            self._info = None\n"
        "        if self._info is None:\n"
        "            self._info = Sticky",
    ),
    _built_in(
        "peek needs metadata",
        "null metadata is an error although the partition is known",
        "        if self._info is None:\n            self._info = Sticky",
        "        known(cluster)\n        if self._info is None:\n            self._info = Sticky",
    ),
]

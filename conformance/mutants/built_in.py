"""Bugs in BuiltInPartitioner: peeks, bytes and switches."""

from conformance.mutants.mutant import Mutant

_FILE = "producer/built_in_partitioner.py"
_CELL = ("built-in", "3.8.0")
_ADAPTIVE = ("adaptive", "3.8.0")

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
        "available = known(cluster).available_partitions_for_topic(self._topic)",
        "available = known(cluster).partitions_for_topic(self._topic)",
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
    Mutant(
        "adaptive needs metadata",
        "null metadata is an error even where load stats decide",
        _FILE,
        "        if self._load_stats is not None:\n            return",
        "        known(cluster)\n        if self._load_stats is not None:\n            return",
        *_ADAPTIVE,
    ),
    Mutant(
        "adaptive ignored",
        "load stats are kept but never used",
        _FILE,
        "        if self._load_stats is not None:\n            return",
        "        if self._load_stats is None and False:\n            return",
        *_ADAPTIVE,
    ),
    Mutant(
        "adaptive used once",
        "load stats are forgotten after one choice",
        _FILE,
        "            return self._load_stats.choose(random, assertions=self._assertions)\n",
        "            stats, self._load_stats = self._load_stats, None\n"
        "            return stats.choose(random, assertions=self._assertions)\n",
        *_ADAPTIVE,
    ),
    Mutant(
        "adaptive stays on",
        "withdrawn load stats keep their effect",
        _FILE,
        "            self._load_stats = None\n        else:\n",
        "            pass\n        else:\n",
        *_ADAPTIVE,
    ),
    Mutant(
        "adaptive switches at once",
        "new load stats end the stay on the current partition",
        _FILE,
        "        if queue_sizes is None:\n",
        "        self._info = None\n        if queue_sizes is None:\n",
        *_ADAPTIVE,
    ),
]

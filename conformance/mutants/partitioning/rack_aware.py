"""Bugs in the BuiltInPartitioner that prefers leaders in its own rack (KIP-1123)."""

from conformance.mutants.mutant import Mutant

_FILE = "producer/rack_aware_partitioner.py"
_CELL = ("rack-aware", "4.4.0")

_MINE = (
    "        return [info for info in available if info.leader_rack == self._rack] or available\n"
)
_IN_TABLE = "    mine = [at for at in range(length) if element(leader_racks, at) == rack]\n"
_KEPT = "        self._stats_in_this_rack = in_this_rack\n"
_USED = "        if in_this_rack is not None and in_this_rack.length > 0:\n"
_LARGEST = "    largest = max((queue_sizes[at] for at in mine), default=-1)\n"


def _rack_aware(name: str, bug: str, before: str, after: str) -> Mutant:
    return Mutant(name, bug, _FILE, before, after, *_CELL)


MUTANTS = [
    _rack_aware(
        "racks count by default",
        "a producer prefers its rack without having been asked to",
        "rack_aware: bool = False",
        "rack_aware: bool = True",
    ),
    _rack_aware(
        "racks count although switched off",
        "the rack of the producer is enough: partitioner.rack.aware is not looked at",
        "        if not self._rack_aware:\n            return available\n",
        "",
    ),
    _rack_aware(
        "racks count under load only",
        "without load stats the choice is among all available partitions",
        "        if not self._rack_aware:\n",
        "        if True:\n",
    ),
    _rack_aware(
        "no leader in the rack, none available",
        "any partition is chosen by index, leaderless ones too",
        _MINE,
        _MINE.replace(" or available", ""),
    ),
    _rack_aware(
        "a leader of another rack",
        "leaders in the producer's rack are avoided",
        _MINE,
        _MINE.replace("==", "!="),
    ),
    _rack_aware(
        "racks without regard to case",
        "rack A is taken for rack a",
        _MINE,
        _MINE.replace("info.leader_rack ==", "(info.leader_rack or '?').lower() =="),
    ),
    _rack_aware(
        "racks without blanks",
        "what stands around the name of a rack is cut off",
        _MINE,
        _MINE.replace("info.leader_rack ==", "(info.leader_rack or '?').strip() =="),
    ),
    _rack_aware(
        "an empty rack is none",
        "a producer whose rack is empty does not look at racks",
        "        if not self._rack_aware:\n",
        "        if not self._rack_aware or not self._rack:\n",
    ),
    _rack_aware(
        "no rack is an empty one",
        "leaders that have no rack are in the rack of a producer that names none",
        _MINE,
        _MINE.replace("info.leader_rack ==", "(info.leader_rack or '') =="),
    ),
    _rack_aware(
        "leaders of the rack in order of ids",
        "the draw is an index among sorted ids, not in metadata order",
        _MINE,
        "        mine = [info for info in available if info.leader_rack == self._rack]\n"
        "        return sorted(mine, key=lambda info: info.partition) or available\n",
    ),
    _rack_aware(
        "load crosses racks",
        "under load the table of all racks decides",
        _USED,
        "        if in_this_rack is not None and in_this_rack.length < 0:\n",
    ),
    _rack_aware(
        "an empty table of the rack is used",
        "where no leader is in the rack, the choice under load fails",
        _USED,
        "        if in_this_rack is not None:\n",
    ),
    _rack_aware(
        "a single leader in the rack is not enough",
        "under load the rack counts from two leaders on",
        _USED,
        "        if in_this_rack is not None and in_this_rack.length > 1:\n",
    ),
    _rack_aware(
        "the longest queue of all racks",
        "weights in the rack follow the longest queue anywhere",
        _LARGEST,
        "    largest = max(queue_sizes[:length]) if mine else -1\n",
    ),
    _rack_aware(
        "the longest queue of the rack, without plus one",
        "the partition with the longest queue of the rack is never chosen",
        "int32(largest + 1)",
        "int32(largest)",
    ),
    _rack_aware(
        "an empty table begins with one",
        "the longest queue of no partition is 0, not -1",
        _LARGEST,
        _LARGEST.replace("-1", "0"),
    ),
    _rack_aware(
        "excluded partitions of the rack",
        "the table of the rack has the partitions beyond the length, too",
        _IN_TABLE,
        _IN_TABLE.replace("range(length)", "range(max(length, len(queue_sizes)))"),
    ),
    _rack_aware(
        "places for ids in the rack",
        "the table of the rack holds the places of partitions, not their ids",
        "    ids = [element(partition_ids, at) for at in mine] + unused\n",
        "    ids = mine + unused\n",
    ),
    _rack_aware(
        "queues of leaders without rack",
        "under load, leaders that have no rack are in the producer's",
        _IN_TABLE,
        _IN_TABLE.replace("== rack", "in (rack, None)"),
    ),
    _rack_aware(
        "the rack's table of folded sizes",
        "the sizes are folded for all racks before the rack's are taken",
        "                in_this_rack = fold_those_in_rack(\n                    queue_sizes,",
        "                in_this_rack = fold_those_in_rack(\n"
        "                    (fold_queue_sizes(queue_sizes, partition_ids, length)\n"
        "                     or self._load_stats).table,",
    ),
    _rack_aware(
        "the rack's table outlives the load stats",
        "withdrawn load stats keep their effect in the rack",
        _KEPT,
        "        if in_this_rack is not None:\n    " + _KEPT,
    ),
    _rack_aware(
        "the rack's table comes once",
        "a table of the rack is never replaced",
        _KEPT,
        "        if self._stats_in_this_rack is None:\n"
        "            self._stats_in_this_rack = in_this_rack\n",
    ),
    _rack_aware(
        "equal queues of the rack are uniform",
        "equal sizes in the rack mean no table of the rack, whatever the other racks have",
        _LARGEST,
        "    if len(mine) > 1 and len({queue_sizes[at] for at in mine}) == 1:\n"
        "        return None\n" + _LARGEST,
    ),
    _rack_aware(
        "a table of the rack although nothing differs",
        "equal queues everywhere leave a table of the rack behind",
        "            if self._rack_aware and differ(\n"
        "                queue_sizes, partition_ids, length, assertions=self._assertions\n"
        "            ):\n",
        "            if self._rack_aware and 1 <= length <= len(queue_sizes):\n",
    ),
    _rack_aware(
        "too few racks are no matter",
        "-ea makes no difference for racks of another number than queues",
        "            if self._assertions and len(queue_sizes) != len(racks):\n",
        "            if False:\n",
    ),
    _rack_aware(
        "the range of all racks",
        "the range of the rack ends where that of all racks does",
        "        return element(stats.table, stats.length - 1)\n",
        "        return self._load_stats.range_end\n",
    ),
    _rack_aware(
        "the range of an empty rack wraps around",
        "an index of -1 is the last entry of the table",
        "        return element(stats.table, stats.length - 1)\n",
        "        return stats.table[stats.length - 1]\n",
    ),
    _rack_aware(
        "the range of no load stats is asserted",
        "with -ea the rack's range fails for an assertion where there are no load stats",
        "        if self._load_stats is None:\n            raise JavaNullPointerError",
        "        if self._load_stats is None and not self._assertions:\n"
        "            raise JavaNullPointerError",
    ),
]

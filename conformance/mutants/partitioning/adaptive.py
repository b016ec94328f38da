"""Bugs where load stats come, decide and go in BuiltInPartitioner."""

from conformance.mutants.mutant import Mutant

_FILE = "producer/built_in_partitioner.py"
_ADAPTIVE = ("adaptive", "3.8.0")

MUTANTS = [
    Mutant(
        "adaptive needs metadata",
        "null metadata is an error even where load stats decide",
        _FILE,
        "        if load_stats is not None:\n            return",
        "        known(cluster)\n        if load_stats is not None:\n            return",
        *_ADAPTIVE,
    ),
    Mutant(
        "adaptive ignored",
        "load stats are kept but never used",
        _FILE,
        "        if load_stats is not None:\n            return",
        "        if load_stats is None and False:\n            return",
        *_ADAPTIVE,
    ),
    Mutant(
        "adaptive used once",
        "load stats are forgotten after one choice",
        _FILE,
        "            return load_stats.choose(random, assertions=self._assertions)\n",
        "            self._load_stats = None\n"
        "            return load_stats.choose(random, assertions=self._assertions)\n",
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
    Mutant(
        "range end without load stats",
        "the range ends at 0 where there is no table",
        _FILE,
        "            if self._assertions:\n"
        '                raise JavaAssertionError("partitionLoadStats != null")\n'
        '            raise JavaNullPointerError("there are no load stats")\n',
        "            return 0\n",
        *_ADAPTIVE,
    ),
    Mutant(
        "range end is not asserted",
        "without load stats -ea makes no difference",
        _FILE,
        "            if self._assertions:\n"
        '                raise JavaAssertionError("partitionLoadStats != null")\n',
        "",
        *_ADAPTIVE,
    ),
    Mutant(
        "load stats draw again",
        "a second value is drawn where load stats decide",
        _FILE,
        "            return load_stats.choose(random, assertions=self._assertions)\n",
        "            self._random() if self._mock_random is None else self._mock_random()\n"
        "            return load_stats.choose(random, assertions=self._assertions)\n",
        *_ADAPTIVE,
    ),
]

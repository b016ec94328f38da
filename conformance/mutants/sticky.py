"""Bugs in the sticky partitioners of 2.4 and later."""

from conformance.mutants.mutant import Mutant

_CACHE = "producer/sticky_partition_cache.py"
_DEFAULT = "producer/default_partitioner.py"
_UNIFORM = "producer/uniform_sticky_partitioner.py"
_STICKY = ("sticky", "3.2.3")
_STICKY_3_8 = ("sticky", "3.8.0")
_UNIFORM_STICKY = ("uniform-sticky", "3.2.3")
_UNIFORM_STICKY_3_8 = ("uniform-sticky", "3.8.0")
_STICKY_CACHE = ("sticky-cache", "3.2.3")

_SWITCH = "        if old is None or old == previous:\n"
_MOVE_ON = "        self._sticky.next_partition(topic, cluster, previous)\n"

MUTANTS = [
    Mutant(
        "sticky no redraw",
        "the next partition may be the old one again",
        _CACHE,
        "while new is None or new == old:",
        "while new is None:",
        *_STICKY,
    ),
    Mutant(
        "sticky redraws once",
        "a second collision is accepted",
        _CACHE,
        "        new = old\n        while new is None or new == old:\n",
        "        new = old\n        for _ in range(2):\n"
        "            if new is not None and new != old:\n                break\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky ignores who asks",
        "a stale new batch moves the sticky partition too",
        _CACHE,
        _SWITCH,
        "        if True:\n",
        *_STICKY,
    ),
    Mutant(
        "sticky moves only on others",
        "the comparison with the previous partition is inverted",
        _CACHE,
        _SWITCH,
        "        if old is None or old != previous:\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky draws for one partition",
        "a draw is wasted although only one partition is available",
        _CACHE,
        "            return available[0].partition\n",
        "            self._random()\n            return available[0].partition\n",
        *_STICKY,
    ),
    Mutant(
        "sticky hangs on one partition",
        "no special case for one available partition: it redraws for ever",
        _CACHE,
        "        if len(available) == 1:\n",
        "        if len(available) == 1 and old is None:\n",
        *_UNIFORM_STICKY,
    ),
    Mutant(
        "sticky without leaders answers the id",
        "the id for the index, when no partition has a leader",
        _CACHE,
        "            return remainder(to_positive(self._random()), count)\n",
        "            index = remainder(to_positive(self._random()), count)\n"
        "            return cluster.partitions_for_topic(topic)[index].partition\n",
        *_STICKY,
    ),
    Mutant(
        "sticky without leaders stays",
        "no choice is made while no partition has a leader",
        _CACHE,
        "        if not available:\n",
        "        if not available and old is not None:\n            return old\n"
        "        if not available:\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky over all partitions",
        "leaderless partitions are chosen",
        _CACHE,
        "available = cluster.available_partitions_for_topic(topic)",
        "available = cluster.partitions_for_topic(topic)",
        *_UNIFORM_STICKY_3_8,
    ),
    Mutant(
        "sticky abs",
        "abs for the mask, on a negative draw",
        _CACHE,
        "available[to_positive(self._random()) % len(available)]",
        "available[abs(self._random()) % len(available)]",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky leaves a vanished partition",
        "a sticky partition without leader is given up by itself",
        _CACHE,
        "        if part is None:\n            return",
        "        led = known(cluster).available_partitions_for_topic(topic)\n"
        "        ids = [info.partition for info in led]\n"
        "        if part is None or (ids and part not in ids):\n"
        "            self._partitions.pop(topic, None)\n            return",
        *_STICKY,
    ),
    Mutant(
        "sticky one for all topics",
        "topics share one sticky partition",
        _CACHE,
        "        part = self._partitions.get(topic)\n",
        "        part = next(iter(self._partitions.values()), None)\n",
        *_STICKY_3_8,
    ),
    Mutant(
        "sticky chooses lazily",
        "a new batch only forgets the partition; the next record chooses",
        _CACHE,
        _SWITCH,
        "        if old is not None and old == previous:\n"
        "            del self._partitions[topic]\n            return old\n" + _SWITCH,
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky moves on with keys",
        "a record with a key moves the sticky partition",
        _DEFAULT,
        "        if key is None:\n            return self._sticky.partition(topic, cluster)\n",
        "        if key is None:\n            return self._sticky.partition(topic, cluster)\n"
        "        if topic is not None and count:\n"
        "            self._sticky.next_partition(topic, cluster, self._sticky.get(topic) or 0)\n",
        *_STICKY_3_8,
    ),
    Mutant(
        "sticky does not need metadata",
        "null metadata is no error while the sticky partition is known",
        _DEFAULT,
        "        count = len(known(cluster).partitions_for_topic(topic))\n        if key is None:\n"
        "            return self._sticky.partition(topic, cluster)\n",
        "        if key is None:\n            return self._sticky.partition(topic, cluster)\n"
        "        count = len(known(cluster).partitions_for_topic(topic))\n",
        *_STICKY,
    ),
    Mutant(
        "uniform sticky hashes keys",
        "UniformStickyPartitioner honours keys",
        _UNIFORM,
        "        del key  # whatever it is\n"
        "        return self._sticky.partition(topic, cluster)\n",
        "        chosen = self._sticky.partition(topic, cluster)\n"
        "        return chosen if key is None else len(key) % 2\n",
        *_UNIFORM_STICKY,
    ),
    Mutant(
        "uniform sticky never moves",
        "UniformStickyPartitioner ignores new batches",
        _UNIFORM,
        _MOVE_ON,
        "        return None\n",
        *_UNIFORM_STICKY_3_8,
    ),
    Mutant(
        "uniform sticky moves blindly",
        "UniformStickyPartitioner moves on whatever the previous partition was",
        _UNIFORM,
        _MOVE_ON,
        "        current = self._sticky.get(topic or '')\n"
        "        previous = previous if current is None else current\n" + _MOVE_ON,
        *_UNIFORM_STICKY,
    ),
]

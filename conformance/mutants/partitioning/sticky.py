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
    Mutant(
        "sticky counts from the end",
        "a negative draw is a negative index, which Python takes from the end",
        _CACHE,
        "available[to_positive(self._random()) % len(available)]",
        "available[remainder(self._random(), len(available))]",
        *_STICKY,
    ),
    Mutant(
        "sticky draw is unsigned",
        "the mask of 32 bits, on a negative draw",
        _CACHE,
        "available[to_positive(self._random()) % len(available)]",
        "available[(self._random() & 0xFFFFFFFF) % len(available)]",
        *_UNIFORM_STICKY,
    ),
    Mutant(
        "sticky signed without leaders",
        "a negative draw gives a negative index",
        _CACHE,
        "            return remainder(to_positive(self._random()), count)\n",
        "            return remainder(self._random(), count)\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky must move without leaders",
        "it redraws although no partition has a leader",
        _CACHE,
        "            return remainder(to_positive(self._random()), count)\n",
        "            new = remainder(to_positive(self._random()), count)\n"
        "            while new == old and count > 1:\n"
        "                new = remainder(to_positive(self._random()), count)\n"
        "            return new\n",
        *_STICKY,
    ),
    Mutant(
        "sticky draws for stale batches",
        "a stale new batch changes nothing, but draws",
        _CACHE,
        "        old = self._partitions.get(topic)\n",
        "        old = self._partitions.get(topic)\n"
        "        if old is not None and old != previous:\n"
        "            self._random()\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky keeps an unavailable one",
        "with one partition available it stays where it is",
        _CACHE,
        "            return available[0].partition\n",
        "            return available[0].partition if old is None else old\n",
        *_STICKY,
    ),
    Mutant(
        "sticky alternates between two",
        "of two partitions the other is taken without drawing",
        _CACHE,
        "        new = old\n",
        "        if len(available) == 2 and old in [info.partition for info in available]:\n"
        "            return next(info.partition for info in available if info.partition != old)\n"
        "        new = old\n",
        *_STICKY_3_8,
    ),
    Mutant(
        "sticky draws among the others",
        "the old partition is left out before drawing, not after",
        _CACHE,
        "        new = old\n",
        "        if any(info.partition != old for info in available):\n"
        "            available = [info for info in available if info.partition != old]\n"
        "        new = old\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky takes the next one",
        "a collision is resolved by the neighbour, not by another draw",
        _CACHE,
        "        while new is None or new == old:\n"
        "            new = available[to_positive(self._random()) % len(available)].partition\n",
        "        index = to_positive(self._random()) % len(available)\n"
        "        if available[index].partition == old:\n"
        "            index = (index + 1) % len(available)\n"
        "        new = available[index].partition\n",
        *_STICKY,
    ),
    Mutant(
        "sticky 0 moves for stale batches",
        "a truth value instead of a comparison with null: partition 0 is none",
        _CACHE,
        "        if old is None or old == previous:\n",
        "        if not old or old == previous:\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "sticky 0 is chosen again",
        "a truth value instead of a comparison with null: partition 0 never sticks",
        _CACHE,
        "        if part is None:\n",
        "        if not part:\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "stale batches need no metadata",
        "a stale new batch returns before the metadata is looked at",
        _CACHE,
        "        partitions = known(cluster).partitions_for_topic(topic)\n"
        "        if topic is None:\n",
        "        if topic is not None and self._partitions.get(topic) not in (None, previous):\n"
        "            return self._partitions[topic]\n"
        "        partitions = known(cluster).partitions_for_topic(topic)\n"
        "        if topic is None:\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "failed choice forgets",
        "the old partition is given up before the new one is known",
        _CACHE,
        "            self._partitions[topic] = self._choose(old, topic, "
        "known(cluster), len(partitions))\n",
        "            self._partitions.pop(topic, None)\n"
        "            self._partitions[topic] = self._choose(old, topic, "
        "known(cluster), len(partitions))\n",
        *_STICKY_CACHE,
    ),
    Mutant(
        "new batch of a null topic",
        "a null topic is an unknown topic",
        _CACHE,
        "        partitions = known(cluster).partitions_for_topic(topic)\n"
        "        if topic is None:\n"
        '            raise JavaNullPointerError("the topic is null")\n',
        "        partitions = known(cluster).partitions_for_topic(topic)\n"
        '        topic = topic or ""\n',
        *_STICKY_CACHE,
    ),
    Mutant(
        "first new batch does nothing",
        "a batch that is opened before any record does not choose",
        _DEFAULT,
        "        self._sticky.next_partition(topic, cluster, previous)\n",
        "        if topic is not None and self._sticky.get(topic) is None:\n"
        "            known(cluster)\n"
        "            return\n"
        "        self._sticky.next_partition(topic, cluster, previous)\n",
        *_STICKY,
    ),
    Mutant(
        "sticky in order of ids",
        "the draw is an index among sorted ids, not in metadata order",
        _CACHE,
        "        available = cluster.available_partitions_for_topic(topic)\n",
        "        available = sorted(\n"
        "            cluster.available_partitions_for_topic(topic), key=lambda "
        "info: info.partition\n"
        "        )\n",
        *_UNIFORM_STICKY_3_8,
    ),
    Mutant(
        "empty key is sticky",
        "a record with an empty key goes to the sticky partition",
        _DEFAULT,
        "        if key is None:\n            return self._sticky",
        "        if not key:\n            return self._sticky",
        *_STICKY_3_8,
    ),
    Mutant(
        "sticky partition by identity",
        "is for ==: right up to 256, because Python has these numbers once",
        _CACHE,
        "if old is None or old == previous:",
        "if old is None or old is previous:",
        *_STICKY_CACHE,
    ),
    Mutant(
        "instances share their partitions",
        "the sticky partitions are the class's, and outlive an instance",
        _CACHE,
        "        self._random = random\n        self._partitions: dict[str, int] = {}\n",
        "        self._random = random\n\n    _partitions: dict[str, int] = {}\n",
        "round-robin-sends",
        "3.2.3",
    ),
]

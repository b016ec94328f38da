"""Bugs with a producer's second question, for a record that would open a batch."""

from conformance.mutants.mutant import Mutant

_SENDS = "producer/producer_sends.py"
_SENDS_3_2 = ("round-robin-sends", "3.2.3")
_SENDS_3_8 = ("round-robin-sends", "3.8.0")

_ASKS_AGAIN = "        if self._asks_again and not self._has_room(topic, partition):\n"
_SECOND_ANSWER = "            partition = self._partition(topic, key, cluster, named)\n"
_NEW_BATCH = "            self._partitioner.on_new_batch(topic, cluster, partition)\n"
_ANSWER = (
    "        return self._partitioner.partition(topic, key, cluster) if named is None else named"
)
_HAS_ROOM = "        return 0 < self._held.get((topic, partition), 0) < self._batch_records"

MUTANTS = [
    Mutant(
        "producer asks once",
        "the partitioner is asked once for each record, as by 4.0 and later",
        _SENDS,
        "asks_again: bool = True",
        "asks_again: bool = False",
        *_SENDS_3_2,
        seen_in="every client library but Java's",
    ),
    Mutant(
        "producer keeps the first answer",
        "the partitioner is asked again, but the record stays where it was",
        _SENDS,
        _SECOND_ANSWER,
        "            self._partition(topic, key, cluster, named)\n",
        *_SENDS_3_8,
    ),
    Mutant(
        "producer always asks again",
        "a record that finds an open batch asks a second time as well",
        _SENDS,
        _ASKS_AGAIN,
        "        if self._asks_again:\n",
        *_SENDS_3_8,
    ),
    Mutant(
        "producer asks until a batch is open",
        "a third question when the second answer would open a batch, too",
        _SENDS,
        _SECOND_ANSWER,
        _SECOND_ANSWER + "            if not self._has_room(topic, partition):\n"
        "    " + _SECOND_ANSWER,
        *_SENDS_3_2,
    ),
    Mutant(
        "batches of all topics are one",
        "an open batch of another topic's partition counts",
        _SENDS,
        "    def _has_room(self, topic: str, partition: int) -> bool:\n",
        "    def _has_room(self, topic: str, partition: int) -> bool:\n"
        "        topic = next((one for one, at in self._held if at == partition), topic)\n",
        *_SENDS_3_8,
    ),
    Mutant(
        "full batches stay open",
        "a batch that is full is taken for one with room",
        _SENDS,
        _HAS_ROOM,
        "        return (topic, partition) in self._held",
        *_SENDS_3_2,
    ),
    Mutant(
        "a batch holds a record more",
        "at most instead of less than",
        _SENDS,
        _HAS_ROOM,
        _HAS_ROOM.replace("< self._batch", "<= self._batch"),
        *_SENDS_3_8,
    ),
    Mutant(
        "keyed records are asked once",
        "a record with a key does not ask again",
        _SENDS,
        _ASKS_AGAIN,
        _ASKS_AGAIN.replace(":\n", " and key is None:\n"),
        *_SENDS_3_2,
    ),
    Mutant(
        "producer tells nobody of a new batch",
        "onNewBatch is never called, so that a sticky partitioner never moves on",
        _SENDS,
        _NEW_BATCH,
        "",
        *_SENDS_3_2,
    ),
    Mutant(
        "producer tells of a new batch too late",
        "the partitioner is asked again before it is told of the new batch",
        _SENDS,
        _NEW_BATCH + _SECOND_ANSWER,
        "            previous = partition\n"
        + _SECOND_ANSWER
        + _NEW_BATCH.replace("partition)", "previous)"),
        *_SENDS_3_8,
    ),
    Mutant(
        "a partitioner overrules named partitions",
        "a record goes where the partitioner says, also one that names its partition",
        _SENDS,
        _ANSWER,
        "        return self._partitioner.partition(topic, key, cluster)",
        *_SENDS_3_8,
    ),
    Mutant(
        "a partitioner counts named partitions",
        "the partitioner is asked for a record that names its partition, and not heard",
        _SENDS,
        _ANSWER,
        "        chosen = self._partitioner.partition(topic, key, cluster)\n"
        "        return chosen if named is None else named",
        *_SENDS_3_2,
    ),
    Mutant(
        "named partitions open batches silently",
        "the partitioner is not told of a batch that a record with a partition opens",
        _SENDS,
        _ASKS_AGAIN,
        _ASKS_AGAIN.replace(":\n", " and named is None:\n"),
        *_SENDS_3_2,
    ),
]

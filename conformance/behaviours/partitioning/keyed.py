"""The partition of a key: one behaviour for single keys, one for whole columns.

Vocabulary:

- ``{"op": "partition", "topic", "key", "metadata"}``: a record with this key is partitioned.
- ``{"op": "partition for key", "key", "partitions"}``: the same for a bare number of
  partitions, any int32; only clients from 3.3 on have this as a method.
- ``{"op": "column", "keys", "rows", "run", "layout", "partitions"}``: a column of this many rows:
  all the keys in order, nulls among them, then keys picked by a rule, each for ``run`` rows; null
  keys have no partition. ``partitions`` is any int32 where the client has partitionForKey.
- ``{"op": "hashes", "keys", "rows", "run", "layout"}``: the same column's hashes.

A layout is ``{"type"}``: an Arrow type, ``list``, ``tuple``, ``objects`` or ``strided objects``.
With ``before`` and ``after`` the column is a slice with these rows around it; with ``chunks`` it is
in chunks of these lengths, each such a slice; with ``index`` and ``entries`` it is
dictionary-encoded, with indices of that type and that many entries, or a few more.

The answer of a column is the list of the keys' answers, if all rows with a key agree, and what is
wrong if not. The port has two loops for columns, Numba's and NumPy's, and by itself chooses one. It
is asked for each and for its choice; if they differ, the answer is all answers.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.columns import COLUMNS
from conformance.behaviours.partitioning.dimensions.keys import (
    ASKED_AGAIN,
    BARE_COUNT,
    KEY_LENGTH,
    KEY_TAIL,
    KEYS_ALIKE,
    NULS,
)
from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.behaviours.partitioning.java_producer import JavaProducer
from conformance.behaviours.partitioning.labels import partition_labels, partitions_of
from conformance.behaviours.partitioning.meanings import KEYS_MOVE
from conformance.behaviours.partitioning.partitioner_history import PARTITION, port_cluster
from conformance.behaviours.partitioning.python_types import SHORT, asked_in_python, no_ints
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader, stateless
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import Dimension
from conformance.model.port import DefaultRelease, KeyedRelease, Port, release_of
from conformance.model.program import NULL, Argument, Linker, Mode, integer, slot
from conformance.model.trace import Answer, Trace
from conformance.model.values import is_error, mapping
from conformance.model.ways import Member, Way
from conformance.oracle.kafka import ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import BUILT_IN, BYTES, COMMON, DEFAULT, KAFKA_PRODUCER
from conformance.strategies.keys import MEBIBYTE
from conformance.strategies.partitioning.column_cases import column_cases
from conformance.strategies.partitioning.keyed_cases import keyed_cases

PARTITION_FOR_KEY: Final = Member(BUILT_IN, "partitionForKey")
KEY_WAYS: Final = (
    # A separate method since 3.3 (KIP-794); 4.0 removed DefaultPartitioner.
    Way(f"{BUILT_IN}.partitionForKey", (PARTITION_FOR_KEY,), since="3.3"),
    Way(f"{DEFAULT}.partition", (Member(DEFAULT),), until="4.0"),
)
"""How jars place keys."""
PlaceKey = Callable[[str | None, bytes | None, Any], int]
"""Topic, serialized key and metadata to partition."""


def has_partition_for_key(client: ClientVersion) -> bool:
    """Whether the client has ``BuiltInPartitioner.partitionForKey``."""
    return client.shows("built-in")


def has_default_partitioner(client: ClientVersion) -> bool:
    """Whether the client still has ``DefaultPartitioner``; 4.0 removed it."""
    return not {"sticky", "round-robin-null-key"}.isdisjoint(client.realised_by)


class Keyed(Behaviour):
    """``toPositive(murmur2(key)) % count``, through whatever the client offers."""

    name = "keyed"
    summary = "a key's partition: toPositive(murmur2(key)) modulo the number of partitions"
    ways = KEY_WAYS
    only_with = {"partition for key": PARTITION_FOR_KEY}
    meaning = KEYS_MOVE
    about_keys = True
    takes_records = True
    operations = ("partition", "partition for key")
    interesting = {
        "leaderless partition": "counts like any other",
        "none available": "no partition has a leader; keys do not care",
        "unknown topic": "zero partitions: ArithmeticException",
        "null metadata": "NullPointerException",
        "ids with gaps": "the answer is an index, not an id",
        "hundreds of partitions": "a topic of 100 or more partitions",
        "error": "a step that the client answers with an exception",
        "1 MiB key": "a key of a mebibyte or more",
    }
    contexts = ("ids with gaps",)
    dimensions = (KEY_LENGTH, KEY_TAIL, NULS, KEYS_ALIKE, ASKED_AGAIN, *METADATA, BARE_COUNT)

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Keys over several topics and snapshots."""
        return keyed_cases(bare_counts=has_partition_for_key(client))

    def dimensions_of(self, client: ClientVersion) -> tuple[Dimension, ...]:
        return self.dimensions if has_partition_for_key(client) else self.dimensions[:-1]

    def exists_in(self, client: ClientVersion, case: Case) -> bool:
        bare = any(operation["op"] == "partition for key" for operation in case["steps"])
        return has_partition_for_key(client) or not bare

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation, step in zip(case["steps"], trace, strict=True):
            if is_error(step["answer"]):
                yield "error"
            if len(operation["key"] or b"") >= MEBIBYTE:
                yield "1 MiB key"
            if operation["op"] == "partition":
                snapshot = case["metadata"][operation["metadata"]]
                if snapshot is None:
                    yield "null metadata"
                else:
                    yield from partition_labels(partitions_of(snapshot, operation["topic"]))

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        if operation["op"] == "partition for key":
            return f"{BUILT_IN}.partitionForKey"
        return f"{DEFAULT if has_default_partitioner(client) else KAFKA_PRODUCER}.partition"

    def java(self, client: ClientVersion, link: Linker) -> "JavaKeyed":
        return JavaKeyed(link, bare_counts=has_partition_for_key(client))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        new_partitioner = _partitioner_of(client, implementation)

        def perform(case: Case) -> Trace:
            partition = new_partitioner()
            clusters = [port_cluster(implementation, known) for known in case["metadata"]]

            def call(operation: Operation) -> Answer:
                if operation["op"] == "partition for key":
                    return _for_key(implementation, operation["key"], operation["partitions"])
                cluster = clusters[operation["metadata"]]
                return partition(operation["topic"], operation["key"], cluster)

            return stateless(call)(case)

        return perform


def _for_key(implementation: Port, key: bytes | None, count: int) -> Answer:
    # Imported here because NumPy takes a while.
    import numpy as np  # noqa: PLC0415

    ask = partial(implementation.partition_for_key, key)
    answer = ask(count)
    if len(key or b"") > SHORT:
        return answer
    return asked_in_python(
        answer, [partial(ask, np.int32(count))], (partial(ask, one) for one in no_ints(count))
    )


def _partitioner_of(client: ClientVersion, implementation: Port) -> Callable[[], PlaceKey]:
    """Makes the object that places the keys of a case: a partitioner, or else a producer."""
    if has_default_partitioner(client):
        old: DefaultRelease = release_of(implementation, client)
        return lambda: old.DefaultPartitioner().partition
    release: KeyedRelease = release_of(implementation, client)

    def by_record(topic: str | None, key: bytes | None, cluster: Any) -> int:
        return release.partition_of_record(release.ProducerRecord(topic, None, key), cluster)

    return lambda: by_record


class KeyedColumns(Behaviour):
    """The port's vectorised answers, compared with the real client's key by key."""

    name = "keyed-columns"
    summary = "the same for a whole Arrow column of keys of mixed lengths, nulls among them"
    ways = KEY_WAYS
    for_jars = False  # columns are the port's
    meaning = KEYS_MOVE
    about_keys = True
    operations = ("column", "hashes")
    for_testees = False  # a column is the Python port's own way to be asked
    interesting = {
        "null key": "a null among the keys stays null",
        "only nulls": "a column without any key",
        "many long keys": "16 or more keys of 1 KiB or more",
        "zero partitions": "ArithmeticException",
        "zero partitions, only nulls": "no key to divide for: no exception",
    }
    dimensions = COLUMNS

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Columns of keys, in each Arrow layout."""
        return column_cases(bare_counts=has_partition_for_key(client))

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation in case["steps"]:
            present = [key for key in operation["keys"] if key is not None]
            if len(present) < len(operation["keys"]):
                yield "null key" if present else "only nulls"
            if sum(len(key) >= 1024 for key in present) * operation["rows"] >= 16 * len(present):
                yield "many long keys"
            if operation.get("partitions") == 0:
                yield "zero partitions" if present else "zero partitions, only nulls"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaColumns":
        return _JavaColumns(link, bare_counts=has_partition_for_key(client))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        # Imported here because Arrow takes long to import.
        from conformance.behaviours.arrow_layouts import arrange, picks_of, told  # noqa: PLC0415

        def ask(operation: Operation, column: Any, compiled: bool | None) -> Any:
            if operation["op"] == "hashes":
                return implementation.murmur2_column(column, compiled=compiled)
            count = operation["partitions"]
            return implementation.partitions_for_keys(column, count, compiled=compiled)

        def call(operation: Operation) -> Answer:
            picks = picks_of(operation)
            column = arrange(operation, picks)
            loops = dict(_LOOPS)
            # NumPy's takes a step of Python for each word of a single long key: too slow for these.
            if any(len(key or b"") >= MEBIBYTE for key in operation["keys"]):
                del loops["NumPy's loop"]
            # All are kept until all have answered: reused memory would hold the right
            # hashes, and hide a row that a loop leaves out.
            columns = {loop: ask(operation, column, loops[loop]) for loop in loops}
            answers = {loop: told(columns[loop], operation, picks) for loop in loops}
            first, *others = answers.values()
            if any(other != first for other in others):
                return mapping(answers.items())
            # A text is not a Java key, and bytes are one key, not a column of keys.
            wrong = ([*operation["keys"][:2], "text"], (operation["keys"] or [None])[0] or b"")
            return asked_in_python(first, (), (partial(ask, operation, one, None) for one in wrong))

        return stateless(call)


_LOOPS: Final = {"the loop it chooses": None, "Numba's loop": True, "NumPy's loop": False}
"""By what the port is told of its loops."""


class JavaKeyed(JavaPerformer):
    """Asks a real client for the partition of keys."""

    def __init__(self, link: Linker, *, bare_counts: bool) -> None:
        self._symbols = ClusterSymbols(link)
        # 4.0 removed DefaultPartitioner; the rest of it is in the producer.
        self._producer = None if link.has(DEFAULT) else JavaProducer(link)
        if self._producer is None:
            self._new = link.constructor(DEFAULT)
            self._partition = link.method(DEFAULT, PARTITION[0], *PARTITION[1])
        self._for_key = (
            link.method(BUILT_IN, "partitionForKey", BYTES, "int") if bare_counts else -1
        )

    def program(self, case: Case) -> KafkaProgram:
        program = KafkaProgram(self._symbols)
        subject = self.new_partitioner(program)
        for operation in case["steps"]:
            key = program.data(operation["key"])
            if operation["op"] == "partition":
                cluster = program.cluster(case["metadata"], operation["metadata"])
                self.ask(program, subject, program.topic(operation["topic"]), key, cluster)
            else:
                count = integer(operation["partitions"])
                program.call(self._for_key, NULL, key, count, mode=Mode.ANSWER)
        return program

    def new_partitioner(self, program: KafkaProgram) -> Argument:
        """A ``DefaultPartitioner``, or a producer that needs none."""
        if self._producer is not None:
            return self._producer.new(program)
        subject = program.new_slot()
        program.call(self._new, into=subject)
        return slot(subject)

    def ask_count(
        self, program: KafkaProgram, subject: Argument, key: Argument, count: int, index: int
    ) -> None:
        """Ask for a key's partition among ``count``; ``index`` is unique to this count."""
        if self._for_key >= 0:
            program.call(self._for_key, NULL, key, integer(count), mode=Mode.ANSWER)
        else:
            snapshot = [("t", [[number, 0] for number in range(count)])]
            cluster = program.cluster({index: snapshot}, index)
            self.ask(program, subject, program.topic("t"), key, cluster)

    def ask(
        self,
        program: KafkaProgram,
        subject: Argument,
        topic: Argument,
        key: Argument,
        cluster: Argument,
    ) -> None:
        """Ask for the partition of a record with that key."""
        if self._producer is not None:
            record = self._producer.new_record(program, topic, NULL, key, Mode.SILENT)
            self._producer.ask(program, subject, record, key, cluster)
            return
        arguments = (topic, NULL, key, NULL, NULL, cluster)
        program.call(self._partition, subject, *arguments, mode=Mode.ANSWER)


class _JavaColumns(JavaKeyed):
    """One question per key that is not null; the answers of a column are one list."""

    def __init__(self, link: Linker, *, bare_counts: bool) -> None:
        super().__init__(link, bare_counts=bare_counts)
        self._murmur2 = link.method(f"{COMMON}.utils.Utils", "murmur2", BYTES)

    def program(self, case: Case) -> KafkaProgram:
        program = KafkaProgram(self._symbols)
        subject = self.new_partitioner(program)
        for index, operation in enumerate(case["steps"]):
            for key in operation["keys"]:
                if key is None:
                    continue
                data = program.data(key)
                if operation["op"] == "hashes":
                    program.call(self._murmur2, NULL, data, mode=Mode.ANSWER)
                else:
                    self.ask_count(program, subject, data, operation["partitions"], index)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        trace: Trace = []
        for operation in case["steps"]:
            answers = [None if key is None else results.answer() for key in operation["keys"]]
            # A column fails as a whole: the first key that fails is its answer.
            failed = next((answer for answer in answers if is_error(answer)), None)
            trace.append({"answer": answers if failed is None else failed})
        return trace

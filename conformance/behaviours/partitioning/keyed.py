"""Which partition a key goes to: one behaviour for single keys, one for whole columns.

Vocabulary:

- ``{"op": "partition", "topic", "key", "metadata"}``: a record with this key is partitioned.
- ``{"op": "partition for key", "key", "partitions"}``: the same for a bare number of
  partitions, any int32; only clients from 3.3 on have this as a method.
- ``{"op": "column", "keys", "repeat", "partitions", "layout"}``: a column of keys, nulls among
  them, the whole list repeated so often, in one of Arrow's layouts; null keys have no partition.
  ``partitions`` is any int32 where the client has partitionForKey.
- ``{"op": "hashes", "keys", "repeat", "layout"}``: the same column's hashes.

The answer of a column is the list for one repetition, if all repetitions agree. The port has two
loops for columns, Numba's and NumPy's. Both are asked; if they differ, the answer is both answers.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.keys import (
    ASKED_AGAIN,
    BARE_COUNT,
    KEY_LENGTH,
    KEY_TAIL,
    KEYS_ALIKE,
    NULS,
)
from conformance.behaviours.partitioning.java_producer import JavaProducer
from conformance.behaviours.partitioning.labels import partition_labels, partitions_of
from conformance.behaviours.partitioning.meanings import KEYS_MOVE
from conformance.behaviours.partitioning.partitioner_history import PARTITION, port_cluster
from conformance.model.behaviour import Behaviour, PortPerformer, Reader, stateless
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
from conformance.strategies.partitioning.keyed_cases import column_cases, keyed_cases

PARTITION_FOR_KEY: Final = Member(BUILT_IN, "partitionForKey")
KEY_WAYS: Final = (
    # Since 3.3 (KIP-794) as a method of its own; 4.0 took DefaultPartitioner away.
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
    """Whether ``DefaultPartitioner`` is still there; 4.0 took it away."""
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
    dimensions = (KEY_LENGTH, KEY_TAIL, NULS, KEYS_ALIKE, ASKED_AGAIN, BARE_COUNT)

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Keys over several topics and snapshots."""
        return keyed_cases(bare_counts=has_partition_for_key(client))

    def dimensions_of(self, client: ClientVersion) -> tuple[Dimension, ...]:
        """See :class:`Behaviour`."""
        return self.dimensions if has_partition_for_key(client) else self.dimensions[:-1]

    def exists_in(self, client: ClientVersion, case: Case) -> bool:
        """See :class:`Behaviour`."""
        bare = any(operation["op"] == "partition for key" for operation in case["steps"])
        return has_partition_for_key(client) or not bare

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        """See :class:`Behaviour`."""
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
        """See :class:`Behaviour`."""
        if operation["op"] == "partition for key":
            return f"{BUILT_IN}.partitionForKey"
        return f"{DEFAULT if has_default_partitioner(client) else KAFKA_PRODUCER}.partition"

    def java(self, client: ClientVersion, link: Linker) -> "JavaKeyed":
        """See :class:`Behaviour`."""
        return JavaKeyed(link, bare_counts=has_partition_for_key(client))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        """See :class:`Behaviour`."""
        new_partitioner = _partitioner_of(client, implementation)

        def perform(case: Case) -> Trace:
            partition = new_partitioner()
            clusters = [port_cluster(implementation, known) for known in case["metadata"]]

            def call(operation: Operation) -> Answer:
                if operation["op"] == "partition for key":
                    return implementation.partition_for_key(
                        operation["key"], operation["partitions"]
                    )
                cluster = clusters[operation["metadata"]]
                return partition(operation["topic"], operation["key"], cluster)

            return stateless(call)(case)

        return perform


def _partitioner_of(client: ClientVersion, implementation: Port) -> Callable[[], PlaceKey]:
    """Makes what places the keys of a case: a partitioner, or the producer where none is left."""
    if has_default_partitioner(client):
        old: DefaultRelease = release_of(implementation, client)
        return lambda: old.DefaultPartitioner().partition
    release: KeyedRelease = release_of(implementation, client)

    def by_record(topic: str | None, key: bytes | None, cluster: Any) -> int:
        return release.partition_of_record(release.ProducerRecord(topic, None, key), cluster)

    return lambda: by_record


class KeyedColumns(Behaviour):
    """The port's vectorised answer against the real client's, key by key."""

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
        "empty column": "a column of no rows",
        "mixed lengths": "keys of different lengths in one column",
        "sliced": "a column that is a slice of a longer one",
        "chunked": "a column in several chunks",
        "fixed size": "keys of one size in a fixed-size column",
        "view": "a column of views",
        "text": "a column of strings",
        "tens of thousands of rows": "more rows than any block or copy of the port holds",
        "many long keys": "16 or more keys of 1 KiB or more",
        "zero partitions": "ArithmeticException",
        "hashes": "the hashes themselves, not partitions",
    }

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Columns of keys, in each Arrow layout."""
        return column_cases(bare_counts=has_partition_for_key(client))

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        """See :class:`Behaviour`."""
        for operation in case["steps"]:
            keys = operation["keys"]
            present = [key for key in keys if key is not None]
            if len(present) < len(keys):
                yield "null key" if present else "only nulls"
            if not keys:
                yield "empty column"
            if len({len(key) for key in present}) > 1:
                yield "mixed lengths"
            if len(keys) * operation["repeat"] >= 20_000:
                yield "tens of thousands of rows"
            if sum(len(key) >= 1024 for key in present) * operation["repeat"] >= 16:
                yield "many long keys"
            yield from _layout_labels(operation["layout"])
            if operation["op"] == "hashes":
                yield "hashes"
            elif operation["partitions"] == 0:
                yield "zero partitions"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaColumns":
        """See :class:`Behaviour`."""
        return _JavaColumns(link, bare_counts=has_partition_for_key(client))

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        """See :class:`Behaviour`."""
        del client
        # Imported here because Arrow takes long to import.
        from conformance.behaviours.partitioning.arrow_layouts import arrange, one_repetition  # noqa: PLC0415

        def ask(operation: Operation, column: Any, compiled: bool) -> Any:
            if operation["op"] == "hashes":
                return implementation.murmur2_column(column, compiled=compiled)
            count = operation["partitions"]
            return implementation.partitions_for_keys(column, count, compiled=compiled)

        def call(operation: Operation) -> Answer:
            keys, repeat = operation["keys"], operation["repeat"]
            column = arrange(keys * repeat, operation["layout"])
            numba = ask(operation, column, True)
            said = one_repetition(numba, len(keys), repeat)
            # NumPy's takes a step of Python for each word of a single long key: too slow for these.
            if any(len(key or b"") >= MEBIBYTE for key in keys):
                return said
            numpy = ask(operation, column, False)
            if numba.equals(numpy):
                return said
            return mapping([("numba", said), ("numpy", one_repetition(numpy, len(keys), repeat))])

        return stateless(call)


class JavaKeyed:
    """Asks a real client for the partition of keys."""

    def __init__(self, link: Linker, *, bare_counts: bool) -> None:
        self._symbols = ClusterSymbols(link)
        # 4.0 took DefaultPartitioner away; what is left of it stands in the producer.
        self._producer = None if link.has(DEFAULT) else JavaProducer(link)
        if self._producer is None:
            self._new = link.constructor(DEFAULT)
            self._partition = link.method(DEFAULT, PARTITION[0], *PARTITION[1])
        self._for_key = (
            link.method(BUILT_IN, "partitionForKey", BYTES, "int") if bare_counts else -1
        )

    def program(self, case: Case) -> KafkaProgram:
        """See :class:`conformance.model.behaviour.JavaPerformer`."""
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

    def trace(self, case: Case, results: Reader) -> Trace:
        """See :class:`conformance.model.behaviour.JavaPerformer`."""
        return [{"answer": results.answer()} for _ in case["steps"]]

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


def _layout_labels(layout: str) -> Iterator[str]:
    for word in ("sliced", "chunked", "view"):
        if word in layout:
            yield word
    if "string" in layout:
        yield "text"
    if "fixed" in layout:
        yield "fixed size"

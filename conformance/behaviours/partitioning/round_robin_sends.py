"""``RoundRobinPartitioner`` in a real ``KafkaProducer``, which may ask it twice for a record.

From 2.4 to 3.9 ``KafkaProducer.doSend`` asks the partitioner again whenever a record would open
a batch, and uses the second answer; ``RoundRobinPartitioner`` counts both, so that partitions are
skipped (KAFKA-9965). 3.9.2 answers the second call as the first (KAFKA-17632), 4.0 asks once.
Only a producer shows either: ``partition`` by itself is the same.

What a partitioner is told of a new batch (``onNewBatch``), and when, RoundRobinPartitioner does not
show: so up to 3.9 some cases are of a producer with one of KIP-480's sticky partitioners.

Vocabulary: ``config["batch_records"]`` (1 to 8, or 1000) is how many records fill a batch;
``{"op": "send", "topic", "key", "metadata"}`` sends a record, and the answer is the partition into
whose batch it went. One with a ``partition``, below the topic's number of partitions, names where
it goes. With ``config["partitioner"]``, ``UniformStickyPartitioner`` or
``DefaultPartitioner``, all steps are ``sticky send``, which have a ``draw``, too. Nothing
leaves a batch. Keys (bytes or null) are of at most 36 bytes: value and key together always have 36,
so that all records are of one size whether they have a key or not.

Every snapshot is one for which a real producer does not wait: it is not null, and has the topic
that is asked for with a partition or more. Whether these have leaders, and which ids, a producer
does not look at: a batch may be for any number that is not negative.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, ClassVar

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.histories import BATCH_RECORDS, RECORDS, STEPS
from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.behaviours.partitioning.dimensions.records import NAMED_BELOW_COUNT
from conformance.behaviours.partitioning.keyed import has_default_partitioner
from conformance.behaviours.partitioning.labels import (
    HISTORY_CLASSES,
    KEY_CLASSES,
    partition_labels,
    partitions_of,
)
from conformance.behaviours.partitioning.partitioner_history import port_cluster
from conformance.draws import DrawSource
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader, stateless
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import Port, RoundRobinRelease, release_of
from conformance.model.program import NULL, Linker, Mode, integer, slot
from conformance.model.trace import Answer, Trace
from conformance.model.values import is_error
from conformance.model.ways import Member, Way
from conformance.oracle.internals import SENDING_PRODUCER, add_sending_producer
from conformance.oracle.kafka import ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import (
    BYTES,
    CLUSTER,
    DEFAULT,
    KAFKA_PRODUCER,
    ROUND_ROBIN,
    STRING,
    UNIFORM_STICKY,
)
from conformance.strategies.histories import LONG_HISTORY
from conformance.strategies.partitioning.send_cases import ENDLESS, send_cases

_SKIPPED = "skipped partition"
_MOVES_ON = "moves on"
_NAMED = "named partition"
_NAMED_OPENS = "named partition opens a batch"
_CLASSES = {"UniformStickyPartitioner": UNIFORM_STICKY, "DefaultPartitioner": DEFAULT}
_OF_HISTORIES = (
    *("leaderless partition", "none available", "metadata change", "several topics"),
    *("ids with gaps", "hundreds of partitions", "long history"),
)


class RoundRobinSends(Behaviour):
    """Which partitions the records of a producer with ``RoundRobinPartitioner`` really reach."""

    name = "round-robin-sends"
    summary = "the same in a real KafkaProducer: up to 3.9.1 asked twice for each new batch"
    # Until 3.9 a producer asks it twice for a record that opens a batch (KAFKA-9965);
    # 3.9.2 answers the second time as the first (KAFKA-17632).
    ways = (Way(f"{KAFKA_PRODUCER}.doSend", (Member(ROUND_ROBIN),), since="2.4"),)
    arrived = "RoundRobinPartitioner arrived in 2.4 (KIP-369)"
    meaning = (
        "A producer's records reach other partitions than with Java: some may be skipped, or be "
        "skipped no more."
    )
    operations = ("send", "sticky send")
    only_with: ClassVar[Mapping[str, Member]] = {"sticky send": Member(UNIFORM_STICKY)}
    dimensions = (
        # A producer waits for metadata if it has none.
        *(one for one in METADATA if one.name != "changes"),
        *(STEPS, RECORDS, BATCH_RECORDS, NAMED_BELOW_COUNT),
    )
    for_testees = False  # it is about the Java producer, not about a partitioner
    interesting = {
        "one record a batch": "each record opens a batch",
        "full batch": "a batch of several records is full, and its partition gets another record",
        _MOVES_ON: "a sticky partitioner is told of a new batch, and chooses another partition",
        "open batch": "a record goes into a batch that an earlier one has opened",
        _NAMED: "a record names its partition, whatever the partitioner says",
        _NAMED_OPENS: "it opens a batch, of which the partitioner is told up to 3.9",
        "endless batch": f"{ENDLESS} records a batch: each partition has one batch at most",
        _SKIPPED: "twice as many records as available partitions, and one has none",
        "all partitions": "three available partitions or more, and all are used",
        "one available": "a single partition has a leader: asking again changes nothing",
        **{name: HISTORY_CLASSES[name] for name in _OF_HISTORIES},
        **KEY_CLASSES,
    }

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Records over several topics and snapshots."""
        return send_cases(sticky=has_default_partitioner(client))

    def classes_of(self, client: ClientVersion) -> Collection[str]:
        """See :class:`Behaviour`: 4.0 asks once, skips nothing and tells nobody."""
        asks_twice = has_default_partitioner(client)  # 4.0 took both away
        return [
            name for name in self.interesting if asks_twice or name not in (_SKIPPED, _MOVES_ON)
        ]

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        size = case["config"]["batch_records"]
        if size in (1, ENDLESS):
            yield "one record a batch" if size == 1 else "endless batch"
        if len(trace) >= LONG_HISTORY:
            yield "long history"
        seen: dict[str, set[int]] = {}
        sent: dict[str, Counter[int]] = {}
        for operation, step in zip(case["steps"], trace, strict=True):
            yield "null key" if operation["key"] is None else "keyed"
            topic, partition = operation["topic"], step["answer"]
            seen.setdefault(topic, set()).add(operation["metadata"])
            if is_error(partition):
                continue
            earlier = sent.setdefault(topic, Counter())
            if "partitioner" in case["config"] and len(earlier) > 1:
                yield _MOVES_ON
            if "partition" in operation:
                yield _NAMED
                if not earlier[partition] % size:
                    yield _NAMED_OPENS
            if earlier[partition] % size:
                yield "open batch"
            elif earlier[partition] and size > 1:
                yield "full batch"
            earlier[partition] += 1
        if len(seen) > 1:
            yield "several topics"
        for topic, indices in seen.items():
            known = [partitions_of(case["metadata"][index], topic) for index in indices]
            yield from _topic_labels(known, sent.get(topic, Counter()))

    def java(self, client: ClientVersion, link: Linker) -> "_JavaSends":
        return _JavaSends(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        port: RoundRobinRelease = release_of(implementation, client)

        def perform(case: Case) -> Trace:
            clusters = [port_cluster(implementation, known) for known in case["metadata"]]
            batch_records = case["config"]["batch_records"]
            source = DrawSource()
            name = case["config"].get("partitioner")
            partitioner = (
                getattr(port, name)(random=source) if name else port.RoundRobinPartitioner()
            )
            producer = port.ProducerSends(partitioner, batch_records)

            def call(operation: Operation) -> Answer:
                source.begin(operation.get("draw"))
                cluster = clusters[operation["metadata"]]
                named = operation.get("partition")
                return producer.send(operation["topic"], operation["key"], cluster, named)

            return stateless(call)(case)

        return perform


def _topic_labels(known: list[list[Any]], sent: Counter[int]) -> Iterator[str]:
    """Classes of one topic, from its partitions in each snapshot that was used, and its records."""
    for partitions in known:
        yield from partition_labels(partitions)
    if any(partitions != known[0] for partitions in known):
        yield "metadata change"
        return
    available = {number for number, leader in known[0] if leader is not None}
    if available and sent.total() >= 2 * len(available) and available - sent.keys():
        yield _SKIPPED
    if len(available) >= 3 and available == sent.keys():
        yield "all partitions"


class _JavaSends(JavaPerformer):
    """A real ``KafkaProducer`` without its I/O thread; see ``SendingProducer.java``."""

    def __init__(self, link: Linker) -> None:
        add_sending_producer(link)
        self._symbols = ClusterSymbols(link)
        self._fresh = link.method(SENDING_PRODUCER, "fresh", "int", STRING)
        self._use = link.method(SENDING_PRODUCER, "use", CLUSTER)
        self._send = link.method(SENDING_PRODUCER, "send", STRING, "java.lang.Integer", BYTES)
        self._partition = link.method(
            SENDING_PRODUCER, "partitionOf", "java.util.concurrent.Future"
        )

    def program(self, case: Case) -> KafkaProgram:
        program = KafkaProgram(self._symbols)
        producer, record = program.new_slot(), program.new_slot()
        batch_records = integer(case["config"]["batch_records"])
        name = case["config"].get("partitioner")
        partitioner = program.topic(_CLASSES[name] if name else ROUND_ROBIN)
        program.call(self._fresh, NULL, batch_records, partitioner, into=producer)
        used: int | None = None
        for operation in case["steps"]:
            if operation["metadata"] != used:
                used = operation["metadata"]
                program.call(self._use, slot(producer), program.cluster(case["metadata"], used))
            if "draw" in operation:
                program.seed(*operation["draw"])
            partition = operation.get("partition")
            named = NULL if partition is None else integer(partition)
            sent = (program.topic(operation["topic"]), named, program.data(operation["key"]))
            program.call(self._send, slot(producer), *sent, mode=Mode.TRY, into=record)
            program.call(self._partition, slot(producer), slot(record), mode=Mode.OBSERVE)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        # What was thrown is the client's answer; the second call then had no record to look at.
        return [{"answer": results.tried()} for _ in case["steps"]]

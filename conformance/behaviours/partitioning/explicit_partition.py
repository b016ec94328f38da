"""A record that names its partition: ``ProducerRecord``, and ``KafkaProducer.partition`` with it.

Vocabulary: ``{"op": "record", "topic", "partition", "key", "metadata"}`` makes a record with that
partition (any int32, or null) and that key (bytes or null), and asks where the producer sends it.

Two kinds of record are not for testees. Where a partition is named that the topic does not have,
``KafkaProducer.waitOnMetadata`` waits before anything is asked; ``KafkaProducer.partition`` itself
does not look. Where there is neither partition nor key, a client with ``BuiltInPartitioner``
answers -1, so that whoever appends the record chooses; others choose at once, by chance.
"""

from collections.abc import Collection, Iterator

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.behaviours.partitioning.dimensions.records import BEYOND_COUNT, NAMED_PARTITION
from conformance.behaviours.partitioning.java_producer import JavaProducer
from conformance.behaviours.partitioning.keyed import has_partition_for_key
from conformance.behaviours.partitioning.labels import partition_labels, partitions_of
from conformance.behaviours.partitioning.partitioner_history import port_cluster
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader, stateless
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import KeyedRelease, Port, release_of
from conformance.model.program import NULL, Linker, Mode, integer, slot
from conformance.model.trace import Answer, Trace
from conformance.model.values import is_error
from conformance.model.ways import Member, Way
from conformance.oracle.kafka import ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import KAFKA_PRODUCER, RECORD
from conformance.strategies.partitioning.record_cases import record_cases

_NEITHER = (None, None)


class ExplicitPartition(Behaviour):
    """What a record names wins over its key; a negative partition is refused."""

    name = "explicit-partition"
    summary = "a record that names its partition goes there, whatever its key; no negative ones"
    ways = (Way(f"{KAFKA_PRODUCER}.partition", (Member(KAFKA_PRODUCER),)),)
    meaning = "A record that names its partition goes to another one, or is refused otherwise."
    operations = ("record",)
    interesting = {
        "partition and key": "the partition wins over the hash of the key",
        "partition without key": "no key, and nothing is chosen",
        "key alone": "no partition is named: the key decides",
        "neither": "no partition and no key: -1, which is none",
        "partition -1": "what other clients take for 'none': IllegalArgumentException",
        "negative partition": "below -1: IllegalArgumentException",
        "beyond the count": "the topic has fewer partitions; nobody looks here",
        "without leader": "the partition that is named has no leader: it is taken all the same",
        "not an id": "below the number of partitions, but no partition has this id",
        "unknown topic": "the metadata does not have the topic; a named partition does not care",
        "null metadata": "there is none; a named partition does not care",
        "null topic": "IllegalArgumentException",
        "error": "a step that the client answers with an exception",
    }
    contexts = ("partition -1", "negative partition", "without leader", "not an id", "key alone")

    # All but the number of topics: a case has eight records at most.
    dimensions = (*METADATA[1:], NAMED_PARTITION, BEYOND_COUNT)

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Records over several topics and snapshots."""
        return record_cases(neither=has_partition_for_key(client))

    def exists_in(self, client: ClientVersion, case: Case) -> bool:
        neither = ((one["partition"], one["key"]) == _NEITHER for one in case["steps"])
        return has_partition_for_key(client) or not any(neither)

    def classes_of(self, client: ClientVersion) -> Collection[str]:
        neither = has_partition_for_key(client)
        return [name for name in self.interesting if neither or name != "neither"]

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        for operation, step in zip(case["steps"], trace, strict=True):
            if is_error(step["answer"]):
                yield "error"
            if operation["topic"] is None:
                yield "null topic"
                continue
            snapshot = case["metadata"][operation["metadata"]]
            partitions = partitions_of(snapshot, operation["topic"])
            if snapshot is None:
                yield "null metadata"
            elif "unknown topic" in partition_labels(partitions):
                yield "unknown topic"
            yield from _record_labels(operation, dict(map(tuple, partitions)))

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        negative = operation["partition"] is not None and operation["partition"] < 0
        return f"{RECORD}.<init>" if negative else f"{KAFKA_PRODUCER}.partition"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaRecords":
        return _JavaRecords(link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        port: KeyedRelease = release_of(implementation, client)

        def perform(case: Case) -> Trace:
            clusters = [port_cluster(implementation, known) for known in case["metadata"]]

            def call(operation: Operation) -> Answer:
                named = (operation["topic"], operation["partition"], operation["key"])
                cluster = clusters[operation["metadata"]]
                return port.partition_of_record(port.ProducerRecord(*named), cluster)

            return stateless(call)(case)

        return perform


def _record_labels(operation: Operation, leaders: dict[int, int | None]) -> Iterator[str]:
    partition = operation["partition"]
    if partition is None:
        yield "neither" if operation["key"] is None else "key alone"
    elif partition < 0:
        yield "partition -1" if partition == -1 else "negative partition"
    else:
        yield "partition without key" if operation["key"] is None else "partition and key"
        if leaders:
            if partition >= len(leaders):
                yield "beyond the count"
            elif partition not in leaders:
                yield "not an id"
            elif leaders[partition] is None:
                yield "without leader"


class _JavaRecords(JavaPerformer):
    """Makes records and hands them to a real producer."""

    def __init__(self, link: Linker) -> None:
        self._symbols = ClusterSymbols(link)
        self._producer = JavaProducer(link)

    def program(self, case: Case) -> KafkaProgram:
        program, java = KafkaProgram(self._symbols), self._producer
        producer = java.new(program)
        for operation in case["steps"]:
            topic, partition = program.topic(operation["topic"]), operation["partition"]
            named = NULL if partition is None else integer(partition)
            key = slot(program.let(program.data(operation["key"])))
            record = java.new_record(program, topic, named, key, Mode.TRY)
            cluster = program.cluster(case["metadata"], operation["metadata"])
            java.ask(program, producer, record, key, cluster)
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        # Without a record the second call failed for want of one.
        return [{"answer": results.tried()} for _ in case["steps"]]

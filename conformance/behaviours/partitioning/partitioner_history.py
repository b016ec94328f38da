"""What the stateful ``Partitioner`` classes have in common: histories of records and batches.

Vocabulary of a case:

- ``{"op": "partition", "topic", "key", "metadata", "draw"}``: a record is partitioned; ``key``
  is its bytes or null, ``metadata`` the index of the snapshot that this thread sees.
- ``{"op": "new batch", "topic", "previous", "metadata", "draw"}``: a batch was opened while the
  sticky partition was ``previous``: the answer of the step ``{"step": k}``, possibly long ago
  because another thread was slower, or a number.
- ``config["counters"]``: values that the per-topic counters have before the first step.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.dimensions.histories import (
    EQUAL,
    FIRST_DRAW,
    PREVIOUS,
    RECORDS,
    STEPS,
)
from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.behaviours.partitioning.labels import counter_labels, history_labels, sticky_labels
from conformance.draws import DrawSource
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader
from conformance.model.case import Case, Metadata, Operation, in_turn
from conformance.model.client_version import ClientVersion
from conformance.model.port import Port, release_of
from conformance.model.program import NULL, Argument, Linker, Mode, integer, slot, slot_or
from conformance.model.trace import Answer, Step, Trace, answer_of
from conformance.model.values import fresh
from conformance.model.ways import Limit, Member, Way
from conformance.oracle.kafka import NO_RACKS, ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import ATOMIC_INTEGER, BYTES, CLUSTER, OBJECT, STRING
from conformance.strategies.partitioning.partitioner_histories import partitioner_cases

NO_PARTITION = -1
"""What stands for the answer of a step that failed, when a later step refers to it."""

PARTITION: tuple[str, tuple[str, ...]] = (
    "partition",
    (STRING, OBJECT, BYTES, OBJECT, BYTES, CLUSTER),
)
ON_NEW_BATCH: tuple[str, tuple[str, ...]] = ("onNewBatch", (STRING, CLUSTER, "int"))


class PartitionerHistory(Behaviour):
    """Records and batches over several topics, against changing metadata."""

    operations = ("partition", "new batch")
    dimensions = (*METADATA, STEPS, RECORDS, FIRST_DRAW)
    partitions_in_turn: ClassVar[bool]
    """Whether the state is a counter (round robin) or a sticky partition."""
    counters_can_be_set: ClassVar[bool] = False
    keys_hashed: ClassVar[bool] = False
    """Whether a record with a key goes to the partition of its hash, past the state."""
    java_methods: ClassVar[tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]] | None]]
    """Name and parameters of the Java method that partitions, and of the one for new batches."""
    java_state: ClassVar[tuple[Member, ...]] = ()
    """The private fields that lead to the map of topics. Without them, answers are compared."""
    port_class: ClassVar[str]
    """The port's name of the class in its module for a version."""

    def __init_subclass__(cls) -> None:
        words = ("state", "set counters") if cls.counters_can_be_set else ("state",)
        cls.limits = tuple(Limit(member, word) for member in cls.java_state for word in words)

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories; see the strategies in :mod:`conformance.strategies`."""
        return partitioner_cases(
            batches=not self.partitions_in_turn, counters=self.counters_can_be_set
        )

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        yield from history_labels(case, trace, keys_hashed=self.keys_hashed)
        seen = counter_labels if self.partitions_in_turn else sticky_labels
        for operation, step in zip(case["steps"], trace, strict=True):
            if operation["op"] == "partition":
                yield "null key" if operation["key"] is None else "keyed"
            yield from seen(case, operation, step)

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        partition, batch = self.java_methods
        method = batch if operation["op"] == "new batch" and batch else partition
        return f"{client.class_of(self.name)}.{method[0]}"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaHistory":
        return _JavaHistory(self, client.class_of(self.name), link)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        partitioner = getattr(release_of(implementation, client), self.port_class)

        def perform(case: Case) -> Trace:
            source = DrawSource()
            options: dict[str, Any] = {"random": source}
            if self.counters_can_be_set:
                options = {"counters": case["config"].get("counters", {})}
            subject = partitioner(**options)
            clusters = [port_cluster(implementation, known) for known in case["metadata"]]
            trace: Trace = []
            for operation in case["steps"]:
                source.begin(operation["draw"])
                cluster = clusters[operation["metadata"]]
                answer = answer_of(self._call, subject, operation, cluster, trace)
                topic = operation["topic"]
                state = None if topic is None else self.state_of(subject, topic)
                trace.append(_step(operation, answer, source.count, state))
            return trace

        return perform

    def _call(self, subject: Any, operation: Operation, cluster: Any, trace: Trace) -> Answer:
        if operation["op"] == "partition":
            return self.call_partition(subject, operation, cluster)
        previous = operation["previous"]
        if isinstance(previous, dict):
            answer = trace[previous["step"]]["answer"]
            # A caller has its own number, not the object that was answered.
            previous = fresh(answer) if isinstance(answer, int) else NO_PARTITION
        return self.call_new_batch(subject, operation["topic"], cluster, previous)

    def call_partition(self, subject: Any, operation: Operation, cluster: Any) -> Answer:
        """The port's counterpart of the Java method that partitions."""
        return subject.partition(operation["topic"], operation["key"], cluster)

    def call_new_batch(
        self, subject: Any, topic: str | None, cluster: Any, previous: int
    ) -> Answer:
        """The port's counterpart of the Java method for new batches."""
        return subject.on_new_batch(topic, cluster, previous)

    def state_of(self, subject: Any, topic: str) -> Answer:
        """The port's state for a topic."""
        return (
            subject.counter(topic) if self.partitions_in_turn else subject.sticky_partition(topic)
        )


def sticky_ways(method: str, shown_by: Member) -> tuple[Way, ...]:
    """The one way in which jars show what a method of KIP-480's classes does."""
    return (Way(f"{shown_by.owner}.{method}", (shown_by,), since="2.4", until="4.0"),)


class StickyHistory(PartitionerHistory):
    """The same of the classes that came with KIP-480: the state is a sticky partition."""

    arrived = "arrived in 2.4 (KIP-480)"
    gone = "removed in 4.0; deprecated since 3.3 (KIP-794)"
    partitions_in_turn = False
    dimensions = (*PartitionerHistory.dimensions, EQUAL, PREVIOUS)


class _JavaHistory(JavaPerformer):
    """Performs histories on a real client."""

    def __init__(self, behaviour: PartitionerHistory, class_name: str, link: Linker) -> None:
        self._behaviour = behaviour
        self._symbols = ClusterSymbols(link)
        self._new = link.constructor(class_name)
        (name, parameters), batch = behaviour.java_methods
        self._partition = link.method(class_name, name, *parameters)
        self._new_batch = link.method(class_name, batch[0], *batch[1]) if batch else -1
        self._shows_state = all(link.has(*member) for member in behaviour.java_state)
        self._fields = [link.field(*member) for member in behaviour.java_state if self._shows_state]
        self._map_get = link.method("java.util.Map", "get", OBJECT)
        self._map_put = link.method("java.util.Map", "put", OBJECT, OBJECT)
        self._counter_new = link.constructor(ATOMIC_INTEGER, "int")
        self._counter_get = link.method(ATOMIC_INTEGER, "get")

    def program(self, case: Case) -> KafkaProgram:
        program = KafkaProgram(self._symbols)
        subject = program.new_slot()
        program.call(self._new, into=subject)
        state = subject
        for field in self._fields:
            owner, state = state, program.new_slot()
            program.call(field, slot(owner), into=state)
        self._set_counters(program, case, state)
        answers: list[int] = []
        for operation in case["steps"]:
            program.seed(*operation["draw"])
            answers.append(program.new_slot())
            self._step(program, case, operation, slot(subject), answers)
            program.draws()
            if operation["topic"] is not None:
                self._observe(program, state, program.topic(operation["topic"]))
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        return [
            _step(
                operation,
                results.answer(),
                results.answer(),
                results.answer() if operation["topic"] is not None else None,
            )
            for operation in case["steps"]
        ]

    def _set_counters(self, program: KafkaProgram, case: Case, state: int) -> None:
        for topic, value in case["config"].get("counters", {}).items():
            counter = program.new_slot()
            program.call(self._counter_new, NULL, integer(value), into=counter)
            program.call(self._map_put, slot(state), program.topic(topic), slot(counter))

    def _step(
        self,
        program: KafkaProgram,
        case: Case,
        operation: Operation,
        subject: Argument,
        answers: list[int],
    ) -> None:
        topic = program.topic(operation["topic"])
        cluster = program.cluster(case["metadata"], operation["metadata"])
        arguments: tuple[Argument, ...]
        if operation["op"] == "new batch":
            symbol = self._new_batch
            arguments = (topic, cluster, _previous(operation, answers))
        else:
            symbol = self._partition
            arguments = (topic, cluster)
            if len(self._behaviour.java_methods[0][1]) > 2:
                arguments = (topic, NULL, program.data(operation["key"]), NULL, NULL, cluster)
        program.call(symbol, subject, *arguments, mode=Mode.ANSWER, into=answers[-1])

    def _observe(self, program: KafkaProgram, state: int, topic: Argument) -> None:
        if not self._shows_state:
            program.emit(program.let(NULL))
        elif self._behaviour.partitions_in_turn:
            counter = program.new_slot()
            program.call(self._map_get, slot(state), topic, into=counter)
            program.call(self._counter_get, slot(counter), mode=Mode.OBSERVE)
        else:
            program.call(self._map_get, slot(state), topic, mode=Mode.OBSERVE)


def port_cluster(
    implementation: Port, snapshot: Metadata | None, racks: Sequence[str | None] = NO_RACKS
) -> Any:
    """A snapshot as the port's ``Cluster``, or None; ``racks`` are those of its first nodes."""
    if snapshot is None:
        return None
    counts = {topic: len(partitions) for topic, partitions in snapshot}
    # In the short form where that says the same, for half of such snapshots: whose leaders' ids
    # are others, but nobody looks at these.
    plain = all(
        leader is not None and number == at
        for _, partitions in snapshot
        for at, (number, leader) in enumerate(partitions)
    )
    if plain and racks == NO_RACKS and sum(counts.values()) % 2:
        first, *others = counts.items()
        return implementation.Cluster.of(dict([first]), **dict(others))
    rows = fresh(in_turn(snapshot))
    if racks != NO_RACKS:
        # Nodes beyond those are the first ones again, as in KafkaProgram.
        led_by = [None if leader is None else racks[leader % len(racks)] for *_, leader in rows]
        rows = [
            row if rack is None else (*row, rack) for row, rack in zip(rows, led_by, strict=True)
        ]
    return _cluster_of(implementation, rows)


def _cluster_of(implementation: Port, rows: Iterable[tuple[Any, ...]]) -> Any:
    return implementation.Cluster([implementation.PartitionInfo(*row) for row in rows])


class LedClusters:
    """The snapshots of a case, each made when it is first looked at: most are not.

    Always with the leaders that they have, and with objects of the case, which is a copy itself.
    """

    def __init__(self, implementation: Port, snapshots: Sequence[Metadata | None]) -> None:
        self._implementation = implementation
        self._snapshots = snapshots
        self._made: dict[int, Any] = {}
        self._partitions: dict[int, set[tuple[str, int]]] = {}

    def has(self, index: int, topic: str, partition: int) -> bool:
        """Whether a snapshot lists that partition, led or not."""
        if index not in self._partitions:
            self._partitions[index] = {
                (name, number)
                for name, partitions in self._snapshots[index] or []
                for number, *_ in partitions
            }
        return (topic, partition) in self._partitions[index]

    def __getitem__(self, index: int) -> Any:
        if index not in self._made:
            rows = in_turn(self._snapshots[index] or [])
            self._made[index] = _cluster_of(self._implementation, rows)
        return self._made[index]


def _previous(operation: Operation, answers: list[int]) -> Argument:
    previous = operation["previous"]
    if isinstance(previous, dict):
        return slot_or(answers[previous["step"]], NO_PARTITION)
    return integer(previous)


def _step(operation: Operation, answer: Answer, draws_made: int, state: Answer) -> Step:
    if operation["topic"] is None:
        return {"answer": answer, "draws": draws_made}
    return {"answer": answer, "draws": draws_made, "state": {"topic": state}}

"""What the three behaviours of ``BuiltInPartitioner`` have in common: its histories.

Vocabulary of a case:

- ``config``: ``assertions`` (Java's ``-ea``), ``source`` of randomness, ``"mock"`` (the raw
  ``mockRandom``) or ``"thread"`` (``ThreadLocalRandom``, its sign cleared).
- ``{"op": "create", "topic", "batch_size"}``: the topic's partitioner is constructed.
- ``{"op": "peek", "topic", "metadata", "draw"}`` answers the partition.
- ``{"op": "changed", "topic", "of"}``: is what ``of`` names, ``{"step": k}`` for the peek of step
  k or null for nothing, outdated?
- ``{"op": "update", "topic", "of", "bytes", "switch", "metadata", "draw"}``: so many bytes were
  appended; ``switch`` true, false, or null for the form without that argument.
- ``{"op": "append", ...}`` like update, but as ``RecordAccumulator.append`` does it: answers
  ``"changed"``, and does nothing, if the peeked info is outdated.
- ``{"op": "load", "topic", "queues", "ids", "length"}`` answers what became of the array of
  queue sizes (null: none were given).
- ``{"op": "range end", "topic"}`` answers the last cumulative frequency.

Peeks of several threads interleave freely: ``of`` may name any earlier peek of the topic.
"""

from collections.abc import Iterator
from typing import Any

from conformance.behaviours.built_in_labels import built_in_labels
from conformance.behaviours.partitioner_history import port_cluster
from conformance.draws import Draw, DrawSource
from conformance.model.behaviour import Behaviour, Reader
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.program import NULL, Argument, Linker, Mode, boolean, integer, integers, slot
from conformance.model.trace import Answer, Step, Trace, answer_of
from conformance.model.values import is_error
from conformance.model.ways import Limit, Member, Way
from conformance.oracle.internals import BUILT_IN_MAKER, add_built_in_maker
from conformance.oracle.kafka import ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import BUILT_IN, CLUSTER, STRING

CHANGED = "changed"
"""The answer of an append that found its peeked info outdated."""

_INFO = f"{BUILT_IN}$StickyPartitionInfo"
_STATS = f"{BUILT_IN}$PartitionLoadStats"
_METHODS = {
    "create": "<init>",
    "peek": "peekCurrentPartitionInfo",
    "changed": "isPartitionChanged",
    "update": "updatePartitionInfo",
    "append": "updatePartitionInfo",
    "load": "updatePartitionLoadStats",
    "range end": "loadStatsRangeEnd",
}


def built_in_ways(method: str) -> tuple[Way, ...]:
    """The one way in which jars show what a method of ``BuiltInPartitioner`` does."""
    return (Way(f"{BUILT_IN}.{method}", (Member(BUILT_IN),), since="3.3"),)


class BuiltInHistory(Behaviour):
    """Peeks, appends and load stats over several topics and threads."""

    arrived = "arrived in 3.3 (KIP-794)"
    # 3.9 replaced it by a method that tests override; draws are then ThreadLocalRandom's.
    limits = (Limit(Member(BUILT_IN, "mockRandom"), "raw mock draws"),)
    operations = tuple(_METHODS)
    words = (CHANGED,)

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        """See :class:`Behaviour`."""
        return built_in_labels(case, trace)

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        """See :class:`Behaviour`."""
        return f"{BUILT_IN}.{_METHODS[operation['op']]}"

    def java(self, client: ClientVersion, link: Linker) -> "_JavaBuiltIn":
        """See :class:`Behaviour`."""
        del client
        return _JavaBuiltIn(link)

    def port(self, client: ClientVersion, implementation: Any) -> "_PortBuiltIn":
        """See :class:`Behaviour`."""
        return _PortBuiltIn(implementation, getattr(implementation, client.port).BuiltInPartitioner)


class _Program(KafkaProgram):
    """A program that has the client's ``BuiltInMaker``."""

    def __init__(self, symbols: ClusterSymbols) -> None:
        super().__init__(symbols)
        self.maker = self.new_slot()


class _Topic:
    """The slots of one topic's partitioner in a program."""

    def __init__(self, program: _Program) -> None:
        self.partitioner = program.new_slot()
        self.sticky = program.new_slot()


class _JavaBuiltIn:
    """Performs histories on a real client."""

    def __init__(self, link: Linker) -> None:
        self._symbols = ClusterSymbols(link)
        add_built_in_maker(link)
        self._maker = link.method(BUILT_IN_MAKER, "only")
        self._new = link.method(BUILT_IN_MAKER, "create", STRING, "int")
        self._peek = link.method(BUILT_IN, "peekCurrentPartitionInfo", CLUSTER)
        self._changed = link.method(BUILT_IN, "isPartitionChanged", _INFO)
        update = (BUILT_IN, "updatePartitionInfo", _INFO, "int", CLUSTER)
        self._update = link.method(*update)
        self._update_switch = link.method(*update, "boolean")
        self._load = link.method(BUILT_IN_MAKER, "load", BUILT_IN, "[I", "[I", "int")
        self._range_end = link.method(BUILT_IN, "loadStatsRangeEnd")
        self._sticky = link.field(BUILT_IN, "stickyPartitionInfo")
        self._stats = link.method(BUILT_IN_MAKER, "stats", BUILT_IN)
        self._get = link.method("java.util.concurrent.atomic.AtomicReference", "get")
        self._count = link.method("java.util.concurrent.atomic.AtomicInteger", "get")
        self._partition = link.method(_INFO, "partition")
        self._bytes = link.field(_INFO, "producedBytes")
        self._stats_fields = [
            link.field(_STATS, name)
            for name in ("cumulativeFrequencyTable", "partitionIds", "length")
        ]

    def program(self, case: Case) -> "_Program":
        """See :class:`conformance.model.behaviour.JavaPerformer`."""
        program = _Program(self._symbols)
        program.call(self._maker, into=program.maker)
        topics: dict[str, _Topic] = {}
        peeked: dict[int, int] = {}
        mock = case["config"]["source"] == "mock"
        for index, operation in enumerate(case["steps"]):
            topic = topics.setdefault(operation["topic"], _Topic(program))
            draw = operation.get("draw")
            if draw is not None:
                program.mock(draw[0]) if mock else program.seed(Draw(*draw).seed)
            if operation["op"] == "peek":
                peeked[index] = program.new_slot()
            self._step(program, case, index, topic, peeked)
            if draw is not None:
                program.draws()
            if operation["op"] == "load":
                self._observe_stats(program, topic)
            elif operation["op"] != "create":
                self._observe(program, topic, _referred(operation, peeked))
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        """See :class:`conformance.model.behaviour.JavaPerformer`."""
        trace: Trace = []
        for operation in case["steps"]:
            kind = operation["op"]
            answer = results.answer()
            if kind == "peek" or (kind == "load" and operation["queues"] is not None):
                # What the call answered matters only if it failed; else what it led to.
                led_to = results.answer()
                answer = answer if is_error(answer) else led_to
            elif kind == "append":
                answer = CHANGED if answer == 1 else results.answer()
            step: Step = {"answer": answer}
            if "draw" in operation:
                step["draws"] = results.answer()
            if kind != "create":
                names = _STATS_STATE if kind == "load" else _STICKY_STATE
                step["state"] = {name: results.answer() for name in names}
            trace.append(step)
        return trace

    def _step(
        self,
        program: _Program,
        case: Case,
        index: int,
        topic: _Topic,
        peeked: dict[int, int],
    ) -> None:
        operation = case["steps"][index]
        kind, subject = operation["op"], slot(topic.partitioner)
        if kind == "create":
            self._create(program, operation, topic)
        elif kind == "peek":
            cluster = program.cluster(case["metadata"], operation["metadata"])
            # The answer is the info's partition, but what is kept is the info itself.
            program.call(self._peek, subject, cluster, mode=Mode.TRY, into=peeked[index])
            program.call(self._partition, slot(peeked[index]), mode=Mode.OBSERVE)
        elif kind == "load":
            self._install(program, operation, subject)
        elif kind == "range end":
            program.call(self._range_end, subject, mode=Mode.ANSWER)
        else:
            info = _referred(operation, peeked)
            changed = program.new_slot()
            if kind in ("changed", "append"):
                program.call(self._changed, subject, info, mode=Mode.ANSWER, into=changed)
            if kind in ("update", "append"):
                cluster = program.cluster(case["metadata"], operation["metadata"])
                # An update runs in any case: its condition was never set.
                skipped = program.skip_if(changed)
                self._append(program, operation, subject, info, cluster)
                program.end_skip(skipped)

    def _create(self, program: _Program, operation: Operation, topic: _Topic) -> None:
        arguments = (program.topic(operation["topic"]), integer(operation["batch_size"]))
        maker = slot(program.maker)
        program.call(self._new, maker, *arguments, mode=Mode.TRY, into=topic.partitioner)
        program.call(self._sticky, slot(topic.partitioner), mode=Mode.FOLLOW, into=topic.sticky)

    def _append(
        self,
        program: _Program,
        operation: Operation,
        subject: Argument,
        info: Argument,
        cluster: Argument,
    ) -> None:
        arguments = (info, integer(operation["bytes"]), cluster)
        if operation["switch"] is None:
            program.call(self._update, subject, *arguments, mode=Mode.ANSWER)
        else:
            switch = boolean(operation["switch"])
            program.call(self._update_switch, subject, *arguments, switch, mode=Mode.ANSWER)

    def _install(self, program: _Program, operation: Operation, subject: Argument) -> None:
        maker, queues = slot(program.maker), operation["queues"]
        array = None if queues is None else program.let(integers(queues))
        kept = NULL if array is None else slot(array)
        further = (kept, integers(operation["ids"]), integer(operation["length"]))
        program.call(self._load, maker, subject, *further, mode=Mode.TRY)
        if array is not None:
            program.emit(array)

    def _observe(self, program: _Program, topic: _Topic, referred: Argument) -> None:
        info = program.new_slot()
        program.call(self._get, slot(topic.sticky), mode=Mode.FOLLOW, into=info)
        program.call(self._partition, slot(info), mode=Mode.OBSERVE)
        for one in (slot(info), referred):
            count = program.new_slot()
            program.call(self._bytes, one, mode=Mode.FOLLOW, into=count)
            program.call(self._count, slot(count), mode=Mode.OBSERVE)

    def _observe_stats(self, program: _Program, topic: _Topic) -> None:
        stats = program.new_slot()
        maker, partitioner = slot(program.maker), slot(topic.partitioner)
        program.call(self._stats, maker, partitioner, mode=Mode.FOLLOW, into=stats)
        for field in self._stats_fields:
            program.call(field, slot(stats), mode=Mode.OBSERVE)


class _PortBuiltIn:
    """Performs histories on the Python port."""

    def __init__(self, implementation: Any, partitioner: Any) -> None:
        self._implementation = implementation
        self._partitioner = partitioner

    def __call__(self, case: Case) -> Trace:
        return _PortRun(self._implementation, self._partitioner, case).trace()


class _PortRun:
    """One case on the port."""

    def __init__(self, implementation: Any, partitioner: Any, case: Case) -> None:
        self._case = case
        self._partitioner = partitioner
        self._source = DrawSource()
        self._clusters = [port_cluster(implementation, known) for known in case["metadata"]]
        self._subjects: dict[str, Any] = {}
        self._peeked: dict[int, Any] = {}

    def trace(self) -> Trace:
        trace: Trace = []
        for index, operation in enumerate(self._case["steps"]):
            self._source.begin(operation.get("draw"))
            answer = answer_of(lambda: self._call(index, operation))  # noqa: B023
            step: Step = {"answer": answer}
            if "draw" in operation:
                step["draws"] = self._source.count
            if operation["op"] != "create":
                step["state"] = self._state(operation)
            trace.append(step)
        return trace

    def _call(self, index: int, operation: Operation) -> Answer:
        kind, topic = operation["op"], operation["topic"]
        if kind == "create":
            self._subjects[topic] = self._create(operation)
            return None
        # Missing if its creation failed, which is another answer than Java's.
        subject = self._subjects[topic]
        if kind == "peek":
            info = self._peeked[index] = subject.peek(self._clusters[operation["metadata"]])
            return info.partition()
        if kind == "load":
            queues = operation["queues"] and list(operation["queues"])
            subject.update_partition_load_stats(queues, list(operation["ids"]), operation["length"])
            return queues
        if kind == "range end":
            return subject.load_stats_range_end()
        info = self._referred(operation)
        if kind in ("changed", "append"):
            changed = subject.is_partition_changed(info)
            if changed or kind == "changed":
                return int(changed) if kind == "changed" else CHANGED
        switch = {} if operation["switch"] is None else {"enable_switch": operation["switch"]}
        cluster = self._clusters[operation["metadata"]]
        subject.update_partition_info(info, operation["bytes"], cluster, **switch)
        return None

    def _referred(self, operation: Operation) -> Any:
        of = operation.get("of")
        return None if of is None else self._peeked.get(of["step"])

    def _create(self, operation: Operation) -> Any:
        config = self._case["config"]
        source = "mock_random" if config["source"] == "mock" else "random"
        # Left out where they are off, so that the port's default is seen as well.
        assertions = {"assertions": True} if config["assertions"] else {}
        return self._partitioner(
            operation["topic"], operation["batch_size"], **assertions, **{source: self._source}
        )

    def _state(self, operation: Operation) -> dict[str, Answer]:
        subject = self._subjects.get(operation["topic"])
        if subject is None:
            return {}
        if operation["op"] == "load":
            stats = subject.load_stats
            values = (
                (None, None, None)
                if stats is None
                else (list(stats.table), list(stats.partition_ids), stats.length)
            )
            return dict(zip(_STATS_STATE, values, strict=True))
        info, referred = subject.current, self._referred(operation)
        return {
            "partition": None if info is None else info.partition(),
            "bytes": None if info is None else info.produced_bytes,
            "peeked bytes": None if referred is None else referred.produced_bytes,
        }


_STICKY_STATE = ("partition", "bytes", "peeked bytes")
_STATS_STATE = ("table", "ids", "length")


def _referred(operation: Operation, peeked: dict[int, int]) -> Argument:
    of = operation.get("of")
    return NULL if of is None else slot(peeked[of["step"]])

"""``BuiltInPartitioner`` of a producer that prefers leaders in its own rack (4.4, KIP-1123).

The histories of :mod:`.built_in_history`, and in addition:

- ``config``: ``rack_aware`` (``partitioner.rack.aware``), ``rack``, the producer's own
  (``client.rack``), and ``racks``, those of nodes 0, 1 and 2, which lead partitions; null for a
  node that has none.
- ``load`` has ``racks`` too: the rack of each queue's leader, or null.
- ``{"op": "rack range end", "topic"}`` answers the last cumulative frequency of the own rack.

After a ``load`` the table of the own rack is observed as well: its ``rack length`` is 0 where no
leader is in the rack.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from hypothesis.strategies import SearchStrategy

from conformance.behaviours.partitioning.built_in_history import BuiltInHistory, JavaBuiltIn
from conformance.behaviours.partitioning.built_in_labels import (
    LOAD_CLASSES,
    RAW_DRAW_CLASSES,
    STICKY_CLASSES,
    built_in_labels,
)
from conformance.behaviours.partitioning.built_in_operations import (
    OPERATIONS,
    Create,
    JavaRun,
    Load,
    Performed,
    PortRun,
    Symbols,
)
from conformance.behaviours.partitioning.dimensions.histories import BUILT_IN_HISTORIES
from conformance.behaviours.partitioning.dimensions.loads import LOADS, RACKS
from conformance.behaviours.partitioning.dimensions.metadata import METADATA
from conformance.behaviours.partitioning.labels import partitions_of
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.program import Linker, Mode, boolean, slot
from conformance.model.trace import Answer, Step, Trace
from conformance.model.values import is_error
from conformance.model.ways import Member, Way
from conformance.oracle.internals import BUILT_IN_MAKER
from conformance.oracle.kafka_classes import BUILT_IN, STRING
from conformance.strategies.partitioning.rack_cases import rack_cases

_RANGE_END = "loadStatsInThisRackRangeEnd"
_RACK_CLASSES: Mapping[str, str] = {
    "racks ignored": "partitioner.rack.aware is off: racks are never looked at",
    "leader without rack": "a choice by rack, and the node of an available leader has none",
    "empty rack": "a choice by rack, and the producer's rack is the empty text",
    "part in the rack": "a choice by rack: some available leaders are in it, others are not",
    "none in the rack": "a choice by rack, and no available leader is in it: all are chosen from",
    "table of the rack": "queue sizes: some leaders are in the rack, others are not",
    "one in the table": "queue sizes: one leader is in the rack, so it is always chosen",
    "none in the table": "queue sizes: no leader is in the rack, so all of them are weighed",
    "longest queue elsewhere": "the longest queue is in another rack: weights of the rack differ",
    "rack's table overflows": "the running sum of the weights of the rack wraps",
    "racks disagree": "there are more racks than queue sizes, or fewer",
    "end of the rack's range": "the last cumulative frequency of the rack is asked for",
    "no range of the rack": "the same where the rack has no table",
}


class RackSymbols(Symbols):
    """What operations call of a real client that knows racks."""

    def __init__(self, link: Linker) -> None:
        super().__init__(link)
        in_rack = (STRING, "int", "boolean", STRING)
        self.new_in_rack = link.method(BUILT_IN_MAKER, "create", *in_rack)
        arrays = ("[I", "[I", f"[L{STRING};")
        self.load_of_racks = link.method(BUILT_IN_MAKER, "load", BUILT_IN, *arrays, "int")
        self.stats_in_rack = link.method(BUILT_IN_MAKER, "statsInThisRack", BUILT_IN)
        self.range_end_in_rack = link.method(BUILT_IN, _RANGE_END)


class _CreateInRack(Create):
    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        config = run.config
        rack = run.program.topic(config["rack"])
        self.make(
            run, operation, _rack_symbols(run).new_in_rack, boolean(config["rack_aware"]), rack
        )

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        config = run.config
        # Left out where it is off, so that the port's default is seen as well.
        aware = {"rack_aware": True} if config["rack_aware"] else {}
        made = run.create(operation, rack=config["rack"], **aware)
        run.subjects[operation["topic"]] = made
        return None


class _LoadOfRacks(Load):
    state = (*Load.state, "rack table", "rack ids", "rack length")

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        racks = run.program.texts(operation["racks"])
        self.install(run, operation, _rack_symbols(run).load_of_racks, racks)

    def racks(self, operation: Operation) -> tuple[list[str | None], ...]:
        return (operation["racks"],)

    def emit_state(self, run: JavaRun, operation: Operation) -> None:
        super().emit_state(run, operation)
        self.emit_stats(run, operation, _rack_symbols(run).stats_in_rack)

    def state_of(self, subject: Any, referred: Any) -> tuple[Answer, ...]:
        in_rack = self.stats_of(subject.load_stats_in_this_rack)
        return (*super().state_of(subject, referred), *in_rack)


class _RackRangeEnd(Performed):
    java_method = _RANGE_END

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        partitioner = slot(run.partitioner(operation))
        run.program.call(_rack_symbols(run).range_end_in_rack, partitioner, mode=Mode.ANSWER)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        return run.subject(operation).load_stats_in_this_rack_range_end()


def _rack_symbols(run: JavaRun) -> RackSymbols:
    assert isinstance(run.symbols, RackSymbols)
    return run.symbols


_OPERATIONS: Final[Mapping[str, Performed]] = {
    **OPERATIONS,
    "create": _CreateInRack(),
    "load": _LoadOfRacks(),
    "rack range end": _RackRangeEnd(),
}


class RackAware(BuiltInHistory):
    """The whole class as 4.4 has it: everything that ``adaptive`` does, among racks."""

    name = "rack-aware"
    summary = "leaders in the producer's own rack are preferred, with or without load (KIP-1123)"
    ways = (Way(f"{BUILT_IN}.nextPartition", (Member(BUILT_IN, _RANGE_END),), since="4.4"),)
    arrived = "arrived in 4.4 (KIP-1123)"
    meaning = (
        "Of a producer that is to prefer its own rack, records without key go to another partition "
        "than with Java: they may cross racks, or crowd some partitions of the rack."
    )
    weight = 1.5
    performed: ClassVar[Mapping[str, Performed]] = _OPERATIONS
    operations = tuple(_OPERATIONS)
    dimensions = (
        # Leaders are those nodes whose racks are told.
        *(one for one in METADATA if one.name not in ("leader", "leader and partition", "nodes")),
        *(*BUILT_IN_HISTORIES, *LOADS, RACKS),
    )
    interesting = {**STICKY_CLASSES, **RAW_DRAW_CLASSES, **LOAD_CLASSES, **_RACK_CLASSES}

    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """Histories of queue sizes that come and go, with racks."""
        return rack_cases()

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        yield from built_in_labels(case, trace)
        config = case["config"]
        if not config["rack_aware"]:
            yield "racks ignored"
            return
        loaded: set[str] = set()
        for operation, step in zip(case["steps"], trace, strict=True):
            if operation["op"] == "load":
                yield from _load_labels(config["rack"], operation, step)
                adapts = step.get("state", {}).get("table") is not None
                (loaded.add if adapts else loaded.discard)(operation["topic"])
            elif operation["op"] == "rack range end":
                error = is_error(step["answer"])
                yield "no range of the rack" if error else "end of the rack's range"
            elif step.get("draws") and operation["topic"] not in loaded:
                yield from _choice_labels(case, operation)

    def java(self, client: ClientVersion, link: Linker) -> JavaBuiltIn:
        return JavaBuiltIn(RackSymbols(link), self.performed)


def _load_labels(rack: str, operation: Operation, step: Step) -> Iterator[str]:
    queues, racks = operation["queues"], operation["racks"]
    if queues is None:
        return
    if len(racks) != len(queues):
        yield "racks disagree"
        return
    state = step.get("state", {})
    table, of_rack = state.get("table"), state.get("rack length")
    if table is None or of_rack is None or is_error(step["answer"]):
        return
    if of_rack == 0:
        yield "none in the table"
        return
    if of_rack == 1:
        yield "one in the table"
    used = list(zip(queues, racks, strict=True))[: operation["length"]]
    mine = [queue for queue, where in used if where == rack]
    if of_rack < len(used):
        yield "table of the rack"
        if max(mine) < max(queue for queue, _ in used):
            yield "longest queue elsewhere"
    if sorted(state["rack table"][:of_rack]) != state["rack table"][:of_rack]:
        yield "rack's table overflows"


def _choice_labels(case: Case, operation: Operation) -> Iterator[str]:
    config = case["config"]
    partitions = partitions_of(case["metadata"][operation["metadata"]], operation["topic"])
    racks = config["racks"]
    led_from = [racks[leader % len(racks)] for _, leader in partitions if leader is not None]
    if not led_from:
        return
    if None in led_from:
        yield "leader without rack"
    if config["rack"] == "":
        yield "empty rack"
    mine = led_from.count(config["rack"])
    if mine < len(led_from):
        yield "part in the rack" if mine else "none in the rack"

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

from collections.abc import Iterator, Mapping
from typing import ClassVar

from conformance.behaviours.partitioning.built_in_labels import built_in_labels
from conformance.behaviours.partitioning.built_in_operations import (
    CHANGED,
    OPERATIONS,
    STATE,
    JavaRun,
    Performed,
    PortRun,
    Symbols,
)
from conformance.model.behaviour import Behaviour, JavaPerformer, PortPerformer, Reader
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.port import BuiltInRelease, Port, release_of
from conformance.model.program import Linker, Program
from conformance.model.trace import Step, Trace, answer_of
from conformance.model.ways import Limit, Member, Way
from conformance.oracle.kafka_classes import BUILT_IN


def built_in_ways(method: str) -> tuple[Way, ...]:
    """The one way in which jars show what a method of ``BuiltInPartitioner`` does."""
    return (Way(f"{BUILT_IN}.{method}", (Member(BUILT_IN),), since="3.3"),)


class BuiltInHistory(Behaviour):
    """Peeks, appends and load stats over several topics and threads."""

    arrived = "arrived in 3.3 (KIP-794)"
    performed: ClassVar[Mapping[str, Performed]] = OPERATIONS
    """Its operations, by the ``op`` of a step."""
    operations = tuple(OPERATIONS)
    words = (CHANGED,)
    limits = tuple(Limit(member, "state") for member in STATE)

    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        return built_in_labels(case, trace)

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        return f"{BUILT_IN}.{self.performed[operation['op']].java_method}"

    def java(self, client: ClientVersion, link: Linker) -> "JavaBuiltIn":
        return JavaBuiltIn(Symbols(link), self.performed)

    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        release: BuiltInRelease = release_of(implementation, client)
        partitioner = release.BuiltInPartitioner
        return lambda case: self.on_port(case, PortRun(implementation, partitioner, case))

    def on_port(self, case: Case, run: PortRun) -> Trace:
        """The trace of a case that is performed on a port."""
        trace: Trace = []
        for index, operation in enumerate(case["steps"]):
            performed = self.performed[operation["op"]]
            run.source.begin(operation.get("draw"))
            answer = answer_of(performed.perform, run, index, operation)
            step: Step = {"answer": answer}
            if "draw" in operation:
                step["draws"] = run.source.count
            if performed.state:
                subject = run.subjects.get(operation["topic"])
                step["state"] = {}
                if subject is not None:
                    seen = performed.state_of(subject, run.info(operation))
                    step["state"] = dict(zip(performed.state, seen, strict=True))
            trace.append(step)
        return trace


class JavaBuiltIn(JavaPerformer):
    """Performs histories on a real client."""

    def __init__(self, symbols: Symbols, performed: Mapping[str, Performed]) -> None:
        self._symbols = symbols
        self._performed = performed

    def program(self, case: Case) -> Program:
        run = JavaRun(self._symbols, case)
        for index, operation in enumerate(case["steps"]):
            performed = self._performed[operation["op"]]
            if "draw" in operation:
                run.begin(operation["draw"])
            performed.emit(run, index, operation)
            if "draw" in operation:
                run.program.draws()
            if performed.state and self._symbols.shows_state:
                performed.emit_state(run, operation)
        return run.program

    def trace(self, case: Case, results: Reader) -> Trace:
        trace: Trace = []
        for operation in case["steps"]:
            performed = self._performed[operation["op"]]
            step: Step = {"answer": performed.read(operation, results)}
            if "draw" in operation:
                step["draws"] = results.answer()
            if performed.state:
                shown = self._symbols.shows_state
                step["state"] = {n: results.answer() if shown else None for n in performed.state}
            trace.append(step)
        return trace

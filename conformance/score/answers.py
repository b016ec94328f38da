"""What the real client answers to the cases of a run, written down once for many mutants."""

from dataclasses import dataclass

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.engine.profiles import PROFILES
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, Verdict
from conformance.model.subject import Performer, Subject, version_of
from conformance.model.trace import Trace
from conformance.subjects.java_client import JavaSubject


@dataclass(frozen=True)
class Answers:
    """The cases of one cell, in the order of a run, with the real client's traces."""

    cell: Cell
    cases: list[tuple[Case, Trace]]


class _Recorder(Subject):
    """Answers what the real client does, and keeps it: a subject that always conforms."""

    kind = "recorder"

    def __init__(self, java: JavaSubject) -> None:
        self._java = java
        self.cases: list[tuple[Case, Trace]] = []

    def describe(self, client: ClientVersion | None) -> str:
        return f"the {self.kind} of {version_of(client)}"

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        perform = self._java.performer(behaviour, client)

        def record(case: Case) -> Trace:
            trace = perform(case)
            self.cases.append((case, trace))
            return trace

        return record


def record_answers(java: JavaSubject, cell: Cell, *, profile: str, seed: int) -> Answers:
    """The cases that a run with this profile and seed makes of a cell, and what is right.

    The engine itself makes them, so they are the same cases in the same order. Raises
    :class:`SuiteError` if the real client could not be run, or does not agree with itself.
    """
    behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
    recorder = _Recorder(java)
    cases = PROFILES[profile].cases_of(behaviour)
    result = check_cell(behaviour, client, java, recorder, cases=cases, seed=seed)
    if result.verdict is not Verdict.CONFORMS:
        raise SuiteError(
            f"The answers of {cell} could not be written down: {result.reason or 'Java differs'}",
            "Run kafka-conformance run first: it says more.",
        )
    return Answers(cell, recorder.cases)

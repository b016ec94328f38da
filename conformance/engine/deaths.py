"""What it means that a worker ended, or hangs, while a subject was performing a case.

A subject that says what it is performing (:meth:`~conformance.model.subject.Subject.last_case`) is
answerable for it, if the oracle performs the same case in a process of its own.
"""

from typing import Any, Final

from conformance.engine.difference import difference_of
from conformance.engine.known import KnownDivergences
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, Divergence, Verdict
from conformance.model.subject import Subject
from conformance.model.trace import Trace, death
from conformance.processes.worker import Worker

_CONTROL_SECONDS: Final = 30.0
"""For the oracle to start and perform the case: a machine that is too busy shows here, too."""


def result_of_death(
    behaviour: Behaviour,
    client: ClientVersion,
    subjects: tuple[Subject, Subject],
    process: int,
    how: str,
    seed: int,
    known: KnownDivergences,
) -> CellResult | None:
    """The result of a cell whose worker, by its number, ended as ``how`` says.

    None if neither the oracle nor the subject was performing anything.
    """
    oracle, subject = subjects
    cell = Cell(behaviour.name, client.version)
    performed = subject.last_case(process)
    if performed is None:
        if oracle.last_case(process) is None:
            return None
        reason = f"{oracle.describe(client)} does not survive a case: {how}."
        return CellResult(cell, Verdict.NOT_RUN, reason=reason)
    expected = _alone(oracle, behaviour, client, performed.case)
    if isinstance(expected, str):
        reason = f"Neither of the two survives a case. {subject.describe(client)}: {how}."
        return CellResult(cell, Verdict.NOT_RUN, reason=f"{reason} The other: {expected}.")
    case = performed.case
    answered: Trace = [{"answer": death(how, "client")}]
    difference = difference_of(behaviour, case, expected, answered)
    assert difference is not None
    steps = len(case["steps"])
    remarks = ["The case was not shrunk, because each attempt would cost a process."]
    if steps > 1:
        remarks.append(f"Which of its {steps} steps caused it is not known.")
    divergence = Divergence(
        cell=cell,
        expected_of=oracle.describe(client),
        answered_by=subject.describe(client),
        case=case,
        expected=expected,
        answered=answered,
        step=0,
        java_method=behaviour.java_method(client, case["steps"][0]),
        seed=seed,
        cases_before=0,
        remarks=tuple(remarks),
    )
    differences = {str(difference): 1}
    return CellResult(
        cell,
        known.verdict(cell, differences),
        cases=1,
        steps=steps,
        reason=f"{subject.describe(client)}: {how}.",
        divergence=divergence,
        differences=differences,
        kinds={str(difference): difference},
    )


def _alone(
    subject: Subject, behaviour: Behaviour, client: ClientVersion, case: Case
) -> Trace | str:
    """The trace of a case from a process of its own; or why there is none."""
    worker = Worker(_perform, subject, behaviour, client, case)
    try:
        if not worker.connection.poll(_CONTROL_SECONDS):
            return f"no answer for {_CONTROL_SECONDS:g} s"
        trace: Trace | str = worker.connection.recv()
    except (EOFError, OSError):
        return "its process died"
    else:
        return trace
    finally:
        worker.end()


def _perform(
    connection: Any, subject: Subject, behaviour: Behaviour, client: ClientVersion, case: Case
) -> None:
    try:
        connection.send(subject.performer(behaviour, client)(case))
    except SuiteError as error:
        connection.send(error.what)

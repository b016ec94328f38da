"""Run one cell of the matrix in the way that its subject can be asked."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from conformance.engine.check import check_cell, reason_of
from conformance.engine.comparing import Progress
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.recording import Recording
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, Verdict, worst_of
from conformance.model.subject import Scope, Subject

_NO_RECORDS: Final = "Its records would have to be judged, and this run judges cases only."
_NAMED: Final = 2
"""How many operations, or kinds of cases, are named where there is little room."""


SampleCell: TypeAlias = Callable[
    [Behaviour, ClientVersion, Subject, Subject, "Effort", Progress], CellResult
]
"""Judges one cell by records; the room for that is :mod:`conformance.sampling`."""


@dataclass(frozen=True)
class Effort:
    """How much one cell is given, and what is known of it."""

    cases: int
    seed: int
    sampled_cells: int = 1
    """How many cells of the run share the probability of a false alarm."""
    records: int | None = None
    """How many records a sampled subject gets; None for the default, times ``share``."""
    known: KnownDivergences = NOTHING_KNOWN
    deadline: float = math.inf
    """When it has to be over: a moment of :func:`time.monotonic`."""
    recording: Recording | None = None
    """What the oracle answered to the same cases before, or where to keep it."""
    sample: SampleCell | None = None
    """How to judge a subject by its records; without it one that wants that is not run."""
    share: float = 1.0
    """How many records, if nobody says, as a part of the default."""


def run_cell(
    behaviour: Behaviour,
    client: ClientVersion,
    oracle: Subject,
    subject: Subject,
    effort: Effort,
    *,
    progress: Progress = lambda _done: None,
    diverged: Callable[[CellResult], None] = lambda _result: None,
) -> CellResult:
    """Cases for a subject that takes draws, records for one that has randomness of its own.

    One that takes both gets the records after the cases, whatever these found, unless it died
    of one. A subject that does not end as it should leaves its cell not run, unless it diverged
    before.
    """
    try:
        result = _run(behaviour, client, oracle, subject, effort, progress, diverged)
        result = replace(result, limit=limit_of(behaviour, subject.scope(behaviour)))
    finally:
        ended = _finished(subject)
    if ended is not None and result.verdict in (Verdict.CONFORMS, Verdict.KNOWN):
        return replace(result, verdict=Verdict.NOT_RUN, reason=ended)
    return result


def limit_of(behaviour: Behaviour, scope: Scope) -> str:
    """How little of a behaviour a subject can be asked, in a few words; empty for all of it."""
    cannot, operations = scope.limits or ((), ())
    performed = [one for one in behaviour.operations if one in operations]
    told = []
    if 0 < len(performed) < len(behaviour.operations):
        told.append(f"only {_few(performed, f'of {len(behaviour.operations)} operations')}")
    if cannot:
        told.append(f"without {_few(cannot, 'kinds of cases')}")
    return ", ".join(told)


def _few(names: Sequence[str], what: str) -> str:
    return " and ".join(names) if len(names) <= _NAMED else f"{len(names)} {what}"


def _run(
    behaviour: Behaviour,
    client: ClientVersion,
    oracle: Subject,
    subject: Subject,
    effort: Effort,
    progress: Progress,
    diverged: Callable[[CellResult], None],
) -> CellResult:
    def sample() -> CellResult:
        if effort.sample is None:
            cell = Cell(behaviour.name, client.version)
            return CellResult(cell, Verdict.NOT_RUN, reason=_NO_RECORDS)
        return effort.sample(behaviour, client, oracle, subject, effort, progress)

    scope = subject.scope(behaviour)
    if scope.shows_only_partitions:
        return sample()
    result = check_cell(
        behaviour,
        client,
        oracle,
        subject,
        cases=effort.cases,
        seed=effort.seed,
        progress=progress,
        diverged=diverged,
        known=effort.known,
        deadline=effort.deadline,
        recording=effort.recording,
    )
    alive = all(kind.excusable for kind in result.kinds.values())
    if result.verdict is Verdict.NOT_RUN or not alive or not scope.takes_records:
        return result
    return _both(result, sample(), effort.known)


def _both(cases: CellResult, sampled: CellResult, known: KnownDivergences) -> CellResult:
    """The result of cases and of records: the worse verdict, with all that was found."""
    verdicts = (cases.verdict, sampled.verdict)
    divergence = cases.divergence
    if divergence is not None and verdicts == (Verdict.KNOWN, Verdict.DIVERGES):
        # Or else whoever reads it would take the case for what is new.
        new = [kind for kind in sampled.differences if known.excuse(cases.cell, kind) is None]
        remark = f"This case is known. What is not known was seen in records: {'; '.join(new)}"
        divergence = replace(divergence, remarks=(*divergence.remarks, remark))
    return replace(
        cases,
        verdict=worst_of(verdicts),
        reason=sampled.reason,
        divergence=divergence,
        records=sampled.records,
        differences=cases.differences | sampled.differences,
        tests=sampled.tests,
        pictures=sampled.pictures,
        smallest_bias=sampled.smallest_bias,
        seconds=replace(
            cases.seconds, execution=cases.seconds.execution + sampled.seconds.execution
        ),
    )


def _finished(subject: Subject) -> str | None:
    """End the subject; answers what went wrong with that."""
    try:
        subject.finish()
    except SuiteError as error:
        return reason_of(error)
    return None

"""Run one cell of the matrix in the way that its subject can be asked."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from conformance.behaviour import Behaviour
from conformance.clients import ClientVersion
from conformance.engine.check import check_cell, reason_of
from conformance.engine.comparison import Progress
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.results import CellResult, Verdict
from conformance.engine.sample import sample_cell
from conformance.errors import SuiteError
from conformance.subjects.subject import Subject


@dataclass(frozen=True)
class Effort:
    """How much one cell is given, and what is known of it."""

    cases: int
    seed: int
    sampled_cells: int = 1
    """How many cells of the run share the probability of a false alarm."""
    records: int | None = None
    known: KnownDivergences = NOTHING_KNOWN


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

    One that takes both gets the records after the cases. A subject that does not end as it
    should leaves its cell not run, unless it diverged before.
    """
    try:
        result = _run(behaviour, client, oracle, subject, effort, progress, diverged)
    finally:
        ended = _finished(subject)
    if ended is not None and result.verdict in (Verdict.CONFORMS, Verdict.KNOWN):
        return replace(result, verdict=Verdict.NOT_RUN, reason=ended)
    return result


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
        return sample_cell(
            behaviour,
            client,
            oracle,
            subject,
            seed=effort.seed,
            sampled_cells=effort.sampled_cells,
            records=effort.records,
            progress=progress,
            known=effort.known,
        )

    if subject.shows_only_partitions(behaviour):
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
    )
    if result.verdict is not Verdict.CONFORMS or not subject.takes_records(behaviour):
        return result
    sampled = sample()
    return replace(
        result,
        verdict=sampled.verdict,
        reason=sampled.reason,
        records=sampled.records,
        differences=sampled.differences,
        tests=sampled.tests,
        pictures=sampled.pictures,
        seconds=replace(
            result.seconds, execution=result.seconds.execution + sampled.seconds.execution
        ),
    )


def _finished(subject: Subject) -> str | None:
    """End the subject; answers what went wrong with that."""
    try:
        subject.finish()
    except SuiteError as error:
        return reason_of(error)
    return None

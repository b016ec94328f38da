"""Check one cell with cases: generate, compare, shrink, and say what came of it."""

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import replace

from conformance.engine.budget import MINIMUM_CASES
from conformance.engine.comparing import Abort, Progress
from conformance.engine.comparison import Comparison
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.recording import Recording
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, Seconds, Verdict
from conformance.model.subject import Subject


def reason_of(error: Exception) -> str:
    """Why a cell was not run: the message of the suite's own errors; any other is a bug."""
    if isinstance(error, SuiteError):
        return str(error)
    return (
        f"The suite failed: {type(error).__name__}: {error}\n"
        "  This is a bug in the suite or a broken installation; please report it."
    )


def cell_seed(seed: int, cell: Cell) -> int:
    """The seed of one cell: independent of the others, whichever of them are run."""
    text = f"{seed} {cell}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def check_cell(
    behaviour: Behaviour,
    client: ClientVersion,
    oracle: Subject,
    subject: Subject,
    *,
    cases: int,
    seed: int,
    progress: Progress = lambda _cases: None,
    diverged: Callable[[CellResult], None] = lambda _result: None,
    shrink: bool = True,
    known: KnownDivergences = NOTHING_KNOWN,
    deadline: float = math.inf,
    recording: Recording | None = None,
) -> CellResult:
    """Try ``cases`` cases of one behaviour of one client version on two subjects.

    A failure of the suite or of a subject to perform at all gives a result that was not run,
    never one that conforms; but a divergence that was found before stays one. ``diverged`` is
    told of it at once, before it is shrunk. ``known`` differences are counted, and searched past.
    ``deadline`` and ``recording`` are those of a :class:`Comparison`; a deadline is for a subject
    that performs many.
    """
    cell = Cell(behaviour.name, client.version)
    started = time.perf_counter()
    try:
        comparison = Comparison(
            behaviour, client, oracle, subject, progress, known, deadline, recording
        )
    except SuiteError as error:
        return CellResult(cell, Verdict.NOT_RUN, reason=reason_of(error))
    start_up = time.perf_counter() - started

    def result() -> CellResult:
        total = time.perf_counter() - started
        divergence = comparison.divergence(cell, seed)
        return CellResult(
            cell,
            comparison.verdict,
            cases=comparison.tally.cases,
            steps=comparison.tally.steps,
            seconds=Seconds(
                start_up,
                total - start_up - comparison.execution - comparison.book_keeping,
                comparison.execution,
                comparison.book_keeping,
            ),
            labels={
                label: comparison.tally.labels[label] for label in behaviour.classes_of(client)
            },
            digest=comparison.tally.digest,
            divergence=divergence,
            refused=comparison.tally.refused,
            refusals=tuple(comparison.tally.refusals),
            differences=dict(comparison.tally.differences),
            kinds=dict(comparison.tally.kinds),
            kept=comparison.replays,
        )

    comparison.on_first_divergence = lambda: diverged(result())
    try:
        comparison.explore(cases=cases, seed=cell_seed(seed, cell), shrink=shrink)
        comparison.ask_for_remarks()
    except (SuiteError, Abort) as error:
        cause = error.cause if isinstance(error, Abort) else error
        # What is known excuses a difference, not what came after it.
        if not comparison.has_diverged or comparison.verdict is Verdict.KNOWN:
            return CellResult(cell, Verdict.NOT_RUN, reason=reason_of(cause))
        comparison.remarks.append(f"Shrinking stopped early: {cause}")
    found = _unless_refused(_unless_empty(result(), comparison))
    return _unless_cut_short(found, cases) if comparison.out_of_time else found


def _unless_cut_short(result: CellResult, planned: int) -> CellResult:
    """A cell is not run if its time was over before enough cases of it were tried."""
    if result.verdict is Verdict.DIVERGES or result.cases >= min(MINIMUM_CASES, planned):
        return result
    reason = (
        f"Out of time: {result.cases} of {planned} cases ran; "
        f"at least {MINIMUM_CASES} are needed.\n  Allow more --minutes, or choose fewer behaviours."
    )
    return replace(result, verdict=Verdict.NOT_RUN, reason=reason, divergence=None)


def _unless_empty(result: CellResult, comparison: Comparison) -> CellResult:
    """A cell is not run if no case of it had an answer that says anything."""
    if result.divergence is not None or not result.cases or comparison.tally.telling:
        return result
    reason = (
        f"None of the {result.cases} cases had an answer to compare: every answer was null.\n"
        "  Perform more of the behaviour's operations, or observe draws and state."
    )
    return replace(result, verdict=Verdict.NOT_RUN, reason=reason)


def _unless_refused(result: CellResult) -> CellResult:
    """A cell is not run if more of its cases were refused than tried."""
    if result.verdict is Verdict.DIVERGES or result.refused <= result.cases:
        return result
    reason = (
        f"{result.refused} of {result.refused + result.cases} cases could not be tried, such as: "
        f"{result.refusals[0]}.\n  A testee lists in its hello what it cannot be asked."
    )
    return replace(result, verdict=Verdict.NOT_RUN, reason=reason)

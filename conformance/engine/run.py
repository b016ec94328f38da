"""Run a plan: hand its cells out, pass events on, end with one result per cell."""

import math
import os
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace

from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine.budget import Budget
from conformance.engine.cell import Effort, SampleCell, run_cell
from conformance.engine.check import reason_of
from conformance.engine.deaths import result_of_death
from conformance.engine.events import (
    CellDiverged,
    CellFinished,
    CellProgress,
    CellStarted,
    Event,
    Listener,
    RunFinished,
    RunStarted,
)
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.plan import Plan, behaviour_named
from conformance.engine.recording import Recording
from conformance.engine.workers import run_in_workers
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.model.subject import Subject

STALL_SECONDS = 120.0


@dataclass(frozen=True)
class CellRunner:
    """Runs any cell of a plan with one pair of subjects; crosses into worker processes."""

    plan: Plan
    oracle: Subject
    subject: Subject
    known: KnownDivergences = NOTHING_KNOWN
    records: int | None = None
    """For cells that are sampled; None for the default."""
    budget: Budget | None = None
    recordings: Mapping[Cell, Recording] = field(default_factory=dict)
    """Where the oracle's answers are kept."""
    sample: SampleCell | None = None
    """How subjects are judged by their records; see :class:`Effort`."""

    def __call__(self, cell: Cell, tell: Listener) -> CellResult:
        behaviours = [behaviour_named(planned.behaviour) for planned in self.plan.cells]
        effort = Effort(
            self.plan.cases_of(cell),
            self.plan.seed,
            max(1, sum(self.subject.scope(one).takes_records for one in behaviours)),
            self.records,
            self.known,
            math.inf if self.budget is None else self.budget.deadline(cell),
            self.recordings.get(cell),
            self.sample,
            self.plan.profile.records,
        )
        try:
            return run_cell(
                behaviour_named(cell.behaviour),
                self.plan.client_of(cell),
                self.oracle,
                self.subject,
                effort,
                progress=lambda cases: tell(CellProgress(cell, cases)),
                diverged=lambda result: tell(CellDiverged(result)),
            )
        except Exception as error:  # a bug of ours costs its cell, not the whole run
            return CellResult(cell, Verdict.NOT_RUN, reason=reason_of(error))

    def result(self, cell: Cell, process: int, how: str) -> CellResult | None:
        """See :class:`~conformance.engine.workers.Autopsy`."""
        return result_of_death(
            behaviour_named(cell.behaviour),
            self.plan.client_of(cell),
            (self.oracle, self.subject),
            process,
            how,
            self.plan.seed,
            self.known,
        )

    def seconds(self, process: int) -> float:
        """See :class:`~conformance.engine.workers.Autopsy`."""
        performed = self.subject.last_case(process)
        return 0.0 if performed is None else performed.seconds


def default_jobs() -> int:
    """One worker per processor, two at most: more would only wait for each other's JVMs."""
    return max(1, min(2, os.cpu_count() or 1))


def cells_in_order(plan: Plan, *, within_time: bool) -> list[Cell]:
    """The order in which cells are begun."""
    # The largest first, so that the workers finish together; but where time is short, the small
    # ones leave to the others what they do not need.
    return sorted(plan.cells, key=plan.cases_of, reverse=not within_time)


def run_plan(
    runner: CellRunner, listener: Listener, *, jobs: int, stall_seconds: float = STALL_SECONDS
) -> RunResult:
    """Run all cells of a plan and tell the listener about it.

    ``jobs`` 0 runs them in this process, without protection from a dying or hanging JVM.
    Ctrl-C ends the run with the results so far; the other cells are then not run.
    """
    plan = runner.plan
    started = time.perf_counter()
    listener(
        RunStarted(
            seed=plan.seed,
            profile=plan.profile.name,
            subjects=_subjects(runner),
            subject=runner.subject.kind,
            planned={cell: _planned(runner, cell) for cell in plan.cells},
            absent=plan.absent,
            jobs=jobs,
        )
    )
    finished: dict[Cell, CellResult] = {result.cell: result for result in plan.absent}
    interrupted = False
    cells = cells_in_order(plan, within_time=runner.budget is not None)

    def hear(event: Event) -> None:
        if isinstance(event, CellDiverged | CellFinished):
            known = finished.get(event.result.cell)
            result = event.result if known is None else _settled(known, event.result)
            finished[result.cell] = result
            event = replace(event, result=result)
        listener(event)

    events = (
        run_in_workers(cells, runner, jobs=jobs, stall_seconds=stall_seconds, autopsy=runner)
        if jobs
        else _run_here(cells, runner, hear)
    )
    try:
        for event in events:
            hear(event)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        events.close()
    results = tuple(finished.get(cell, _interrupted(cell)) for cell in _matrix_order(plan))
    run = RunResult(results, time.perf_counter() - started, max(1, jobs), interrupted)
    listener(RunFinished(run))
    return run


def _planned(runner: CellRunner, cell: Cell) -> int:
    """How many cases a cell gets; none if only its records can be judged."""
    sampled = runner.subject.scope(behaviour_named(cell.behaviour)).shows_only_partitions
    return 0 if sampled else runner.plan.cases_of(cell)


def _run_here(
    cells: list[Cell], runner: CellRunner, listener: Listener
) -> Generator[Event, None, None]:
    for cell in cells:
        yield CellStarted(cell)
        yield CellFinished(runner(cell, listener))


def _settled(known: CellResult, later: CellResult) -> CellResult:
    """A divergence stays one if its worker dies while it is being shrunk."""
    if later.reason and known.divergence is not None:
        remark = f"Shrinking stopped early: {later.reason}"
        return replace(known, divergence=replace(known.divergence, remarks=(remark,)))
    return later


def _matrix_order(plan: Plan) -> list[Cell]:
    wanted = {*plan.cells, *(result.cell for result in plan.absent)}
    every = [Cell(b.name, c.version) for b in BEHAVIOURS for c in plan.clients]
    return [cell for cell in every if cell in wanted]


def _interrupted(cell: Cell) -> CellResult:
    return CellResult(cell, Verdict.NOT_RUN, reason="The run was interrupted before its end.")


def _subjects(runner: CellRunner) -> str:
    several = len(runner.plan.clients) > 1
    client = None if several else runner.plan.client_of(runner.plan.cells[0])
    return f"{runner.oracle.describe(client)} and {runner.subject.describe(client)}"

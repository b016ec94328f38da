"""Experiments on the terminal: progress while they run, then means, predictions and verdicts."""

import math
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.table import Table

from conformance.experiments.catalogue import Experiment, Variant
from conformance.experiments.claims import Judged
from conformance.experiments.judgement import Interval, Verdict
from conformance.experiments.results import Outcome, Result
from conformance.experiments.running import Run
from conformance.reports.console import terminal_progress
from conformance.text import counted, inert

_STYLES: Final = {
    Verdict.REPRODUCED: "green",
    Verdict.NOT_REPRODUCED: "bold red",
    Verdict.UNDECIDED: "yellow",
    Verdict.NOT_RUN: "bold yellow",
}
_COLUMNS: Final = {
    "slow_ratio": ("slow brokers' share, of the fair one", 2),
    "seconds": ("seconds to finish", 1),
    "records_per_batch": ("records per batch", 1),
    "batches_per_request": ("batches per request", 2),
    "latency_p50_ms": ("median latency, ms", 0),
    "latency_p99_ms": ("p99, ms", 0),
}
"""Figures that are shown, with their labels and digits."""


class ExperimentProgress:
    """Which run of how many is being made; on a terminal only."""

    def __init__(self, console: Console, experiments: Sequence[Experiment], rounds: int) -> None:
        self._console = console
        self._total = rounds * sum(len(one.variants) for one in experiments)
        self._task: TaskID | None = None
        self._progress = terminal_progress(
            console,
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("runs"),
        )

    def __enter__(self) -> "ExperimentProgress":
        self._progress.start()
        self._task = self._progress.add_task("", total=self._total)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def began(self, experiment: str, variant: Variant, number: int) -> None:
        """A run begins."""
        if self._task is not None:
            told = f"{experiment}, {variant.name}, repetition {number + 1}"
            self._progress.update(self._task, description=told)

    def ended(self, run: Run) -> None:
        """It has ended."""
        if self._task is not None:
            self._progress.advance(self._task)
        if run.not_run:
            told = f"{run.experiment}, {run.variant.name}, repetition {run.round + 1}"
            self._console.print(
                f"[bold yellow]{told} does not count:[/] {escape(inert(run.not_run))}",
                soft_wrap=True,
            )


def print_experiments(console: Console, results: Sequence[Result]) -> None:
    """Everything that people are told at the end."""
    conditions = [one for one in results if one.experiment.slow_ms is not None]
    for result in results:
        if result not in conditions:
            console.print()
            console.print(_heading(result), markup=False, soft_wrap=True)
            console.print(figures_table(result))
            for line in claims_told(result.judged):
                console.print(line, soft_wrap=True)
    if conditions:
        console.print()
        console.print(map_table(conditions))
    for result in results:
        for line in remarks(result):
            console.print(line, markup=False, soft_wrap=True)


def _heading(result: Result) -> str:
    experiment = result.experiment
    pace = f"{1e9 / experiment.interval_ns:,.0f}/s" if experiment.interval_ns else "at once"
    return (
        f"{experiment.title}: {counted(experiment.records, 'record')} of {experiment.value_bytes} "
        f"bytes, {pace}, {counted(experiment.partitions, 'partition')}; "
        f"{counted(result.repetitions, 'repetition')}, seed {result.seed}; {result.site}"
    )


def figures_table(result: Result) -> Table:
    """A row for each variant: means with half of their intervals, predictions below."""
    names = [name for name in _COLUMNS if _is_told(result.outcomes, name)]
    table = Table(title="Means ± half of their interval of 95 %; (predicted)", title_justify="left")
    table.add_column("producer")
    table.add_column("runs", justify="right")
    for name in names:
        table.add_column(_COLUMNS[name][0], justify="right")
    for outcome in result.outcomes:
        cells = [figure_text(outcome, name) for name in names]
        table.add_row(escape(outcome.variant.name), str(len(outcome.measured)), *cells)
    return table


def _is_told(outcomes: Sequence[Outcome], name: str) -> bool:
    means = [one.means[name].mean for one in outcomes if name in one.means]
    return any(not math.isnan(mean) for mean in means)


def figure_text(outcome: Outcome, name: str) -> str:
    """Such as ``1.72 ± 0.05 (1.69)``; empty where there is no number."""
    interval = outcome.means.get(name)
    if interval is None or math.isnan(interval.mean):
        return ""
    digits = _COLUMNS[name][1]
    predicted = (outcome.predicted or {}).get(name, math.nan)
    told = "" if math.isnan(predicted) else f" ({predicted:,.{digits}f})"
    return f"{interval.mean:,.{digits}f}{_half(interval, digits)}{told}"


def _half(interval: Interval, digits: int) -> str:
    half = (interval.high - interval.low) / 2
    return f" ± {half:,.{digits}f}" if math.isfinite(half) else ""


def claims_told(judged: Sequence[Judged]) -> Iterator[str]:
    """A line for each claim, with markup."""
    width = max((len(one.verdict) for one in judged), default=0)
    for one in judged:
        style = _STYLES[one.verdict]
        verdict = f"[{style}]{one.verdict:<{width}}[/]"
        note = f"; {one.note}" if one.note else ""
        yield f"{verdict}  {escape(one.claim.text)}: {escape(interval_told(one) + note)}"


def interval_told(judged: Judged) -> str:
    """What decided a claim: the mean with its interval, and what it was compared with."""
    interval, claim = judged.interval, judged.claim
    if not interval.count:
        return "no run"
    where = f" [{interval.low:.2f}, {interval.high:.2f}]" if math.isfinite(interval.low) else ""
    sign = "<" if claim.kind == "less" else ">"
    told = f"{interval.mean:.2f}{where} {claim.unit}, wanted {sign} {claim.than:g}"
    return f"{told}; {counted(interval.count, 'repetition')}"


def map_table(results: Sequence[Result]) -> Table:
    """A row for each condition: each client's ratio, its prediction and the verdict."""
    title = "Share of the slow brokers, of the fair one: mean ± half of its interval; (predicted)"
    table = Table(title=title, title_justify="left")
    table.add_column("condition")
    for outcome in results[0].outcomes:
        table.add_column(escape(outcome.variant.name), justify="right")
    for judged in results[0].judged:
        table.add_column(escape(judged.claim.name))
    for result in results:
        shares = [figure_text(outcome, "slow_ratio") for outcome in result.outcomes]
        verdicts = [f"[{_STYLES[one.verdict]}]{one.verdict}[/]" for one in result.judged]
        table.add_row(result.experiment.title, *shares, *verdicts)
    return table


def remarks(result: Result) -> Iterator[str]:
    """What else is to be said of the runs: that all is accounted for, or what is odd."""
    name = result.experiment.name
    runs = result.runs
    good = [run for run in runs if not run.not_run]
    records = sum(run.account.delivered for run in good if run.account is not None)
    yield (
        f"{name}: {len(good)} of {counted(result.repetitions * len(result.outcomes), 'run')} "
        f"count; {counted(records, 'record')} delivered, each found where its callback said."
    )
    odd = [run for run in good if run.remarks]
    for run in odd:
        what = "; ".join(run.remarks)
        yield f"  {run.variant.name}, repetition {run.round + 1}: {inert(what)}"
    if result.stopped:
        yield f"{name}: STOPPED in the middle; the verdicts are about the runs before."

"""``kafka-conformance gate-stats``: two jars by the million records, on Spark."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from conformance.commands.baseline_and_candidate import two_jars
from conformance.commands.gated import (
    Gated,
    accepted_changes,
    accepted_option,
    baseline_option,
    candidate_option,
    markdown_option,
)
from conformance.commands.running import junit_option, seed_option
from conformance.commands.shared import (
    RESULTS,
    exit_codes,
    for_people,
    jars_option,
    parse_records,
    seed_of,
)
from conformance.commands.stats import sampling_progress
from conformance.commands.unfinished import as_junit, as_markdown, owe
from conformance.engine.known import KnownDivergences
from conformance.engine.run import default_jobs
from conformance.errors import ExitCode, UsageError
from conformance.files import write_all, writing_results
from conformance.gate.outcomes import Change, InBoth, as_gone, in_both, outcome_of
from conformance.jars.store import JarStore
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.names import unique
from conformance.reports.console import make_console
from conformance.reports.junit_report import junit_text
from conformance.subjects.pair_of_jars import TwoJars

if TYPE_CHECKING:
    from conformance.model.distribution import Distribution
    from conformance.sampling.judging import StatisticsResult


@click.command(
    name="gate-stats",
    epilog=exit_codes(
        "no test finds a difference and both pass all tests, or the change is accepted",
        "something changed or is gone; or an accepted change no longer occurs",
        "something could not be compared: too few records, a jar that cannot be driven",
    ),
)
@baseline_option
@candidate_option
@accepted_option
@click.option("--distribution", "names", multiple=True, help="Only this distribution; repeatable.")
@click.option(
    "--records", "size", help="Number of records, such as 500k or 100M.  [default: as stats]"
)
@seed_option
@click.option("--master", help="Spark master, such as local[2] or spark://host:7077.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=RESULTS / "gate-statistics",
    show_default=True,
    help="Folder for results.json and Parquet files, as stats writes them.",
)
@junit_option
@markdown_option
@jars_option
@for_people
def gate_stats(
    baseline: str,
    candidate: str,
    accepted_file: Path | None,
    names: tuple[str, ...],
    size: str | None,
    seed: str,
    master: str | None,
    output: Path,
    junit_file: Path | None,
    markdown_file: Path | None,
    jars_folder: Path | None,
) -> ExitCode:
    """Compare the distributions of two kafka-clients jars on Spark."""
    # Imported here because SciPy, Arrow and Spark take seconds, and no other command needs them.
    from conformance.distributions.registry import DISTRIBUTIONS  # noqa: PLC0415
    from conformance.reports.statistics_files import (  # noqa: PLC0415
        check_result_folder,
        write_results,
    )
    from conformance.sampling.order import distribution_named  # noqa: PLC0415

    started = time.monotonic()
    named = [distribution_named(name) for name in names]
    chosen = [one for one in DISTRIBUTIONS if not named or one in named]
    asked = _Asked(None if size is None else parse_records(size), seed_of(seed), master)
    check_result_folder(output)
    owe(junit_file, as_junit)
    owe(markdown_file, as_markdown)
    for file in filter(None, (junit_file, markdown_file)):
        if file.resolve().is_relative_to(output.resolve()):
            told = f"{file} would be in the folder of --output, which is replaced as a whole."
            raise UsageError(told, "Choose a path outside it.")
    console = make_console()
    store = JarStore(jars_folder)
    jars = two_jars(console, store, baseline, candidate)
    accepted = accepted_changes(accepted_file, jars.before.client.version, distribution_named)
    both = in_both(jars.before, jars.after, unique([one.behaviour for one in chosen]))
    pair = _Pair(jars, store, both, accepted)
    results, sampled = _sample_and_judge(console, pair, chosen, asked)
    run = RunResult(tuple(results), time.monotonic() - started, default_jobs())
    gated = _gated(pair, chosen, run, whole=not names)
    gated.show(console)
    further = {"exit_code": int(gated.exit_code), "gate": gated.told()}
    with writing_results(gated.exit_code):
        write_results(replace(sampled, seconds=run.seconds), output, plots=False, further=further)
    console.print(f"All tests: {output}", markup=False, soft_wrap=True)
    texts = {}
    if junit_file is not None:
        texts[junit_file] = junit_text(run, {}, further=gated.further())
    if markdown_file is not None:
        texts[markdown_file] = gated.markdown(f"Seed {asked.seed}", {})
    write_all(texts, gated.exit_code)
    return gated.exit_code


@dataclass(frozen=True)
class _Asked:
    """What the user wants sampled."""

    records: int | None
    """None: as many as usual."""
    seed: int
    master: str | None


@dataclass(frozen=True)
class _Pair:
    """The two jars, and what is known of them before anything is sampled."""

    jars: TwoJars
    store: JarStore
    both: InBoth
    accepted: KnownDivergences

    def cell(self, distribution: "Distribution") -> Cell:
        """Where the result of a distribution stands."""
        return Cell(distribution.name, self.both.client.version)

    def settled(
        self, distributions: "Sequence[Distribution]"
    ) -> tuple[dict[str, CellResult], frozenset[str]]:
        """The results that need no record: not both have it, or one cannot be driven.

        And those of which both give the same answers again, so that one seed serves both.
        """
        from conformance.gate.distributions import tried  # noqa: PLC0415 -- as above

        settled = {
            one.name: self.both.settled_as(self.cell(one), one.behaviour)
            for one in distributions
            if one.behaviour in self.both.settled
        }
        left = {one.name: self.cell(one) for one in distributions if one.name not in settled}
        found = tried(self.jars, self.both.client, list(left))
        failed = {
            name: CellResult(left[name], Verdict.NOT_RUN, reason=one.failed)
            for name, one in found.items()
            if one.failed
        }
        return settled | failed, frozenset(name for name, one in found.items() if one.repeats)


def _sample_and_judge(
    console: Console, pair: _Pair, chosen: "Sequence[Distribution]", asked: _Asked
) -> "tuple[list[CellResult], StatisticsResult]":
    """Sample both jars, judge each and one against the other: a result for each distribution."""
    from conformance.gate.distributions import compared  # noqa: PLC0415 -- as above

    settled, one_seed = pair.settled(chosen)
    wanted = tuple(one for one in chosen if one.name not in settled)
    sampled = _sampled(console, pair, wanted, asked, one_seed)
    results = dict(settled)
    old = pair.jars.subjects[0].describe(pair.both.client)
    for one in wanted:
        mine = [judged for judged in sampled.tests if judged.of.distribution == one.name]
        results[one.name] = compared(
            pair.cell(one),
            [judged for judged in mine if judged.of.subject == old],
            [judged for judged in mine if judged.of.subject != old],
            pair.accepted,
        )
    absent = {
        (name, result.cell.client): result.reason
        for name, result in settled.items()
        if result.verdict is Verdict.ABSENT
    }
    return [results[one.name] for one in chosen], replace(sampled, absent=absent)


def _sampled(
    console: Console,
    pair: _Pair,
    wanted: "tuple[Distribution, ...]",
    asked: _Asked,
    one_seed: frozenset[str],
) -> "StatisticsResult":
    """All tests of both jars; nothing of what is absent, and no time."""
    from conformance.sampling.blocks import Order  # noqa: PLC0415
    from conformance.sampling.judging import StatisticsResult, judge_totals  # noqa: PLC0415
    from conformance.sampling.order import sizes_of  # noqa: PLC0415 -- as above
    from conformance.spark.jars_sampled import sample_jars  # noqa: PLC0415
    from conformance.spark.session import default_master  # noqa: PLC0415

    if not wanted:
        return StatisticsResult((), {}, {}, asked.seed, 0.0, master="not needed")
    master = asked.master or default_master()
    client = pair.both.client
    having = {one.name: (client,) for one in wanted}
    order = Order(wanted, sizes_of(wanted, asked.records), having, asked.seed, one_seed)
    total = sum(order.sampled(one) for one in wanted)
    names = " and ".join(subject.describe(client) for subject in pair.jars.subjects)
    told = f"{names}: {total:,} records of {len(wanted)} distributions (seed {asked.seed})"
    console.print(told, markup=False, soft_wrap=True)
    progress = partial(sampling_progress, console, order)
    totals, used_master = sample_jars(pair.jars, pair.store, order, master, progress)
    tests, measures = judge_totals(order, totals, pair.jars.subjects, whom="the baseline")
    return StatisticsResult(tests, measures, {}, asked.seed, 0.0, used_master)


def _gated(pair: _Pair, chosen: "Sequence[Distribution]", run: RunResult, *, whole: bool) -> Gated:
    """The results as changes; ``whole``: no distribution was left out by choice."""
    outcomes = []
    found = []
    jars = (pair.jars.before, pair.jars.after)
    for one, result in zip(chosen, run.results, strict=True):
        has = tuple(jar.client.shows(one.behaviour) for jar in jars)
        outcome = outcome_of(result, (result.records, result.records), has, pair.accepted)
        outcomes.append(outcome)
        is_gone = outcome.change in (Change.GONE, Change.LOSS_ACCEPTED)
        found.append(as_gone(result) if is_gone else _with_what_is_open(result))
    outdated = pair.accepted.outdated(found, whole=whole)
    return Gated(
        *(pair.jars, outcomes, pair.accepted, outdated, run), unit="records", of="distribution"
    )


def _with_what_is_open(result: CellResult) -> CellResult:
    """The result with tests that were not made as differences: nobody knows that they are gone."""
    open_tests = [test for test in result.tests if test.verdict is Verdict.NOT_RUN]
    unseen = {test.difference: 0 for test in open_tests}
    return replace(result, differences=unseen | result.differences)

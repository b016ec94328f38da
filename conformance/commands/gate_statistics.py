"""``kafka-conformance gate-stats``: two jars by the million records, on Spark."""

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from conformance.clients.client_version import ClientVersion
from conformance.commands.running import seed_option
from conformance.commands.shared import (
    RESULTS,
    exit_codes,
    for_people,
    jars_option,
    parse_records,
    seed_of,
)
from conformance.commands.stats import sampling_progress
from conformance.commands.two_jars import two_jars
from conformance.ctrl_c import FreshProcesses
from conformance.engine.gate import Change, Outcome, exit_code_of_gate
from conformance.errors import ExitCode, OracleError
from conformance.jars.lock import slf4j_jars
from conformance.jars.store import JarStore
from conformance.reports.console import make_console
from conformance.reports.gate_console import changes_table, counted
from conformance.subjects.two_jars import ShippedJars, TwoJars, shipped_name


@click.command(
    name="gate-stats",
    epilog=exit_codes(
        "no test tells the two apart, and both are as they should be",
        "something changed",
        "something could not be compared: too few records, no way to drive a jar",
    ),
)
@click.option("--baseline", required=True, help="A version, or the path of a jar.")
@click.option("--candidate", required=True, help="The same: what is held against the baseline.")
@click.option("--distribution", "names", multiple=True, help="Distribution; repeatable.")
@click.option("--records", "size", help="Records, such as 500k or 100M.  [default: as stats]")
@seed_option
@click.option("--master", help="Spark master, such as local[2] or spark://host:7077.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=RESULTS / "gate-statistics",
    show_default=True,
    help="Folder for results.json and Parquet files, as stats writes them.",
)
@jars_option
@for_people
def gate_stats(
    baseline: str,
    candidate: str,
    names: tuple[str, ...],
    size: str | None,
    seed: str,
    master: str | None,
    output: Path,
    jars_folder: Path | None,
) -> ExitCode:
    """Tell whether distributions changed from one kafka-clients jar to another, on Spark."""
    # Imported here because Arrow takes long.
    from conformance.reports.statistics_files import check_result_folder  # noqa: PLC0415

    records = None if size is None else parse_records(size)
    check_result_folder(output)
    console = make_console()
    store = JarStore(jars_folder)
    jars = two_jars(console, store, baseline, candidate)
    asked = _Asked(names, records, seed_of(seed), master, output)
    outcomes = _sample_and_judge(console, jars, store, asked)
    console.print(changes_table(outcomes, ("distribution", "records")))
    console.print(counted(outcomes), markup=False, soft_wrap=True)
    return exit_code_of_gate(outcomes, ())


@dataclass(frozen=True)
class _Asked:
    """What the user wants sampled."""

    names: Sequence[str]
    records: int | None
    seed: int
    master: str | None
    output: Path


def _sample_and_judge(
    console: Console, jars: TwoJars, store: JarStore, asked: _Asked
) -> list[Outcome]:
    """Sample both jars, judge each and one against the other."""
    # Imported here because SciPy, Arrow and Spark take seconds, and no other command needs them.
    from conformance.distributions.of_jars import (  # noqa: PLC0415
        distributions_of,
        outcome_of_distribution,
    )
    from conformance.distributions.order import sizes_of  # noqa: PLC0415
    from conformance.distributions.results import (  # noqa: PLC0415
        StatisticsResult,
        judge_totals,
    )
    from conformance.distributions.sampling import Order  # noqa: PLC0415
    from conformance.reports.statistics_files import write_results  # noqa: PLC0415
    from conformance.spark.run import run_order  # noqa: PLC0415
    from conformance.spark.session import default_master, spark_session  # noqa: PLC0415

    started = time.monotonic()
    client = _both(jars)
    chosen = distributions_of(client.realised_by, asked.names)
    reasons = _probe(jars, client, [one.name for one in chosen])
    outcomes = {
        name: Outcome(name, Change.NOT_COMPARABLE, reason) for name, reason in reasons.items()
    }
    wanted = tuple(one for one in chosen if one.name not in reasons)
    if wanted:
        having = {one.name: (client,) for one in wanted}
        order = Order(wanted, sizes_of(wanted, asked.records), having, asked.seed)
        total = sum(order.sampled(one) for one in wanted)
        pair = " and ".join(subject.describe(client) for subject in jars.subjects)
        told = f"{pair}: {len(wanted)} distributions, {total:,} records (seed {asked.seed})"
        console.print(told, markup=False, soft_wrap=True)
        master = asked.master or default_master()
        with (
            _shipped(jars, store) as files,
            spark_session(master, files) as context,
            sampling_progress(console) as tell,
        ):
            totals = run_order(context, order, ShippedJars(jars), tell=tell)
            used_master = str(context.master)
        tests, measures = judge_totals(order, totals, jars.subjects)
        old, new = (subject.describe(client) for subject in jars.subjects)
        new = f"again {new}" if new == old else new
        for one in wanted:
            mine = [judged for judged in tests if judged.of.distribution == one.name]
            outcomes[one.name] = outcome_of_distribution(
                one.name,
                order.sampled(one),
                [judged for judged in mine if judged.of.subject == old],
                [judged for judged in mine if judged.of.subject == new],
            )
        seconds = time.monotonic() - started
        absent = {(name, client.version): reason for name, reason in reasons.items()}
        result = StatisticsResult(tests, measures, absent, asked.seed, seconds, used_master)
        write_results(result, asked.output, plots=False)
        console.print(f"All tests: {asked.output}", markup=False, soft_wrap=True)
    return [outcomes[one.name] for one in chosen]


def _both(jars: TwoJars) -> ClientVersion:
    """The baseline's version, with what both jars have."""
    old, new = jars.before.client.realised_by, jars.after.client.realised_by
    shared = {name: way for name, way in old.items() if name in new}
    return ClientVersion(jars.before.client.version, port="", realised_by=shared, absent={})


def _probe(jars: TwoJars, client: ClientVersion, names: Sequence[str]) -> dict[str, str]:
    """Which distributions one of the jars cannot show, and why; in a process of its own."""
    with FreshProcesses(1) as pool:
        try:
            return pool.submit(_probe_here, jars, client, names).result()
        except BrokenProcessPool as error:
            raise OracleError(
                "The JVM died while it tried the distributions.",
                "Choose others with --distribution, or check that this Java runs.",
            ) from error


def _probe_here(jars: TwoJars, client: ClientVersion, names: Sequence[str]) -> dict[str, str]:
    from conformance.distributions import DISTRIBUTIONS  # noqa: PLC0415 -- as above
    from conformance.distributions.of_jars import cannot_be_sampled  # noqa: PLC0415

    found = {}
    for distribution in DISTRIBUTIONS:
        if distribution.name in names:
            tried = (cannot_be_sampled(distribution, client, one) for one in jars.subjects)
            reason = next(filter(None, tried), None)
            if reason is not None:
                found[distribution.name] = reason
    return found


@contextmanager
def _shipped(jars: TwoJars, store: JarStore) -> Iterator[list[Path]]:
    """The jars under names that are their own, and slf4j, for Spark to ship."""
    folder = Path(tempfile.mkdtemp(prefix="kafka-conformance-gate-"))
    try:
        files = {jar.sha256: jar for jar in (jars.old, jars.new)}
        for jar in files.values():
            shutil.copyfile(jar.path, folder / shipped_name(jar))
        yield [*folder.iterdir(), *store.ensure(slf4j_jars())]
    finally:
        shutil.rmtree(folder, ignore_errors=True)

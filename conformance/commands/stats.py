"""``kafka-conformance stats``: distributions, sampled on Spark and judged."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from conformance.commands.progress import records_bar
from conformance.commands.running import profile_option
from conformance.commands.shared import (
    EXIT_CODES,
    RESULTS,
    fetch_progress,
    for_people,
    jars_option,
    lasting,
    parse_records,
    seed_of,
)
from conformance.engine.plan import profile_named
from conformance.errors import ExitCode, UsageError
from conformance.files import writing_results
from conformance.jars.lock import jars_of_clients
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.reports.console import make_console
from conformance.subjects.registry import SUBJECTS

if TYPE_CHECKING:
    from conformance.model.distribution import Distribution
    from conformance.sampling.blocks import Order
    from conformance.sampling.judging import StatisticsResult
    from conformance.spark.job import Progress


@click.command(epilog=EXIT_CODES)
@click.option("--client", "clients", multiple=True, help="Only this client version; repeatable.")
@click.option("--distribution", "names", multiple=True, help="Only this distribution; repeatable.")
@profile_option
@click.option(
    "--records",
    "size",
    help="Number of records, such as 500k or 100M, whatever the profile.  [default: 105M]",
)
@click.option("--seed", default="0", show_default=True, help="A number, or 'random'.")
@click.option(
    "--subject",
    type=click.Choice(list(SUBJECTS)),
    default="port",
    show_default=True,
    help="The subject to test beside Java: the Python port, or Java itself.",
)
@click.option("--master", help="Spark master, such as local[2] or spark://host:7077.")
@click.option(
    "--keys",
    help="Test the keys in this Parquet file or folder instead; FILE#COLUMN names the column.",
)
@click.option("--column", help="With --keys: the column, for a name or path with a '#'.")
@click.option(
    "--partitions",
    type=click.IntRange(1, 10_000),
    help="With --keys: the number of partitions.  [default: 12]",
)
@click.option(
    "--tasks", type=click.IntRange(1), metavar="N", help="Divide the work into about N tasks."
)
@click.option(
    "--stall-seconds",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    show_default=True,
    metavar="S",
    help="Give up after S seconds without a finished task.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=RESULTS / "statistics",
    show_default=True,
    help="Folder for results.json, Parquet files and plots.",
)
@click.option("--plots/--no-plots", default=True, show_default=True, help="Draw plots.")
@click.option("--all", "everything", is_flag=True, help="Show each test on its own line.")
@jars_option
@for_people
def stats(
    clients: tuple[str, ...],
    names: tuple[str, ...],
    profile: str,
    size: str | None,
    seed: str,
    subject: str,
    master: str | None,
    keys: str | None,
    column: str | None,
    partitions: int | None,
    tasks: int | None,
    stall_seconds: float,
    output: Path,
    plots: bool,
    everything: bool,
    jars_folder: Path | None,
) -> ExitCode:
    """Test distributions over millions of records, on Spark."""
    # Imported here because SciPy, Arrow and Spark take seconds, and no other command needs them.
    from conformance.reports.statistics_files import (  # noqa: PLC0415
        check_result_folder,
        write_results,
    )
    from conformance.sampling.judging import StatisticsResult, judge_totals  # noqa: PLC0415
    from conformance.sampling.order import least_records, make_order  # noqa: PLC0415
    from conformance.spark.executor import beside_java  # noqa: PLC0415
    from conformance.spark.job import run_order  # noqa: PLC0415
    from conformance.spark.session import (  # noqa: PLC0415
        default_master,
        spark_session,
        spark_version,
    )

    started = time.monotonic()
    order, absent = make_order(
        clients=clients,
        distributions=names,
        extra=_key_file(keys, column, partitions, names),
        records=None if size is None else parse_records(size),
        share=1.0 if keys else profile_named(profile).sampled,
        seed=seed_of(seed),
    )
    check_result_folder(output)
    master = master or default_master()
    console = make_console()
    find_java()
    store = JarStore(jars_folder)
    versions = dict.fromkeys(c.version for having in order.clients.values() for c in having)
    jars = store.ensure(jars_of_clients(versions), fetch_progress(console))
    subjects = (SUBJECTS["java"](store), SUBJECTS[subject](store))
    with spark_session(master, jars) as context:
        total = sum(order.sampled(distribution) for distribution in order.distributions)
        console.print(
            f"Java against {subject}: {len(order.distributions)} distributions, {total:,} records "
            f"(seed {order.seed}, Spark {spark_version()} on {context.master})",
            soft_wrap=True,
        )
        if total < (least := least_records(order.distributions)):
            told = f"Too few for some tests: {least:,} are enough for all (--profile quick)."
            console.print(told, soft_wrap=True)
        with sampling_progress(console, order, context.defaultParallelism) as tell:
            totals = run_order(
                context,
                order,
                beside_java(subject),
                tell=tell,
                tasks=tasks,
                stall_seconds=stall_seconds,
            )
        used_master = str(context.master)
    tests, measures = judge_totals(order, totals, subjects)
    seconds = time.monotonic() - started
    result = StatisticsResult(tests, measures, absent, order.seed, seconds, used_master)
    # Shown first: a disk that is full then takes nothing from what was found.
    _report(console, result, everything=everything, keys=keys is not None)
    with writing_results(result.exit_code):
        write_results(result, output, plots=plots)
    console.print(f"Results: {output}", markup=False, soft_wrap=True)
    return result.exit_code


def lasting_of(order: "Order", cores: int) -> str:
    """Measured: on two cores a run of all took two minutes, the start of Spark some 10 seconds."""
    work = sum(order.seconds_of(one) for one in order.distributions) / cores
    return f"That takes {lasting(10 + work, 30 + 3 * work)} on {cores} cores."


def _key_file(
    keys: str | None,
    column: str | None,
    partitions: int | None,
    distributions: tuple[str, ...],
) -> list["Distribution"]:
    """The distribution of a user's own keys, if there are any."""
    # Imported here because Arrow takes long, and no other command needs it.
    from conformance.distributions.key_file import KeyFile  # noqa: PLC0415

    if keys is None:
        for option, value in (("--partitions", partitions), ("--column", column)):
            if value is not None:
                raise UsageError(f"{option} needs --keys.", "Name a file of keys.")
        return []
    if distributions:
        raise UsageError("--keys and --distribution exclude each other.", "Give only one.")
    path = keys
    if column is None and "#" in keys:
        path, _, column = keys.rpartition("#")
    return [KeyFile.of(path, column or None, partitions=partitions)]


def _report(console: Console, result: "StatisticsResult", *, everything: bool, keys: bool) -> None:
    """The matrix, the tests, and what is wrong, in words; of a user's keys where they go."""
    from conformance.reports import statistics_console as report  # noqa: PLC0415
    from conformance.reports.keys_console import keys_told, partition_tables  # noqa: PLC0415

    if keys:
        for table in partition_tables(result):
            console.print(table)
        console.print()
        for line in keys_told(result):
            console.print(line, markup=False, soft_wrap=True)
    else:
        console.print(report.distribution_matrix(result))
        console.print()
    if everything or not keys:
        console.print(report.tests_table(result, everything=everything))
    for detail in report.told_details(result):
        console.print(f"Seen: {detail}", markup=False, soft_wrap=True)
    for problem in report.describe_problems(result):
        console.print()
        console.print(problem, markup=False, soft_wrap=True)
    console.print()
    console.print(report.summary_line(result), markup=False, soft_wrap=True)


@contextmanager
def sampling_progress(
    console: Console, order: "Order", cores: int
) -> "Iterator[Callable[[Progress], None]]":
    """How long it takes; then records, rate and time left, on a terminal only."""
    console.print(lasting_of(order, cores), soft_wrap=True)
    with records_bar(console, "sampling") as bar:
        yield lambda progress: bar(progress.records, progress.total, progress.seconds)

"""``kafka-conformance run`` and ``replay``: cases, compared step by step."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click
import platformdirs
from rich.console import Console

from conformance.commands.shared import (
    EXIT_CODES,
    RESULTS,
    fetch_progress,
    for_people,
    jars_option,
    seed_of,
)
from conformance.engine.events import Event, Listener
from conformance.engine.plan import behaviour_named, client_named, make_plan
from conformance.engine.profiles import PROFILES
from conformance.engine.replay import replay_divergence
from conformance.engine.results import CellResult, RunResult, Verdict
from conformance.engine.run import STALL_SECONDS, CellRunner, default_jobs, run_plan
from conformance.errors import ExitCode, SuiteError
from conformance.files import check_writable, first_writable, write_whole
from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.reports.console import ConsoleReport, make_console
from conformance.reports.coverage import coverage_table
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import (
    load_divergence,
    save_divergence,
)
from conformance.reports.json_report import JsonReport
from conformance.reports.junit_report import junit_text
from conformance.subjects import SUBJECTS, JavaSubject


@click.command(epilog=EXIT_CODES)
@click.option("--client", "clients", multiple=True, help="Client version; repeatable.")
@click.option("--behaviour", "behaviours", multiple=True, help="Behaviour; repeatable.")
@click.option("--profile", default="default", show_default=True, help=", ".join(PROFILES))
@click.option("--seed", default="0", show_default=True, help="A number, or 'random'.")
@click.option(
    "--subject",
    type=click.Choice(list(SUBJECTS)),
    default="port",
    show_default=True,
    help="What is compared with Java: the Python port, or Java itself.",
)
@click.option("--jobs", type=click.IntRange(0), help="Worker processes; 0: in this process.")
@click.option(
    "--stall-seconds",
    type=click.FloatRange(0, min_open=True),
    default=STALL_SECONDS,
    show_default=True,
    help="Give a worker up that finishes no case for so long.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write a JSON report.")
@click.option("--junit", "junit_file", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=RESULTS,
    show_default=True,
    help="Folder for the files of divergences.",
)
@click.option("--coverage", is_flag=True, help="Show which classes of cases were reached.")
@jars_option
@for_people
def run(
    clients: tuple[str, ...],
    behaviours: tuple[str, ...],
    profile: str,
    seed: str,
    subject: str,
    jobs: int | None,
    stall_seconds: float,
    json_file: Path | None,
    junit_file: Path | None,
    output: Path,
    coverage: bool,
    jars_folder: Path | None,
) -> ExitCode:
    """Compare the Python port with the real Java clients."""
    store = JarStore(jars_folder)
    oracle, against = JavaSubject(store), SUBJECTS[subject](store)
    plan = make_plan(
        clients=clients,
        behaviours=behaviours,
        profile=profile,
        seed=seed_of(seed),
        subjects=(oracle, against),
    )
    for file in filter(None, (json_file, junit_file)):
        check_writable(file)
    console = make_console()
    find_java()
    versions = dict.fromkeys(cell.client for cell in plan.cells)
    wanted = dict.fromkeys(jar for version in versions for jar in jars_of_client(version))
    store.ensure(list(wanted), fetch_progress(console))
    report = JsonReport()
    # Hypothesis keeps its tables of Unicode; not in the folder that this was called from.
    tables = platformdirs.user_cache_path("kafka-conformance") / "hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(tables))
    screen = ConsoleReport(console)
    listeners: list[Listener] = [screen, report]

    def listen(event: Event) -> None:
        for listener in listeners:
            listener(event)

    try:
        result = run_plan(
            CellRunner(plan, oracle, against),
            listen,
            jobs=default_jobs() if jobs is None else jobs,
            stall_seconds=stall_seconds,
        )
    finally:
        screen.close()
    options = _replay_options(subject, jars_folder)
    commands = _report_divergences(console, result, output, options)
    if coverage:
        console.print(coverage_table(result))
    if json_file is not None:
        write_whole(json_file, report.text())
    if junit_file is not None:
        write_whole(junit_file, junit_text(result, commands))
    return result.exit_code


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--subject", type=click.Choice(list(SUBJECTS)), default="port", help="As for run.")
@jars_option
@for_people
def replay(file: Path, subject: str, jars_folder: Path | None) -> ExitCode:
    """Run the case of a divergence FILE again: fixed (0), still diverging (1), cannot run (3)."""
    saved = load_divergence(file).divergence
    # The same checks of names as for a run: unknown ones, or a version without the behaviour.
    make_plan(clients=[saved.cell.client], behaviours=[saved.cell.behaviour])
    behaviour, client = behaviour_named(saved.cell.behaviour), client_named(saved.cell.client)
    store = JarStore(jars_folder)
    console = make_console()
    store.ensure(jars_of_client(client.version), fetch_progress(console))
    against = SUBJECTS[subject](store)
    again = replay_divergence(saved, JavaSubject(store), against)
    if again is None:
        console.print(
            f"{saved.cell}: fixed. {against.describe(client)} answers as Java does, "
            f"in all {len(saved.case['steps'])} steps of {behaviour.name}.",
            markup=False,
            soft_wrap=True,
        )
        return ExitCode.CONFORMS
    command = _replay_command(file, _replay_options(subject, jars_folder))
    console.print(describe_divergence(again, command), markup=False, soft_wrap=True)
    return ExitCode.DIVERGES


def _report_divergences(
    console: Console, result: RunResult, output: Path, options: Sequence[str]
) -> dict[str, str]:
    """Save and print each divergence; answers the replay commands by the cells' names."""
    diverging = [cell for cell in result.results if cell.verdict is Verdict.DIVERGES]
    if not diverging:
        return {}
    fallback = platformdirs.user_state_path("kafka-conformance")
    folder: Path | None = None
    try:
        folder = first_writable(
            "The divergences", [output, fallback], "Or name another one with --output."
        )
    except SuiteError as error:
        console.print(str(error), style="bold", markup=False, soft_wrap=True)
    if folder not in (output, None):
        moved = f"{output} cannot be written; divergences go to {folder}."
        console.print(moved, markup=False, soft_wrap=True)
    return {
        str(cell.cell): _report_divergence(console, cell, folder, options) for cell in diverging
    }


def _report_divergence(
    console: Console, result: CellResult, folder: Path | None, options: Sequence[str]
) -> str:
    """Save a divergence if possible, and tell it in any case."""
    assert result.divergence is not None
    command = "not possible, there is no file of this divergence"
    if folder is not None:
        try:
            command = _replay_command(save_divergence(result.divergence, folder), options)
        except SuiteError as error:
            console.print(str(error), style="bold", markup=False, soft_wrap=True)
    console.print()
    text = describe_divergence(result.divergence, command)
    console.print(text, markup=False, soft_wrap=True)
    return command


def _replay_options(subject: str, jars_folder: Path | None) -> list[str]:
    """The options of this command that a replay needs as well."""
    chosen = [] if subject == "port" else ["--subject", subject]
    return chosen if jars_folder is None else [*chosen, "--jars", str(jars_folder)]


def _replay_command(path: Path, options: Sequence[str]) -> str:
    return shlex.join(["kafka-conformance", "replay", str(path), *options])

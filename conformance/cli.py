"""The command line: ``kafka-conformance``."""

import os
import secrets
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
import platformdirs
from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape
from rich.table import Table

from conformance.behaviours import BEHAVIOURS
from conformance.clients import CLIENT_VERSIONS
from conformance.engine.events import Event, Listener
from conformance.engine.plan import behaviour_named, client_named, make_plan
from conformance.engine.profiles import PROFILES
from conformance.engine.replay import replay_divergence
from conformance.engine.results import CellResult, RunResult, Verdict
from conformance.engine.run import STALL_SECONDS, CellRunner, default_jobs, run_plan
from conformance.errors import ExitCode, SuiteError
from conformance.files import check_writable, first_writable, write_whole
from conformance.jars.lock import LockedJar, jars_of_client, locked_jars
from conformance.jars.store import JARS_VARIABLE, JarStore
from conformance.java_home import find_java
from conformance.reports.console import ConsoleReport, make_console
from conformance.reports.coverage import coverage_table
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import (
    load_divergence,
    save_divergence,
    suite_version,
)
from conformance.reports.json_report import JsonReport
from conformance.reports.junit_report import junit_text
from conformance.subjects import SUBJECTS, JavaSubject

_EXIT_CODES = """\b
Exit codes:
  0  everything conforms
  1  a divergence
  2  your mistake: an unknown name, an unreadable file
  3  something could not be run: no Java, no jars, a JVM that died, Ctrl-C
"""
_RESULTS = Path("conformance-results")

_jars_option = click.option(
    "--jars",
    "jars_folder",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Folder of jars to use; nothing is fetched then. Also: {JARS_VARIABLE}.",
)


def _for_people(command: Callable[..., ExitCode]) -> Callable[..., None]:
    """Turn a command's answer into an exit code, and its errors into messages."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            code = command(*args, **options)
        except SuiteError as error:
            message = f"[bold]Error:[/] {escape(str(error))}"
            make_console(stderr=True).print(message, soft_wrap=True)
            code = error.exit_code
        except click.ClickException:
            raise
        except Exception:  # Python's own exit code for it, 1, would mean a divergence
            traceback.print_exc()
            make_console(stderr=True).print("[bold]Error:[/] a bug in the suite; please report it.")
            code = ExitCode.NOT_RUN
        except KeyboardInterrupt:
            make_console(stderr=True).print("Interrupted.")
            code = ExitCode.NOT_RUN
        sys.exit(int(code))

    return run


@click.group(epilog=_EXIT_CODES)
@click.version_option(suite_version())
def main() -> None:
    """Hold partitioners to the real Kafka Java clients."""


@main.command(epilog=_EXIT_CODES)
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
    default=_RESULTS,
    show_default=True,
    help="Folder for the files of divergences.",
)
@click.option("--coverage", is_flag=True, help="Show which classes of cases were reached.")
@_jars_option
@_for_people
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
        seed=_seed_of(seed),
        subjects=(oracle, against),
    )
    for file in filter(None, (json_file, junit_file)):
        check_writable(file)
    console = make_console()
    find_java()
    versions = dict.fromkeys(cell.client for cell in plan.cells)
    wanted = dict.fromkeys(jar for version in versions for jar in jars_of_client(version))
    store.ensure(list(wanted), _fetch_progress(console))
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


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--subject", type=click.Choice(list(SUBJECTS)), default="port", help="As for run.")
@_jars_option
@_for_people
def replay(file: Path, subject: str, jars_folder: Path | None) -> ExitCode:
    """Run the case of a divergence FILE again: fixed (0), still diverging (1), cannot run (3)."""
    saved = load_divergence(file).divergence
    # The same checks of names as for a run: unknown ones, or a version without the behaviour.
    make_plan(clients=[saved.cell.client], behaviours=[saved.cell.behaviour])
    behaviour, client = behaviour_named(saved.cell.behaviour), client_named(saved.cell.client)
    store = JarStore(jars_folder)
    console = make_console()
    store.ensure(jars_of_client(client.version), _fetch_progress(console))
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


@main.command(name="list")
@_for_people
def list_behaviours() -> ExitCode:
    """Explain each behaviour in a line, and which client versions have it."""
    table = Table(show_edge=False)
    for column in ("behaviour", "what is checked", *(c.version for c in CLIENT_VERSIONS)):
        table.add_column(column)
    for behaviour in BEHAVIOURS:
        has = ("yes" if behaviour.name in c.realised_by else "-" for c in CLIENT_VERSIONS)
        table.add_row(behaviour.name, behaviour.summary, *has)
    make_console().print(table)
    return ExitCode.CONFORMS


@main.command()
@_jars_option
@_for_people
def jars(jars_folder: Path | None) -> ExitCode:
    """Fetch the jars that are missing, verify all, and say where they are."""
    console = make_console()
    store = JarStore(jars_folder)
    paths = store.ensure(locked_jars(), _fetch_progress(console))
    for jar, path in zip(locked_jars(), paths, strict=True):
        console.print(f"{jar.coordinates}  verified  {path}", markup=False, soft_wrap=True)
    return ExitCode.CONFORMS


def _seed_of(text: str) -> int:
    if text == "random":
        return secrets.randbits(32)
    try:
        return int(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither a number nor 'random'") from error


def _fetch_progress(console: Console) -> Callable[[LockedJar, int, int], None]:
    def tell(jar: LockedJar, position: int, total: int) -> None:
        size = decimal(jar.size)
        console.print(f"Fetching {jar.coordinates} ({size}), {position} of {total}")

    return tell


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

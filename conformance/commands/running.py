"""Running a plan with everything that listens to it: what run and testee share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.commands.shared import RESULTS, fetch_progress, lasting
from conformance.commands.unfinished import as_json, as_junit, owe
from conformance.engine.events import Event, Listener, RunStarted
from conformance.engine.profiles import PROFILES
from conformance.engine.run import STALL_SECONDS, CellRunner, default_jobs, run_plan
from conformance.errors import ExitCode
from conformance.files import write_all
from conformance.jars.lock import jars_of_clients
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.model.results import Cell, RunResult
from conformance.model.values import to_json
from conformance.reports.console import ConsoleReport
from conformance.reports.junit_report import Further, junit_text
from conformance.testees.limits import MEBIBYTE, Limits

client_option = click.option(
    "--client", "clients", multiple=True, help="Only this client version; repeatable."
)
behaviour_option = click.option(
    "--behaviour", "behaviours", multiple=True, help="Only this behaviour; repeatable."
)
profile_option = click.option(
    "--profile",
    default="default",
    show_default=True,
    help=f"How much to run: {', '.join(PROFILES)}.",
)
seed_option = click.option("--seed", default="0", show_default=True, help="A number, or 'random'.")
jobs_option = click.option(
    "--jobs", type=click.IntRange(0), help="Worker processes; 0 runs everything in this process."
)
stall_option = click.option(
    "--stall-seconds",
    type=click.FloatRange(0, min_open=True),
    default=STALL_SECONDS,
    show_default=True,
    metavar="S",
    help="Abandon a worker after S seconds without a finished case.",
)
json_option = click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write a JSON report."
)
junit_option = click.option(
    "--junit", "junit_file", type=click.Path(path_type=Path), help="Write JUnit XML."
)
plot_format_option = click.option(
    "--plot-format",
    type=click.Choice(["svg", "png"]),
    default="svg",
    show_default=True,
    help="What pictures are written as.",
)
folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Run the testee in this folder.",
)
transcripts_option = click.option(
    "--transcripts",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write down what is said between the suite and the testee, in this folder.",
)
output_option = click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=RESULTS,
    show_default=True,
    help="Folder for divergence files.",
)

USUAL_LIMITS = Limits()


def _seconds_option(
    name: str, default: float, meaning: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        name,
        type=click.FloatRange(0, min_open=True),
        default=default,
        show_default=True,
        help=meaning,
    )


def limits_options(command: Callable[..., None]) -> Callable[..., None]:
    """What a testee may take: the command gets it as ``limits``, whatever options there are."""

    @_seconds_option("--hello-seconds", USUAL_LIMITS.hello_seconds, "Time for the testee's hello.")
    @_seconds_option(
        "--answer-seconds", USUAL_LIMITS.answer_seconds, "Time for each answer of the testee."
    )
    @_seconds_option("--exit-seconds", USUAL_LIMITS.exit_seconds, "Time for the testee to exit.")
    @click.option(
        "--memory-mib",
        type=click.IntRange(1),
        default=USUAL_LIMITS.memory_bytes // MEBIBYTE,
        show_default=True,
        help="Memory for the testee and its child processes.",
    )
    @wraps(command)
    def run(
        *args: Any,
        hello_seconds: float,
        answer_seconds: float,
        exit_seconds: float,
        memory_mib: int,
        **options: Any,
    ) -> None:
        limits = Limits(
            hello_seconds, answer_seconds, exit_seconds, memory_bytes=memory_mib * MEBIBYTE
        )
        command(*args, limits=limits, **options)

    return run


def chosen_limits(limits: Limits) -> list[str]:
    """The options that give these limits, but for those that are as usual."""
    values: tuple[tuple[str, float, float], ...] = (
        ("--hello-seconds", limits.hello_seconds, USUAL_LIMITS.hello_seconds),
        ("--answer-seconds", limits.answer_seconds, USUAL_LIMITS.answer_seconds),
        ("--exit-seconds", limits.exit_seconds, USUAL_LIMITS.exit_seconds),
        ("--memory-mib", limits.memory_bytes // MEBIBYTE, USUAL_LIMITS.memory_bytes // MEBIBYTE),
    )
    chosen = [(name, str(value)) for name, value, usual in values if value != usual]
    return [word for option in chosen for word in option]


@dataclass(frozen=True)
class Outputs:
    """The files that a user asked for."""

    json_file: Path | None
    junit_file: Path | None
    folder: Path
    """For the files of divergences."""

    def check(self) -> None:
        """Raises :class:`UsageError` now rather than after the run if one cannot be written."""
        owe(self.json_file, as_json)
        owe(self.junit_file, as_junit)

    def write(
        self,
        document: Mapping[str, Any],
        result: RunResult,
        commands: dict[str, str],
        *,
        unclaimed: Mapping[Cell, str] | None = None,
        further: Sequence[Further] = (),
        more: Mapping[Path, str] | None = None,
    ) -> None:
        """Write the reports; ``commands`` replay divergences, by the cells' names.

        ``more`` are the texts of other files; the rest is for JUnit, see :func:`junit_text`.
        Raises :class:`NotWrittenError`, with the exit code of ``document``, for what cannot be
        written; the others are written.
        """
        texts = dict(more or {})
        if self.json_file is not None:
            texts[self.json_file] = to_json(document, indent=1) + "\n"
        if self.junit_file is not None:
            text = junit_text(result, commands, unclaimed=unclaimed, further=further)
            texts[self.junit_file] = text
        write_all(texts, ExitCode(document["exit_code"]))


def get_ready() -> None:
    """What every run of cases needs; raises :class:`JavaNotUsableError` without a usable Java."""
    find_java()


def _tell_how_long(console: Console, per_second: float, event: Event) -> None:
    if isinstance(event, RunStarted):
        work = sum(event.planned.values()) / per_second / max(1, event.jobs)
        console.print(f"That takes {lasting(10 + work, 40 + 3.5 * work)}.", soft_wrap=True)


def run_with_reports(
    console: Console,
    runner: CellRunner,
    store: JarStore | None,
    listeners: Sequence[Listener],
    *,
    jobs: int | None,
    stall_seconds: float,
    matrix: bool = True,
    per_second: float = 350,
) -> RunResult:
    """Fetch the jars, run the plan, show it on the console; ``listeners`` hear it, too.

    Without ``store`` the jars are there. Without ``matrix`` the results are shown by the caller.
    ``per_second`` is how many cases a core checks, for what is said beforehand; the default was
    measured with the port: 36,000 cases in one to two minutes on two cores.
    """
    get_ready()
    if store is not None:
        versions = dict.fromkeys(cell.client for cell in runner.plan.cells)
        store.ensure(jars_of_clients(versions), fetch_progress(console))
    screen = ConsoleReport(console, matrix=matrix)
    heard_by: list[Listener] = [screen, partial(_tell_how_long, console, per_second), *listeners]

    def listen(event: Event) -> None:
        for listener in heard_by:
            listener(event)

    try:
        return run_plan(
            runner,
            listen,
            jobs=default_jobs() if jobs is None else jobs,
            stall_seconds=stall_seconds,
        )
    finally:
        screen.close()

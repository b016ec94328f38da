"""Running a plan with everything that listens to it: what run and testee share."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import platformdirs
from rich.console import Console

from conformance.case import to_json
from conformance.commands.shared import RESULTS, fetch_progress
from conformance.engine.events import Event, Listener
from conformance.engine.profiles import PROFILES
from conformance.engine.results import RunResult
from conformance.engine.run import STALL_SECONDS, CellRunner, default_jobs, run_plan
from conformance.files import check_writable, write_whole
from conformance.jars.lock import jars_of_clients
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.reports.console import ConsoleReport
from conformance.reports.junit_report import junit_text

client_option = click.option(
    "--client", "clients", multiple=True, help="Client version; repeatable."
)
behaviour_option = click.option(
    "--behaviour", "behaviours", multiple=True, help="Behaviour; repeatable."
)
profile_option = click.option(
    "--profile", default="default", show_default=True, help=", ".join(PROFILES)
)
seed_option = click.option("--seed", default="0", show_default=True, help="A number, or 'random'.")
jobs_option = click.option(
    "--jobs", type=click.IntRange(0), help="Worker processes; 0: in this process."
)
stall_option = click.option(
    "--stall-seconds",
    type=click.FloatRange(0, min_open=True),
    default=STALL_SECONDS,
    show_default=True,
    help="Give a worker up that finishes no case for so long.",
)
json_option = click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write a JSON report."
)
junit_option = click.option(
    "--junit", "junit_file", type=click.Path(path_type=Path), help="Write JUnit XML."
)
folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Run the testee in this folder.",
)
output_option = click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=RESULTS,
    show_default=True,
    help="Folder for the files of divergences.",
)


@dataclass(frozen=True)
class Outputs:
    """The files that a user asked for."""

    json_file: Path | None
    junit_file: Path | None
    folder: Path
    """For the files of divergences."""

    def check(self) -> None:
        """Raises :class:`UsageError` now rather than after the run if one cannot be written."""
        for file in filter(None, (self.json_file, self.junit_file)):
            check_writable(file)

    def write(
        self, document: Mapping[str, Any], result: RunResult, commands: dict[str, str]
    ) -> None:
        """Write the reports; ``commands`` replay divergences, by the cells' names."""
        if self.json_file is not None:
            write_whole(self.json_file, to_json(document, indent=1) + "\n")
        if self.junit_file is not None:
            write_whole(self.junit_file, junit_text(result, commands))


def run_with_reports(
    console: Console,
    runner: CellRunner,
    store: JarStore,
    listeners: Sequence[Listener],
    *,
    jobs: int | None,
    stall_seconds: float,
) -> RunResult:
    """Fetch the jars, run the plan, show it on the console; ``listeners`` hear it, too."""
    find_java()
    versions = dict.fromkeys(cell.client for cell in runner.plan.cells)
    store.ensure(jars_of_clients(versions), fetch_progress(console))
    # Hypothesis keeps its tables of Unicode; not in the folder that this was called from.
    tables = platformdirs.user_cache_path("kafka-conformance") / "hypothesis"
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(tables))
    screen = ConsoleReport(console)
    heard_by: list[Listener] = [screen, *listeners]

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

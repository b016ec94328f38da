"""``kafka-conformance cluster``: real brokers for as long as a command runs, or until Ctrl-C."""

import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from conformance.cluster.cluster import MOST_BROKERS, Cluster
from conformance.commands.shared import exit_codes, fetch_progress, for_people, jars_option
from conformance.errors import ExitCode, UsageError
from conformance.jars.lock import broker_version
from conformance.jars.store import JarStore
from conformance.processes.endings import why_not_started
from conformance.processes.tree import ProcessTree
from conformance.reports.console import make_console
from conformance.text import counted

SERVERS_VARIABLE: Final = "BOOTSTRAP_SERVERS"
"""Environment variable that tells COMMAND where the brokers are."""
_LOOK_SECONDS: Final = 0.2
_CTRL_C_SECONDS: Final = 10.0
"""How long COMMAND gets at Ctrl-C."""


@click.command(
    epilog=exit_codes(
        "COMMAND exited with 0, or Ctrl-C ended a cluster without one",
        "",
        "no Java, no jars, too little memory, a broker that does not start or dies, Ctrl-C",
        mistake="your mistake: an option, a command that cannot be run",
    )
    + "\n  n  whatever COMMAND exited with; 128 and the signal's number if one ended it"
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--brokers",
    type=click.IntRange(1, MOST_BROKERS),
    default=4,
    show_default=True,
    help="How many; their ids are 0, 1, 2 ...",
)
@jars_option
@for_people
def cluster(command: tuple[str, ...], brokers: int, jars_folder: Path | None) -> int:
    """Run a command beside real brokers, or keep them until Ctrl-C.

    COMMAND gets their addresses in BOOTSTRAP_SERVERS:
    kafka-conformance cluster --brokers 4 -- pytest tests
    """
    if command and shutil.which(command[0]) is None:  # sooner than brokers could be there
        there = "/" in command[0] and Path(command[0]).exists()
        none = FileNotFoundError("there is no such command")
        raise _not_started(command, PermissionError() if there else none)
    console = make_console(stderr=True)
    began = time.monotonic()
    with ExitStack() as starting:
        # Seen on a terminal only.
        status = starting.enter_context(console.status("starting"))
        with Cluster(
            brokers,
            store=JarStore(jars_folder),
            fetching=fetch_progress(console),
            ready=lambda done, total: status.update(f"{done} of {total} brokers are ready"),
        ) as started:
            starting.close()
            _tell_start(console, started, time.monotonic() - began)
            return _run(command, started) if command else _stay(console, started)


def _tell_start(console: Console, started: Cluster, seconds: float) -> None:
    for folder in started.left_behind:
        console.print(f"Removed {folder}, which a killed run had left.", soft_wrap=True)
    console.print(
        f"{counted(len(started.broker_ids), 'broker')} of Kafka {broker_version()} on "
        f"{started.bootstrap_servers}, ready after {seconds:.1f} s.",
        soft_wrap=True,
    )


def _run(command: Sequence[str], started: Cluster) -> int:
    """The exit code of a command; raises what :meth:`Cluster.check` does while it runs."""
    tree = _start(command, started)
    try:
        while True:
            try:
                code = tree.wait(_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                started.check()
            else:
                return code if code >= 0 else 128 - code
    except KeyboardInterrupt:
        tree.end(signal.SIGINT, _CTRL_C_SECONDS)
        raise
    finally:
        tree.end()


def _start(command: Sequence[str], started: Cluster) -> ProcessTree:
    variables = {SERVERS_VARIABLE: started.bootstrap_servers}
    try:
        return ProcessTree(command, run=started.run, stdin=None, variables=variables)
    except (OSError, ValueError) as error:
        raise _not_started(command, error) from error


def _not_started(command: Sequence[str], error: Exception) -> UsageError:
    return UsageError(
        f"{command[0]!r} does not start: {why_not_started(command[0], None, error)}.",
        "Give the command after --, as its own words: kafka-conformance cluster -- "
        "./my-test argument.",
    )


def _stay(console: Console, started: Cluster) -> int:
    """Until Ctrl-C; raises what :meth:`Cluster.check` does."""
    click.echo(f"{SERVERS_VARIABLE}={started.bootstrap_servers}")
    try:
        with console.status("running until Ctrl-C"):
            while True:
                started.check()
                time.sleep(_LOOK_SECONDS)
    except KeyboardInterrupt:
        console.print("The brokers are ended, and their data is removed.")
        return ExitCode.CONFORMS

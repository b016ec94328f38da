"""``kafka-conformance replay``: the case of a divergence file, once more."""

from pathlib import Path

import click
from rich.console import Console

from conformance.clients.versions import client_named
from conformance.commands.baseline_and_candidate import two_jars
from conformance.commands.divergences import replay_command, replay_options
from conformance.commands.run import subject_options
from conformance.commands.running import (
    folder_option,
    limits_options,
    stall_option,
    transcripts_option,
)
from conformance.commands.shared import exit_codes, fetch_progress, for_people, jars_option
from conformance.engine.plan import behaviour_named, make_plan
from conformance.engine.replay import replay_within
from conformance.errors import ExitCode, SuiteError, UsageError
from conformance.jars.lock import jars_of_clients
from conformance.jars.store import JarStore
from conformance.model.client_version import ClientVersion
from conformance.model.results import Divergence
from conformance.model.subject import Subject
from conformance.reports.console import make_console
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import load_divergence
from conformance.subjects.client_jar import ClientJarSubject
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.registry import SUBJECTS
from conformance.subjects.testee import Testee
from conformance.testees.limits import Limits

_EXIT_CODES = exit_codes(
    "fixed: both now give the same answers",
    "it still diverges",
    "it was not run: no Java, no jars, a testee that does not start or breaks the protocol",
)


@click.command(epilog=_EXIT_CODES)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--subject", type=click.Choice(list(SUBJECTS)), help="As in run.  [default: port]")
@click.option(
    "--baseline", help="With --candidate: compare two jars, as gate does; a version or a path."
)
@click.option("--candidate", help="The jar to compare with the baseline.")
@folder_option
@limits_options
@transcripts_option
@stall_option
@jars_option
@for_people
def replay(
    file: Path,
    command: tuple[str, ...],
    subject: str | None,
    baseline: str | None,
    candidate: str | None,
    folder: Path | None,
    limits: Limits,
    transcripts: Path | None,
    stall_seconds: float,
    jars_folder: Path | None,
) -> ExitCode:
    """Run the case of a divergence FILE again: is it fixed?

    With -- COMMAND ARGUMENTS the case runs on that testee, in its --folder and within its
    limits; with --baseline and --candidate on two jars of kafka-clients.
    """
    saved = load_divergence(file).divergence
    behaviour_named(saved.cell.behaviour)
    console = make_console()
    store = JarStore(jars_folder)
    if baseline is None and candidate is None:
        against: Subject = SUBJECTS[subject or "port"](store)
        if command:
            against = Testee(command, limits=limits, folder=folder, transcripts=transcripts)
        pair = _beside_java(console, store, saved, against)
        options = subject_options(subject or "port")
        options += replay_options(jars_folder, folder, command, limits)
    elif baseline is None or candidate is None or command or subject:
        raise UsageError(
            "--baseline and --candidate need each other, and exclude a testee and --subject.",
            "Name both jars, or neither.",
        )
    else:
        pair = _two(console, store, saved, baseline, candidate)
        options = ["--baseline", baseline, "--candidate", candidate]
        options += replay_options(jars_folder)
    client, oracle, against = pair
    try:
        again = replay_within(stall_seconds, saved, *pair)
    finally:
        if isinstance(against, Testee):
            against.stop_everywhere()
    if again is None:
        right = oracle.describe(client) if isinstance(oracle, ClientJarSubject) else "Java"
        console.print(
            f"{saved.cell}: fixed. {against.describe(client)} answers as {right} does, "
            f"in all {len(saved.case['steps'])} steps of {saved.cell.behaviour}.",
            markup=False,
            soft_wrap=True,
        )
        return ExitCode.CONFORMS
    console.print(
        describe_divergence(again, replay_command(file, options)), markup=False, soft_wrap=True
    )
    return ExitCode.DIVERGES


def _beside_java(
    console: Console,
    store: JarStore,
    saved: Divergence,
    against: Subject,
) -> tuple[ClientVersion, Subject, Subject]:
    """The client of a version that the suite knows, and what is held to it."""
    # The same checks of names as for a run: unknown ones, or a version without the behaviour.
    make_plan(clients=[saved.cell.client], behaviours=[saved.cell.behaviour])
    client = client_named(saved.cell.client)
    store.ensure(jars_of_clients([client.version]), fetch_progress(console))
    return client, JavaSubject(store), against


def _two(
    console: Console, store: JarStore, saved: Divergence, baseline: str, candidate: str
) -> tuple[ClientVersion, Subject, Subject]:
    """Two jars, both of which have the behaviour."""
    jars = two_jars(console, store, baseline, candidate)
    name = saved.cell.behaviour
    for one in (jars.before, jars.after):
        if not one.client.shows(name):
            reason = one.client.absent.get(name) or one.broken.get(name, "it is the port's own")
            raise SuiteError(f"{name} cannot be compared: {reason}.", "Name other jars.")
    return (jars.before.client, *jars.subjects)

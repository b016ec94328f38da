"""``kafka-conformance run`` and ``replay``: cases, compared step by step."""

from pathlib import Path

import click

from conformance.commands.divergences import (
    replay_command,
    replay_options,
    report_divergences,
)
from conformance.commands.running import (
    Outputs,
    behaviour_option,
    client_option,
    folder_option,
    jobs_option,
    json_option,
    junit_option,
    limits_options,
    output_option,
    profile_option,
    run_with_reports,
    seed_option,
    stall_option,
)
from conformance.commands.shared import (
    EXIT_CODES,
    exit_codes,
    fetch_progress,
    for_people,
    jars_option,
    seed_of,
)
from conformance.engine.plan import behaviour_named, client_named, make_plan
from conformance.engine.replay import replay_divergence
from conformance.engine.run import CellRunner
from conformance.errors import ExitCode
from conformance.jars.lock import jars_of_clients
from conformance.jars.store import JarStore
from conformance.reports.console import make_console
from conformance.reports.coverage import coverage_table
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import load_divergence
from conformance.reports.json_report import JsonReport
from conformance.subjects import SUBJECTS, JavaSubject, Testee
from conformance.testees.limits import Limits

_EXIT_CODES_OF_REPLAY = exit_codes(
    "fixed: both answer alike by now",
    "it still diverges",
    "it was not run: no Java, no jars, a testee that does not start or breaks the protocol",
)


@click.command(epilog=EXIT_CODES)
@client_option
@behaviour_option
@profile_option
@seed_option
@click.option(
    "--subject",
    type=click.Choice(list(SUBJECTS)),
    default="port",
    show_default=True,
    help="What is compared with Java: the Python port, or Java itself.",
)
@jobs_option
@stall_option
@json_option
@junit_option
@output_option
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
    outputs = Outputs(json_file, junit_file, output)
    outputs.check()
    console = make_console()
    report = JsonReport()
    result = run_with_reports(
        console,
        CellRunner(plan, oracle, against),
        store,
        [report],
        jobs=jobs,
        stall_seconds=stall_seconds,
    )
    options = _subject_options(subject) + replay_options(jars_folder)
    commands = report_divergences(console, result, output, options)
    if coverage:
        console.print(coverage_table(result))
    outputs.write(report.document(commands), result, commands)
    return result.exit_code


@click.command(epilog=_EXIT_CODES_OF_REPLAY)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--subject", type=click.Choice(list(SUBJECTS)), default="port", help="As for run.")
@folder_option
@limits_options
@jars_option
@for_people
def replay(
    file: Path,
    command: tuple[str, ...],
    subject: str,
    folder: Path | None,
    limits: Limits,
    jars_folder: Path | None,
) -> ExitCode:
    """Run the case of a divergence FILE again: is it fixed?

    With -- COMMAND ARGUMENTS it is run on that testee, in its --folder and within its limits.
    """
    saved = load_divergence(file).divergence
    # The same checks of names as for a run: unknown ones, or a version without the behaviour.
    make_plan(clients=[saved.cell.client], behaviours=[saved.cell.behaviour])
    behaviour, client = behaviour_named(saved.cell.behaviour), client_named(saved.cell.client)
    store = JarStore(jars_folder)
    console = make_console()
    store.ensure(jars_of_clients([client.version]), fetch_progress(console))
    against = Testee(command, limits=limits, folder=folder) if command else SUBJECTS[subject](store)
    try:
        again = replay_divergence(saved, JavaSubject(store), against)
    finally:
        if isinstance(against, Testee):
            against.stop_everywhere()
    if again is None:
        console.print(
            f"{saved.cell}: fixed. {against.describe(client)} answers as Java does, "
            f"in all {len(saved.case['steps'])} steps of {behaviour.name}.",
            markup=False,
            soft_wrap=True,
        )
        return ExitCode.CONFORMS
    options = _subject_options(subject) + replay_options(jars_folder, folder, command, limits)
    told = describe_divergence(again, replay_command(file, options))
    console.print(told, markup=False, soft_wrap=True)
    return ExitCode.DIVERGES


def _subject_options(subject: str) -> list[str]:
    """The option that chooses a subject, if it is needed."""
    return [] if subject == "port" else ["--subject", subject]

"""``kafka-conformance run``: cases, compared step by step."""

from pathlib import Path

import click

from conformance.commands.divergences import (
    replay_options,
    report_divergences,
)
from conformance.commands.kept_answers import KeptAnswers, cache_options
from conformance.commands.running import (
    Outputs,
    behaviour_option,
    client_option,
    jobs_option,
    json_option,
    junit_option,
    output_option,
    profile_option,
    run_with_reports,
    seed_option,
    stall_option,
)
from conformance.commands.shared import (
    EXIT_CODES,
    for_people,
    jars_option,
    seed_of,
)
from conformance.engine.kept import locked, recordings
from conformance.engine.plan import make_plan
from conformance.engine.run import CellRunner
from conformance.errors import ExitCode
from conformance.jars.store import JarStore
from conformance.reports.console import make_console
from conformance.reports.coverage import coverage_table, dimension_tables
from conformance.reports.json_report import JsonReport
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.registry import SUBJECTS


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
    help="The subject to compare with Java: the Python port, or Java itself.",
)
@jobs_option
@stall_option
@cache_options
@json_option
@junit_option
@output_option
@click.option(
    "--coverage", is_flag=True, help="Show which classes and ranges of cases the run reached."
)
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
    kept_in: Path | None,
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
    kept = KeptAnswers.prepare(
        console,
        kept_in if subject == "port" else None,
        lambda folder: recordings(folder, plan, against, locked(plan.clients)),
    )
    result = run_with_reports(
        console,
        CellRunner(plan, oracle, against, recordings=kept.recordings),
        store,
        [report],
        jobs=jobs,
        stall_seconds=stall_seconds,
    )
    kept.tell(console)
    options = subject_options(subject) + replay_options(jars_folder)
    commands = report_divergences(console, result, output, options)
    if coverage:
        console.print(coverage_table(result), *dimension_tables(plan))
    outputs.write(report.document(commands), result, commands)
    return result.exit_code


def subject_options(subject: str) -> list[str]:
    """The option that chooses a subject, if it is needed."""
    return [] if subject == "port" else ["--subject", subject]

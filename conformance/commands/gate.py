"""``kafka-conformance gate``: what changed between two kafka-clients jars?"""

import shlex
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from conformance.behaviours import BEHAVIOURS
from conformance.clients.inspected import WAYS
from conformance.commands.divergences import replay_options, report_divergences
from conformance.commands.running import (
    Outputs,
    behaviour_option,
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
    exit_codes,
    fetch_progress,
    for_people,
    jars_option,
    seed_of,
)
from conformance.engine.gate import Change, Outcome, changes_of, gate_plan
from conformance.engine.results import Cell, Verdict, plain
from conformance.engine.run import CellRunner
from conformance.errors import ExitCode
from conformance.jars.client_jar import ClientJar, client_jar
from conformance.jars.store import JarStore
from conformance.oracle.inspection import inspect_jars
from conformance.reports.console import make_console
from conformance.reports.json_report import JsonReport
from conformance.reports.junit_report import Further
from conformance.subjects.client_jar import ClientJarSubject

_STYLES = {
    Change.SAME: "green",
    Change.CHANGED: "bold red",
    Change.GONE: "bold red",
    Change.NEW: "cyan",
    Change.NEITHER: "dim",
    Change.NOT_COMPARABLE: "bold yellow",
}


@click.command(
    epilog=exit_codes(
        "everything that both have is the same",
        "something changed, or is gone",
        "something could not be compared",
    )
)
@click.option("--baseline", required=True, help="A version, or the path of a jar.")
@click.option("--candidate", required=True, help="The same: what is held against the baseline.")
@behaviour_option
@profile_option
@seed_option
@jobs_option
@stall_option
@json_option
@junit_option
@output_option
@jars_option
@for_people
def gate(
    baseline: str,
    candidate: str,
    behaviours: tuple[str, ...],
    profile: str,
    seed: str,
    jobs: int | None,
    stall_seconds: float,
    json_file: Path | None,
    junit_file: Path | None,
    output: Path,
    jars_folder: Path | None,
) -> ExitCode:
    """Tell what changed from one kafka-clients jar to another, on identical cases."""
    outputs = Outputs(json_file, junit_file, output)
    outputs.check()
    console = make_console()
    store = JarStore(jars_folder)
    jars = [client_jar(named, store, fetch_progress(console)) for named in (baseline, candidate)]
    _introduce(console, jars)
    before, after = inspect_jars([jar.all for jar in jars])
    wanted = behaviours or tuple(one.name for one in BEHAVIOURS if one.name in WAYS)
    plan = gate_plan(before, after, wanted, profile=profile, seed=seed_of(seed))
    report = JsonReport()
    runner = CellRunner(
        plan,
        ClientJarSubject(jars[0], before, after),
        ClientJarSubject(jars[1], after, before),
    )
    result = run_with_reports(
        console, runner, None, [report], jobs=jobs, stall_seconds=stall_seconds
    )
    outcomes = changes_of(before, after, result)
    sides = ["--baseline", baseline, "--candidate", candidate, *replay_options(jars_folder)]
    effort = ["--profile", profile, "--seed", str(plan.seed)]

    def again(cell: Cell) -> str:
        words = ["kafka-conformance", "gate", *sides, "--behaviour", cell.behaviour, *effort]
        return shlex.join(words)

    commands = report_divergences(console, result, output, [], again=again)
    console.print(_table(jars, outcomes))
    code = exit_code_of_gate(outcomes)
    document = {
        **report.document(commands),
        "exit_code": int(code),
        "gate": {
            "baseline": {"version": jars[0].version, "sha256": jars[0].sha256},
            "candidate": {"version": jars[1].version, "sha256": jars[1].sha256},
            "changes": [plain(one) for one in outcomes],
        },
    }
    gone = [
        Further(one.behaviour, Verdict.DIVERGES, f"gone: {one.what}")
        for one in outcomes
        if one.change is Change.GONE
    ]
    outputs.write(document, result, commands, further=gone)
    return code


def exit_code_of_gate(outcomes: list[Outcome]) -> ExitCode:
    """What is gone is a change; what could not be compared is never the same."""
    changes = {one.change for one in outcomes}
    if changes & {Change.CHANGED, Change.GONE}:
        return ExitCode.DIVERGES
    if Change.NOT_COMPARABLE in changes or Change.SAME not in changes:
        return ExitCode.NOT_RUN
    return ExitCode.CONFORMS


def _introduce(console: Console, jars: list[ClientJar]) -> None:
    for what, jar in zip(("Baseline", "Candidate"), jars, strict=True):
        told = f"{what}: kafka-clients {jar.version}, SHA-256 {jar.sha256[:16]}"
        console.print(told, markup=False, soft_wrap=True)
    if jars[0].sha256 == jars[1].sha256:
        console.print("Both are the same file: a change would be the suite's own fault.")


def _table(jars: list[ClientJar], outcomes: list[Outcome]) -> Table:
    table = Table(title=f"From {jars[0].version} to {jars[1].version}", title_justify="left")
    for column in ("behaviour", "", "what"):
        table.add_column(column)
    for one in outcomes:
        table.add_row(one.behaviour, str(one.change), one.what, style=_STYLES[one.change])
    return table

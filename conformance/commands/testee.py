"""``kafka-conformance testee``: a port in any language, held against the real clients."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.commands.divergences import replay_options, report_divergences
from conformance.commands.kept_answers import KeptAnswers, cache_options
from conformance.commands.outputs import check_output
from conformance.commands.protocol_only import check_protocol
from conformance.commands.running import (
    Outputs,
    behaviour_option,
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
    transcripts_option,
)
from conformance.commands.shared import (
    exit_codes,
    for_people,
    jars_option,
    parse_records,
    seed_of,
)
from conformance.commands.starters import STARTERS, write_starter
from conformance.engine.kept import locked, recordings
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences, draft_known, load_known
from conformance.engine.likeness import UNTRIED, TesteeOutcome, outcome_of_testee
from conformance.engine.plan import make_plan
from conformance.engine.run import CellRunner
from conformance.errors import ExitCode, UsageError
from conformance.jars.store import JarStore
from conformance.model.results import RunResult, Verdict, plain
from conformance.reports.console import UNTRIED_STYLE, make_console
from conformance.reports.json_report import JsonReport
from conformance.reports.junit_report import further_of
from conformance.sampling.cells import sample_cell
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.testee import Testee
from conformance.testees.limits import Limits
from conformance.testees.protocol import Hello
from conformance.text import listed

_EXIT_CODES = exit_codes(
    "as every version that is claimed, or as one where none is claimed, but for what is known",
    "a divergence, or a known one that is gone; with --fail-on-unclaimed, from any version",
    "something was not run: it does not start, breaks the protocol, ends badly; no Java; Ctrl-C",
)


@click.command(epilog=_EXIT_CODES)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--init",
    "language",
    type=click.Choice(list(STARTERS), case_sensitive=False),
    help="Write a testee to start from, here or into --folder, and do nothing else.",
)
@click.option(
    "--protocol-only",
    is_flag=True,
    help="Check the messages alone, in seconds and without Java; no answer is compared.",
)
@click.option(
    "--java-client",
    "clients",
    multiple=True,
    help="Version of the Java client to compare with; repeatable.",
)
@click.option("--client", "clients_by_old_name", multiple=True, hidden=True)
@behaviour_option
@profile_option
@seed_option
@click.option(
    "--records", "size", help="Number of records for the largest distribution, such as 2M."
)
@click.option(
    "--known",
    "known_file",
    type=click.Path(path_type=Path),
    help="A TOML file of known divergences; one that no longer occurs fails the run.",
)
@click.option(
    "--write-known",
    "draft_file",
    type=click.Path(path_type=Path),
    help="Write the divergences found as a draft of such a file; fill in causes and links.",
)
@click.option(
    "--fail-on-unclaimed",
    is_flag=True,
    help="Fail on divergences from versions that the testee does not claim, too.",
)
@folder_option
@limits_options
@transcripts_option
@jobs_option
@stall_option
@cache_options
@json_option
@junit_option
@output_option
@jars_option
@for_people
def testee(
    command: tuple[str, ...],
    language: str | None,
    protocol_only: bool,
    clients: tuple[str, ...],
    clients_by_old_name: tuple[str, ...],
    behaviours: tuple[str, ...],
    profile: str,
    seed: str,
    size: str | None,
    known_file: Path | None,
    draft_file: Path | None,
    fail_on_unclaimed: bool,
    folder: Path | None,
    limits: Limits,
    transcripts: Path | None,
    jobs: int | None,
    stall_seconds: float,
    kept_in: Path | None,
    json_file: Path | None,
    junit_file: Path | None,
    output: Path,
    jars_folder: Path | None,
) -> ExitCode:
    """Compare a port in any language with the real Java clients.

    COMMAND starts a process that speaks the testee protocol (docs/protocol.md):
    kafka-conformance testee -- ./my-testee argument
    """
    console = make_console()
    if language is not None:
        write_starter(console, language, folder or Path())
        return ExitCode.CONFORMS
    if not command:
        raise UsageError(
            "There is no testee to run.",
            "Give its command after --: kafka-conformance testee -- ./my-testee. "
            "Or write one with --init.",
        )
    clients += clients_by_old_name
    known = NOTHING_KNOWN if known_file is None else load_known(known_file)
    outputs = Outputs(json_file, junit_file, output)
    outputs.check()
    if draft_file is not None:
        check_output(draft_file)
    store = JarStore(jars_folder)
    oracle = JavaSubject(store)
    subject = Testee(command, limits=limits, folder=folder, transcripts=transcripts)
    report = JsonReport()
    try:
        _introduce(console, subject.hello)
        plan = make_plan(
            clients=clients,
            behaviours=behaviours or list(subject.hello.behaviours),
            profile=profile,
            seed=seed_of(seed),
            subjects=(oracle, subject),
        )
        if protocol_only:
            return check_protocol(console, subject, plan)
        records = None if size is None else parse_records(size)
        kept = KeptAnswers.prepare(
            console,
            kept_in,
            lambda folder: recordings(folder, plan, subject, locked(plan.clients)),
        )
        runner = CellRunner(
            plan,
            oracle,
            subject,
            known,
            records,
            recordings=kept.recordings,
            sample=sample_cell,
        )
        result = run_with_reports(
            console, runner, store, [report], jobs=jobs, stall_seconds=stall_seconds
        )
        kept.tell(console)
    finally:
        subject.stop_everywhere()
    replayed_with = replay_options(jars_folder, folder, command, limits)
    commands = report_divergences(console, result, output, replayed_with)
    whole = not clients and not behaviours
    outcome = outcome_of_testee(
        result,
        {name for name, support in subject.hello.behaviours.items() if support.claims},
        outdated=known.outdated(result.results, whole=whole),
        untried=subject.untried({cell.behaviour for cell in plan.cells}) if whole else (),
        fail_on_unclaimed=fail_on_unclaimed,
    )
    _conclude(console, result, outcome)
    document = {
        **report.document(commands),
        "exit_code": int(outcome.exit_code),
        "testee": _told(subject.hello, command, known, outcome),
    }
    outputs.write(
        document,
        result,
        commands,
        unclaimed=outcome.unclaimed,
        further=further_of(outcome),
        more={} if draft_file is None else {draft_file: draft_known(result.results)},
    )
    return outcome.exit_code


def _told(
    hello: Hello, command: Sequence[str], known: KnownDivergences, outcome: TesteeOutcome
) -> dict[str, object]:
    """What a report says of the testee."""
    return {
        **plain(hello),
        "command": list(command),
        "likeness": [str(likeness) for likeness in outcome.alike],
        "known": [plain(entry) for entry in known.entries],
        "outdated": list(outcome.outdated),
        "unclaimed": [{**plain(cell), "why": why} for cell, why in outcome.unclaimed.items()],
    }


def _introduce(console: Console, hello: Hello) -> None:
    """Who it is, and what of it cannot be looked at."""
    who = f"Testee: {hello.name} {hello.version}, {hello.language}"
    console.print(who, markup=False, soft_wrap=True)
    claims = {version for support in hello.behaviours.values() for version in support.claims}
    unknown = sorted(claims - {client.version for client in CLIENT_VERSIONS})
    if unknown:
        told = f"It also claims to be like {listed(unknown)}, which this suite does not have."
        console.print(told, markup=False, soft_wrap=True)
    for name, support in hello.behaviours.items():
        if support.cannot:
            told = f"{name}: not asked, as the testee says: {', '.join(support.cannot)}"
            console.print(told, markup=False, soft_wrap=True)
        if support.operations:
            told = f"{name}: only these operations: {', '.join(support.operations)}"
            console.print(told, markup=False, soft_wrap=True)


def _conclude(console: Console, result: RunResult, outcome: TesteeOutcome) -> None:
    """Tests that failed or were not made, what it is like, what is not so any more or missing."""
    console.print()
    for cell in result.results:
        if cell.verdict is Verdict.ABSENT:
            continue
        for test in cell.tests:
            if test.verdict in (Verdict.DIVERGES, Verdict.NOT_RUN):
                console.print(f"{cell.cell}: {test.told}", markup=False, soft_wrap=True)
        if cell.could_find:
            console.print(f"{cell.cell}: {cell.could_find}", markup=False, soft_wrap=True)
        if cell.refused:
            told = f"{cell.cell}: {cell.untried}: " + "; ".join(cell.refusals)
            console.print(told, markup=False, soft_wrap=True, style=UNTRIED_STYLE)
    for likeness in outcome.alike:
        console.print(str(likeness), markup=False, soft_wrap=True, style="bold")
    for problem in outcome.outdated:
        console.print(
            f"Known, but no longer occurs: {problem}", markup=False, soft_wrap=True, style="bold"
        )
    for name in outcome.untried:
        console.print(f"{name}: not run, {UNTRIED}", markup=False, soft_wrap=True, style="bold")
    if outcome.unclaimed:
        console.print(outcome.not_counted, markup=False, soft_wrap=True, style=UNTRIED_STYLE)

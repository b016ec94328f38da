"""``kafka-conformance testee``: a port in any language, held against the real clients."""

from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console

from conformance.commands.divergences import replay_options, report_divergences
from conformance.commands.running import (
    Outputs,
    behaviour_option,
    client_option,
    folder_option,
    jobs_option,
    json_option,
    junit_option,
    output_option,
    profile_option,
    run_with_reports,
    seed_option,
    stall_option,
)
from conformance.commands.shared import EXIT_CODES, for_people, jars_option, parse_records, seed_of
from conformance.engine.known import NOTHING_KNOWN, draft_known, load_known
from conformance.engine.likeness import exit_code_of_testee, likenesses
from conformance.engine.plan import make_plan
from conformance.engine.results import RunResult, Verdict, plain
from conformance.engine.run import CellRunner
from conformance.errors import ExitCode
from conformance.files import check_writable, write_whole
from conformance.jars.lock import client_versions
from conformance.jars.store import JarStore
from conformance.reports.console import make_console
from conformance.reports.json_report import JsonReport
from conformance.subjects import JavaSubject, Testee
from conformance.testees.limits import MEBIBYTE, Limits
from conformance.testees.protocol import Hello

_DEFAULTS = Limits()


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


@click.command(epilog=EXIT_CODES)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@client_option
@behaviour_option
@profile_option
@seed_option
@click.option("--records", "size", help="Records for each distribution, such as 2M.")
@click.option(
    "--known",
    "known_file",
    type=click.Path(path_type=Path),
    help="A TOML file of divergences that are known; one that is gone fails the run.",
)
@click.option(
    "--write-known",
    "draft_file",
    type=click.Path(path_type=Path),
    help="Write what diverges in the form of such a file; causes and links are yours to fill in.",
)
@folder_option
@_seconds_option("--hello-seconds", _DEFAULTS.hello_seconds, "Time for its hello.")
@_seconds_option("--answer-seconds", _DEFAULTS.answer_seconds, "Time for each answer.")
@_seconds_option("--exit-seconds", _DEFAULTS.exit_seconds, "Time for its exit.")
@click.option(
    "--memory-mib",
    type=click.IntRange(1),
    default=_DEFAULTS.memory_bytes // MEBIBYTE,
    show_default=True,
    help="Memory for it and its children.",
)
@jobs_option
@stall_option
@json_option
@junit_option
@output_option
@jars_option
@for_people
def testee(
    command: tuple[str, ...],
    clients: tuple[str, ...],
    behaviours: tuple[str, ...],
    profile: str,
    seed: str,
    size: str | None,
    known_file: Path | None,
    draft_file: Path | None,
    folder: Path | None,
    hello_seconds: float,
    answer_seconds: float,
    exit_seconds: float,
    memory_mib: int,
    jobs: int | None,
    stall_seconds: float,
    json_file: Path | None,
    junit_file: Path | None,
    output: Path,
    jars_folder: Path | None,
) -> ExitCode:
    """Compare a port in any language with the real Java clients.

    COMMAND starts a process that speaks the testee protocol (docs/protocol.md):
    kafka-conformance testee -- ./my-testee argument
    """
    known = NOTHING_KNOWN if known_file is None else load_known(known_file)
    outputs = Outputs(json_file, junit_file, output)
    outputs.check()
    if draft_file is not None:
        check_writable(draft_file)
    store = JarStore(jars_folder)
    limits = Limits(hello_seconds, answer_seconds, exit_seconds, memory_bytes=memory_mib * MEBIBYTE)
    oracle, subject = JavaSubject(store), Testee(command, limits=limits, folder=folder)
    console = make_console()
    try:
        _introduce(console, subject.hello)
        plan = make_plan(
            clients=clients,
            behaviours=behaviours or list(subject.hello.behaviours),
            profile=profile,
            seed=seed_of(seed),
            subjects=(oracle, subject),
        )
        records = None if size is None else parse_records(size)
        report = JsonReport()
        result = run_with_reports(
            console,
            CellRunner(plan, oracle, subject, known, records),
            store,
            [report],
            jobs=jobs,
            stall_seconds=stall_seconds,
        )
    finally:
        subject.stop_everywhere()
    options = [*replay_options(jars_folder, folder), "--", *command]
    commands = report_divergences(console, result, output, options)
    claimed = {name for name, support in subject.hello.behaviours.items() if support.claims}
    alike = likenesses(result.results)
    whole = not clients and not behaviours
    outdated = known.outdated(result.results, whole=whole)
    _conclude(console, result, [str(likeness) for likeness in alike], outdated)
    code = exit_code_of_testee(result.results, claimed, interrupted=result.interrupted)
    if outdated and code is ExitCode.CONFORMS:
        code = ExitCode.DIVERGES
    untried = subject.untried({cell.behaviour for cell in plan.cells}) if whole else []
    for name in untried:
        told = f"{name}: not run, for this suite has none of the versions that it claims."
        console.print(told, markup=False, soft_wrap=True, style="bold")
    if untried and code is ExitCode.CONFORMS:
        code = ExitCode.NOT_RUN
    document = {
        **report.document(commands),
        "exit_code": int(code),
        "testee": {
            **plain(subject.hello),
            "command": list(command),
            "likeness": [str(likeness) for likeness in alike],
            "known": [plain(entry) for entry in known.entries],
            "outdated": outdated,
        },
    }
    outputs.write(document, result, commands)
    if draft_file is not None:
        write_whole(draft_file, draft_known(result.results))
    return code


def _introduce(console: Console, hello: Hello) -> None:
    """Who it is, and what of it cannot be looked at."""
    who = f"Testee: {hello.name} {hello.version}, {hello.language}"
    console.print(who, markup=False, soft_wrap=True)
    claims = {version for support in hello.behaviours.values() for version in support.claims}
    unknown = sorted(claims - set(client_versions()))
    if unknown:
        told = f"It also claims to be like {', '.join(unknown)}, which this suite does not have."
        console.print(told, markup=False, soft_wrap=True)
    for name, support in hello.behaviours.items():
        if support.cannot:
            told = f"{name}: not asked, as the testee says: {', '.join(support.cannot)}"
            console.print(told, markup=False, soft_wrap=True)
        if support.operations:
            told = f"{name}: only these operations: {', '.join(support.operations)}"
            console.print(told, markup=False, soft_wrap=True)


def _conclude(console: Console, result: RunResult, alike: list[str], outdated: list[str]) -> None:
    """What failed in distributions, what it is like, what is no longer known."""
    console.print()
    for cell in result.results:
        if cell.verdict is Verdict.ABSENT:
            continue
        for test in cell.tests:
            if test.verdict is Verdict.DIVERGES:
                told = f"{cell.cell}: {test.distribution}: {test.test}: {test.detail}"
                console.print(told, markup=False, soft_wrap=True)
        if cell.refused:
            told = f"{cell.cell}: {cell.refused} cases could not be tried: "
            console.print(told + "; ".join(cell.refusals), markup=False, soft_wrap=True)
    for line in alike:
        console.print(line, markup=False, soft_wrap=True, style="bold")
    for problem in outdated:
        console.print(f"No longer so: {problem}", markup=False, soft_wrap=True, style="bold")

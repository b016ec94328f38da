"""``kafka-conformance gate``: what changed between two kafka-clients jars?"""

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from conformance.behaviours.registry import OF_JARS
from conformance.commands.baseline_and_candidate import two_jars, watched
from conformance.commands.divergences import replay_options, report_divergences
from conformance.commands.gated import (
    Gated,
    accepted_changes,
    accepted_option,
    baseline_option,
    candidate_option,
    markdown_option,
)
from conformance.commands.kept_answers import KeptAnswers, cache_options
from conformance.commands.outputs import check_output
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
from conformance.commands.shared import exit_codes, for_people, jars_option, seed_of
from conformance.commands.unfinished import as_markdown, owe
from conformance.engine.budget import Budget
from conformance.engine.kept import recordings
from conformance.engine.known import KnownDivergences, draft_known
from conformance.engine.plan import Plan
from conformance.engine.run import CellRunner, cells_in_order, default_jobs
from conformance.errors import ExitCode, JarError
from conformance.gate.driven import driven_classes
from conformance.gate.outcomes import (
    BehaviourChange,
    changes_of,
    gate_plan,
    outdated_changes,
    with_what_is_gone,
)
from conformance.gate.setting_changes import Declared, changeable, compared_outright
from conformance.jars.store import JarStore
from conformance.model.results import CellResult
from conformance.reports.console import make_console
from conformance.reports.json_report import JsonReport
from conformance.subjects.pair_of_jars import TwoJars


@click.command(
    epilog=exit_codes(
        "everything in both jars is the same, or its change is accepted",
        "something changed or is gone; an accepted change no longer occurs; or no behaviour "
        "drives a changed class (--fail-on-undriven)",
        "something could not be compared",
    )
)
@baseline_option
@candidate_option
@accepted_option
@click.option(
    "--write-accepted",
    "draft_file",
    type=click.Path(path_type=Path),
    help="Write the changes found as a draft of such a file; fill in causes and links.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    metavar="N",
    help="Finish in about N minutes; behaviours that ran too few cases are reported as "
    "not comparable.",
)
@click.option(
    "--fail-on-undriven",
    is_flag=True,
    help="Fail if a class has changes that no behaviour drives.",
)
@cache_options
@behaviour_option
@profile_option
@seed_option
@jobs_option
@stall_option
@json_option
@junit_option
@markdown_option
@output_option
@jars_option
@for_people
def gate(
    baseline: str,
    candidate: str,
    accepted_file: Path | None,
    draft_file: Path | None,
    minutes: float | None,
    fail_on_undriven: bool,
    kept_in: Path | None,
    behaviours: tuple[str, ...],
    profile: str,
    seed: str,
    jobs: int | None,
    stall_seconds: float,
    json_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    output: Path,
    jars_folder: Path | None,
) -> ExitCode:
    """Compare two kafka-clients jars on identical cases."""
    started = time.monotonic()
    outputs = Outputs(json_file, junit_file, output)
    outputs.check()
    owe(markdown_file, as_markdown)
    if draft_file is not None:
        check_output(draft_file)
    console = make_console()
    jars = two_jars(console, JarStore(jars_folder), baseline, candidate)
    accepted = accepted_changes(accepted_file, jars.before.client.version, changeable)
    wanted = behaviours or tuple(one.name for one in OF_JARS)
    plan = gate_plan(jars.before, jars.after, wanted, profile=profile, seed=seed_of(seed))
    jobs = default_jobs() if jobs is None else jobs
    jars, changed = watched(jars, Path(click.get_current_context().with_resource(_folder())))
    kept = KeptAnswers.prepare(
        console,
        kept_in,
        lambda folder: recordings(
            folder, plan, jars.subjects[0], {jars.before.client.version: jars.old.sha256}
        ),
    )
    report = JsonReport()
    runner = CellRunner(
        plan,
        *jars.subjects,
        accepted,
        budget=None if minutes is None else _budget(started + 60 * minutes, plan, jobs),
        recordings=kept.recordings,
    )
    result = run_with_reports(
        console,
        runner,
        None,
        [report],
        jobs=jobs,
        stall_seconds=stall_seconds,
        matrix=False,
        per_second=100,  # two real clients, watched: 11,000 cases took one to five minutes
    )
    _check(kept, jars)
    replay = ["--baseline", baseline, "--candidate", candidate, *replay_options(jars_folder)]
    suffix = f"-to-{jars.names[1]}"
    commands = report_divergences(console, result, output, replay, suffix=suffix)
    changes = changes_of(jars.before, jars.after, plan, result, accepted)
    if not behaviours:
        compared = _outright(jars, accepted)
        changes += [change for _, change in compared]
        result = replace(result, results=(*result.results, *(one for one, _ in compared)))
    gated = Gated(
        jars,
        changes,
        accepted,
        outdated_changes(accepted, jars.before, plan, result, whole=not behaviours),
        result,
        classes=None
        if result.interrupted  # for then nobody knows what the other cases would have driven
        else driven_classes(changed, jars.probes(), fail=fail_on_undriven),
    )
    gated.show(console, _told(kept))
    document = {
        **report.document(commands),
        "exit_code": int(gated.exit_code),
        "gate": gated.told(minutes, tuple(cell.behaviour for cell in kept.replayed)),
    }
    more = {}
    if markdown_file is not None:
        more[markdown_file] = gated.markdown(f"Profile {profile}, seed {plan.seed}", commands)
    if draft_file is not None:
        more[draft_file] = draft_known(with_what_is_gone(jars.before, result))
    outputs.write(document, result, commands, further=gated.further(), more=more)
    return gated.exit_code


def _folder() -> "TemporaryDirectory[str]":
    """For what workers tell of the case that they perform, and of what ran."""
    return TemporaryDirectory(prefix="kafka-conformance-gate-", ignore_cleanup_errors=True)


def _check(kept: KeptAnswers, jars: TwoJars) -> None:
    """Raises :class:`JarError` if a jar was replaced meanwhile, such as by a build.

    Then nobody knows what was asked: nothing is reported, and nothing is kept.
    """
    try:
        jars.old.check_unchanged()
        jars.new.check_unchanged()
    except JarError:
        kept.forget()
        raise


def _outright(
    jars: TwoJars, accepted: KnownDivergences
) -> list[tuple[CellResult, BehaviourChange]]:
    """What became of the settings of producer and consumer, and of serializers."""
    # Imported here because JPype is not needed for anything else in this process.
    from conformance.oracle.serialized import serialized_by  # noqa: PLC0415
    from conformance.oracle.settings import settings_of  # noqa: PLC0415

    both = [jars.old.all, jars.new.all]
    found = zip(settings_of(both), serialized_by(both), strict=True)
    old, new = (Declared(*one) for one in found)
    return compared_outright(jars.before.client.version, old, new, accepted)


def _told(kept: KeptAnswers) -> str:
    told = kept.told("the baseline's", "behaviours")
    return f"; {told}" if told else ""


def _budget(end: float, plan: Plan, jobs: int) -> Budget:
    cells = cells_in_order(plan, within_time=True)
    return Budget(end, [(cell, plan.cases_of(cell)) for cell in cells], max(1, jobs))

"""``kafka-conformance gate``: what changed between two kafka-clients jars?"""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from conformance.behaviours import BEHAVIOURS
from conformance.clients.inspected import WAYS
from conformance.commands.divergences import replay_options, report_divergences
from conformance.commands.gated import (
    Gated,
    accepted_changes,
    accepted_option,
    baseline_option,
    candidate_option,
    markdown_option,
)
from conformance.commands.kept import recordings, remove_damaged, tidy, usual_folder
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
from conformance.commands.two_jars import two_jars
from conformance.engine.budget import Budget
from conformance.engine.gate import (
    changes_of,
    gate_plan,
    outdated_changes,
    with_what_is_gone,
)
from conformance.engine.known import draft_known
from conformance.engine.plan import Plan
from conformance.engine.recording import Recording
from conformance.engine.run import CellRunner, cells_in_order, default_jobs
from conformance.errors import ExitCode, JarError, SuiteError, UsageError
from conformance.files import check_writable, first_writable, write_whole
from conformance.jars.store import JarStore
from conformance.reports.console import make_console
from conformance.reports.json_report import JsonReport
from conformance.subjects.two_jars import TwoJars


@click.command(
    epilog=exit_codes(
        "everything that both have is the same, or its change is accepted",
        "something changed, or is gone; or a change that was accepted is not there",
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
    help="Write what changed in the form of such a file; causes and links are yours to fill in.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    help="Be over in about so many; what got too little of them is not comparable.",
)
@click.option(
    "--cache",
    "cache_folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep what the baseline answers in this folder.  [default: the user's cache]",
)
@click.option("--no-cache", is_flag=True, help="Ask the baseline anew, and keep nothing.")
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
    cache_folder: Path | None,
    no_cache: bool,
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
    """Tell what changed from one kafka-clients jar to another, on identical cases."""
    started = time.monotonic()
    if no_cache and cache_folder is not None:
        raise UsageError("--cache and --no-cache exclude each other.", "Give one of them.")
    outputs = Outputs(json_file, junit_file, output)
    outputs.check()
    for file in filter(None, (draft_file, markdown_file)):
        check_writable(file)
    console = make_console()
    jars = two_jars(console, JarStore(jars_folder), baseline, candidate)
    accepted = accepted_changes(accepted_file, jars.before.client.version)
    wanted = behaviours or tuple(one.name for one in BEHAVIOURS if one.name in WAYS)
    plan = gate_plan(jars.before, jars.after, wanted, profile=profile, seed=seed_of(seed))
    jobs = default_jobs() if jobs is None else jobs
    kept = _Kept.prepare(console, None if no_cache else cache_folder or usual_folder(), plan, jars)
    report = JsonReport()
    runner = CellRunner(
        plan,
        *jars.subjects,
        accepted,
        budget=None if minutes is None else _budget(started + 60 * minutes, plan, jobs),
        recordings=kept.recordings,
    )
    result = run_with_reports(
        console, runner, None, [report], jobs=jobs, stall_seconds=stall_seconds, matrix=False
    )
    kept.check(jars)
    replay = ["--baseline", baseline, "--candidate", candidate, *replay_options(jars_folder)]
    suffix = f"-to-{jars.names[1]}"
    commands = report_divergences(console, result, output, replay, suffix=suffix)
    gated = Gated(
        jars,
        changes_of(jars.before, jars.after, plan, result, accepted),
        accepted,
        outdated_changes(accepted, jars.before, plan, result, whole=not behaviours),
        result,
    )
    gated.show(console, kept.summary())
    document = {
        **report.document(commands),
        "exit_code": int(gated.exit_code),
        "gate": gated.told(minutes, kept.replayed),
    }
    outputs.write(document, result, commands, further=gated.further())
    if markdown_file is not None:
        text = gated.markdown(f"Profile {profile}, seed {plan.seed}", commands)
        write_whole(markdown_file, text)
    if draft_file is not None:
        write_whole(draft_file, draft_known(with_what_is_gone(jars.before, result)))
    return gated.exit_code


@dataclass(frozen=True)
class _Kept:
    """Answers of the baseline that are at hand, or will be."""

    recordings: dict[str, Recording]
    replayed: tuple[str, ...] = ()
    """The behaviours for which they were at hand."""

    @classmethod
    def prepare(cls, console: Console, folder: Path | None, plan: Plan, jars: TwoJars) -> "_Kept":
        """Look for them; without a folder there are none."""
        if folder is None:
            return cls({})
        found = recordings(folder, plan, jars.old.sha256, jars.subjects[0])
        for problem in remove_damaged(found):
            console.print(problem, markup=False, soft_wrap=True, style="bold")
        try:
            remedy = "Name another one with --cache, or none with --no-cache."
            first_writable("The baseline's answers", [folder], remedy)
            tidy(folder, found)
        except SuiteError as error:  # what is there can still be read
            console.print(str(error), markup=False, soft_wrap=True, style="bold")
            found = {name: recording for name, recording in found.items() if recording.exists()}
        replayed = tuple(name for name, recording in found.items() if recording.exists())
        return cls(found, replayed)

    def check(self, jars: TwoJars) -> None:
        """Raises :class:`JarError` if a jar was replaced meanwhile, such as by a build.

        Then nobody knows what was asked: nothing is reported, and nothing is kept.
        """
        try:
            jars.old.check_unchanged()
            jars.new.check_unchanged()
        except JarError:
            for recording in self.recordings.values():
                with suppress(OSError):
                    recording.path.unlink(missing_ok=True)
            raise

    def summary(self) -> str:
        """How much of the baseline was not asked again, and what could not be kept."""
        told = ""
        if self.replayed:
            told = f"; the baseline's answers kept from before: {len(self.replayed)}"
            told += f" of {len(self.recordings)} behaviours"
        return told


def _budget(end: float, plan: Plan, jobs: int) -> Budget:
    cells = cells_in_order(plan, within_time=True)
    return Budget(end, [(cell, plan.cases_of(cell)) for cell in cells], max(1, jobs))

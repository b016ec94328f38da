"""What the commands do with divergences: save each, print it, name the command that replays it."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import platformdirs
from rich.console import Console

from conformance.commands.running import USUAL_LIMITS, chosen_limits
from conformance.errors import SuiteError
from conformance.files import first_writable
from conformance.model.results import CellResult, RunResult, Verdict
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import divergence_text, save_divergence
from conformance.testees.limits import Limits


def report_divergences(
    console: Console,
    result: RunResult,
    output: Path,
    options: Sequence[str],
    *,
    suffix: str = "",
) -> dict[str, str]:
    """Save and print each divergence; answers the replay commands by the cells' names.

    Known ones are saved, too, but not printed again. ``suffix`` ends the names of the files.
    """
    diverging = [cell for cell in result.results if cell.divergence is not None]
    if not diverging:
        return {}
    fallback = platformdirs.user_state_path("kafka-conformance")
    folder: Path | None = None
    try:
        folder = first_writable(
            "The divergences", [output, fallback], "Or name another one with --output."
        )
    except SuiteError as error:
        console.print(str(error), style="bold", markup=False, soft_wrap=True)
    if folder not in (output, None):
        moved = f"{output} cannot be written; divergences go to {folder}."
        console.print(moved, markup=False, soft_wrap=True)
    # Where there was room for a file there need not be enough for these.
    folders = [] if folder is None else [*dict.fromkeys((folder, fallback))]
    return {
        str(cell.cell): _report_divergence(console, cell, folders, options, suffix)
        for cell in diverging
    }


def replay_options(
    jars_folder: Path | None,
    folder: Path | None = None,
    command: Sequence[str] = (),
    limits: Limits = USUAL_LIMITS,
) -> list[str]:
    """The options of a command that its replay needs as well, with the testee's ``command``."""
    jars = [] if jars_folder is None else ["--jars", str(jars_folder)]
    if not command:
        return jars
    place = [] if folder is None else ["--folder", str(folder)]
    return [*jars, *place, *chosen_limits(limits), "--", *command]


def replay_command(path: Path, options: Sequence[str]) -> str:
    """The command that runs a saved divergence again."""
    return shlex.join(["kafka-conformance", "replay", str(path), *options])


def _report_divergence(
    console: Console,
    result: CellResult,
    folders: Sequence[Path],
    options: Sequence[str],
    suffix: str,
) -> str:
    """Save a divergence if possible, and tell it in any case."""
    assert result.divergence is not None
    command = "not possible, there is no file of this divergence"
    for folder in folders:
        try:
            saved = save_divergence(result.divergence, folder, suffix)
        except SuiteError as error:
            console.print(str(error), style="bold", markup=False, soft_wrap=True)
        else:
            command = replay_command(saved, options)
            break
    else:
        told = "This divergence is nowhere saved. To replay it, put the following into a file:"
        console.print(told, style="bold", markup=False, soft_wrap=True)
        console.print(divergence_text(result.divergence), markup=False, soft_wrap=True)
    if result.verdict is not Verdict.KNOWN:
        console.print()
        text = describe_divergence(result.divergence, command)
        console.print(text, markup=False, soft_wrap=True)
    return command

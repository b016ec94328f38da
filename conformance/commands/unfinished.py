"""Reports of a command that does not come to its end: they say why, and nothing else."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from conformance.commands.outputs import check_output
from conformance.errors import ExitCode, SuiteError
from conformance.files import write_whole
from conformance.model.results import RunResult, Verdict
from conformance.model.values import to_json
from conformance.reports.html.text import visible
from conformance.reports.json_report import UNFINISHED
from conformance.reports.junit_report import Further, junit_text
from conformance.suite_version import suite_version

Form = Callable[[str, str, ExitCode], str]
"""The text of a report: of which command, why it did not finish, and its exit code."""
_OWED: Final = "conformance.commands.unfinished"
_Mark = tuple[int, ...] | None
"""By which a file that was written meanwhile is known."""


def as_json(command: str, reason: str, code: ExitCode) -> str:
    """A document of its own format (unfinished.schema.json), whichever report was asked for."""
    document = {
        "format": UNFINISHED,
        "suite_version": suite_version(),
        "command": command,
        "exit_code": int(code),
        "reason": reason,
    }
    return to_json(document, indent=1) + "\n"


def as_junit(command: str, reason: str, code: ExitCode) -> str:
    """One test case, which is an error."""
    del code
    problem = Further("the whole run", Verdict.NOT_RUN, reason, of=command)
    return junit_text(RunResult((), 0.0, 1), {}, further=[problem])


def as_markdown(command: str, reason: str, code: ExitCode) -> str:
    """For a pull request."""
    del code
    told = textwrap.indent(visible(reason), "    ")
    return f"### kafka-conformance {command} did not finish\n\n{told}\n\nNothing is known.\n"


def owe(path: Path | None, form: Form) -> None:
    """Check that a report can be written, if one is wanted; if the command fails, it says why.

    Raises :class:`UsageError` now rather than after the run, see :func:`check_output`.
    """
    if path is None:
        return
    check_output(path)
    context = click.get_current_context()
    context.meta.setdefault(_OWED, {})[path] = (form, _mark(path))


def write_unfinished(console: Console, reason: str, code: ExitCode) -> None:
    """Write the reports that are owed, but for those that were written before the end."""
    context = click.get_current_context()
    owed: dict[Path, tuple[Form, _Mark]] = context.meta.get(_OWED, {})
    for path, (form, mark) in owed.items():
        if _mark(path) == mark:
            try:
                write_whole(path, form(context.info_name or "", reason, code))
            except SuiteError as error:
                console.print(str(error), markup=False, soft_wrap=True)


def _mark(path: Path) -> _Mark:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns

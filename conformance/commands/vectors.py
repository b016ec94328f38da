"""``kafka-conformance vectors``: write the test vectors, or check those that are there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from conformance.clients.versions import jars_of_matrix
from conformance.commands.shared import (
    exit_codes,
    fetch_progress,
    for_people,
    jars_option,
    lasting,
)
from conformance.errors import ExitCode, SuiteError, UsageError
from conformance.files import check_folder_writable, replace_folder
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.model.subject import Subject
from conformance.reports.console import make_console
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from conformance.vectors.check import hold
from conformance.vectors.document import README_FILE, SCHEMA_FILE
from conformance.vectors.files import holds_vectors, read_documents, vector_files
from conformance.vectors.lint import lint
from conformance.vectors.make import make_files, write_into

SEED: Final = 0
_SHOWN: Final = 20
_SECONDS: Final = (80, 240)
"""What it took: on two idle cores, and on two busy ones."""


@click.command(
    epilog=exit_codes(
        "written; with --check or --lint: all files are right",
        "--check: a file differs, or a vector is wrong",
        "something could not be run or written",
        mistake="your mistake: a folder with other files, a broken file, unknown flags",
    )
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("vectors"),
    show_default=True,
    help="The folder of vectors.",
)
@click.option(
    "--check", is_flag=True, help="Write nothing; check that the files are right, to the byte."
)
@click.option("--lint", "only_lint", is_flag=True, help="Only check ids, counts, flags and schema.")
@jars_option
@for_people
def vectors(output: Path, check: bool, only_lint: bool, jars_folder: Path | None) -> ExitCode:
    """Write or check test vectors with every client's answers."""
    if check and only_lint:
        raise UsageError("--check and --lint exclude each other.", "--check lints as well.")
    console = make_console()
    if check or only_lint:
        _lint(console, output)
        if only_lint:
            return ExitCode.CONFORMS
    else:
        _check_replaceable(output)
    find_java()
    store = JarStore(jars_folder)
    store.ensure(jars_of_matrix(), fetch_progress(console))
    oracle = JavaSubject(store)
    _say(console, f"Making all vectors anew takes {lasting(*_SECONDS)} on two cores.")
    if check:
        # First what people want to know; that a file differs follows from it, if anything is.
        wrong = _hold(console, output, "the real clients", oracle)
        wrong += _hold(console, output, "the Python port", PythonPort())
    files = make_files(
        oracle,
        SEED,
        lambda name, number: console.print(f"{name}: {number} vectors", soft_wrap=True),
    )
    if check:
        wrong += _compare(console, output, files)
        return ExitCode.DIVERGES if wrong else ExitCode.CONFORMS
    replace_folder(output, lambda folder: _fill(folder, files))
    size = sum(len(text) for text in files.values()) / 1000
    _say(console, f"Written: {len(files)} files in {output} ({size:,.0f} kB)")
    return ExitCode.CONFORMS


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files, and do not keep them unless they lint and the port agrees with Java."""
    write_into(folder, files)
    problems = lint(folder)
    if not problems:
        problems = [str(one) for one in hold(read_documents(folder), PythonPort()).failures]
    if problems:
        raise SuiteError(
            "The vectors are wrong, so they were not written:\n  " + "\n  ".join(problems[:_SHOWN]),
            "This is a bug in the suite or in the Python port.",
        )


def _check_replaceable(folder: Path) -> None:
    """Raises :class:`UsageError` for a folder that cannot be replaced, or holds other things."""
    check_folder_writable(folder)
    if not folder.is_dir():
        return
    foreign = sorted(path.name for path in folder.iterdir() if not _is_ours(path))
    if foreign:
        raise UsageError(
            f"{folder} holds files that are not vectors: {', '.join(foreign[:_SHOWN])}.",
            "The command would replace the whole folder. Name another one (--output).",
        )


def _is_ours(path: Path) -> bool:
    return path.is_file() and (path.name in (README_FILE, SCHEMA_FILE) or holds_vectors(path))


def _lint(console: Console, folder: Path) -> None:
    """Raises :class:`UsageError` with all that is wrong."""
    problems = lint(folder)
    if problems:
        raise UsageError(
            f"The files in {folder} are not correct vectors:\n  " + "\n  ".join(problems),
            "Do not edit them; write them with: kafka-conformance vectors.",
        )
    _say(console, f"Lint: {len(vector_files(folder))} files in {folder}, no problems")


def _hold(console: Console, folder: Path, name: str, subject: Subject) -> int:
    """How many vectors do not hold for a subject."""
    outcome = hold(read_documents(folder), subject)
    for failure in outcome.failures[:_SHOWN]:
        _say(console, f"Wrong: {failure}")
    held = outcome.answers - len(outcome.failures)
    _say(console, f"Compared with {name}: {held} of {outcome.answers} answers are right")
    return len(outcome.failures)


def _compare(console: Console, folder: Path, files: Mapping[str, str]) -> int:
    """How many files are not the same bytes."""
    there = {path.name for path in folder.iterdir()}
    wrong = [f"{folder / name} is missing" for name in files if name not in there]
    wrong += [
        f"{folder / name} is not a file of the vectors" for name in sorted(there - files.keys())
    ]
    for name, text in files.items():
        if name in there and (folder / name).read_bytes() != text.encode():
            wrong.append(f"{folder / name} differs{_first_difference(folder / name, text)}")
    for problem in wrong:
        _say(console, f"Differs: {problem}; write it again: kafka-conformance vectors")
    if not wrong:
        _say(console, f"Generated again: the same bytes in all {len(files)} files")
    return len(wrong)


def _first_difference(path: Path, text: str) -> str:
    lines = path.read_text("utf-8", "replace").splitlines()
    for number, (old, new) in enumerate(zip(lines, text.splitlines(), strict=False), 1):
        if old != new:
            return f" from line {number} on: {old.strip()[:80]!r}, not {new.strip()[:80]!r}"
    return " in its length, or in its line endings"


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)

"""Every broken testee of the catalogue gets its stated verdict, in time, and leaves nothing."""

import os
from pathlib import Path
from xml.etree import ElementTree as ET

import psutil
import pytest

from conformance.model.results import Verdict
from tests.cli.running import Outcome, Suite, check_schema, end_of
from tests.landing import first_of_each
from tests.testees.broken import FAULTS
from tests.testees.catalogue import CATALOGUE, Entry, Stated
from tests.testees.running import (
    MEBIBYTE,
    TINY,
    arguments,
    expect_none_left,
    name_of,
    peak_memory,
    run_here,
    stopwatch,
)

_IN_ALL = 300.0
"""Seconds for what takes no time limit, on a slow machine; what hangs does so for 600."""
_MORE_MEMORY = 300 * MEBIBYTE
"""What this process, whose JVM runs already, may take for a testee."""
_MEMORY = 1000 * MEBIBYTE
"""Of the command, its worker and the worker's JVM."""
_VERDICTS = {
    Stated.ACCEPTED: Verdict.CONFORMS,
    Stated.DIVERGES: Verdict.DIVERGES,
    Stated.NOT_RUN: Verdict.NOT_RUN,
}
_JUNIT = {
    Stated.ACCEPTED: ["0", "0"],
    Stated.DIVERGES: ["1", "0"],
    Stated.NOT_RUN: ["0", "1"],
}
"""Failures and errors."""
BROKEN = first_of_each(CATALOGUE, lambda entry: entry.kind)
_WHOLE = [entry for entry in CATALOGUE if entry.whole]


def test_the_catalogue_has_every_fault_once() -> None:
    assert sorted(entry.fault for entry in CATALOGUE) == sorted(FAULTS)
    assert all(entry.what for entry in CATALOGUE)
    broken = [entry for entry in CATALOGUE if entry.stated is not Stated.ACCEPTED]
    assert len(broken) >= 25
    assert len(_WHOLE) >= 15


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("./no-such-program", "No such file or directory"),
        ("no-such-command", "there is no such command on the PATH"),
        (".", "it is a folder"),
        ("./not-executable", "it may not be executed (see chmod +x)"),
        ("./no-program", "it is no program of this machine, and no script"),
        ("./no-interpreter", "its first line is '#!/no/such/python3 -I', and there is no such"),
        ("a\0b", "null byte"),
    ],
)
def test_what_is_no_program_does_not_start(
    command: str, words: str, tmp_path: Path, here: None
) -> None:
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    (tmp_path / "no-program").write_bytes(b"\x7fnothing")
    (tmp_path / "no-program").chmod(0o700)
    (tmp_path / "no-interpreter").write_text("#!/no/such/python3 -I\n")
    (tmp_path / "no-interpreter").chmod(0o700)
    outcome = run_here(["testee", "--", command, "argument"])
    outcome.expect(
        3,
        f"The testee {command!r} does not start",
        words,
        "Give the command after --",
    )


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Once a testee has been run here, Java and what the suite imports have their memory."""
    [honest] = [entry for entry in CATALOGUE if entry.fault == "honest topics"]
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "HYPOTHESIS_STORAGE_DIRECTORY"):
            patched.setenv(name, str(folder))
        assert run_here(arguments(honest, folder)).code == honest.stated.exit_code


@pytest.mark.parametrize("entry", BROKEN, ids=name_of)
def test_verdict(entry: Entry, tmp_path: Path, warm: None, here: None) -> None:
    own = psutil.Process().memory_info().rss
    with stopwatch(_IN_ALL + entry.seconds), peak_memory(os.getpid(), workers=False) as peak:
        outcome = run_here(arguments(entry, tmp_path, TINY))
    _expect(entry, outcome, tmp_path)
    assert peak.bytes - own < _MORE_MEMORY, f"{peak.bytes / MEBIBYTE:.0f} MiB"


@pytest.mark.parametrize("entry", first_of_each(_WHOLE, lambda entry: entry.stated), ids=name_of)
def test_verdict_of_the_whole_command(entry: Entry, suite: Suite, tmp_path: Path) -> None:
    with stopwatch(_IN_ALL + 2 * entry.seconds):
        process = suite.start(*arguments(entry, tmp_path))
        with peak_memory(process.pid, workers=True) as peak:
            outcome = end_of(process, _IN_ALL + 2 * entry.seconds)
    _expect(entry, outcome, tmp_path)
    assert peak.bytes < _MEMORY, f"{peak.bytes / MEBIBYTE:.0f} MiB"


def _expect(entry: Entry, outcome: Outcome, folder: Path) -> None:
    """The stated verdict, told on the screen and in the reports, and nothing left behind."""
    expect_none_left(folder)
    outcome.expect(entry.stated.exit_code, *entry.words)
    if entry.stated is Stated.NO_START:
        assert "Error: " in outcome.err
        reason = check_schema(folder / "report.json", "unfinished")["reason"]
        assert outcome.err.startswith(f"Error: {reason}")
        [failed] = ET.parse(folder / "report.xml").getroot()
        assert failed.get("errors") == "1"
        return
    report = check_schema(folder / "report.json", "report")
    assert report["exit_code"] == entry.stated.exit_code
    [cell] = report["cells"]
    assert cell["verdict"] == _VERDICTS[entry.stated]
    results = ET.parse(folder / "report.xml").getroot().find("testsuite")
    assert results is not None
    found = [results.get(of) for of in ("tests", "failures", "errors", "skipped")]
    assert found == ["1", *_JUNIT[entry.stated], "0"]

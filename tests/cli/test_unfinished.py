"""A command that fails after its line was understood leaves every report that was asked for."""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.commands import baseline_and_candidate, running
from conformance.errors import JavaNotUsableError, UsageError
from conformance.files import write_whole
from conformance.reports.html.documents import load_documents
from tests.cli.running import check_schema

_GATE = ("--baseline", "3.2.3", "--candidate", "3.8.0")
COMMANDS = {
    "run": ((), ("json", "junit")),
    "gate": (_GATE, ("json", "junit", "markdown")),
    "gate-stats": (_GATE, ("junit", "markdown")),
    "history": ((), ("json", "markdown")),
}
"""The words of each command that has reports, and the reports."""


def _call(folder: Path, name: str, words: tuple[str, ...], reports: tuple[str, ...]) -> Result:
    files = [word for one in reports for word in (f"--{one}", str(folder / one))]
    return CliRunner().invoke(main, [name, *files, *words])


def _expect_reports(
    folder: Path, name: str, reports: tuple[str, ...], reason: str, code: int = 3
) -> None:
    assert sorted(path.name for path in folder.iterdir()) == sorted(reports)
    if "json" in reports:
        document = check_schema(folder / "json", "unfinished")
        assert (document["command"], document["exit_code"]) == (name, code)
        assert reason in document["reason"]
    if "junit" in reports:
        [suite] = ET.parse(folder / "junit").getroot()
        assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
        [error] = suite.findall("testcase/error")
        assert reason in (error.get("message") or "")
    if "markdown" in reports:
        text = (folder / "markdown").read_text("utf-8")
        assert text.startswith(f"### kafka-conformance {name} did not finish\n\n    ")
        assert reason in text


def _fails(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail() -> None:
        raise error

    for module in (running, baseline_and_candidate):
        monkeypatch.setattr(module, "find_java", fail)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (JavaNotUsableError("There is no Java.", "Install one."), "There is no Java.\n  Install"),
        (RuntimeError("planted"), "A bug in the suite: RuntimeError('planted')"),
        (KeyboardInterrupt(), "Interrupted."),
    ],
    ids=["no Java", "a bug", "Ctrl-C"],
)
def test_every_report_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException, reason: str
) -> None:
    words, reports = COMMANDS[name]
    if name == "history":
        words += ("--plot", str(tmp_path / "no picture"))
    _fails(monkeypatch, error)
    answer = _call(tmp_path, name, words, reports)
    assert answer.exit_code == 3, answer.output
    # In Markdown each line is indented, so that it is shown as it is.
    _expect_reports(tmp_path, name, reports, reason.partition("\n")[0])


def test_a_testee_that_does_not_start_leaves_reports(tmp_path: Path) -> None:
    words = ("--", sys.executable, "-c", "raise SystemExit(7)")
    answer = _call(tmp_path, "testee", words, ("json", "junit"))
    assert answer.exit_code == 3
    _expect_reports(tmp_path, "testee", ("json", "junit"), "exited with code 7")


def test_a_corrupt_jar_leaves_reports(tmp_path: Path) -> None:
    jar = tmp_path / "spoilt.jar"
    jar.write_bytes(b"PK, but no archive")
    folder = tmp_path / "reports"
    folder.mkdir()
    reports = COMMANDS["gate"][1]
    answer = _call(folder, "gate", ("--baseline", str(jar), "--candidate", "3.8.0"), reports)
    assert answer.exit_code == 2
    _expect_reports(folder, "gate", reports, "spoilt.jar", 2)


def test_a_mistake_on_the_command_line_leaves_none(tmp_path: Path) -> None:
    answer = _call(tmp_path, "run", ("--behaviour", "stocky"), ("json", "junit"))
    assert answer.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_was_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_one() -> None:
        write_whole(tmp_path / "json", "{}\n")
        raise JavaNotUsableError("It failed later.", "Nothing.")

    monkeypatch.setattr(running, "find_java", write_one)
    assert _call(tmp_path, "run", (), ("json", "junit")).exit_code == 3
    assert (tmp_path / "json").read_text() == "{}\n"
    assert "It failed later." in (tmp_path / "junit").read_text()


def test_no_page_is_made_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fails(monkeypatch, JavaNotUsableError("There is no Java.", "Install one."))
    assert _call(tmp_path, "run", (), ("json",)).exit_code == 3
    with pytest.raises(UsageError, match="did not finish: There is no Java"):
        load_documents([tmp_path / "json"])

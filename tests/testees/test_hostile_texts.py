"""Texts that would do something to a terminal or a report do nothing there."""

import io
import json
import os
import pty
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from conformance.cli import main
from conformance.commands.divergences import report_divergences
from conformance.model.results import Cell, CellResult, Divergence, RunResult, Verdict
from conformance.model.values import from_json
from conformance.reports.describe import describe_divergence
from conformance.reports.junit_report import junit_text
from conformance.text import inert
from tests.cli.running import Suite
from tests.landing import first_of_each
from tests.testees.broken import HOSTILE
from tests.testees.catalogue import CATALOGUE, Entry
from tests.testees.running import TINY, arguments, name_of, run_here

MEBIBYTE = 2**20


def _entries(*faults: str) -> list[Entry]:
    return [entry for entry in CATALOGUE if entry.fault in faults]


_HOSTILE = _entries(
    *(entry.fault for entry in CATALOGUE if "hostile" in entry.fault),
    "name is markup",
)
_ON_A_TERMINAL = _entries("hostile hello", "hostile log", "hostile reason for everything")
_RAW = [piece for piece in HOSTILE.split() if not piece.isprintable()]


def _expect_inert(text: str) -> None:
    """No control characters but line ends, no marks that turn the direction, no surrogates."""
    # The matrix is cut and padded by its library, with nothing but spaces and lines.
    acting = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert acting <= {"\n"}, sorted(map(ascii, acting))


@given(st.text())
def test_inert_texts_are_printable_and_others_stay(text: str) -> None:
    clean = inert(text)
    assert clean.isprintable()
    assert inert(clean) == clean
    assert (clean == text) == text.isprintable()


def test_inert_shows_what_was_there() -> None:
    assert inert("\x1b[31m\x00\u202e\x9b\ud800\n\t[b]ä") == (
        r"\x1b[31m\x00\u202e\x9b\ud800\n\t[b]" "ä"
    )


@pytest.mark.parametrize("entry", _HOSTILE, ids=name_of)
def test_nothing_of_a_testee_acts_on_screens_or_in_reports(
    entry: Entry, tmp_path: Path, here: None
) -> None:
    outcome = run_here(arguments(entry, tmp_path, TINY))
    _expect_inert(outcome.text)
    report, results = (tmp_path / name for name in ("report.json", "report.xml"))
    _expect_inert(report.read_text("utf-8"))
    _expect_inert(results.read_text("utf-8"))
    suite = ET.parse(results).getroot().find("testsuite")
    assert suite is not None
    # Markup of XML in a name is text there: nothing but the elements of a report.
    assert {element.tag for element in suite.iter()} <= {
        *("testsuite", "testcase", "failure", "error", "skipped", "system-out")
    }
    page = tmp_path / "page.html"
    made = CliRunner().invoke(main, ["report", str(report), "--output", str(page)])
    assert made.exit_code == 0, made.output
    _expect_inert(page.read_text("utf-8"))
    assert "<b>&amp;[/]" not in page.read_text("utf-8")
    for file in tmp_path.glob("divergences/*.json"):
        _expect_inert(file.read_text("utf-8"))
        from_json(file.read_text("utf-8"))


@pytest.mark.parametrize(
    "entry", first_of_each(_ON_A_TERMINAL, lambda entry: entry.behaviour), ids=name_of
)
def test_nothing_of_a_testee_reaches_a_terminal(entry: Entry, suite: Suite, tmp_path: Path) -> None:
    suite.environment = {"TERM": "xterm-256color", "NO_COLOR": "1"}
    ours, theirs = pty.openpty()
    process = suite.start(*arguments(entry, tmp_path), streams=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            seen += os.read(ours, 2**16)
        except OSError:  # how Linux tells that the other side was closed
            break
    os.close(ours)
    assert process.wait(60) == entry.stated.exit_code
    text = seen.decode("utf-8")
    assert r"\x1b[31mred" in text
    for piece in _RAW:
        assert piece not in text, ascii(piece)
    # What is left are the progress bar's own: it moves the cursor, hides it and erases lines.
    _expect_inert(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text))


def _divergence(topic: str, key: bytes, config: dict[str, object]) -> Divergence:
    steps = [{"op": "partition", "topic": topic, "key": key, "metadata": 0}]
    return Divergence(
        cell=Cell("round-robin", "3.8.0"),
        expected_of="Java 3.8.0",
        answered_by="testee",
        case={"config": config, "metadata": [[(topic, [[0, 0], [1, None]])]], "steps": steps},
        expected=[{"answer": 0}],
        answered=[{"answer": 1}],
        step=0,
        java_method="RoundRobinPartitioner.partition",
        seed=0,
        cases_before=3,
    )


_TOPICS = [HOSTILE, "\ud800", "[red]", "[/]", "<script>alert(1)</script>", "]]>", "a\nb", "\u202e"]
_KEYS = [HOSTILE.encode(), b"[/]", b"\x1b[2J", b"\0", b"\xff", "\u202e".encode(), b"x" * MEBIBYTE]


def _expect_inert_reports(divergence: Divergence, folder: Path) -> None:
    screen = io.StringIO()
    console = Console(file=screen, highlight=False, emoji=False, width=100)
    cell = CellResult(divergence.cell, Verdict.DIVERGES, divergence=divergence)
    run = RunResult((cell,), 1.0, 1)
    commands = report_divergences(console, run, folder, [])
    _expect_inert(screen.getvalue())
    _expect_inert(describe_divergence(divergence, "replay"))
    root = ET.fromstring(junit_text(run, commands))
    [failure] = root.iter("failure")
    # An attribute keeps its line ends as they are, a text may lose those of Windows.
    assert (failure.text or "").split() == describe_divergence(
        divergence, commands[str(divergence.cell)]
    ).split()
    _expect_inert(failure.text or "")
    [file] = folder.glob("*.json")
    text = file.read_text("utf-8")
    _expect_inert(text)
    assert json.loads(text)


@pytest.mark.parametrize("topic", _TOPICS, ids=ascii)
def test_hostile_topics_are_inert(topic: str, tmp_path: Path) -> None:
    _expect_inert_reports(_divergence(topic, b"k", {}), tmp_path)


@pytest.mark.parametrize("key", _KEYS, ids=lambda key: ascii(key[:20]))
def test_hostile_keys_are_inert(key: bytes, tmp_path: Path) -> None:
    divergence = _divergence("t", key, {})
    _expect_inert_reports(divergence, tmp_path)
    assert len(describe_divergence(divergence, "replay")) < 1000


@pytest.mark.parametrize("topic", [HOSTILE, "\u202e"], ids=ascii)
def test_hostile_topics_of_states_and_counters_are_inert(topic: str, tmp_path: Path) -> None:
    divergence = _divergence(topic, b"k", {"counters": {topic: 3}})
    shown = replace(divergence, answered=[{"answer": 0, "state": {topic: 3}}])
    _expect_inert_reports(shown, tmp_path)

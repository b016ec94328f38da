"""Ctrl-C, SIGTERM, SIGHUP: a clean stop with what is known so far, whenever it comes."""

import signal
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.running import QUICK, Suite, check_schema, interrupt, wait_until
from tests.landing import later


@pytest.mark.parametrize(
    ("jobs", "by"),
    [
        later(("0", signal.SIGINT)),
        ("1", signal.SIGINT),
        later(("0", signal.SIGTERM)),
        ("1", signal.SIGTERM),
        later(("1", signal.SIGHUP)),
    ],
)
def test_finished_cells_are_reported(suite: Suite, jobs: str, by: signal.Signals) -> None:
    suite.bug = "waiting_last_cell"
    options = ("--jobs", jobs, "--json", "r.json", "--junit", "r.xml")
    process = suite.start("run", *QUICK, *options)
    wait_until(lambda: suite.marked("waiting"), "the last cell")
    outcome = interrupt(process, by=by)
    outcome.expect(3, "NOT RUN", "Interrupted. 1 conform, 0 diverge, 1 not run, 2 absent")
    assert outcome.err == ""
    report = check_schema(suite.cwd / "r.json", "report")
    assert report["interrupted"]
    assert report["exit_code"] == 3
    assert [cell["verdict"] for cell in report["cells"]] == [
        "absent",
        "conforms",
        "not run",
        "absent",
    ]
    assert report["cells"][2]["reason"] == "The run was interrupted."
    whole = ET.parse(suite.cwd / "r.xml").getroot()[0]
    assert (whole.get("tests"), whole.get("errors")) == ("4", "1")
    assert suite.files() == ["r.json", "r.xml"]


def test_whole_default_run(suite: Suite) -> None:
    process = suite.start("run", "--json", "r.json")
    assert process.stdout is not None
    assert "cells" in process.stdout.readline()
    time.sleep(3)
    outcome = interrupt(process)
    outcome.expect(3, "NOT RUN", "Interrupted. ")
    assert outcome.err == ""
    report = check_schema(suite.cwd / "r.json", "report")
    assert report["interrupted"]
    verdicts = {cell["verdict"] for cell in report["cells"]}
    assert "not run" in verdicts
    assert "diverges" not in verdicts
    assert suite.files() == ["r.json"]


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_while_workers_start(suite: Suite, by: signal.Signals) -> None:
    """The terminal interrupts the workers, too; none may complain about it."""
    suite.bug = "slow_worker_start"
    process = suite.start("run", *QUICK, "--json", "r.json")
    wait_until(lambda: suite.marked("waiting"), "the workers' start")
    outcome = interrupt(process, by=by)
    outcome.expect(3, "Interrupted. 0 conform, 0 diverge, 2 not run")
    assert outcome.err == ""
    # What it would say may be lost: the parent ends it at the same time.
    assert not suite.marked("open to Ctrl-C")
    assert check_schema(suite.cwd / "r.json", "report")["interrupted"]


def test_while_the_suite_is_imported(suite: Suite) -> None:
    suite.bug = "slow_import"
    process = suite.start("run", *QUICK, "--json", "r.json")
    wait_until(lambda: suite.marked("waiting"), "the import")
    outcome = interrupt(process).expect(3)
    assert outcome.text == "Interrupted.\n"
    assert suite.files() == []


def test_while_java_is_asked_for_its_version(suite: Suite) -> None:
    mark = suite.place / "waiting"
    java = suite.place / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\ntouch '{mark}'\nexec sleep 60\n")
    java.chmod(0o755)
    suite.environment = {"JAVA_HOME": str(Path(java).parents[1])}
    process = suite.start("run", *QUICK)
    wait_until(lambda: suite.marked("waiting"), "java -version")
    assert interrupt(process).expect(3).text == "Interrupted.\n"

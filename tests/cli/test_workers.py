"""Workers that die, hang or fail: their cell is not run and says why, the others are run."""

from xml.etree import ElementTree as ET

import pytest

from tests.cli.running import QUICK, Suite, check_schema
from tests.landing import later


@pytest.mark.parametrize(
    ("bug", "options", "reason"),
    [
        ("killed_worker", [], "The worker process, with its JVM, was killed by SIGKILL."),
        later(("halting_jvm", [], "The worker process, with its JVM, exited with code 7.")),
        ("hanging_case", ["--stall-seconds", "25"], "No case finished for 25 s: a subject hangs"),
        ("broken_oracle", [], "The suite failed: RuntimeError: planted"),
        later(("broken_oracle", ["--jobs", "0"], "The suite failed: RuntimeError: planted")),
    ],
    ids=["killed", "halted", "hanging", "broken", "broken here"],
)
def test_one_cell_is_not_run(suite: Suite, bug: str, options: list[str], reason: str) -> None:
    suite.bug = bug
    reports = ("--json", "r.json", "--junit", "r.xml")
    # A single worker: what it did not get to has to be run by its successor.
    outcome = suite.run("run", *QUICK, "--jobs", "1", *options, *reports)
    outcome.expect(
        3,
        f"sticky[3.2.3]: not run: {reason}",
        "NOT RUN",
        "1 conform, 0 diverge, 1 not run, 2 absent",
    )
    report = check_schema(suite.cwd / "r.json", "report")
    assert report["exit_code"] == 3
    assert not report["interrupted"]
    assert [cell["verdict"] for cell in report["cells"]] == [
        "absent",
        "not run",
        "conforms",
        "absent",
    ]
    assert report["cells"][1]["reason"].startswith(reason)
    # And what to do about it, on a line of its own.
    assert "\n  " in report["cells"][1]["reason"]
    whole = ET.parse(suite.cwd / "r.xml").getroot()[0]
    counts = {name: whole.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "0", "errors": "1", "skipped": "2"}
    error = whole.find("testcase[@classname='kafka-clients-3.2.3']/error")
    assert error is not None
    assert (error.get("message") or "").startswith(reason)
    assert suite.files() == ["r.json", "r.xml"]


def test_workers_that_never_start(suite: Suite) -> None:
    suite.bug = "stillborn_worker"
    outcome = suite.run("run", *QUICK)
    outcome.expect(3, "sticky[3.2.3]: not run: ", "exited with code 5", "0 conform, 0 diverge, 2")


def test_bug_in_the_suite_is_no_divergence(suite: Suite) -> None:
    """Python ends with 1 for an uncaught exception, which is the code of a divergence."""
    suite.bug = "bug_in_the_suite"
    outcome = suite.run("run", *QUICK)
    assert outcome.code == 3
    assert "RuntimeError: planted" in outcome.err
    assert "a bug in the suite; please report it" in outcome.err

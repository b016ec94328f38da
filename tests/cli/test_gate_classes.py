"""``gate`` and what it does not watch: changed classes that no behaviour drives."""

from xml.etree import ElementTree as ET

from tests.cli.running import Suite, check_schema
from tests.doctored import CACHE, CACHE_SOURCE, PRODUCER, doctored
from tests.landing import nightly

EXHAUSTED = f"{PRODUCER}.BufferExhaustedException"
EXHAUSTED_SOURCE = """package org.apache.kafka.clients.producer;

public class BufferExhaustedException extends org.apache.kafka.common.errors.TimeoutException {
    public BufferExhaustedException(String message) { super(message + "!"); }
}
"""
FILES = ("--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md")


def gate(*options: str) -> tuple[str, ...]:
    jars = ("--baseline", "3.8.0", "--candidate", "own.jar")
    return ("gate", *jars, "--profile", "quick", "--behaviour", "sticky-cache", *options)


def test_changed_classes_are_told_apart_by_whether_a_behaviour_drives_them(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    sources = {CACHE: CACHE_SOURCE, EXHAUSTED: EXHAUSTED_SOURCE}
    doctored(suite.cwd / "own.jar", sources)
    undriven = f"{EXHAUSTED}: <init>(String) did not run"
    counted = "2 classes of the producer changed, 1 of them driven."
    suite.run(*gate(*FILES)).expect(0, "driven by no behaviour", undriven, counted)
    classes = check_schema(suite.cwd / "gate.json", "report")["gate"]["classes"]
    assert classes == {
        "fail": False,
        "outcomes": [
            {"name": EXHAUSTED, "change": "changed", "driven": False, "idle": ["<init>(String)"]},
            {"name": CACHE, "change": "changed", "driven": True, "idle": []},
        ],
    }
    assert undriven in (suite.cwd / "gate.md").read_text("utf-8")
    # The baseline's answers are at hand now, which changes nothing of what the candidate runs.
    suite.run(*gate(*FILES, "--fail-on-undriven")).expect(1, undriven, counted, "1 same")
    [failure] = ET.parse(suite.cwd / "gate.xml").findall(".//failure")
    assert failure.get("message") == f"not driven: {undriven}"


@nightly
def test_all_that_changed_may_be_driven(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    doctored(suite.cwd / "own.jar", {CACHE: CACHE_SOURCE})
    told = "1 class of the producer changed, 1 of them driven."
    answer = suite.run(*gate("--fail-on-undriven")).expect(0, told)
    assert "driven by no behaviour" not in answer.out

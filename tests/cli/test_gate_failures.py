"""``gate`` and candidates that hang, end the JVM, or fail in what a case takes for granted."""

import signal
from pathlib import Path
from xml.etree import ElementTree as ET

import psutil
import pytest

from tests.cli.running import Suite, check_schema, interrupt, wait_until
from tests.doctored import CACHE, CACHE_SOURCE, PRODUCER, doctored
from tests.landing import later, nightly

TURNS = f"{PRODUCER}.RoundRobinPartitioner"
AVAILABLE = "List<PartitionInfo> available = cluster.availablePartitionsForTopic(topic);"
MAKES = "public class StickyPartitionCache {"
ROUND_ROBIN = """package org.apache.kafka.clients.producer;

import java.util.Map;
import org.apache.kafka.common.Cluster;

public class RoundRobinPartitioner implements Partitioner {
    private final java.util.concurrent.ConcurrentMap topicCounterMap
        = new java.util.concurrent.ConcurrentHashMap();

    public void configure(Map<String, ?> configs) { }

    public int partition(String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster) {
        while (true)
            Thread.onSpinWait();
    }

    public void close() { }
}
"""  # noqa: E501


def _touches(mark: Path) -> str:
    """Java that makes a file."""
    return f'try {{ new java.io.File("{mark}").createNewFile(); }} catch (Exception e) {{ }}'


def gate(*names: str) -> tuple[str, ...]:
    jars = ("--baseline", "3.8.0", "--candidate", "own.jar", "--json", "gate.json")
    chosen = [word for name in names for word in ("--behaviour", name)]
    return ("gate", *jars, "--profile", "quick", "--no-cache", *chosen)


@pytest.mark.parametrize(
    ("replaced", "by", "what", "told"),
    [
        (
            AVAILABLE,
            f"if (topic.length() > 1) System.exit(7); {AVAILABLE}",
            "died",
            "throws the client died: its process exited with code 7",
        ),
        later(
            (
                MAKES,
                f"{MAKES} public StickyPartitionCache() {{ indexCache.get(null); }}",
                "error java.lang.NullPointerException for a number",
                "failed at a step that every case relies on: java.lang.NullPointerException",
            )
        ),
    ],
    ids=["exits", "cannot be made"],
)
def test_what_the_baseline_survives_is_a_change(
    suite: Suite, replaced: str, by: str, what: str, told: str
) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    assert replaced in CACHE_SOURCE
    doctored(suite.cwd / "own.jar", {CACHE: CACHE_SOURCE.replace(replaced, by)})
    answer = suite.run(*gate("sticky-cache", "murmur2"))
    answer.expect(1, "changed", what, told, "1 changed, 1 same", "Steps:")
    assert "bug in the suite" not in answer.out
    [change] = [
        one
        for one in check_schema(suite.cwd / "gate.json", "report")["gate"]["changes"]
        if one["behaviour"] == "sticky-cache"
    ]
    assert change["change"] == "changed"


@nightly
def test_what_hangs_is_waited_for_once(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    doctored(suite.cwd / "own.jar", {TURNS: ROUND_ROBIN})
    names = ("round-robin", "round-robin-sends")
    answer = suite.run(*gate(*names), "--stall-seconds", "30", "--jobs", "1")
    answer.expect(1, "2 changed; 2 cases", "The case was not shrunk")
    assert answer.out.count("throws the client died: no answer for 30 s") == 1
    assert answer.out.count("throws the client died: no answer for 15 s") == 1


def test_a_class_that_exits_when_it_is_initialised_is_named_in_all_reports(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    exits = f"{MAKES} static {{ System.exit(7); }}"
    doctored(suite.cwd / "own.jar", {CACHE: CACHE_SOURCE.replace(MAKES, exits)})
    files = ("--junit", "gate.xml", "--markdown", "gate.md")
    told = f"own.jar: class {CACHE} cannot be loaded: its process exited with code 7"
    suite.run(*gate("sticky-cache", "murmur2"), *files).expect(3, told, "1 not comparable, 1 same")
    changes = check_schema(suite.cwd / "gate.json", "report")["gate"]["changes"]
    [what] = [one["what"] for one in changes if one["behaviour"] == "sticky-cache"]
    assert told in what
    assert told in (suite.cwd / "gate.md").read_text("utf-8")
    errors = ET.parse(suite.cwd / "gate.xml").getroot().iter("error")
    assert [one for one in errors if told in (one.get("message") or "") + (one.text or "")]


def test_a_gate_that_looks_at_a_class_without_end_can_be_ended(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    mark = suite.place / "waiting"
    touch = _touches(mark)
    loops = f"static void spin() {{ while (true) ; }} static {{ {touch} spin(); }}"
    doctored(suite.cwd / "own.jar", {CACHE: CACHE_SOURCE.replace(MAKES, f"{MAKES} {loops}")})
    process = suite.start(*gate("sticky-cache", "murmur2"))
    wait_until(lambda: suite.marked("waiting"), "the class without end")
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    interrupt(process, by=signal.SIGTERM).expect(3, "Interrupted.")
    assert not [child for child in children if child.is_running() and child.status() != "zombie"]


def test_what_an_interrupted_gate_did_not_drive_is_not_said_to_be_undriven(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    hangs = f"{_touches(suite.place / 'waiting')} while (topic != null) Thread.onSpinWait();"
    source = CACHE_SOURCE.replace(AVAILABLE, f"{hangs} {AVAILABLE}")
    doctored(suite.cwd / "own.jar", {CACHE: source})
    process = suite.start(*gate("sticky-cache", "murmur2"), "--jobs", "1", "--fail-on-undriven")
    wait_until(lambda: suite.marked("waiting"), "the case without end")
    answer = interrupt(process)
    unknown = "Which of the changed classes the behaviours drive is not known."
    answer.expect(3, "Interrupted.", unknown)
    assert "driven by no behaviour" not in answer.out
    report = check_schema(suite.cwd / "gate.json", "report")
    assert report["interrupted"] is True
    assert report["gate"]["classes"] is None

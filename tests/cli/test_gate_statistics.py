"""``gate-stats``: two jars by the million records; what its tests say of both."""

import time
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance.engine.known import KnownDivergence, KnownDivergences
from conformance.gate.distributions import compared
from conformance.gate.outcomes import Change, outcome_of
from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from conformance.model.outcome import Effect, Kind, Outcome
from conformance.model.results import Cell, Verdict
from conformance.statistics.verdicts import Judged, Subjected
from tests.cli.running import Suite, check_schema, interrupt, wait_until
from tests.cli.spoilt_jars import Change as EntryChange
from tests.cli.spoilt_jars import spoilt, without
from tests.landing import later, nightly

CONFORMS, DIVERGES, NOT_RUN = Verdict.CONFORMS, Verdict.DIVERGES, Verdict.NOT_RUN
CELL = Cell("sticky", "3.8.0")
EACH = "record by record"
CRASHED = "sticky: b: seen; sticky: a: of the baseline alone: seen"
UNCLEAR = "a: neither is as expected; record by record: too few"


def judged(**verdicts: Verdict) -> list[Judged]:
    of = Subjected("sticky", "3.8.0", "a jar", "a jar")
    return [
        Judged(
            of,
            Outcome(
                name,
                Kind.EXACT,
                1000,
                detail="seen",
                not_run="too few" if verdict is NOT_RUN else None,
            ),
            verdict,
            None,
            None,
        )
        for name, verdict in verdicts.items()
    ]


@pytest.mark.parametrize(
    ("old", "new", "change", "what"),
    [
        ({"a": CONFORMS}, {"a": CONFORMS, "compared": CONFORMS}, Change.SAME, ""),
        (
            {"a": CONFORMS},
            {"a": DIVERGES},
            Change.CHANGED,
            "sticky: a: no longer as expected: seen",
        ),
        (
            {"a": DIVERGES},
            {"a": CONFORMS},
            Change.CHANGED,
            "sticky: a: as expected now, and was not",
        ),
        (
            {"a": CONFORMS},
            {"a": CONFORMS, "compared": DIVERGES},
            Change.CHANGED,
            "sticky: compared: seen",
        ),
        ({"a": DIVERGES}, {"a": DIVERGES}, Change.NOT_COMPARABLE, "a: neither is as expected"),
        ({"a": NOT_RUN}, {"a": NOT_RUN}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": NOT_RUN}, {"a": CONFORMS}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": CONFORMS}, {"a": NOT_RUN}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": NOT_RUN}, {"a": DIVERGES}, Change.NOT_COMPARABLE, "a: too few"),
        ({"a": CONFORMS}, {}, Change.NOT_COMPARABLE, "a: not made of the candidate"),
        ({}, {}, Change.NOT_COMPARABLE, "there are no tests"),
        ({"a": DIVERGES}, {"b": DIVERGES}, Change.CHANGED, CRASHED),
        ({"a": DIVERGES}, {"a": DIVERGES, EACH: CONFORMS}, Change.SAME, ""),
        ({"a": DIVERGES}, {"a": DIVERGES, EACH: NOT_RUN}, Change.NOT_COMPARABLE, UNCLEAR),
    ],
)
def test_what_tests_say_of_two_jars(
    old: dict[str, Verdict], new: dict[str, Verdict], change: Change, what: str
) -> None:
    result = compared(CELL, judged(**old), judged(**new))
    outcome = outcome_of(result, (result.records, 1000), (True, True))
    assert (outcome.change, outcome.what) == (change, what)
    assert outcome.cases == (1000 if new else 0)


def test_all_of_what_changed_has_to_be_accepted() -> None:
    old, new = judged(a=CONFORMS, b=DIVERGES), judged(a=DIVERGES, b=CONFORMS)
    for tests, change in ((["a"], Change.CHANGED), (["a", "b"], Change.CHANGE_ACCEPTED)):
        differences = tuple(f"sticky: {test}" for test in tests)
        entry = KnownDivergence("sticky", ("3.8.0",), differences, "meant", "KIP-0")
        accepted = KnownDivergences((entry,))
        outcome = outcome_of(compared(CELL, old, new, accepted), (1, 1), (True, True), accepted)
        assert outcome.change is change
        assert "sticky: a: no longer as expected: seen: meant (KIP-0)" in outcome.what


def test_what_is_accepted_hides_no_test_that_was_not_made() -> None:
    old, new = judged(a=CONFORMS, b=NOT_RUN), judged(a=DIVERGES, b=NOT_RUN)
    entry = KnownDivergence("sticky", ("3.8.0",), ("sticky: a",), "meant", "KIP-0")
    accepted = KnownDivergences((entry,))
    outcome = outcome_of(compared(CELL, old, new, accepted), (1, 1), (True, True), accepted)
    assert (outcome.change, outcome.what) == (Change.NOT_COMPARABLE, "b: too few")
    assert compared(CELL, old, new).verdict is DIVERGES


def test_a_change_by_chance_is_told_with_its_size() -> None:
    effect = Effect(0.2, 0.1, 0.3, choices=10)
    outcome = Outcome("shares", Kind.STATISTICAL, 1000, p=1e-9, effect=effect)
    new = [Judged(Subjected("sticky", "3.8.0", "a jar", "a jar"), outcome, DIVERGES, 1e-8, 0.01)]
    [test] = compared(CELL, judged(shares=CONFORMS), new).tests
    assert test.detail.startswith("no longer as expected: off as if one of 10 partitions were")
    assert "(p = 1e-08 among all tests, 1,000 choices)" in test.detail


WITHOUT_ACCUMULATOR = without("internals/BufferPool.class")


def release_and_own(suite: Suite, change: EntryChange) -> tuple[Path, Path]:
    """3.8.0, and as own.jar where the suite runs the same with changed entries."""
    suite.cwd.mkdir(parents=True, exist_ok=True)
    [release, *_] = JarStore().ensure(jars_of_client("3.8.0"))
    return release, spoilt(release, suite.cwd / "own.jar", change)


@nightly
def test_two_jars_are_sampled(suite: Suite) -> None:
    release, own = release_and_own(suite, WITHOUT_ACCUMULATOR)
    names = ("keyed/uuid", "round-robin", "adaptive", "built-in/in-turn")
    chosen = [word for name in names for word in ("--distribution", name)]
    pair = ("--baseline", "3.8.0", "--candidate", "own.jar", "--master", "local[1]")
    answer = suite.run("gate-stats", *pair, *chosen, "--records", "400k", "--output", "out")
    answer.expect(3, "1 not comparable, 3 same", "cannot be driven")
    document = check_schema(suite.cwd / "out" / "results.json", "statistics")
    assert not [one for one in document["absent"] if one["distribution"] == "built-in/in-turn"]
    subjects = {test["subject"] for test in document["tests"]}
    digests = {sha256(jar.read_bytes()).hexdigest()[:8] for jar in (release, own)}
    assert subjects == {f"kafka-clients 3.8.0 (SHA-256 {digest})" for digest in digests}


MURMUR2_M = bytes.fromhex("5bd1e995")
"""What murmur2 multiplies by."""
ACCEPTED = """
[[divergence]]
behaviour = "keyed/uuid"
clients = ["3.8.0"]
differences = ["uuid: record by record"]
cause = "another hash"
link = "KIP-0"

[[divergence]]
behaviour = "sticky"
clients = ["3.8.0"]
differences = ["gone"]
cause = "removed"
link = "KIP-794"
"""


def with_another_hash(name: str, content: bytes) -> bytes | None:
    """Neither a known hash nor the partitioner that was deprecated."""
    if name.endswith("internals/DefaultPartitioner.class"):
        return None
    if name.endswith("common/utils/Utils.class"):
        assert content.count(MURMUR2_M) == 1
        return content.replace(MURMUR2_M, bytes.fromhex("5bd1e997"))
    return content


@nightly
def test_what_cannot_be_driven_alone_is_reported_as_such(suite: Suite) -> None:
    release_and_own(suite, WITHOUT_ACCUMULATOR)
    pair = ("--baseline", "3.8.0", "--candidate", "own.jar", "--output", "out")
    answer = suite.run("gate-stats", *pair, "--distribution", "built-in/in-turn")
    answer.expect(3, "1 not comparable; 0 records", "BufferPool")
    document = check_schema(suite.cwd / "out" / "results.json", "statistics")
    assert (document["exit_code"], document["tests"], document["absent"]) == (3, [], [])


@nightly
def test_what_was_accepted_and_could_not_be_tested_is_not_stale(suite: Suite) -> None:
    suite.cwd.mkdir(parents=True, exist_ok=True)
    accepted = ACCEPTED.replace("keyed/uuid", "round-robin/producer")
    (suite.cwd / "accepted.toml").write_text(
        accepted.replace("uuid: record by record", "producer: starves")
    )
    pair = ("--baseline", "3.8.0", "--candidate", "3.8.0", "--master", "local[1]")
    few = ("--distribution", "round-robin/producer", "--records", "1k")
    answer = suite.run("gate-stats", *pair, *few, "--accepted", "accepted.toml")
    answer.expect(3, "starves: no block for")
    assert "no longer occurs" not in answer.out


@nightly
def test_a_change_is_reported_until_it_is_accepted(suite: Suite) -> None:
    release_and_own(suite, with_another_hash)
    pair = ("--baseline", "3.8.0", "--candidate", "own.jar", "--master", "local[1]")
    chosen = ("--distribution", "keyed/uuid", "--distribution", "sticky")
    reports = ("--junit", "gate.xml", "--markdown", "gate.md", "--output", "out")
    run = ("gate-stats", *pair, *chosen, "--records", "100k", *reports)
    gone = "3.8.0 has no DefaultPartitioner"
    suite.run(*run).expect(1, "1 changed, 1 gone", "records go elsewhere", gone)
    document = check_schema(suite.cwd / "out" / "results.json", "statistics")
    assert document["exit_code"] == 1
    changes = {one["behaviour"]: one["change"] for one in document["gate"]["changes"]}
    assert changes == {"keyed/uuid": "changed", "sticky": "gone"}
    [xml] = ElementTree.parse(suite.cwd / "gate.xml").getroot()
    assert (xml.get("tests"), xml.get("failures"), xml.get("errors")) == ("3", "2", "0")
    markdown = (suite.cwd / "gate.md").read_text("utf-8")
    assert "| keyed/uuid | **changed** | 100,000 | `uuid: record by record: " in markdown
    assert f"| sticky | **gone** |  | `{gone}" in markdown

    accepted = suite.cwd / "accepted.toml"
    accepted.write_text(ACCEPTED, "utf-8")
    run = (*run, "--accepted", str(accepted))
    suite.run(*run).expect(0, "1 changed (accepted), 1 gone (accepted)", "another hash (KIP-0)")
    accepted.write_text(ACCEPTED.replace("record by record", "uniform"), "utf-8")
    told = ("1 changed, 1 gone (accepted)", "'uuid: uniform' is listed, but did not occur")
    suite.run(*run).expect(1, *told)
    accepted.write_text(ACCEPTED.replace("keyed/uuid", "keyed"), "utf-8")
    suite.run(*run).expect(2, "There is no distribution 'keyed'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--distribution", "keyed/uid"), "There is no distribution 'keyed/uid'"),
        (("--distribution", "sticky"), "none of these behaviours in common"),
        later((("--accepted", "no.toml"), "no.toml cannot be read")),
        later((("--junit", "."), "is a folder")),
        (("--junit", "out/a.xml", "--output", "out"), "would be in the folder of --output"),
        later((("--records", "many"), "'many' is not a number of records")),
    ],
)
def test_mistakes(suite: Suite, options: tuple[str, ...], message: str) -> None:
    pair = ("--baseline", "2.3.1", "--candidate", "3.8.0")
    suite.run("gate-stats", *pair, *options).expect(2, message)


@pytest.mark.parametrize("seconds", [0.0, later(1.0)])
def test_ctrl_c_while_jars_are_tried_ends_it(suite: Suite, seconds: float) -> None:
    process = suite.start("gate-stats", "--baseline", "3.2.3", "--candidate", "3.8.0")
    said = process.stdout
    assert said is not None
    wait_until(lambda: "Candidate" in said.readline(), "the start")
    time.sleep(seconds)
    interrupt(process).expect(3, "Interrupted.")

"""``gate``: two jars on identical cases; what is no jar of kafka-clients is said to be none."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conformance.behaviours.registry import OF_JARS
from conformance.clients.inspection import inspect_jars
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.gate.setting_changes import OF_SETTINGS, OUTRIGHT
from conformance.jars.lock import jars_of_client, release_jars
from conformance.jars.store import JarStore
from conformance.model.client_version import ClientVersion
from tests.cli.running import Suite
from tests.landing import nightly
from tests.releases import release_paths

_OF_JARS = [behaviour.name for behaviour in OF_JARS]

QUICK = ("gate", "--profile", "quick")


def gate(baseline: str, candidate: str, *options: str) -> tuple[str, ...]:
    return (*QUICK, "--baseline", baseline, "--candidate", candidate, *options)


@nightly
def test_a_jar_is_the_same_as_itself(suite: Suite) -> None:
    suite.run(*gate("3.8.0", "3.8.0", "--json", "gate.json")).expect(0, "Both are the same file")
    changes = json.loads((suite.cwd / "gate.json").read_text())["gate"]["changes"]
    assert {one["behaviour"]: one["change"] for one in changes} == {
        **dict.fromkeys((*_OF_JARS, *OUTRIGHT), "same"),
        **dict.fromkeys(("round-robin-null-key", "rack-aware"), "in neither"),
    }


@nightly
def test_what_is_gone_fails_and_what_is_new_does_not(suite: Suite) -> None:
    names = ("round-robin-null-key", "sticky", "keyed")
    chosen = [word for name in names for word in ("--behaviour", name)]
    files = ("--json", "gate.json", "--junit", "gate.xml")
    suite.run(*gate("2.3.1", "3.2.3", *chosen, *files)).expect(1, "topicCounterMap")
    changes = json.loads((suite.cwd / "gate.json").read_text())["gate"]["changes"]
    assert {one["behaviour"]: one["change"] for one in changes} == {
        "round-robin-null-key": "gone",
        "sticky": "new",
        "keyed": "same",
    }
    failures = ET.parse(suite.cwd / "gate.xml").findall(".//failure")
    assert [one.get("message", "")[:5] for one in failures] == ["gone:"]
    without = gate("2.3.1", "3.2.3", "--behaviour", "sticky", "--behaviour", "keyed")
    suite.run(*without).expect(0)


def test_a_change_is_shown_by_its_smallest_case(suite: Suite) -> None:
    # With null metadata 3.8.0 counts before it fails, 3.2.3 does not.
    answer = suite.run(*gate("3.2.3", "3.8.0", "--behaviour", "round-robin"))
    answer.expect(
        1,
        "kafka-clients 3.8.0 differs from kafka-clients 3.2.3",
        ": null",
        "Replay: kafka-conformance replay conformance-results/round-robin-3.2.3-to-3.8.0.json "
        "--baseline 3.2.3 --candidate 3.8.0",
        "changed",
    )


@nightly
def test_bare_counts_are_not_asked_of_a_jar_that_lacks_them(suite: Suite) -> None:
    suite.run(*gate("3.2.3", "3.8.0", "--behaviour", "keyed")).expect(0, "same")


@nightly
def test_nothing_of_the_newest_release_is_beyond_the_gate(suite: Suite) -> None:
    [*_, newest] = release_jars()
    [path] = release_paths([newest])
    suite.run(*gate("3.8.0", str(path), "--json", "gate.json")).expect(1)
    changes = json.loads((suite.cwd / "gate.json").read_text())["gate"]["changes"]
    assert {one["behaviour"]: one["change"] for one in changes} == {
        **dict.fromkeys(_OF_JARS, "same"),
        "round-robin-null-key": "in neither",
        "rack-aware": "new",
        **dict.fromkeys(("sticky", "sticky-cache", "uniform-sticky"), "gone"),
        "serializers": "same",
        # It asks a partitioner once, splits a batch of a split one again, and tells nobody of
        # new batches.
        **dict.fromkeys(("round-robin-sends", "accumulator", "producer"), "changed"),
        **dict.fromkeys(OF_SETTINGS, "changed"),
    }


@pytest.mark.parametrize("client", CLIENT_VERSIONS, ids=str)
def test_inspection_finds_what_the_behaviours_declare(client: ClientVersion) -> None:
    paths: list[Path] = JarStore().ensure(jars_of_client(client.version))
    [found] = inspect_jars([paths])
    declared = {name: way for name, way in client.realised_by.items() if name in _OF_JARS}
    assert dict(found.client.realised_by) == declared

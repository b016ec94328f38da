"""Whatever has an entry for each behaviour has one for each: nothing is forgotten silently."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from conformance.behaviours.registry import BEHAVIOURS, OF_JARS
from conformance.clients.versions import CLIENT_VERSIONS, release, why_absent
from conformance.distributions.of_testees import distributions_of
from conformance.model.behaviour import Behaviour
from conformance.model.ways import Member, Way, way_in
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.sight import SEEN_BY
from conformance.subjects.with_hello import SAMPLED
from conformance.vectors.boundaries import BOUNDARIES

ROOT = Path(__file__).parents[2]
NAMES = [behaviour.name for behaviour in BEHAVIOURS]
OF_TESTEES = [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]
ADD_IT = "a behaviour is missing, or there is one too many; see docs/adding.md"


def _schema(name: str) -> Any:
    text = (resources.files("conformance") / "schemas" / f"{name}.schema.json").read_text("utf-8")
    return json.loads(text)


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda one: one.name)
def test_a_behaviour_says_all_that_there_is_to_say(behaviour: Behaviour) -> None:
    assert behaviour.ways, "how a jar shows it"
    assert behaviour.meaning, "what a difference means to a user"
    assert behaviour.summary
    assert behaviour.operations
    assert behaviour.interesting
    assert set(behaviour.only_with) <= set(behaviour.operations)
    assert set(behaviour.contexts) <= set(behaviour.interesting)
    assert any(way_in(behaviour.ways, client.version) for client in CLIENT_VERSIONS)


@pytest.mark.parametrize("version", ["1.1.1", "2.3.1", "2.4.0", "3.3.0", "3.9.2", "4.4.0", "10.0"])
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda one: one.name)
def test_every_release_has_a_behaviour_or_a_reason(behaviour: Behaviour, version: str) -> None:
    client = release(version, "no_port")
    if client.shows(behaviour.name):
        assert client.realised_by[behaviour.name].startswith("org.apache.kafka.")
    else:
        assert client.absent[behaviour.name]


def test_a_way_has_a_first_and_a_last_release() -> None:
    way = Way("Some.method", (Member("Some"),), since="2.4", until="4.0")
    assert [way.is_in(one) for one in ("2.3.1", "2.4", "2.10.0", "3.9.2", "4.0.0")] == [
        *(False, True, True, True, False)
    ]
    first = Way("Other.method", (Member("Other"),), since="3.3")
    assert way_in((first, way), "3.2.3") == way
    assert way_in((first, way), "3.3.0") == first
    assert way_in((first, way), "2.0.0") is None


def test_what_a_release_lacks_came_later_or_went_before() -> None:
    (sticky,) = (one for one in BEHAVIOURS if one.name == "sticky")
    assert why_absent(sticky, "2.3.1") == sticky.arrived
    assert why_absent(sticky, "4.4.0") == sticky.gone


@pytest.mark.parametrize(
    "where",
    [
        ("hello", "behaviours", "propertyNames"),
        ("cases", "behaviour"),
        ("records", "behaviour"),
    ],
    ids=str,
)
def test_the_protocol_has_the_behaviours_of_testees(where: tuple[str, ...]) -> None:
    message, *path = where
    place = _schema("protocol")["$defs"][message]["properties"]
    for name in path:
        place = place[name]
    assert place["enum"] == [behaviour.name for behaviour in OF_TESTEES], ADD_IT


def test_vectors_have_the_behaviours_of_testees_and_their_operations() -> None:
    schema = _schema("vectors")
    assert schema["properties"]["behaviour"]["enum"] == [one.name for one in OF_TESTEES], ADD_IT
    operations = schema["$defs"]["step"]["properties"]["op"]["enum"]
    assert set(operations) == {name for one in OF_TESTEES for name in one.operations}, ADD_IT


def test_every_behaviour_of_testees_has_boundary_cases() -> None:
    assert [*BOUNDARIES] == [behaviour.name for behaviour in OF_TESTEES], ADD_IT


def test_a_testee_is_sampled_where_there_is_something_to_sample() -> None:
    asked = {behaviour.name for behaviour in BEHAVIOURS if distributions_of(behaviour.name, ())}
    declared = {one.name for one in BEHAVIOURS if one.sampled or one.takes_records}
    assert asked == declared, ADD_IT
    assert declared <= {behaviour.name for behaviour in OF_TESTEES}
    assert {one.name for one in BEHAVIOURS if one.only_null_keys} <= SAMPLED


def test_every_behaviour_has_planted_bugs_and_a_file_of_the_port() -> None:
    assert {mutant.behaviour for mutant in MUTANTS} == set(NAMES), ADD_IT
    assert {name for seen_by in SEEN_BY.values() for name in seen_by} == set(NAMES), ADD_IT


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("protocol.md", [one.name for one in OF_TESTEES]),
        ("history.md", [one.name for one in OF_JARS]),
        ("vectors.md", [one.name for one in OF_TESTEES]),
        ("score.md", NAMES),
        ("suite-quality.md", NAMES),
    ],
)
def test_pages_tell_of_every_behaviour(page: str, names: list[str]) -> None:
    told = set(re.findall(r"[a-z0-9-]+", (ROOT / "docs" / page).read_text("utf-8")))
    assert set(names) - told == set(), ADD_IT

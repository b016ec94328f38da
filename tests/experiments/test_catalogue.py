"""The experiments themselves: names, claims that are about what runs, the map."""

import re

import pytest

from conformance.errors import UsageError
from conformance.experiments.catalogue import (
    CLIENTS,
    EXPERIMENTS,
    MAP,
    Condition,
    Experiment,
    experiments_named,
)
from conformance.experiments.client import LEAST_VALUE
from conformance.jars.lock import locked_release

EACH = [one for make in EXPERIMENTS.values() for one in make()]


@pytest.mark.parametrize("experiment", EACH, ids=lambda one: one.name)
def test_each_claim_is_about_runs_that_are_made(experiment: Experiment) -> None:
    names = [variant.name for variant in experiment.variants]
    assert len(set(names)) == len(names)
    for claim in experiment.claims:
        assert set(claim.variants) <= {*names}, claim.name
    assert len({claim.name for claim in experiment.claims}) == len(experiment.claims)


def test_names_can_begin_those_of_topics() -> None:
    names = [one.name for one in EACH]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-zA-Z0-9._-]{1,60}", name) for name in names)


def test_each_client_is_in_the_lock() -> None:
    assert {locked_release(one).version for one in CLIENTS} == {*CLIENTS}
    assert {variant.client for one in EACH for variant in one.variants} <= {*CLIENTS}


def test_all_is_everything_but_the_map() -> None:
    named = [one.name for one in experiments_named(["all"])]
    assert named == [one for one in EXPERIMENTS if one != MAP]
    assert experiments_named(["cross", "all"])[0].name == "cross"
    assert len(experiments_named(["cross", "cross"])) == 1


def test_an_unknown_experiment_is_told_with_the_closest() -> None:
    with pytest.raises(UsageError, match="Did you mean sticky-slow-brokers"):
        experiments_named(["sticky-slow-broker"])


def test_the_cross_has_every_client_in_every_condition() -> None:
    [cross] = experiments_named(["cross"])
    pairs = {(variant.client, variant.condition) for variant in cross.variants}
    assert pairs == {(client, condition) for client in CLIENTS for condition in Condition}


def test_the_map_has_each_slowness_at_each_rate() -> None:
    usual = [one for one in EXPERIMENTS[MAP]() if _others(one) == (10, 100_000, 36)]
    places = {(one.slow_ms, one.interval_ns) for one in usual}
    assert (
        len(places)
        == len(usual)
        == len({one for one, _ in places}) * len({one for _, one in places})
    )
    assert all(one.slow_ms for one in EXPERIMENTS[MAP]())


def test_what_else_the_map_varies_is_varied_alone() -> None:
    usual = {(one.slow_ms, one.interval_ns): _others(one) for one in EXPERIMENTS[MAP]()[:15]}
    for one in EXPERIMENTS[MAP]()[15:]:
        base = usual[one.slow_ms, one.interval_ns]
        assert sum(mine != theirs for mine, theirs in zip(_others(one), base, strict=True)) == 1
    for place in range(3):
        assert len({_others(one)[place] for one in EXPERIMENTS[MAP]()}) > 1
    assert len({one.name for one in EXPERIMENTS[MAP]()}) == len(EXPERIMENTS[MAP]())


def _others(condition: Experiment) -> tuple[int, int, int]:
    """What a condition is but for slowness and rate."""
    return condition.partitions, condition.records, condition.value_bytes


def test_values_have_room_for_what_tells_records_apart() -> None:
    assert all(one.value_bytes >= LEAST_VALUE for one in EACH)

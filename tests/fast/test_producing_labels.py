"""Classes of accumulators' and producers' histories: what counts as one, and what does not."""

from typing import Any

import pytest

import python_impl
from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from tests.examples import test_accumulator as accumulator
from tests.examples import test_producer as producer

_METADATA = [[("t", [[0, 0], [1, 0]])]]


def _labels(behaviour: str, case: Case, version: str = "3.8.0") -> set[str]:
    """The classes of a case, by what the port answers."""
    of, client = behaviour_named(behaviour), client_named(version)
    return set(of.labels(case, of.port(client, python_impl)(case)))


def _other(partition: int, at: str) -> dict[str, Any]:
    """A record of another thread, and where it comes."""
    return {"topic": "t", "partition": partition, "key": None, "size": 36, "at": at}


@pytest.mark.parametrize(
    ("others", "is_race"),
    [
        ([_other(0, "memory")], True),
        ([_other(1, "memory")], False),  # opens a batch elsewhere
        ([_other(1, "memory"), _other(0, "memory")], True),
        # The first opens the batch before this one looks, so this one never waits.
        ([_other(0, "peek"), _other(0, "memory")], False),
    ],
)
def test_a_race_is_one_only_if_the_record_itself_waits(
    others: list[dict[str, Any]], is_race: bool
) -> None:
    step = {**accumulator.append(0, 0), "meanwhile": others}
    config = {**accumulator.CONFIG, "batch_size": 200}
    case = {"config": config, "metadata": _METADATA, "steps": [step]}
    labels = _labels("accumulator", case)
    assert ("race" in labels) == is_race
    assert ("three threads" in labels) == (len(others) == 2)


_ANOTHER = {"topic": "t", "partition": 0, "key": None}
"""What an interceptor hands on instead, without a header."""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, set()),
        ({"timestamp": "0"}, {"own time"}),
        ({"timestamp": "7"}, set()),  # the clock's
        ({"timestamp": "-1"}, {"no such time"}),
        ({"header": 164}, set()),
        ({"header": 165}, {"large header"}),
        ({"size": 201, "header": 500}, set()),  # it is too large without
        ({"header": 500, "replacements": [_ANOTHER]}, set()),
    ],
)
def test_what_is_special_of_a_record_itself(more: dict[str, Any], expected: set[str]) -> None:
    config = {**producer.CONFIG, "batch_size": 200}
    steps = [{**producer.send(7), "size": 36, **more}]
    case = {"config": config, "metadata": _METADATA, "steps": steps}
    special = {"own time", "no such time", "large header"}
    assert _labels("producer", case) & special == expected


def test_a_producer_that_is_over_is_no_partitioner_that_fails() -> None:
    """An id that is refused for good, in 3.2.3; then another record."""
    refused = {**producer.look(0), "turns": [["answer", 31, -1, -1]]}
    config = {**producer.CONFIG, "linger_ms": 0, "idempotence": True}
    steps = [producer.send(0), refused, producer.send(0)]
    case = {"config": config, "metadata": _METADATA, "steps": steps}
    labels = _labels("producer", case, "3.2.3")
    assert "ended" in labels
    assert "partitioner fails" not in labels

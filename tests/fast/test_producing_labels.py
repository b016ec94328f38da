"""Classes of accumulators' and producers' histories: what counts as one, and what does not."""

from typing import Any

import pytest

import python_impl
from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case

_METADATA = [[("t", [[0, 0], [1, 0]])]]
_ACCUMULATOR = {
    **{"batch_size": 200, "linger_ms": 0, "buffer_memory": 1 << 20, "adaptive": True},
    **{"backoff_ms": 100, "backoff_max_ms": 100, "delivery_timeout_ms": 1000},
    "availability_timeout_ms": 0,
}


def _labels(behaviour: str, case: Case, version: str = "3.8.0") -> set[str]:
    """The classes of a case, by what the port answers."""
    of, client = behaviour_named(behaviour), client_named(version)
    return set(of.labels(case, of.port(client, python_impl)(case)))


def _record(partition: int | None, size: int = 36, **more: Any) -> dict[str, Any]:
    return {"topic": "t", "partition": partition, "key": None, "size": size, **more}


def _append(partition: int | None, *others: dict[str, Any]) -> dict[str, Any]:
    step = {"op": "append", **_record(partition), "abort": False, "now": 0, "metadata": 0}
    return {**step, "draw": [0, 0], "told": True, "meanwhile": [*others]}


@pytest.mark.parametrize(
    ("others", "is_race"),
    [
        ([_record(0, at="memory")], True),
        ([_record(1, at="memory")], False),  # opens a batch elsewhere
        ([_record(1, at="memory"), _record(0, at="memory")], True),
        # The first opens the batch before this one looks, so this one never waits.
        ([_record(0, at="peek"), _record(0, at="memory")], False),
    ],
)
def test_a_race_is_one_only_if_the_record_itself_waits(
    others: list[dict[str, Any]], is_race: bool
) -> None:
    case = {"config": _ACCUMULATOR, "metadata": _METADATA, "steps": [_append(0, *others)]}
    labels = _labels("accumulator", case)
    assert ("race" in labels) == is_race
    assert ("three threads" in labels) == (len(others) == 2)


_PRODUCER = {
    **{"batch_size": 200, "linger_ms": 0, "buffer_memory": 1 << 20, "retry_backoff_ms": 100},
    **{"retry_backoff_max_ms": 100, "request_timeout_ms": 30, "delivery_timeout_ms": 100},
    **{"adaptive": False, "availability_timeout_ms": 0, "idempotence": False},
    **{"max_request_size": 1 << 20, "max_in_flight": 1, "acks": -1, "retries": 1},
    **{"max_block_ms": 100, "ignore_keys": False, "partitioner": None, "compression": "none"},
    **{"estimated_percent": 100, "invalid_topic": None},
}


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
    step = {"op": "send", **_record(0), "arrivals": [], "refuses": None, "now": 7, "metadata": 0}
    case = {
        "config": _PRODUCER,
        "metadata": _METADATA,
        "steps": [{**step, "epoch": -1, "draw": [0, 0], **more}],
    }
    special = {"own time", "no such time", "large header"}
    assert _labels("producer", case) & special == expected


def test_a_producer_that_is_over_is_no_partitioner_that_fails() -> None:
    """An id that is refused for good, in 3.2.3; then another record."""
    send = {"op": "send", **_record(0), "arrivals": [], "refuses": None, "now": 0, "metadata": 0}
    send |= {"epoch": -1, "draw": [0, 0]}
    refused = {"op": "pass", "now": 0, "metadata": 0, "epoch": -1, "unready": [], "draw": [0, 0]}
    refused["turns"] = [["answer", 31, -1, -1]]
    config = {**_PRODUCER, "idempotence": True, "max_in_flight": 5}
    case = {"config": config, "metadata": _METADATA, "steps": [send, refused, send]}
    labels = _labels("producer", case, "3.2.3")
    assert "ended" in labels
    assert "partitioner fails" not in labels

"""Classes of accumulators' and producers' histories: what counts as one, and what does not."""

from typing import Any

import pytest

import python_impl
from conformance.behaviours.producing.thread_labels import LATE_PEEK, OF_THREADS
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


def _other(partition: int) -> dict[str, Any]:
    """A record of another thread."""
    return {"topic": "t", "partition": partition, "key": None, "size": 36}


def _together(
    partitions: list[int], order: list[int], memory: int, *, size: int = 36, closed: bool = False
) -> set[str]:
    """Classes of records for these partitions, of which a step's own is for the first."""
    first, *others = partitions
    together = {"meanwhile": list(map(_other, others)), "order": order}
    steps = [{**accumulator.append(0, first, size), **together}]
    if closed:
        steps.insert(0, {"op": "close"})
    config = {**accumulator.CONFIG, "batch_size": 200, "buffer_memory": memory}
    case = {"config": config, "metadata": _METADATA, "steps": steps}
    return _labels("accumulator", case) & {*OF_THREADS}


@pytest.mark.parametrize(
    ("partitions", "order", "expected"),
    [
        # A thread pauses when its partition is chosen, before it gets memory, and after that.
        ([0, 0], [], set()),
        ([0, 0], [0, 0, 1, 1, 1, 1], {"race"}),  # the first waits while the other opens its batch
        ([0, 0], [0, 0, 0, 1, 1, 1, 1], {"race"}),  # it has memory by then
        ([0, 0], [0, 1, 1, 1, 1], set()),  # it has not looked for room yet
        ([1, 0], [0, 0, 1, 1, 1, 1], set()),  # the other opens a batch elsewhere
        ([0, 0], [0, 0, 1, 1, 0, 0], {"race", "crossed"}),  # the other waits, and joins
        ([1, 0], [0, 1, 0, 0, 0], {"crossed"}),
        ([0, 0, 0], [0, 1, 1, 1, 1, 2, 2, 2, 2], {"three threads"}),
        ([0, 0, 0], [0, 1, 1, 1, 1, 0], set()),  # the third begins after this one
    ],
)
def test_threads_that_append_together(
    partitions: list[int], order: list[int], expected: set[str]
) -> None:
    assert _together(partitions, order, 1 << 20) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([0, 0, 0, 1, 1, 1], {"held"}),
        ([1, 1, 1, 1, 0], set()),  # the other has used it by then
        ([0, 0, 1, 1, 1, 1], set()),  # the other gets it first
        ([0, 0, 1, 1, 1, 0], {"held"}),  # it has some only after this one began to wait
        ([1, 1, 1, 0, 0, 1, 0], set()),  # and has used it before this one goes on
    ],
)
def test_memory_is_held_only_by_a_thread_that_has_not_used_it(
    order: list[int], expected: set[str]
) -> None:
    """There is memory for one batch, and the two records go to different partitions."""
    assert _together([1, 0], order, 200) & {"held"} == expected


def test_what_no_memory_would_be_enough_for_is_not_kept_from_it() -> None:
    assert _together([1, 0], [1, 1, 1, 0, 0, 0], 1000, size=5000) == set()


def test_records_for_a_closed_accumulator_are_in_the_middle_of_none() -> None:
    order = [0, 1, 1, 2, 2, 0]
    assert "three threads" not in _together([0, 0, 0], order, 1000, closed=True)


@pytest.mark.parametrize(
    ("other", "order", "expected"),
    [
        ({"partition": None, "size": 400}, [0, 1, 1, 1, 1], True),
        ({"partition": None, "size": 1}, [0, 1, 1, 1, 1], False),  # it does not fill the batch
        ({"partition": None, "size": 400}, [1, 1, 1, 1, 0], False),  # it has gone before
        ({"partition": 1, "size": 400}, [0, 1, 1, 1, 1], False),  # its bytes do not count
    ],
)
def test_a_peek_is_late_if_it_is_made_again(
    other: dict[str, Any], order: list[int], expected: bool
) -> None:
    step = {**accumulator.append(0, None), "meanwhile": [{**_other(0), **other}], "order": order}
    config = {**accumulator.CONFIG, "batch_size": 200}
    case = {"config": config, "metadata": _METADATA, "steps": [step]}
    assert (LATE_PEEK in _labels("accumulator", case)) == expected


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

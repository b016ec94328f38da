"""What a rack-aware partitioner does (4.4, KIP-1123), each fact on Java and on the port."""

from typing import Any

import pytest

from tests.examples.conftest import Perform, answers

RACKS = ["a", "b", None]
"""Of nodes 0, 1 and 2."""
TOPIC = [[4, 0], [2, 1], [7, 2], [0, 0], [9, None]]


def config(rack: str, *, aware: bool = True, racks: list[str | None] = RACKS) -> dict[str, Any]:
    settings = {"assertions": False, "source": "mock"}
    return {**settings, "rack_aware": aware, "rack": rack, "racks": racks}


def create() -> dict[str, Any]:
    return {"op": "create", "topic": "t", "batch_size": 1}


def choices(*draws: int) -> list[dict[str, Any]]:
    """A peek, and moves after it: each of the draws is a choice of its own."""
    steps: list[dict[str, Any]] = []
    for draw in draws:
        seen = {"topic": "t", "metadata": 0, "draw": [draw, 0]}
        steps += [{"op": "create", "topic": "t", "batch_size": 1}, {"op": "peek", **seen}]
    return steps


def chosen(perform: Perform, *draws: int, **settings: Any) -> list[Any]:
    trace = perform("rack-aware", "4.4.0", choices(*draws), topic=TOPIC, config=config(**settings))
    return answers(trace)[1::2]


def load(queues: list[int] | None, racks: list[str | None], length: int = 5) -> dict[str, Any]:
    step = {"op": "load", "topic": "t", "queues": queues, "ids": [0, 1, 2, 3, 4], "length": length}
    return {**step, "racks": racks}


def test_leaders_in_the_rack_are_chosen_in_metadata_order(perform: Perform) -> None:
    assert chosen(perform, 0, 1, 2, 3, rack="a") == [4, 0, 4, 0]


def test_without_a_leader_in_the_rack_all_available_ones_are(perform: Perform) -> None:
    assert chosen(perform, 0, 1, 2, 3, rack="c") == [4, 2, 7, 0]


def test_a_producer_that_is_not_rack_aware_does_not_look(perform: Perform) -> None:
    assert chosen(perform, 0, 1, 2, 3, rack="a", aware=False) == [4, 2, 7, 0]


@pytest.mark.parametrize("rack", ["A", "a ", ""])
def test_racks_are_compared_letter_by_letter(perform: Perform, rack: str) -> None:
    assert chosen(perform, 1, rack=rack) == [2]


def test_an_empty_rack_is_a_rack_and_none_is_none(perform: Perform) -> None:
    assert chosen(perform, 0, 1, rack="", racks=[None, "", "b"]) == [2, 2]


@pytest.mark.parametrize(
    ("racks", "table", "ids"),
    [
        (["a", "b", "a", None, "a"], [7, 8, 18], [0, 2, 4]),
        (["a", "a", "b", "b", "b"], [1, 7], [0, 1]),
        (["b", "b", "b", None, ""], [], []),
    ],
    ids=["three in the rack", "the longest queue is elsewhere", "nobody in the rack"],
)
def test_the_rack_has_a_table_of_its_own(
    perform: Perform, racks: list[str | None], table: list[int], ids: list[int]
) -> None:
    steps = [create(), load([8, 3, 14, 8, 5], racks)]
    trace = perform("rack-aware", "4.4.0", steps, topic=TOPIC, config=config("a"))
    state = trace[1]["state"]
    assert state["table"] == [7, 19, 20, 27, 37]
    length = state["rack length"]
    assert (state["rack table"][:length], state["rack ids"][:length]) == (table, ids)
    assert length == len(table)


def test_of_eighteen_records_the_longest_queue_of_the_rack_gets_one(perform: Perform) -> None:
    racks = ["a", "b", "a", None, "a"]
    steps: list[dict[str, Any]] = []
    for draw in range(18):
        seen = {"topic": "t", "metadata": 0, "draw": [draw, 0]}
        steps += [create(), load([8, 3, 14, 8, 5], racks), {"op": "peek", **seen}]
    trace = perform("rack-aware", "4.4.0", steps, topic=TOPIC, config=config("a"))
    counted = answers(trace)[2::3]
    assert [counted.count(partition) for partition in (0, 2, 4)] == [7, 1, 10]


def test_equal_queues_everywhere_leave_the_choice_to_the_rack(perform: Perform) -> None:
    seen = {"topic": "t", "metadata": 0, "draw": [1, 0]}
    even = load([4] * 5, ["a", "b", "a", None, "a"])
    steps = [create(), even, {"op": "peek", **seen}]
    trace = perform("rack-aware", "4.4.0", steps, topic=TOPIC, config=config("a"))
    assert trace[1]["state"]["rack table"] is None
    assert trace[2]["answer"] == 0


@pytest.mark.parametrize(("aware", "error"), [(True, True), (False, False)])
def test_only_a_rack_aware_partitioner_misses_racks(
    perform: Perform, *, aware: bool, error: bool
) -> None:
    steps = [create(), load([8, 3, 14, 8, 5], ["a"])]
    settings = config("a", aware=aware)
    trace = perform("rack-aware", "4.4.0", steps, topic=TOPIC, config=settings)
    missing = {"error": "java.lang.ArrayIndexOutOfBoundsException"}
    assert (trace[1]["answer"] == missing) is error


def test_the_range_of_a_rack_without_leaders_is_an_index_below_zero(perform: Perform) -> None:
    end = {"op": "rack range end", "topic": "t"}
    steps = [create(), end, load([8, 3, 14, 8, 5], ["b"] * 5), end]
    trace = perform("rack-aware", "4.4.0", steps, topic=TOPIC, config=config("a"))
    assert trace[1]["answer"] == {"error": "java.lang.NullPointerException"}
    assert trace[3]["answer"] == {"error": "java.lang.ArrayIndexOutOfBoundsException"}

"""Worked examples of threads that append at the same time, in an order that the example tells."""

from typing import Any

import pytest

from conformance.model.case import Operation
from tests.examples.conftest import Perform
from tests.examples.test_accumulator import CHOOSING, CONFIG, THREE_BROKERS, VERSIONS, append

_BATCH = 200
_ROOM_FOR_ONE = {**CONFIG, "batch_size": _BATCH, "buffer_memory": _BATCH}


def together(first: Operation, others: list[Operation], order: list[int]) -> Operation:
    """A record, and those of other threads."""
    names = "topic", "partition", "key", "size"
    meanwhile = [{name: other[name] for name in names} for other in others]
    return {**first, "told": False, "meanwhile": meanwhile, "order": order}


def _waits(thread: int, version: str) -> list[int]:
    """The turns of another thread until it waits for memory.

    From 3.3 on it stops before that, when its partition is chosen.
    """
    return [thread] * (1 if version in ("2.3.1", "3.2.3") else 2)


@VERSIONS
def test_two_threads_want_to_open_the_same_batch(perform: Perform, version: str) -> None:
    """Both wait for memory and get it; the one that goes on first opens the batch."""
    order = [0, *_waits(1, version), 0, 1, 1, 0]
    step = together(append(0, 1), [append(0, 1)], order)
    [seen] = perform("accumulator", version, [step], topic=THREE_BROKERS, config=CONFIG)
    [mine, others], pauses = seen["answer"]
    assert [mine[2], others[2]] == [0, 1]
    got = [number for number, where in pauses if where == "have memory"]
    ended = [number for number, where in pauses if where == "end"]
    assert (got, ended) == ([0, 1], [1, 0])
    # The memory of the one that joined has come back.
    assert seen["state"]["available memory"] == CONFIG["buffer_memory"] - CONFIG["batch_size"]


@VERSIONS
def test_memory_in_another_threads_hands_is_not_there(perform: Perform, version: str) -> None:
    """The first has it and has not used it yet, so the second is refused."""
    order = [0, 0, *_waits(1, version), 1, 0]
    step = together(append(0, 1), [append(0, 2)], order)
    [seen] = perform("accumulator", version, [step], topic=THREE_BROKERS, config=_ROOM_FOR_ONE)
    [mine, refused], pauses = seen["answer"]
    assert mine[2] == 1
    assert refused.rpartition(".")[2] in ("TimeoutException", "BufferExhaustedException")
    assert pauses[-2:] == [[1, "end"], [0, "end"]]
    assert seen["state"]["available memory"] == 0


@VERSIONS
def test_memory_may_be_kept_from_others_by_a_thread_that_does_not_need_it(
    perform: Perform, version: str
) -> None:
    """Of memory for two batches two threads have it all; one opens a batch, which the other joins.

    The third is refused in between.
    """
    order = [0, 0, *_waits(1, version), 1, 1, *_waits(2, version), 2, 0]
    step = together(append(0, 1), [append(0, 1), append(0, 2)], order)
    config = {**_ROOM_FOR_ONE, "buffer_memory": 2 * _BATCH}
    [seen] = perform("accumulator", version, [step], topic=THREE_BROKERS, config=config)
    [mine, others, refused], _ = seen["answer"]
    assert [mine[2], others[2]] == [0, 1]
    assert refused.rpartition(".")[2] in ("TimeoutException", "BufferExhaustedException")
    assert seen["state"]["available memory"] == _BATCH


@CHOOSING
@pytest.mark.parametrize("fills", [True, False])
def test_a_topic_that_moves_on_is_asked_again(perform: Perform, version: str, fills: bool) -> None:
    """A thread has a partition in mind when another one fills what the topic has for it."""
    config: dict[str, Any] = {**CONFIG, "batch_size": _BATCH}
    step = together(append(0, None, draw=1), [append(0, None, size=400 if fills else 1)], [0, 1])
    step |= {"told": True, "order": [0, 1, 1, 1, 1]}
    [seen] = perform("accumulator", version, [step], topic=THREE_BROKERS, config=config)
    [mine, others], pauses = seen["answer"]
    assert others[0] == 1
    assert pauses.count([0, "partition"]) == (2 if fills else 1)
    assert seen["draws"] == (2 if fills else 1)
    assert mine[2] == fills  # it opens a batch elsewhere, or joins

"""What varies in histories: their length, their draws, counters, batches and appended bytes."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from conformance.draws import EQUAL_DRAWS
from conformance.model.case import Case, Operation
from conformance.model.dimension import Dimension, numbers
from conformance.strategies.integers import INT32_MAX, INT32_MIN

_EQUAL: Final = {draw: count for (count, _), draw in EQUAL_DRAWS.items()}

STEPS: Final = numbers(
    "steps",
    "steps of a case",
    (1, 2, 3, 5, 8, 16, 32, 64, 100, 200),
    lambda case: [len(case["steps"])],
)
FIRST_DRAW: Final = numbers(
    "first draw",
    "the first number that a step may draw",
    (
        *(INT32_MIN, INT32_MIN + 1, INT32_MIN + 2, -(2**30), -(2**16), -128, -1),
        *(0, 1, 2, 128, 2**16, 2**30, INT32_MAX - 1, INT32_MAX),
    ),
    lambda case: (step["draw"][0] for step in case["steps"] if "draw" in step),
)


EQUAL: Final = Dimension(
    "equal draws",
    "draws that choose one of so many partitions again and again",
    tuple(f"{count} available" for count in sorted(set(_EQUAL.values()))),
    lambda case: (
        f"{_EQUAL[drawn]} available"
        for step in case["steps"]
        if (drawn := tuple(step["draw"])) in _EQUAL
    ),
)


RECORDS: Final = numbers(
    "steps of a topic",
    "steps that are about one topic",
    (1, 2, 3, 4, 9, 33, 129),
    lambda case: Counter(
        step["topic"] for step in case["steps"] if step["topic"] is not None
    ).values(),
)


def _previous(case: Case) -> Iterator[str]:
    latest: dict[Any, int] = {}
    for at, step in enumerate(case["steps"]):
        if step["op"] != "new batch":
            latest[step["topic"]] = at
        elif not isinstance(step["previous"], dict):
            yield "none" if step["previous"] == -1 else "a number"
        elif case["steps"][step["previous"]["step"]]["topic"] != step["topic"]:
            yield "another topic's"
        else:
            of_last = step["previous"]["step"] == latest[step["topic"]]
            yield "the last record's" if of_last else "an earlier record's"


PREVIOUS: Final = Dimension(
    "previous partition",
    "what a new batch says to have been the partition",
    ("the last record's", "an earlier record's", "another topic's", "a number", "none"),
    _previous,
)
COUNTER_STARTS: Final = numbers(
    "counter",
    "where a topic's counter is set to start",
    (
        *(INT32_MIN, INT32_MIN + 1, -1, 120, 127, 255, 32_760, 32_767, 65_535, 2**24 - 1),
        *(INT32_MAX - 50, INT32_MAX - 5, INT32_MAX),
    ),
    lambda case: case["config"].get("counters", {}).values(),
)
BATCH_RECORDS: Final = numbers(
    "records of a batch",
    "records that fill a batch",
    (1, 2, 3, 4, 5, 7, 8, 1000),
    lambda case: [case["config"]["batch_records"]],
)
BATCH_SIZE: Final = numbers(
    "batch size",
    "batch.size in bytes",
    (
        *(INT32_MIN, 0, 1, 2, 3, 100, 128, 256, 16_384, 32_767, 65_535),
        *(2**30 - 1, 2**30, 2**30 + 1, INT32_MAX - 1, INT32_MAX),
    ),
    lambda case: (step["batch_size"] for step in case["steps"] if step["op"] == "create"),
)


_BESIDE: Final = {-1: "one below ", 0: "", 1: "one above "}


def _bytes(case: Case) -> Iterator[str]:
    sizes = {step["topic"]: step["batch_size"] for step in case["steps"] if step["op"] == "create"}
    for step in case["steps"]:
        if "bytes" in step:
            yield from _compared(step, sizes[step["topic"]])


def _compared(step: Operation, size: int) -> Iterator[str]:
    for name, limit in (("the batch size", size), ("twice the batch size", 2 * size)):
        beside = _BESIDE.get(step["bytes"] - limit)
        if beside is not None:
            yield f"{beside}{name}"
    if step["bytes"] == 0:
        yield "none"
    if step["bytes"] == INT32_MAX:
        yield "2^31 - 1"


APPENDED: Final = Dimension(
    "appended bytes",
    "bytes of an update or append, beside the batch size and its double",
    (
        *("none", "2^31 - 1"),
        *(f"{beside}the batch size" for beside in _BESIDE.values()),
        *(f"{beside}twice the batch size" for beside in _BESIDE.values()),
    ),
    _bytes,
)
BUILT_IN_HISTORIES: Final = (STEPS, FIRST_DRAW, RECORDS, BATCH_SIZE, APPENDED)
"""What varies in all histories of BuiltInPartitioner."""

"""What varies in load stats: queues, ids, racks, and draws beside the ends of ranges."""

from collections.abc import Iterator
from typing import Final

from conformance.model.case import Case, Operation
from conformance.model.dimension import Dimension, numbers
from conformance.strategies.partitioning.queue_sizes import table_of


def _loads(case: Case) -> Iterator[Operation]:
    return (step for step in case["steps"] if step["op"] == "load")


def _ids(case: Case) -> Iterator[str]:
    for step in _loads(case):
        ids = step["ids"]
        if len(ids) > 1:
            if ids == list(range(len(ids))):
                yield "0, 1, 2 ..."
            elif ids == sorted(ids, reverse=True):
                yield "descending"
            elif len(set(ids)) < len(ids):
                yield "repeated"
            else:
                yield "ascending with gaps" if ids == sorted(ids) else "in no order"


def _length(case: Case) -> Iterator[str]:
    for step in _loads(case):
        if step["queues"] is not None:
            missing = len(step["queues"]) - step["length"]
            if step["length"] < 1:
                yield "negative" if step["length"] else "0"
            else:
                yield "above" if missing < 0 else "below" if missing else "the number of sizes"


def _draws(case: Case) -> Iterator[str]:
    tables: dict[str, list[int]] = {}
    for step in case["steps"]:
        if step["op"] == "load":
            queues, ids, length = step["queues"], step["ids"], step["length"]
            tables[step["topic"]] = table_of((queues, ids, length))
        table = tables.get(step["topic"])
        if "draw" not in step or not table or min(table) < 1:
            continue
        first = step["draw"][0]
        drawn = first & 0x7FFFFFFF if case["config"]["source"] == "thread" else first
        at = drawn % table[-1]
        for beside, name in _BESIDE.items():
            if (at - beside) % table[-1] in {end % table[-1] for end in table}:
                yield name
        if first < 0:
            yield "negative"
        if drawn >= table[-1]:
            yield "many ranges above" if drawn >= 2**30 else "above the last range"


_BESIDE: Final = {-1: "one below an end", 0: "at an end", 1: "one above an end"}

LOADED: Final = numbers(
    "steps", "steps of a case", (3, 5, 8, 16, 32), lambda case: [len(case["steps"])]
)
LOADS: Final[tuple[Dimension, ...]] = (
    numbers(
        "queues",
        "queue sizes in load stats",
        (0, 2, 3, 4, 8, 11, 63, 65, 127, 129, 201, 255, 257),
        lambda case: (len(step["queues"]) for step in _loads(case) if step["queues"] is not None),
    ),
    Dimension(
        "queues' ids",
        "ids of the partitions of load stats, in their order",
        ("0, 1, 2 ...", "descending", "repeated", "ascending with gaps", "in no order"),
        _ids,
    ),
    Dimension(
        "length of load stats",
        "logical length, beside the number of sizes",
        ("the number of sizes", "below", "above", "0", "negative"),
        _length,
    ),
    Dimension(
        "draws in load stats",
        "draws, modulo the end of the last range",
        (*_BESIDE.values(), "negative", "above the last range", "many ranges above"),
        _draws,
    ),
)


def _racks(case: Case) -> Iterator[str]:
    if not case["config"]["rack_aware"]:
        return
    for step in _loads(case):
        used = step["racks"][: max(0, step["length"])]
        mine = sum(rack == case["config"]["rack"] for rack in used)
        if used:
            part = "some" if mine > 1 else "one"
            yield "none" if not mine else "all" if mine == len(used) else part


RACKS: Final = Dimension(
    "queues in the rack",
    "queue sizes whose partition's leader is in the producer's rack",
    ("none", "one", "some", "all"),
    _racks,
)

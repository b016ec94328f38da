"""Make a case simpler while it keeps what it was chosen for.

Hypothesis shrinks what it generated, and has to generate again for every attempt. Here cases are
taken from a pool that many searches share, so the case itself is made simpler, as data.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from conformance.engine.minimise import minimise
from conformance.engine.plainest import seeing
from conformance.model.case import Case, Operation, with_step
from conformance.model.values import to_json
from conformance.testees.narrow import NARROWINGS
from conformance.testees.narrow_records import CONSUMED, asked_by

Holds = Callable[[Case], bool]
"""Whether a case still has what it was chosen for; False also for what is no case any more."""

_ROUNDS: Final = 4
_NUMBERS: Final = ("number", "partitions", "batch_size", "bytes")


def simplify(case: Case, holds: Holds) -> Case:
    """The simplest case found: less in it, and what is left as ports usually see it.

    A case that was made narrower (docs/protocol.md, *cannot*) is simpler, and more ports can be
    asked it.
    """
    for _ in range(_ROUNDS):
        before = to_json(case)
        last = len(case["steps"]) - 1
        case = minimise(case, last, lambda one: len(one["steps"]) - 1 if holds(one) else None)
        for candidates in (_narrower, _with_less_metadata, _with_simpler_values):
            case = _first_to_last(case, candidates, holds)
        if to_json(case) == before:
            break
    return case


def _first_to_last(case: Case, candidates: Callable[[Case], Iterator[Case]], holds: Holds) -> Case:
    """The case after each candidate that holds; candidates are then made from that one."""
    tried = {to_json(case)}
    going_on = True
    while going_on:
        going_on = False
        for candidate in candidates(case):
            text = to_json(candidate)
            if text not in tried:
                tried.add(text)
                if holds(candidate):
                    case, going_on = candidate, True
                    break
    return case


def needed(case: Case) -> int:
    """How many things are in a case that a port may be unable to be asked."""
    return sum(to_json(narrower) != to_json(case) for narrower in _narrower(case))


def _narrower(case: Case) -> Iterator[Case]:
    for narrowing in NARROWINGS.values():
        yield narrowing(case)
    # Most clients have no other reader of batches than their consumer.
    yield {**case, "steps": [asked_by(operation, (CONSUMED,)) for operation in case["steps"]]}


def _with_less_metadata(case: Case) -> Iterator[Case]:
    """Without a snapshot that no step names, then without a topic of a snapshot."""
    named = {operation["metadata"] for operation in case["steps"] if "metadata" in operation}
    used = [at for at in range(len(case["metadata"])) if at in named]
    if len(used) < len(case["metadata"]):
        yield seeing(case, used, {number: at for at, number in enumerate(used)})
    # A topic that a step names stays: unknown topics are a class of their own.
    topics = {operation.get("topic") for operation in case["steps"]}
    metadata = [
        None if snapshot is None else [entry for entry in snapshot if entry[0] in topics]
        for snapshot in case["metadata"]
    ]
    yield {**case, "metadata": metadata}


def _with_simpler_values(case: Case) -> Iterator[Case]:
    """With one key, draw or number smaller."""
    for at, operation in enumerate(case["steps"]):
        for simpler in _simpler_steps(operation):
            yield with_step(case, at, simpler)


def _simpler_steps(operation: Operation) -> Iterator[Operation]:
    if "draw" in operation:
        for first in _smaller(operation["draw"][0]):
            yield {**operation, "draw": [first, 0]}
    key = operation.get("key")
    if isinstance(key, bytes):
        shorter = (b"", b"a", key[: len(key) // 2], key[:-1])
        yield from ({**operation, "key": one} for one in shorter if len(one) < len(key))
    for name in _NUMBERS:
        if isinstance(operation.get(name), int):
            yield from ({**operation, name: one} for one in _smaller(operation[name]))
    if operation.get("queues"):
        yield from _simpler_loads(operation)
    value: Any = operation.get("value")
    if isinstance(value, str) and operation.get("type") == "string":
        yield from ({**operation, "value": one} for one in (value[: len(value) // 2], value[:-1]))


def _smaller(number: int) -> Iterator[int]:
    """Numbers nearer to 0, the nearest first."""
    if number:
        yield from (near for near in (0, 1, 2) if near < abs(number) or near < -number)
        half = abs(number) // 2
        yield half if number > 0 else -half


def _simpler_loads(operation: Operation) -> Iterator[Operation]:
    """Without one partition, or with one queue shorter."""
    queues, ids, length = operation["queues"], operation["ids"], operation["length"]
    for at in range(min(len(queues), len(ids))):
        yield {
            **operation,
            "queues": queues[:at] + queues[at + 1 :],
            "ids": ids[:at] + ids[at + 1 :],
            "length": length - (at < length),
        }
    for at, size in enumerate(queues):
        for smaller in _smaller(size):
            yield {**operation, "queues": [*queues[:at], smaller, *queues[at + 1 :]]}

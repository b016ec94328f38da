"""Make a counterexample shorter than Hypothesis leaves it.

Hypothesis shrinks what was generated: blocks, repetitions, picks. A case is a list of steps,
so the last word is said on that list: steps that the divergence does not need are taken out,
in runs and in pairs, with the references of later steps kept right. Then partitions that it does
not need, and the ends of keys.
"""

from collections.abc import Callable, Collection
from itertools import chain, combinations
from typing import Any

from conformance.model.case import Case, Operation, with_step, without_steps

_BUDGET = 1500
"""How many cases with fewer steps are tried at most."""
_FEW_STEPS = 16
"""Once so few steps are left, the case is tried without each one, and without any two."""
_LENGTHS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384, 65536, 262144)
"""To which keys are first tried to be cut, in bytes."""
_MOST_PARTITIONS = 256
"""How many partitions of a topic are first tried to be dropped at once."""


def minimise(case: Case, step: int, diverges_at: Callable[[Case], int | None]) -> Case:
    """The smallest case found by taking steps, then partitions, then ends of keys, out.

    ``step`` is where ``case`` diverges; ``diverges_at`` answers that for another case, or None
    if it does not diverge. Steps after the divergence go first, then ever smaller runs.
    """
    case = _with_fewer_steps(_cut(case, step + 1), diverges_at)
    case = _with_fewer_partitions(case, diverges_at)
    return _with_shorter_keys(case, diverges_at)


def _with_fewer_steps(case: Case, diverges_at: Callable[[Case], int | None]) -> Case:
    """The case without ever shorter runs of steps; of few that are left, without any one or two.

    Two may need each other where neither needs the run between them: a request and its answer.
    """
    tried = 0

    def without(gone: Collection[int]) -> Case | None:
        nonlocal tried
        tried += 1
        shorter = without_steps(case, gone) if tried <= _BUDGET else None
        parted = None if shorter is None else diverges_at(shorter)
        return None if shorter is None or parted is None else _cut(shorter, parted + 1)

    length = max(1, len(case["steps"]) // 2)
    while length:
        at = len(case["steps"]) - length
        while at >= 0:
            case = without(range(at, at + length)) or case
            at = min(at, len(case["steps"])) - length
        length //= 2
    shorter: Case | None = case
    while shorter is not None and len(case["steps"]) <= _FEW_STEPS:
        case = shorter
        places = range(len(case["steps"]))
        some = chain(combinations(places, 1), combinations(places, 2))
        shorter = next(filter(None, map(without, some)), None)
    return case


def _with_fewer_partitions(case: Case, diverges_at: Callable[[Case], int | None]) -> Case:
    """The case without the last half, quarter ... of each topic's partitions, while it diverges."""
    for snapshot, topics in enumerate(case["metadata"]):
        for topic in range(len(topics or [])):
            drop = _MOST_PARTITIONS
            while drop:
                smaller = _without_partitions(case, snapshot, topic, drop)
                if smaller is not None and diverges_at(smaller) is not None:
                    case = smaller
                else:
                    drop //= 2
    return case


def _without_partitions(case: Case, snapshot: int, topic: int, count: int) -> Case | None:
    """The case with that topic's last partitions gone from that snapshot; None if too few."""
    topics = case["metadata"][snapshot]
    assert topics is not None
    name, partitions = topics[topic]
    if count >= len(partitions):
        return None
    fewer = [*topics]
    fewer[topic] = (name, partitions[:-count])
    metadata = [*case["metadata"]]
    metadata[snapshot] = fewer
    return {**case, "metadata": metadata}


def _with_shorter_keys(case: Case, diverges_at: Callable[[Case], int | None]) -> Case:
    """The case with the beginnings of keys, all keys of a step cut alike, while it diverges."""
    for at, operation in enumerate(case["steps"]):
        longest = max(map(len, _keys(operation)), default=0)
        for length in (length for length in _LENGTHS if length < longest):
            cut = {name: _beginning(value, length) for name, value in operation.items()}
            shorter = with_step(case, at, cut)
            if diverges_at(shorter) is not None:
                case = shorter
                break
    return case


def _keys(operation: Operation) -> list[bytes]:
    """The keys of a step, be it of one record or of a column."""
    values = (operation.get("key"), *operation.get("keys", ()))
    return [value for value in values if isinstance(value, bytes)]


def _beginning(value: Any, length: int) -> Any:
    if isinstance(value, list):
        return [_beginning(one, length) for one in value]
    return value[:length] if isinstance(value, bytes) else value


def _cut(case: Case, length: int) -> Case:
    return {**case, "steps": case["steps"][:length]}

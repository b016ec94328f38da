"""Make a counterexample shorter than Hypothesis leaves it.

Hypothesis shrinks what was generated: blocks, repetitions, picks. A case is a list of steps,
so the last word is said on that list: steps that the divergence does not need are taken out,
with the references of later steps kept right. Then partitions that it does not need.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import Case

_BUDGET = 1500
"""How many cases with fewer steps are tried at most."""
_MOST_PARTITIONS = 256
"""How many partitions of a topic are first tried to be dropped at once."""


def minimise(case: Case, step: int, diverges_at: Callable[[Case], int | None]) -> Case:
    """The smallest case found by taking steps, then partitions, out.

    ``step`` is where ``case`` diverges; ``diverges_at`` answers that for another case, or None
    if it does not diverge. Steps after the divergence go first, then ever smaller runs.
    """
    case = _cut(case, step + 1)
    tried = 0
    length = max(1, len(case["steps"]) // 2)
    while length:
        at = len(case["steps"]) - length
        while at >= 0 and tried < _BUDGET:
            shorter = without_steps(case, at, length)
            tried += 1
            parted = None if shorter is None else diverges_at(shorter)
            if shorter is not None and parted is not None:
                case = _cut(shorter, parted + 1)
            at = min(at, len(case["steps"])) - length
        length //= 2
    return _with_fewer_partitions(case, diverges_at)


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


def without_steps(case: Case, at: int, length: int) -> Case | None:
    """The case without ``length`` steps from ``at`` on; None if it has too few left to be one.

    Steps that refer to a removed step go too, and so on.
    """
    removed = set(range(at, at + length))
    for index, operation in enumerate(case["steps"]):
        if index not in removed and any(step in removed for step in _references(operation)):
            removed.add(index)
    if len(removed) == len(case["steps"]):
        return None
    kept = [index for index in range(len(case["steps"])) if index not in removed]
    position = {old: new for new, old in enumerate(kept)}
    steps = [_renumbered(case["steps"][index], position) for index in kept]
    return {**case, "steps": steps}


def _cut(case: Case, length: int) -> Case:
    return {**case, "steps": case["steps"][:length]}


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"step"}


def _references(operation: dict[str, Any]) -> list[int]:
    return [value["step"] for value in operation.values() if _is_reference(value)]


def _renumbered(operation: dict[str, Any], position: dict[int, int]) -> dict[str, Any]:
    return {
        name: {"step": position[value["step"]]} if _is_reference(value) else value
        for name, value in operation.items()
    }

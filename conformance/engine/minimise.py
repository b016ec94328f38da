"""Make a counterexample shorter than Hypothesis leaves it.

Hypothesis shrinks what was generated: blocks, repetitions, picks. A case is a list of steps,
so the last word is said on that list: steps that the divergence does not need are taken out,
with the references of later steps kept right.
"""

from collections.abc import Callable
from typing import Any

from conformance.case import Case

_BUDGET = 1500
"""How many shorter cases are tried at most."""


def minimise(case: Case, step: int, diverges_at: Callable[[Case], int | None]) -> Case:
    """The shortest case found by taking steps out.

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
    return case


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

"""Cases: one generated input each, as plain data that can be written down and replayed.

A case has a configuration, a list of metadata snapshots and a list of steps. A step names its
operation, the snapshot it sees, what it may draw, and earlier answers by their position. The
vocabulary of each behaviour is in its module under :mod:`conformance.behaviours`.
"""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, TypeAlias, TypedDict

Partition: TypeAlias = list[Any]
"""``[id, leader]``; the leader is a node id, or None for a leaderless partition."""

Metadata: TypeAlias = list[tuple[str, list[Partition]]]
"""One snapshot: topics with their partitions, in metadata order (pairs are lists in JSON)."""

Operation: TypeAlias = dict[str, Any]
"""One step: ``{"op": ..., ...}``."""


class Case(TypedDict):
    """One input that any subject can be given."""

    config: dict[str, Any]
    metadata: list[Metadata | None]
    steps: list[Operation]


def in_turn(snapshot: Metadata) -> list[tuple[str, int, int | None]]:
    """Topic, id and leader of each partition: one of every topic, then the next of every topic.

    So do subjects get them that are given partitions one by one, as brokers may list them in any
    order. Where the first topic has an odd number of partitions, each topic's stand together.
    """
    rows = [[(topic, *partition) for partition in partitions] for topic, partitions in snapshot]
    turns = rows if rows and len(rows[0]) % 2 else zip_longest(*rows)
    return [row for turn in turns for row in turn if row is not None]


def with_step(case: Case, at: int, step: Operation) -> Case:
    """The case with another step in the place of one."""
    return {**case, "steps": [*case["steps"][:at], step, *case["steps"][at + 1 :]]}


def without_steps(case: Case, gone: Iterable[int]) -> Case | None:
    """The case without the steps at these positions; None if no step is left.

    Steps that refer to a removed step go too, and so on; references are kept right.
    """
    removed = set(gone)
    for index, operation in enumerate(case["steps"]):
        if index not in removed and any(step in removed for step in _references(operation)):
            removed.add(index)
    if len(removed) == len(case["steps"]):
        return None
    kept = [index for index in range(len(case["steps"])) if index not in removed]
    position = {old: new for new, old in enumerate(kept)}
    steps = [_renumbered(case["steps"][index], position) for index in kept]
    return {**case, "steps": steps}


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"step"}


def _references(operation: Operation) -> list[int]:
    return [value["step"] for value in operation.values() if _is_reference(value)]


def _renumbered(operation: Operation, position: dict[int, int]) -> Operation:
    return {
        name: {"step": position[value["step"]]} if _is_reference(value) else value
        for name, value in operation.items()
    }

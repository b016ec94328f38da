"""Cases for a ``BuiltInPartitioner`` among racks; see behaviours/partitioning/rack_aware.py."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.packed import Choices, packed
from conformance.strategies.partitioning.built_in_histories import built_in_cases

_MINE: Final = ("a", "a", "a", "a", "b", "", "A", "aa", "a ")
"""Racks of producers; most leaders are in rack a, too."""
_NODES: Final = ("a", "a", "a", "a", "b", "b", "b", None, None, "", "A", "a ", "aa", "null")
_RULES: Final = 16
"""How many rules there are by which the leaders of queues are told their racks."""


@cache
def rack_cases() -> SearchStrategy[Case]:
    """The histories of the adaptive partitioner, in which nodes, queues and producer have racks.

    Racks differ by case, by a blank and by being empty; nodes may have none. The racks that come
    with queue sizes are those of the nodes, in any order, as metadata may have changed since;
    rarely there are too few or too many of them. In one of eight cases the partitioner is to ignore
    racks.
    """
    return st.builds(_in_racks, built_in_cases(load=True), packed(5 + 2 * _RULES, _racks))


def _racks(of: Choices) -> dict[str, Any]:
    return {
        "rack_aware": of.below(8) < 7,
        "rack": of.one_of(_MINE),
        "racks": [of.one_of(_NODES) for _ in range(3)],
        "rules": [(of.below(256), of.below(256)) for _ in range(_RULES)],
    }


def _in_racks(case: Case, chosen: dict[str, Any]) -> Case:
    config = {name: value for name, value in chosen.items() if name != "rules"}
    steps = [
        _step_in_racks(step, chosen["racks"], *chosen["rules"][at % _RULES])
        for at, step in enumerate(case["steps"])
    ]
    metadata = [known and _led_by_three(known) for known in case["metadata"]]
    return {"config": {**case["config"], **config}, "metadata": metadata, "steps": steps}


def _led_by_three(snapshot: Metadata) -> Metadata:
    """The same with leaders 0, 1 and 2 only: those whose racks are told."""
    return [
        (topic, [[number, None if leader is None else leader % 3] for number, leader in parts])
        for topic, parts in snapshot
    ]


def _step_in_racks(step: Operation, nodes: list[Any], which: int, how: int) -> Operation:
    if step["op"] == "range end" and which % 2:
        return {**step, "op": "rack range end"}
    if step["op"] != "load":
        return step
    count = len(step["queues"] or step["ids"])
    if how >= 250:
        count = max(0, count + (1, -1, -count)[how % 3])
    # Two nodes in turn, or one alone; the third for those whose number is in the pattern.
    pattern = (
        nodes[which % 3],
        nodes[which // 3 % 3],
        nodes[which // 9 % 3],
        nodes[which // 27 % 3],
    )
    return {**step, "racks": [pattern[(at + how) % 4] for at in range(count)]}

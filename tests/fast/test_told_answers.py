"""Answers that are lists: whoever reads a divergence is told what their members are."""

import re
from collections import defaultdict
from collections.abc import Callable

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.model.trace import Trace
from conformance.subjects.python_port import PythonPort
from tests.fast.spoiled import Spoiled

_FIXED = {
    "accumulator": {"append": {5, 2}, "ready": {3}, "again": {2}},
    "producer": {"send": {2, 1}, "pass": {4}},
    "record-sizes": {"varint": {2}, "varlong": {2}, "sequence": {2}},
    "batch-reading": {},
    "codec-streams": {},
}
"""By behaviour and operation: how many members its answers have, where that is fixed."""


def _lengths(name: str, version: str) -> dict[str, set[int]]:
    behaviour, client = behaviour_named(name), client_named(version)
    perform, lengths = PythonPort().performer(behaviour, client), defaultdict(set)

    def use(case: Case, _number: int) -> None:
        for operation, step in zip(case["steps"], perform(case), strict=True):
            if isinstance(step["answer"], list):
                lengths[operation["op"]].add(len(step["answer"]))

    generate(behaviour.cases(client), use, cases=80, seed=0, shrink=False)
    return lengths


@pytest.mark.parametrize("version", ["2.3.1", "3.8.0"])
@pytest.mark.parametrize("name", list(_FIXED))
def test_every_answer_that_is_a_list_is_told_and_has_as_many_members(
    name: str, version: str
) -> None:
    behaviour, lengths = behaviour_named(name), _lengths(name, version)
    assert lengths.keys() <= behaviour.tells.keys()
    for operation, expected in _FIXED[name].items():
        assert lengths[operation] <= expected
        told = re.match(r"\[[^\[\]]*\]", behaviour.tells[operation])
        assert told is not None
        assert told.group().count(",") + 1 in lengths[operation]


def _never_ready(case: Case, trace: Trace) -> Trace:
    for operation, step in zip(case["steps"], trace, strict=True):
        if operation["op"] == "ready":
            step["answer"] = [[], *step["answer"][1:]]
    return trace


def _seems_drained(case: Case, trace: Trace) -> Trace:
    for operation, step in zip(case["steps"], trace, strict=True):
        if operation["op"] == "ready":
            step["state"] = {**step["state"], "has undrained": 0}
    return trace


@pytest.mark.parametrize(("spoil", "differs"), [(_never_ready, True), (_seems_drained, False)])
def test_a_divergence_says_how_to_read_its_answers_if_these_differ(
    spoil: Callable[[Case, Trace], Trace], differs: bool
) -> None:
    accumulator, client = behaviour_named("accumulator"), client_named("3.8.0")
    found = check_cell(accumulator, client, PythonPort(), Spoiled(spoil), cases=100, seed=0)
    assert found.divergence is not None
    assert found.divergence.case["steps"][-1]["op"] == "ready"
    told = (
        "ready answers [nodes that are ready, ms until others may be, topics without a known "
        "leader].",
    )
    assert found.divergence.remarks == (told if differs else ())

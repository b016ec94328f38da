"""Answers that are lists: whoever reads a divergence is told what their members are."""

import re
from collections import defaultdict

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.subject import Performer, Subject
from conformance.model.trace import Trace
from conformance.subjects.python_port import PythonPort

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


class _Spoiled(Subject):
    """The port, of which no node is ever ready; or it seems to have nothing to send."""

    kind = "spoiled port"

    def __init__(self, *, answer: bool) -> None:
        self._answer = answer

    def describe(self, client: ClientVersion | None) -> str:
        return f"a spoiled port of {client}"

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        honest = PythonPort().performer(behaviour, client)

        def perform(case: Case) -> Trace:
            trace = honest(case)
            for operation, step in zip(case["steps"], trace, strict=True):
                if operation["op"] != "ready":
                    continue
                if self._answer:
                    step["answer"] = [[], *step["answer"][1:]]
                else:
                    step["state"] = {**step["state"], "has undrained": 0}
            return trace

        return perform


@pytest.mark.parametrize("answer", [True, False])
def test_a_divergence_says_how_to_read_its_answers_if_these_differ(answer: bool) -> None:
    accumulator, client = behaviour_named("accumulator"), client_named("3.8.0")
    spoiled = _Spoiled(answer=answer)
    found = check_cell(accumulator, client, PythonPort(), spoiled, cases=100, seed=0)
    assert found.divergence is not None
    assert found.divergence.case["steps"][-1]["op"] == "ready"
    told = (
        "ready answers [nodes that are ready, ms until others may be, topics without a known "
        "leader].",
    )
    assert found.divergence.remarks == (told if answer else ())

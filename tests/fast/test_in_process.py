"""Subjects inside this process: each case is theirs alone, and stays as it was."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.model.results import Verdict
from conformance.model.values import fresh, is_error
from conformance.subjects.function import FunctionTestee
from conformance.subjects.in_process import CHANGED
from conformance.subjects.python_port import PythonPort
from conformance.testees.protocol import Hello, Support

KEYED = behaviour_named("keyed")
CLIENT = client_named("3.8.0")


@pytest.mark.parametrize("value", ["orders", "päivä", "\ud800!", 257, -(2**40), b"key", (1, 2), []])
def test_no_two_values_of_a_copy_are_one_object(value: Any) -> None:
    copied = fresh([value, value, {"again": value}])
    assert copied == [value, value, {"again": value}]
    one, two, held = copied
    assert len({id(value), id(one), id(two), id(held["again"])}) == 4


def sorts_metadata(case: Case) -> None:
    for topics in case["metadata"]:
        if topics:
            topics.sort(reverse=True)


def forgets_partitions(case: Case) -> None:
    for topics in case["metadata"]:
        for _, partitions in topics or ():
            partitions.clear()


def adds_steps(case: Case) -> None:
    case["steps"] += case["steps"]


def takes_keys(case: Case) -> None:
    case["steps"][-1].pop("key")


def configures(case: Case) -> None:
    case["config"]["seen"] = 1


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (sorts_metadata, "metadata 0"),
        (forgets_partitions, "metadata 0"),
        (adds_steps, "lists are longer"),
        (takes_keys, "step 0"),
        (configures, "config"),
    ],
)
def test_a_subject_that_changes_its_case_diverges(
    changes: Callable[[Case], None], what: str
) -> None:
    perform = PythonPort().performer(KEYED, CLIENT)
    behaviours = {"keyed": Support("exact")}

    def answers(case: Case) -> list[Any]:
        trace = subject.scope(KEYED).observable(perform(case))
        changes(case)
        return list(trace)

    subject = FunctionTestee(Hello("a function", "", "Python", behaviours), {"keyed": answers})
    result = check_cell(KEYED, CLIENT, PythonPort(), subject, cases=60, seed=0)
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert len(result.divergence.case["steps"]) == 1
    answer = result.divergence.answered[-1]["answer"]
    assert is_error(answer)
    assert answer["error"] == f"{CHANGED}its {what}"

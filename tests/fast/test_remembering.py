"""Subjects that remember, against the rules, what they were asked in earlier cases."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.engine.replay import replay_divergence
from conformance.engine.shrinking import AFTER_OTHERS, ALONE, NOT_ANEW
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.results import Divergence, Verdict
from conformance.model.subject import Performer, Subject
from conformance.model.trace import Trace
from conformance.mutants.catalogue import MUTANTS
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import load_divergence, save_divergence
from conformance.subjects.python_port import PythonPort

STICKY = behaviour_named("sticky-cache")
CLIENT = client_named("3.8.0")


class Remembering(Subject):
    """The port, but for what ``spoil`` makes of its answers and of all that it was asked."""

    kind = "a port that remembers"

    def __init__(self, spoil: Callable[[list[Case], Trace], Trace]) -> None:
        self._spoil = spoil
        self._asked: list[Case] = []

    def describe(self, client: ClientVersion | None) -> str:
        return f"{self.kind} of {client}"

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        honest = PythonPort().performer(behaviour, client)

        def perform(case: Case) -> Trace:
            self._asked.append(case)
            return self._spoil(self._asked, honest(case))

        return perform

    def anew(self) -> Subject:
        return Remembering(self._spoil)


def _steps(cases: list[Case]) -> int:
    return sum(len(case["steps"]) for case in cases)


def _wrong(trace: Trace, *, when: bool) -> Trace:
    return [*trace[:-1], {**trace[-1], "answer": "wrong"}] if when else trace


def wrong_from_the_third_step_on(asked: list[Case], trace: Trace) -> Trace:
    return _wrong(trace, when=_steps(asked) >= 3)


def wrong_from_the_fifth_case_on(asked: list[Case], trace: Trace) -> Trace:
    return _wrong(trace, when=len(asked) >= 5)


def wrong_in_the_fifth_case(asked: list[Case], trace: Trace) -> Trace:
    return _wrong(trace, when=len(asked) == 5)


def wrong_from_the_eightieth_case_on(asked: list[Case], trace: Trace) -> Trace:
    return _wrong(trace, when=len(asked) >= 80)


def _divergence(subject: Subject) -> Divergence:
    result = check_cell(STICKY, CLIENT, PythonPort(), subject, cases=100, seed=0)
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    return result.divergence


def _again(divergence: Divergence, subject: Subject) -> Divergence | None:
    return replay_divergence(divergence, CLIENT, PythonPort(), subject)


@pytest.mark.parametrize(
    ("spoil", "steps", "before", "remark"),
    [
        (wrong_from_the_third_step_on, 3, 0, ALONE),
        (wrong_from_the_fifth_case_on, 1, 4, AFTER_OTHERS),
        (wrong_in_the_fifth_case, 1, 4, AFTER_OTHERS),
    ],
)
def test_what_is_shown_differs_in_a_new_subject(
    spoil: Callable[[list[Case], Trace], Trace], steps: int, before: int, remark: str, tmp_path: Any
) -> None:
    divergence = _divergence(Remembering(spoil))
    assert len(divergence.case["steps"]) == steps
    assert divergence.before is not None
    assert [len(case["steps"]) for case in divergence.before] == [1] * before
    assert divergence.remarks == (remark,)
    told = describe_divergence(divergence, "")
    assert told.count("Asked before it (") == min(before, 3)
    assert ("Asked before it: 4 cases" in told) == (before == 4)
    saved = load_divergence(save_divergence(divergence, tmp_path)).divergence
    assert _again(saved, Remembering(spoil)) is not None
    assert _again(saved, PythonPort()) is None


def test_what_no_new_subject_shows_is_not_called_fixed(tmp_path: Any) -> None:
    divergence = _divergence(Remembering(wrong_from_the_eightieth_case_on))
    assert divergence.before is None
    assert divergence.remarks == (NOT_ANEW,)
    saved = load_divergence(save_divergence(divergence, tmp_path)).divergence
    with pytest.raises(SuiteError, match="whether it is fixed cannot be told"):
        _again(saved, PythonPort())


def test_a_port_that_is_imported_once_more_remembers_nothing() -> None:
    (mutant,) = [one for one in MUTANTS if one.name == "instances share their partitions"]
    port = PythonPort(mutant.load(), mutant.name)
    divergence = _divergence(port)
    assert divergence.before is not None
    assert len(divergence.before) == len(divergence.case["steps"]) == 1
    assert divergence.remarks == (AFTER_OTHERS,)
    anew = port.anew()
    assert anew is not None
    assert _again(divergence, anew) is not None
    assert _again(divergence, PythonPort()) is None

"""What is found in a batch of cases is kept, whatever becomes of the cases after it."""

import time
from collections.abc import Callable
from itertools import count

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.errors import OracleError
from conformance.model.results import CellResult, Verdict
from conformance.model.subject import Subject
from conformance.model.trace import Trace
from conformance.subjects.python_port import PythonPort
from tests.fast.spoiled import Spoiled, Surveyed

STICKY = behaviour_named("sticky")
CLIENT = client_named("3.8.0")
Does = Callable[[int, Trace], Trace]
"""What a subject makes of a right trace, by the number of the call, from 1 on."""


def _by_call(does: Does, kind: type[Spoiled] = Spoiled) -> Subject:
    """The port, until a call on which it does something else."""
    calls = count(1)
    return kind(lambda _case, trace: does(next(calls), trace))


def _wrong(trace: Trace) -> Trace:
    return [{**trace[0], "answer": "wrong"}, *trace[1:]]


def _check(oracle: Subject, subject: Subject, told: list[CellResult] | None = None) -> CellResult:
    tell = [] if told is None else told
    return check_cell(
        STICKY, CLIENT, oracle, subject, cases=50, seed=0, shrink=False, diverged=tell.append
    )


def _raises_at(number: int, error: Exception) -> Does:
    def does(call: int, trace: Trace) -> Trace:
        if call == number:
            raise error
        return trace

    return does


def test_a_difference_before_a_failure_of_the_subject_in_the_same_batch_is_kept() -> None:
    def does(call: int, trace: Trace) -> Trace:
        if call == 12:
            raise OracleError("it is gone", "start again")
        return _wrong(trace) if call >= 9 else trace

    told: list[CellResult] = []
    result = _check(PythonPort(), _by_call(does), told)
    assert (result.verdict, result.cases) == (Verdict.DIVERGES, 9)
    assert [one.verdict for one in told] == [Verdict.DIVERGES]


def test_a_difference_before_a_failure_of_the_oracle_in_the_same_batch_is_kept() -> None:
    oracle = _by_call(_raises_at(10, OracleError("it is gone", "start again")))
    surveyed = _by_call(lambda call, trace: _wrong(trace) if call == 3 else trace, Surveyed)
    result = _check(oracle, surveyed)
    assert (result.verdict, result.cases) == (Verdict.DIVERGES, 9)
    assert list(result.differences.values()) == [1]


def test_a_difference_is_told_and_counted_before_the_case_is_performed_again() -> None:
    told: list[CellResult] = []
    moody = _by_call(lambda call, trace: _wrong(trace) if call == 9 else trace)
    result = _check(PythonPort(), moody, told)
    assert result.verdict is Verdict.DIVERGES
    assert list(result.differences.values()) == [1]
    assert [one.cases for one in told] == [9]
    assert result.divergence is not None
    assert any("not always" in remark for remark in result.divergence.remarks)


def test_a_difference_stays_one_when_time_is_over_before_it_is_shrunk() -> None:
    deadline = time.monotonic() + 1.5

    def does(call: int, trace: Trace) -> Trace:
        if call == 9:
            time.sleep(max(0.0, deadline + 0.1 - time.monotonic()))
        return _wrong(trace) if call >= 9 else trace

    result = check_cell(
        STICKY, CLIENT, PythonPort(), _by_call(does), cases=50, seed=0, deadline=deadline
    )
    assert result.verdict is Verdict.DIVERGES
    assert result.divergence is not None
    assert result.divergence.remarks == ("Shrinking stopped early: time ran out.",)


@pytest.mark.parametrize("kind", [Spoiled, Surveyed])
def test_a_bug_at_the_last_case_of_all_is_not_run(kind: type[Spoiled]) -> None:
    result = _check(PythonPort(), _by_call(_raises_at(50, RuntimeError("a bug")), kind))
    assert result.verdict is Verdict.NOT_RUN
    assert "The suite failed: RuntimeError: a bug" in result.reason


def test_an_oracle_without_an_answer_is_not_run() -> None:
    silent = _by_call(lambda call, trace: None if call == 5 else trace)  # type: ignore[arg-type,return-value]
    result = _check(silent, PythonPort())
    assert result.verdict is Verdict.NOT_RUN
    assert "the oracle answers nothing" in result.reason

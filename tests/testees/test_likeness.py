"""What a testee is like, and what the command's exit code makes of it."""

from collections.abc import Collection, Iterable
from dataclasses import replace

import pytest

from conformance.engine.cell import limit_of
from conformance.engine.likeness import (
    WITHOUT_KEY,
    exit_code_of_testee,
    likenesses,
    outcome_of_testee,
)
from conformance.engine.plan import behaviour_named
from conformance.errors import ExitCode
from conformance.model.difference import Difference, Part
from conformance.model.results import Cell, CellResult, RunResult, TestResult, Verdict
from conformance.model.subject import WHOLE, Scope

_OK, _DIVERGES, _KNOWN, _NOT_RUN, _ABSENT = Verdict
_CODES = {0: ExitCode.CONFORMS, 1: ExitCode.DIVERGES, 3: ExitCode.NOT_RUN}


def _cell(behaviour: str, client: str, verdict: Verdict, **differences: int) -> CellResult:
    seen = {name.replace("_", " "): count for name, count in differences.items()}
    cases = 0 if behaviour in ("round-robin-null-key", "sticky", "built-in") else 100
    return CellResult(
        Cell(behaviour, client), verdict, cases=cases, differences=seen, kinds=_of_cases(seen)
    )


def _of_cases(names: Iterable[str]) -> dict[str, Difference]:
    """That these names stand for differences between traces."""
    return dict.fromkeys(names, Difference("partition", Part.STATE))


def _keyed(*verdicts: Verdict) -> list[CellResult]:
    return [
        _cell("keyed", client, verdict)
        for client, verdict in zip(("2.3.1", "3.2.3", "3.8.0"), verdicts, strict=False)
    ]


def test_it_is_like_the_versions_that_it_conforms_to() -> None:
    [likeness] = likenesses(_keyed(_OK, _DIVERGES, _OK))
    assert likeness.like == ("2.3.1", "3.8.0")
    assert str(likeness) == "keyed: matches Java 2.3.1, 3.8.0"
    assert likeness.verdict is _OK


def test_the_closest_has_the_fewest_differences() -> None:
    results = [
        _cell("keyed", "2.3.1", _DIVERGES, a_lot=60, more=1),
        _cell("keyed", "3.2.3", _DIVERGES, little=1, some=4, rare=2, least=0),
        _cell("keyed", "3.8.0", _DIVERGES, middling=20),
    ]
    [likeness] = likenesses(results)
    assert (likeness.like, likeness.closest) == ((), "3.2.3")
    assert str(likeness) == (
        "keyed: matches no Java version; the closest is 3.2.3, differs in: some; rare; little"
    )
    assert likeness.verdict is _DIVERGES


def test_of_distributions_the_closest_fails_the_fewest_tests() -> None:
    def sampled(client: str, *verdicts: Verdict) -> CellResult:
        tests = tuple(TestResult("by record", str(at), v, 9, "") for at, v in enumerate(verdicts))
        cell = Cell("sticky", client)
        return CellResult(cell, _DIVERGES, differences={client: 1}, tests=tests)

    results = [sampled("3.2.3", _DIVERGES, _DIVERGES), sampled("3.8.0", _DIVERGES, _OK)]
    [likeness] = likenesses(results)
    assert likeness.closest == "3.8.0 (sticky)"


def test_behaviours_of_records_without_key_are_one_thing() -> None:
    results = [
        _cell("round-robin-null-key", "2.3.1", _DIVERGES),
        _cell("sticky", "3.2.3", _OK),
        _cell("built-in", "3.8.0", _DIVERGES),
        _cell("keyed", "3.8.0", _OK),
    ]
    without_key, keyed = likenesses(results)
    assert str(without_key) == f"{WITHOUT_KEY}: matches Java 3.2.3 (sticky)"
    assert keyed.behaviours == ("keyed",)
    assert exit_code_of_testee(results, ()) is ExitCode.CONFORMS


def test_what_is_absent_is_not_spoken_of() -> None:
    assert likenesses(_keyed(_ABSENT, _ABSENT)) == []
    [likeness] = likenesses(_keyed(_ABSENT, _OK))
    assert likeness.like == ("3.2.3",)


def test_what_was_not_run_is_not_known() -> None:
    [likeness] = likenesses(_keyed(_NOT_RUN, _DIVERGES))
    assert str(likeness) == "keyed: unknown, because something was not run"
    assert likeness.verdict is _NOT_RUN


@pytest.mark.parametrize(
    ("verdicts", "claimed", "code"),
    [
        # Without claims it is enough to be like one version.
        ([_OK, _DIVERGES, _DIVERGES], (), 0),
        ([_DIVERGES, _DIVERGES], (), 1),
        ([_OK, _KNOWN], (), 0),
        ([_KNOWN, _KNOWN], (), 0),
        ([_KNOWN, _DIVERGES], (), 1),
        # What is claimed must hold everywhere.
        ([_OK, _OK], ("keyed",), 0),
        ([_OK, _DIVERGES], ("keyed",), 1),
        ([_OK, _KNOWN], ("keyed",), 0),
        ([_OK, _ABSENT], ("keyed",), 0),
        # What was not run is never a success, and a divergence outweighs it.
        ([_OK, _NOT_RUN], (), 3),
        ([_OK, _NOT_RUN], ("keyed",), 3),
        ([_NOT_RUN], (), 3),
        ([_KNOWN, _NOT_RUN], (), 3),
        ([_DIVERGES, _NOT_RUN], ("keyed",), 1),
        # Nothing at all is none either.
        ([], (), 3),
        ([_ABSENT], (), 3),
        ([_ABSENT], ("keyed",), 3),
    ],
)
def test_exit_codes(verdicts: list[Verdict], claimed: Collection[str], code: int) -> None:
    assert exit_code_of_testee(_keyed(*verdicts), claimed) is _CODES[code]


def test_claims_are_of_single_behaviours() -> None:
    results = [*_keyed(_OK, _OK), _cell("round-robin", "3.8.0", _DIVERGES)]
    assert exit_code_of_testee(results, ("keyed",)) is ExitCode.DIVERGES
    assert exit_code_of_testee(results[:2], ("keyed",)) is ExitCode.CONFORMS


@pytest.mark.parametrize(("verdict", "code"), [(_OK, 3), (_DIVERGES, 1), (_NOT_RUN, 3)])
def test_an_interrupted_run_is_no_success(verdict: Verdict, code: int) -> None:
    assert exit_code_of_testee(_keyed(verdict), (), interrupted=True) is _CODES[code]


def test_an_exact_behaviour_is_not_excused_by_another_one() -> None:
    results = [
        CellResult(Cell("sticky", "3.8.0"), _OK, cases=100),
        CellResult(Cell("built-in", "3.8.0"), _DIVERGES, cases=100, differences={"a": 3}),
    ]
    assert [likeness.what for likeness in likenesses(results)] == ["sticky", "built-in"]
    assert exit_code_of_testee(results, ()) is ExitCode.DIVERGES


def test_what_could_not_be_tried_is_told() -> None:
    result = CellResult(Cell("keyed", "3.8.0"), _OK, cases=90, refused=10)
    [likeness] = likenesses([result])
    assert str(likeness) == "keyed: matches Java 3.8.0 (10 of 100 cases not tried)"


def test_what_could_not_be_tried_is_told_of_what_is_like_none_as_well() -> None:
    differences = {"partition: a number for another": 9}
    result = CellResult(
        Cell("keyed", "3.8.0"),
        _DIVERGES,
        cases=90,
        refused=80,
        differences=differences,
        kinds=_of_cases(differences),
    )
    [likeness] = likenesses([result])
    assert result.agreement == 0.9
    assert "the closest is 3.8.0 (80 of 170 cases not tried), differs in" in str(likeness)


def test_what_it_cannot_be_asked_is_told() -> None:
    limited = [
        CellResult(Cell("murmur2", client), _OK, cases=9, refused=refused, limit="only toPositive")
        for client, refused in (("3.2.3", 0), ("3.8.0", 1))
    ]
    [likeness] = likenesses(limited)
    told = "only toPositive; 1 of 19 cases not tried"
    assert str(likeness) == f"murmur2: matches Java 3.2.3, 3.8.0 ({told})"
    unlike = replace(limited[1], verdict=_DIVERGES, differences={"a": 1})
    assert "the closest is 3.8.0 (only toPositive; 1 of 10" in str(likenesses([unlike])[0])


@pytest.mark.parametrize(
    ("cannot", "operations", "told"),
    [
        ((), (), ""),
        ((), ("toPositive", "murmur2"), ""),
        ((), ("toPositive",), "only toPositive"),
        (("null keys", "odd"), (), "without null keys and odd"),
        (("null keys", "a", "b"), ("murmur2",), "only murmur2, without 3 kinds of cases"),
    ],
)
def test_a_limit_in_words(cannot: tuple[str, ...], operations: tuple[str, ...], told: str) -> None:
    scope = Scope()
    scope.limits = (list(cannot), list(operations))
    assert limit_of(behaviour_named("murmur2"), scope) == told
    assert limit_of(behaviour_named("murmur2"), WHOLE) == ""


def test_unclaimed_divergences_are_told_and_can_be_made_to_count() -> None:
    run = RunResult(tuple(_keyed(_OK, _DIVERGES, _KNOWN)), 1.0, 1)
    outcome = outcome_of_testee(run, ())
    assert outcome.exit_code is ExitCode.CONFORMS
    assert outcome.not_counted.startswith(
        "Not counted: keyed[3.2.3] diverges. The testee claims no version"
    )
    strict = outcome_of_testee(run, (), fail_on_unclaimed=True)
    assert (strict.exit_code, strict.unclaimed) == (ExitCode.DIVERGES, {})
    assert strict.not_counted == ""
    fine = RunResult(tuple(_keyed(_OK, _KNOWN)), 1.0, 1)
    assert outcome_of_testee(fine, (), fail_on_unclaimed=True).exit_code is ExitCode.CONFORMS


def test_failed_tests_of_records_are_no_cases() -> None:
    failed = TestResult("keyed/uuid", "record by record", _DIVERGES, 9, "")
    result = CellResult(
        Cell("keyed", "3.8.0"),
        _DIVERGES,
        cases=150,
        differences={failed.difference: 1},
        tests=(failed,),
    )
    assert result.agreement == 1.0

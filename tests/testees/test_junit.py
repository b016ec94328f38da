"""JUnit XML of a testee: it fails exactly if the command does, and says what decides nothing."""

import itertools
from collections.abc import Collection, Sequence
from xml.etree import ElementTree as ET

import pytest

from conformance.engine.likeness import outcome_of_testee
from conformance.errors import ExitCode
from conformance.model.results import Cell, CellResult, RunResult, TestResult, Verdict
from conformance.reports.junit_report import further_of, junit_text

_OK, _DIVERGES, _KNOWN, _NOT_RUN, _ABSENT = Verdict
_VERSIONS = ("2.3.1", "3.2.3", "3.8.0")
_FAILED = TestResult("keyed/uuid", "record by record", _DIVERGES, 9, "3 of 9 records")


def _cell(behaviour: str, client: str, verdict: Verdict) -> CellResult:
    failed = verdict in (_DIVERGES, _KNOWN)
    return CellResult(
        Cell(behaviour, client),
        verdict,
        cases=10,
        reason="why" if verdict in (_NOT_RUN, _ABSENT) else "",
        differences={_FAILED.difference: 1} if failed else {},
        tests=(_FAILED,) if failed else (),
    )


def _keyed(*verdicts: Verdict) -> list[CellResult]:
    return [_cell("keyed", *one) for one in zip(_VERSIONS, verdicts, strict=False)]


def _junit(
    results: Sequence[CellResult],
    claimed: Collection[str] = (),
    *,
    outdated: Sequence[str] = (),
    untried: Sequence[str] = (),
) -> tuple[ExitCode, ET.Element]:
    run = RunResult(tuple(results), 1.0, 1)
    outcome = outcome_of_testee(run, claimed, outdated=outdated, untried=untried)
    text = junit_text(run, {}, unclaimed=outcome.unclaimed, further=further_of(outcome))
    suite = ET.fromstring(text).find("testsuite")
    assert suite is not None
    assert suite.get("tests") == str(len(suite.findall("testcase")))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert suite.get(name) == str(len(suite.findall(f"testcase/{tag}")))
    return outcome.exit_code, suite


@pytest.mark.parametrize("claimed", [(), ("keyed",)])
def test_it_fails_exactly_if_the_command_does(claimed: Collection[str]) -> None:
    for verdicts in itertools.product(Verdict, repeat=3):
        if set(verdicts) == {_ABSENT}:  # no plan: the command ends before it runs anything
            continue
        code, suite = _junit(_keyed(*verdicts), claimed)
        failures, errors = suite.get("failures"), suite.get("errors")
        assert (failures, errors) == ("0", "0") or code != 0, verdicts
        assert code != 1 or failures != "0", verdicts
        assert code != 3 or errors != "0", verdicts
        assert code != 0 or (failures, errors) == ("0", "0"), verdicts


def test_a_version_that_was_never_claimed_is_skipped_with_what_it_is_like() -> None:
    code, suite = _junit(_keyed(_OK, _DIVERGES, _DIVERGES))
    assert code == 0
    skipped = suite.findall("testcase/skipped")
    assert [one.get("message") for one in skipped] == [
        "Diverges. The testee does not claim this version. keyed: matches Java 2.3.1"
    ] * 2
    [told, _] = suite.findall("testcase/system-out")
    assert told.text == "keyed/uuid: record by record: 3 of 9 records"


def test_what_is_claimed_or_like_none_is_a_failure() -> None:
    assert _junit(_keyed(_OK, _DIVERGES), ("keyed",))[1].get("failures") == "1"
    assert _junit(_keyed(_DIVERGES, _DIVERGES))[1].get("failures") == "2"


def test_claims_of_one_behaviour_say_nothing_of_another() -> None:
    results = [
        *_keyed(_OK, _DIVERGES),
        _cell("round-robin", "3.2.3", _OK),
        _cell("round-robin", "3.8.0", _DIVERGES),
    ]
    code, suite = _junit(results, ("keyed",))
    assert code == 1
    [failed] = [case for case in suite if case.find("failure") is not None]
    assert failed.get("name") == "keyed"


def test_a_known_divergence_that_is_gone_is_a_failure() -> None:
    code, suite = _junit(_keyed(_OK), outdated=["keyed[2.3.1]: gone"])
    assert code == 1
    [failure] = suite.findall("testcase/failure")
    assert failure.get("message") == "keyed[2.3.1]: gone"


def test_claims_of_no_version_that_there_is_are_an_error() -> None:
    code, suite = _junit(_keyed(_OK), untried=["sticky"])
    assert code == 3
    [error] = suite.findall("testcase/error")
    assert "none of the versions that it claims" in (error.get("message") or "")


def test_cases_that_could_not_be_tried_are_told() -> None:
    result = CellResult(Cell("keyed", "3.8.0"), _OK, cases=80, refused=70, refusals=("too long",))
    _, suite = _junit([result])
    [told] = suite.findall("testcase/system-out")
    assert told.text == "70 of 150 cases not tried: too long"


def test_what_a_testee_cannot_be_asked_is_told() -> None:
    result = CellResult(Cell("murmur2", "3.8.0"), _OK, cases=80, limit="only toPositive")
    _, suite = _junit([result])
    assert [told.text for told in suite.findall("testcase/system-out")] == ["only toPositive"]


def test_unclaimed_divergences_that_count_are_failures() -> None:
    run = RunResult(tuple(_keyed(_OK, _DIVERGES)), 1.0, 1)
    outcome = outcome_of_testee(run, (), fail_on_unclaimed=True)
    text = junit_text(run, {}, unclaimed=outcome.unclaimed, further=further_of(outcome))
    assert 'failures="1"' in text
    assert 'skipped="0"' in text

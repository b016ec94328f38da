"""What kind of difference two traces have, in words that can be written into a file."""

from typing import Any

import pytest

from conformance.engine.difference import difference_of, is_excusable
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.model.results import difference_of_test
from conformance.model.trace import Trace
from conformance.model.values import thrown

STICKY = behaviour_named("sticky")
_STEPS = [
    {"op": "partition", "topic": "t", "key": None, "metadata": 0, "draw": None},
    {"op": "new batch", "topic": "t", "previous": 0, "metadata": 0, "draw": None},
    {"op": "partition", "topic": "t", "key": None, "metadata": 0, "draw": None},
]
CASE: Case = {"config": {}, "metadata": [[("t", [[0, 0], [1, 0]])]], "steps": _STEPS}
EXPECTED: Trace = [{"answer": 1}, {"answer": None}, {"answer": 0}]


def _named(expected: Trace, answered: Trace) -> str | None:
    difference = difference_of(STICKY, CASE, expected, answered)
    if difference is None:
        return None
    # Of what was seen, and of the name that stands in files.
    assert difference.excusable is is_excusable(str(difference))
    return str(difference)


def _difference(at: int, expected: Any, answered: Any) -> str | None:
    left = [*EXPECTED]
    right = [*EXPECTED]
    left[at], right[at] = expected, answered
    return _named(left, right)


def test_equal_traces_have_none() -> None:
    assert difference_of(STICKY, CASE, EXPECTED, [dict(step) for step in EXPECTED]) is None


@pytest.mark.parametrize(
    ("at", "expected", "answered", "told"),
    [
        (0, 1, 0, "partition: a number for another"),
        (1, None, 0, "new batch: a number for null"),
        (2, 0, None, "partition: null for a number"),
        (2, thrown("arithmetic"), 0, "partition: a number for error arithmetic"),
        (2, 0, thrown("null"), "partition: error null for a number"),
        (0, thrown("null"), thrown("index"), "partition: error index for error null"),
        (0, 1, [1], "partition: a list for a number"),
        (0, [1], [2], "partition: a list for another"),
        (1, None, "changed", "new batch: text for null"),
        (0, 1, thrown("the testee died: it was killed by SIGSEGV"), "died"),
    ],
)
def test_answers_of_another_kind(at: int, expected: Any, answered: Any, told: str) -> None:
    difference = _difference(at, {"answer": expected}, {"answer": answered})
    assert difference is not None
    assert difference.split(" (")[0] == told


def test_other_draws_and_other_states() -> None:
    step = {"answer": 1, "draws": 1, "state": {"t": 1}}
    assert _difference(0, step, {**step, "draws": 2}) == "partition: another draws"
    assert _difference(0, step, {**step, "state": {"t": 0}}) == "partition: another state"
    assert _difference(0, step, {**step, "state": {}}) == "partition: another state"


def test_the_first_difference_counts() -> None:
    answered: Trace = [{"answer": 1}, {"answer": 4}, {"answer": 4}]
    assert _named(EXPECTED, answered) == "new batch: a number for null"


def test_missing_and_additional_steps() -> None:
    assert _named(EXPECTED, EXPECTED[:2]) == "partition: nothing"
    assert _named(EXPECTED, EXPECTED[:1]) == "new batch: nothing"
    longer: Trace = [*EXPECTED, {"answer": 0}]
    assert _named(EXPECTED, longer) == "partition: more than asked"


def test_the_same_difference_has_the_same_words() -> None:
    told = {
        _difference(0, {"answer": 1}, {"answer": thrown(f"the testee died: {how}")})
        for how in ("it was killed by SIGSEGV", "it exited with code 3")
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    ("difference", "excusable"),
    [
        ("partition: a number for another", True),
        ("partition: a number for error null (ids with gaps)", True),
        ("partition: another state", True),
        ("by record: transitions", True),
        ("partition: died for a number", False),
        ("new batch: died for null", False),
        ("partition: nothing", False),
    ],
)
def test_crashes_and_missing_answers_cannot_be_excused(difference: str, excusable: bool) -> None:
    assert is_excusable(difference) is excusable


def test_tests_of_distributions_have_names_too() -> None:
    assert difference_of_test("sticky/by record", "stays") == "by record: stays"
    assert is_excusable(difference_of_test("sticky/by record", "no memory"))

"""Values of a trace: lossless in JSON, and never equal to a value of another type."""

import math
import struct
from typing import Any

import pytest
from hypothesis import given

from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine.difference import difference_of
from conformance.model.trace import Trace, answer_of
from conformance.model.values import (
    double,
    from_json,
    int64,
    is_value,
    kind_of,
    mapping,
    thrown,
    to_json,
)
from tests.fast.value_samples import VALUES

_ALIKE: list[Any] = [
    *(5, int64(5), double(5.0), "5", b"5", [5], mapping([(5, 5)]), thrown("5")),
    *(0, None, "", b"", [], mapping([]), double(0.0), double(-0.0), int64(0)),
]


@given(VALUES)
def test_a_value_survives_json(value: Any) -> None:
    assert is_value(value)
    read = from_json(to_json(value))
    assert read == value
    assert kind_of(read) == kind_of(value)


def test_a_number_beyond_int32_is_of_another_kind() -> None:
    kinds = [kind_of(number) for number in (2**31 - 1, -(2**31), 2**31, -(2**31) - 1)]
    assert kinds == ["a number"] * 2 + ["a number beyond int32"] * 2


@pytest.mark.parametrize("at", range(len(_ALIKE)))
def test_values_of_different_types_are_different(at: int) -> None:
    assert [other == _ALIKE[at] for other in _ALIKE] == [
        other == at for other in range(len(_ALIKE))
    ]


def test_a_nan_equals_itself_and_no_other_nan() -> None:
    (other,) = struct.unpack(">d", bytes.fromhex("7ff8000000000001"))
    assert double(math.nan) == double(math.nan)
    assert double(math.nan) != double(other)


def test_a_map_has_no_order() -> None:
    assert mapping([("a", 1), (2, None)]) == mapping([(2, None), ("a", 1)])


@pytest.mark.parametrize(
    "wrong",
    [
        *(1.0, True, (1,), {"int64": "05"}, {"int64": "-0"}, {"int64": str(2**63)}, {"int64": 5}),
        *({"double": "nan"}, {"map": [["b", 1], ["a", 1]]}, {"map": [[1]]}, {"map": {}}, {}),
        *([1, [2.0]], {"other": 1}, {"int64": "1", "double": "0" * 16}, {"error": 3}),
    ],
    ids=repr,
)
def test_what_is_no_value_is_no_answer(wrong: object) -> None:
    assert not is_value(wrong)
    assert "python answers" in answer_of(lambda: wrong)["error"]


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_what_no_long_holds_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not an int64"):
        int64(number)


@pytest.mark.parametrize(
    ("expected", "answered", "told"),
    [
        (5, int64(5), "a long for a number"),
        (int64(5), int64(6), "a long for another"),
        (double(1.0), "x", "text for a double"),
        (b"\0", mapping([]), "a map for bytes"),
        ("changed", None, "null for changed"),
        ("one text", "another text", "text for another"),
    ],
)
def test_a_difference_is_told_by_types(expected: Any, answered: Any, told: str) -> None:
    (behaviour,) = (one for one in BEHAVIOURS if one.name == "built-in")
    case: Any = {"config": {}, "metadata": [], "steps": [{"op": "append"}]}
    traces: list[Trace] = [[{"answer": expected}], [{"answer": answered}]]
    assert str(difference_of(behaviour, case, *traces)) == f"append: {told}"

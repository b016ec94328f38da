"""A divergence in words: every type of value can be told from the others."""

import re
from dataclasses import replace
from typing import Any

import pytest

from conformance.model.results import Cell, Divergence
from conformance.model.values import double, int64, mapping
from conformance.reports.describe import describe_divergence


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (5, "answers 5"),
        (int64(5), "answers 5 (long)"),
        (double(-0.0), "answers -0.0 (double, bits 8000000000000000)"),
        ("5", "answers '5'"),
        (b"5", "answers hex '35' '5'"),
        ([int64(1), None], "answers [1 (long), null]"),
        (mapping([]), "answers an empty map"),
        (mapping([("t", [0]), ("u", int64(7))]), "answers a map of 't' to [0], 'u' to 7 (long)"),
        ({"error": "java.lang.ArithmeticException"}, "throws java.lang.ArithmeticException"),
        ([{"error": "\x1b[31m"}], "answers [error '\\x1b[31m']"),
    ],
)
def test_a_value_is_told_with_its_type(value: Any, told: str) -> None:
    assert f"Java 3.8.0: {told}\n" in describe_divergence(_divergence("ask", value), "replay")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([48, 49, 7], "answers the bytes hex '30 31' '01' and partition 7"),
        ([-1], "answers the bytes hex '' and partition -1"),
        (None, "answers null"),
        ([256, 7], "answers [256, 7]"),
        ([], "answers []"),
        ({"error": "python ValueError: no"}, "throws python ValueError: no"),
    ],
)
def test_a_serialized_key_is_told_as_bytes_and_partition(value: Any, told: str) -> None:
    text = describe_divergence(_divergence("serialize", value), "replay")
    assert f"Java 3.8.0: {told}\n" in text


_BATCH = bytes(range(100))


def _changed(*places: int, data: bytes = _BATCH) -> bytes:
    return bytes(one ^ 0xFF if at in places else one for at, one in enumerate(data))


@pytest.mark.parametrize(
    ("answered", "told"),
    [
        (_changed(17, 18, 65), ["bytes 17 to 18: 11 12 and ee ed", "byte 65: 41 and be"]),
        ([_changed(99)], ["byte 99: 63 and 9c"]),
        ({"a": {"b": _changed(0)}}, ["byte 0: 00 and ff"]),
        (_BATCH[:98], ["bytes 98 to 99: 62 63 and none"]),
        (_BATCH + b"!", ["byte 100: none and 21"]),
        (
            _changed(*range(60, 80)),
            [
                "bytes 60 to 79: 3c 3d 3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b ... and "
                "c3 c2 c1 c0 bf be bd bc bb ba b9 b8 b7 b6 b5 b4 ..."
            ],
        ),
        (
            _changed(*range(1, 14, 2)),
            [
                *(f"byte {at}: 0{at} and f{15 - at:x}" for at in (1, 3, 5, 7)),
                "byte 9: 09 and f6",
                "further places",
            ],
        ),
        (_BATCH, []),
        (5, []),
        (
            _BATCH[:40],
            ["bytes 40 to 99: 28 29 2a 2b 2c 2d 2e 2f 30 31 32 33 34 35 36 37 ... and none"],
        ),
    ],
)
def test_where_long_bytes_differ_is_told(answered: Any, told: list[str]) -> None:
    expected: Any = _BATCH
    if isinstance(answered, list):
        expected = [_BATCH]
    if isinstance(answered, dict):
        expected = {"a": {"b": _BATCH}}
    divergence = replace(_divergence("build", expected), answered=[{"answer": answered}])
    lines = describe_divergence(divergence, "replay").splitlines()
    found = [line.strip() for line in lines if line.startswith("         differ in ")]
    assert found == [f"differ in {one}" for one in told]


def test_all_lines_of_an_answer_are_counted() -> None:
    many: list[Any] = [_changed(50), {"a": _changed(51), "b": _changed(52)}, *[_changed(53)] * 9]
    expected = [_BATCH, {"a": _BATCH, "b": _BATCH}, *[_BATCH] * 9]
    divergence = replace(_divergence("build", expected), answered=[{"answer": many}])
    found = re.findall(r"differ in (.+)", describe_divergence(divergence, "replay"))
    assert [one.partition(":")[0] for one in found] == [
        *("byte 50", "byte 51", "byte 52", "byte 53", "byte 53", "further places"),
    ]


def test_where_short_bytes_differ_is_seen() -> None:
    divergence = replace(_divergence("build", b"1234"), answered=[{"answer": b"1235"}])
    assert "differ in" not in describe_divergence(divergence, "replay")


def _divergence(operation: str, answer: Any) -> Divergence:
    return Divergence(
        cell=Cell("some", "3.8.0"),
        expected_of="Java 3.8.0",
        answered_by="the port",
        case={"config": {}, "metadata": [], "steps": [{"op": operation}]},
        expected=[{"answer": answer}],
        answered=[{"answer": None}],
        step=0,
        java_method="Some.method",
        seed=0,
        cases_before=0,
    )

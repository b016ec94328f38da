"""A divergence in words: every type of value can be told from the others."""

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

"""Answers of other types than int32 through the protocol, for behaviours that have them."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

from conformance.behaviours.partitioning.murmur2 import Murmur2
from conformance.clients.versions import client_named
from conformance.engine.difference import difference_of
from conformance.model.values import int64, is_value, mapping, thrown, to_json
from conformance.subjects.testee import Testee as Process
from conformance.testees import errors
from conformance.testees.protocol import as_observed, read_message, read_trace
from tests.fast.value_samples import VALUES

TESTEE = """
import json, sys
who = {"type": "hello", "protocol": 1, "name": "typed", "version": "1", "language": "Python"}
print(json.dumps({**who, "behaviours": {"murmur2": {"mode": "exact"}}}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "cases":
        traces = [[{"int64": str(step["number"])} for step in case["steps"]]
                  for case in message["cases"]]
        print(json.dumps({"type": "traces", "id": message["id"], "traces": traces}), flush=True)
"""
CASE: Any = {"config": {}, "metadata": [], "steps": [{"op": "toPositive", "number": 5}]}


def read(*steps: Any) -> Any:
    """What is read of a testee's trace."""
    line = to_json({"type": "traces", "id": 1, "traces": [list(steps)]}).encode()
    [trace] = read_message(line, typed=True)["traces"]
    return read_trace(trace, ("state",))


def told(value: Any) -> Any:
    """A value as a testee writes it: kinds of errors."""
    return json.loads(to_json(value).replace("java.lang.NullPointerException", "null"))


def has_half_a_pair(value: Any) -> bool:
    """Half of a surrogate pair, which Python shows escaped, and the protocol refuses."""
    return "\\ud" in repr(value)


@given(VALUES, VALUES)
def test_a_value_survives_the_protocol(answer: Any, state: Any) -> None:
    assume(not has_half_a_pair([answer, state]))
    trace = [{"answer": answer, "state": {"of": state}}]
    got = read({"answer": told(answer), "state": {"of": told(state)}})
    assert to_json(got) == to_json(trace).replace("java.lang.NullPointerException", "null")
    assert is_value(got[0]["answer"])
    assert read(told(answer)) == [{"answer": got[0]["answer"]}]


def test_the_pairs_of_a_map_have_no_order() -> None:
    pairs = [["b", {"int64": "1"}], ["a", {"hex": "00"}]]
    for written in (pairs, pairs[::-1]):
        assert read({"map": written}) == [{"answer": mapping([("a", b"\0"), ("b", int64(1))])}]


def test_a_java_error_is_known_by_its_kind() -> None:
    java = as_observed([{"answer": thrown("java.lang.NullPointerException")}], ())
    assert read({"error": "null", "message": "of any text"}) == java


@pytest.mark.parametrize(
    "wrong",
    [
        *({"int64": 5}, {"int64": "05"}, {"int64": "-0"}, {"int64": "9223372036854775808"}),
        *({"double": "3FF0000000000000"}, {"double": 1}, {"hex": "0"}, {"hex": "AA"}),
        *({"map": [[1]]}, {"map": {"a": 1}}, {"map": [["a", 1], ["a", 2]]}, {"text": "a"}, {}),
        *(True, [True], [{"int64": "x"}], {"int64": "5", "hex": "00"}, {"error": "mine"}),
    ],
)
def test_what_is_no_typed_value_is_refused(wrong: Any) -> None:
    with pytest.raises(errors.TesteeError, match=r"typed|Typed answers|64 bits|an unknown word"):
        read(wrong)


class Typed(Murmur2):
    """A behaviour whose answers are longs."""

    typed = True


def test_a_process_answers_a_behaviour_that_is_typed_and_no_other(tmp_path: Path) -> None:
    script = tmp_path / "testee.py"
    script.write_text(TESTEE, encoding="utf-8")
    testee = Process([sys.executable, str(script)])
    client = client_named("3.8.0")
    try:
        trace = testee.performer(Typed(), client)(CASE)
        assert trace == [{"answer": int64(5)}]
        difference = difference_of(Typed(), CASE, [{"answer": 5}], trace)
        assert difference is not None
        with pytest.raises(errors.TesteeError, match="a partition is a whole number of 32 bits"):
            testee.performer(Murmur2(), client)(CASE)
    finally:
        testee.stop()

"""Every Java value comes back whole, or not at all."""

import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.errors import OracleError
from conformance.model.program import NULL, Argument, Mode, Program, double, integer, long, slot
from conformance.model.values import Value, mapping
from conformance.model.values import double as a_double
from conformance.model.values import int64 as a_long
from conformance.oracle.client import JavaClient
from conformance.subjects.java_client import JavaSubject

_LISTS = "java.util.ArrayList"
_MAPS = "java.util.HashMap"
_OBJECT = "java.lang.Object"
_TEXT = "java.lang.String"


@pytest.fixture(scope="module")
def client(java: JavaSubject) -> JavaClient:
    return java.client(CLIENT_VERSIONS[-1], assertions=False)


def _answered(client: JavaClient, program: Program, kept: int) -> Value:
    program.emit(kept)
    results = client.run(program)
    value = results.answer()
    results.finish()
    return value


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**63 - 1, -(2**63)])
def test_a_long(client: JavaClient, number: int) -> None:
    program = Program()
    assert _answered(client, program, program.let(long(number))) == a_long(number)


@pytest.mark.parametrize("number", [0.0, -0.0, 0.1, float("inf"), 5e-324])
def test_a_double(client: JavaClient, number: float) -> None:
    program = Program()
    assert _answered(client, program, program.let(double(number))) == a_double(number)


@pytest.mark.parametrize("bits", ["7ff0000000000001", "fff8000000000000", "7ff8000000000001"])
def test_the_bits_of_a_nan(client: JavaClient, bits: str) -> None:
    program = Program()
    made = program.new_slot()
    of_bits = client.method("java.lang.Double", "longBitsToDouble", "long")
    program.call(of_bits, NULL, long(int(bits, 16)), into=made)
    assert _answered(client, program, made) == {"double": bits}


@pytest.mark.parametrize(
    "text",
    ["", "key", "\0\ufeff", "\U0001f600", "\ud800", "\udc00\ud800", '"', "\\", "\n\x1f\x7f\xa0"],
)
def test_text(client: JavaClient, text: str) -> None:
    program = Program()
    assert _answered(client, program, program.let(program.text(text))) == text


@pytest.mark.parametrize("data", [b"", bytes(range(256))])
def test_bytes(client: JavaClient, data: bytes) -> None:
    program = Program()
    answer = _answered(client, program, program.let(program.data(data)))
    assert isinstance(answer, bytes)
    assert answer == data


def _list(client: JavaClient, program: Program, *members: Argument) -> int:
    made = program.new_slot()
    program.call(client.constructor(_LISTS), into=made)
    for member in members:
        program.call(client.method(_LISTS, "add", _OBJECT), slot(made), member)
    return made


def test_lists_in_lists(client: JavaClient) -> None:
    program = Program()
    inner = _list(client, program, NULL, program.text("x"), long(7))
    outer = _list(client, program, slot(inner), program.data(b"\xff"), integer(7))
    assert _answered(client, program, outer) == [[None, "x", a_long(7)], b"\xff", 7]


def test_empty_lists_and_maps(client: JavaClient) -> None:
    program = Program()
    empty = program.new_slot()
    program.call(client.constructor(_MAPS), into=empty)
    both = _list(client, program, slot(empty), slot(_list(client, program)))
    assert _answered(client, program, both) == [mapping([]), []]


def test_a_map(client: JavaClient) -> None:
    program = Program()
    made = program.new_slot()
    program.call(client.constructor(_MAPS), into=made)
    put = client.method(_MAPS, "put", _OBJECT, _OBJECT)
    for key, value in [(program.text("b"), integer(1)), (program.text("a"), NULL)]:
        program.call(put, slot(made), key, value)
    program.call(put, slot(made), NULL, slot(_list(client, program, integer(1))))
    expected = mapping([("a", None), ("b", 1), (None, [1])])
    assert _answered(client, program, made) == expected


def test_an_object_of_another_class_is_a_failure_and_never_an_answer(client: JavaClient) -> None:
    program = Program()
    new = client.constructor("java.util.concurrent.atomic.AtomicLong")
    program.call(new, mode=Mode.ANSWER)
    with pytest.raises(OracleError, match=r"AtomicLong.* answered a java\.util\..*no value"):
        client.run(program)


def test_such_an_object_in_a_list_is_a_failure_too(client: JavaClient) -> None:
    program = Program()
    thing = program.new_slot()
    program.call(client.constructor(_OBJECT), into=thing)
    kept = _list(client, program, slot(thing))
    with pytest.raises(OracleError, match=r"a java\.lang\.Object, which is no value"):
        _answered(client, program, kept)


def test_what_was_only_tried_is_null_or_an_error(client: JavaClient) -> None:
    program = Program()
    for text in ("7", "seven"):
        parse = client.method("java.lang.Integer", "parseInt", _TEXT)
        program.call(parse, NULL, program.text(text), mode=Mode.TRY)
    results = client.run(program)
    assert results.answer() is None
    assert results.answer() == {"error": "java.lang.NumberFormatException"}
    results.finish()

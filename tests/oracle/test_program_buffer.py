"""Programs cross whole, however long they are, and nothing is left of the one before."""

import struct

import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.model.program import NULL, Mode, Program, integer
from conformance.oracle.client import JavaClient
from conformance.subjects.java_client import JavaSubject

_NUMBERS = [-(2**31), -1, 0, 2**31 - 1]


@pytest.fixture(scope="module")
def client(java: JavaSubject) -> JavaClient:
    return java.client(CLIENT_VERSIONS[-1], assertions=False)


@pytest.mark.parametrize("size", [0, 1, 1 << 16, 300_000, 5])
def test_data_of_any_length(client: JavaClient, size: int) -> None:
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    program = Program()
    program.emit(program.let(program.data(data)))
    assert client.run(program).answer() == data


@pytest.mark.parametrize("calls", [0, 1, 3, 20_000, 2])
def test_code_of_any_length(client: JavaClient, calls: int) -> None:
    same = client.method("java.lang.Math", "addExact", "int", "int")
    program = Program()
    expected = [_NUMBERS[number % 4] for number in range(calls)]
    for number in expected:
        program.call(same, NULL, integer(number), integer(0), mode=Mode.ANSWER)
    results = client.run(program)
    assert [results.answer() for _ in expected] == expected
    results.finish()


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1])
def test_no_number_beyond_an_int_crosses(client: JavaClient, number: int) -> None:
    program = Program()
    program.let(integer(number))
    with pytest.raises(struct.error, match=r"argument out of range|requires"):
        client.run(program)

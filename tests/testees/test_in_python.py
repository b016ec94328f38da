"""Testees inside Python: the functions that an author pastes into their own repository."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import python_impl
from conformance.errors import SuiteError
from conformance.model.case import Case, Partition
from conformance.testing import check_behaviours, check_keyed, check_testee

PORT = Path(__file__).with_name("port.py")


def test_a_function_that_is_as_java_passes() -> None:
    check_keyed(lambda key, partitions: python_impl.partition_for_key(key, len(partitions)))


def test_a_wrong_mask_is_shown_with_its_smallest_key() -> None:
    def partition(key: bytes, partitions: Sequence[Partition]) -> int:
        return (python_impl.murmur2(key) & 0xFFFFFFFF) % len(partitions)

    with pytest.raises(
        AssertionError, match=r"keyed, client 3\.8\.0: the function differs"
    ) as told:
        check_keyed(partition, clients=["3.8.0"])
    text = str(told.value)
    assert "partitions 0 (leader 0), 1 (leader 1), 2 (leader 2)\n" in text
    assert "Java 3.8.0: answers" in text
    assert "the seed is fixed" in text


def test_an_exception_is_a_wrong_answer() -> None:
    def partition(key: bytes, partitions: Sequence[Partition]) -> int:
        if len(key) > 3:
            raise OverflowError("too long")
        return python_impl.partition_for_key(key, len(partitions))

    with pytest.raises(AssertionError, match="throws python OverflowError: too long"):
        check_keyed(partition, clients=["2.3.1"])


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (float, "the function: throws python answers float 0.0"),
        (bool, "the function: throws python answers bool False"),
        (str, "the function: answers '0'"),
    ],
)
def test_a_number_that_is_no_int_is_a_wrong_answer(kind: type, told: str) -> None:
    # 2.0 == 2 in Python, but a port that answers it has divided where it should not.
    def partition(key: bytes, partitions: Sequence[Partition]) -> int:
        answer: int = kind(python_impl.partition_for_key(key, len(partitions)))
        return answer

    with pytest.raises(AssertionError, match="the function differs from Java 3") as raised:
        check_keyed(partition, clients=["3.8.0"])
    assert told in str(raised.value)


def test_other_behaviours_answer_step_by_step() -> None:
    def answers(case: Case) -> list[int]:
        return [
            python_impl.murmur2(step["key"])
            if step["op"] == "murmur2"
            else step["number"] & 0x7FFFFFFF
            for step in case["steps"]
        ]

    functions = {"murmur2": answers}
    check_behaviours(functions, cannot={"murmur2": ["null keys"]}, clients=["3.2.3"])


@pytest.mark.parametrize("wrong", [1.5, True, (1, 2), {}, {"a": 1, "b": 2}, 7, "seven"], ids=repr)
@pytest.mark.parametrize("whole", [False, True])
def test_whatever_a_step_answers_is_an_answer(wrong: object, whole: bool) -> None:
    def answers(case: Case) -> list[object]:
        return [{"answer": wrong} if whole else wrong for _ in case["steps"]]

    with pytest.raises(AssertionError, match=r"murmur2, client 3\.2\.3") as raised:
        check_behaviours({"murmur2": answers}, clients=["3.2.3"])
    plain = type(wrong) in (int, str)
    assert ("answers" if plain else "throws python answers") in str(raised.value)


def test_a_command_is_checked_like_on_the_command_line() -> None:
    check_testee([sys.executable, str(PORT), "sticky"], clients=["3.2.3"])


def test_what_cannot_be_run_is_no_pass(tmp_path: Path) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import sys\nsys.stdin.read()\n", "utf-8")
    with pytest.raises(SuiteError, match=r"exited with code 0 before its hello|did not answer"):
        check_testee([sys.executable, str(silent)], clients=["3.8.0"])

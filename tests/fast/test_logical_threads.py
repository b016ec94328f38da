"""Threads that take turns: who goes on, and what comes of them."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.behaviours.producing.logical_threads import LogicalThreads
from python_impl.errors import JavaArithmeticError


def _names(order: list[int], calls: int = 2, pauses: int = 2) -> list[str]:
    """Who was where, of calls that pause at a and b."""
    done: list[str] = []

    def call(number: int) -> Callable[[], int]:
        def run() -> int:
            for where in "ab"[:pauses]:
                done.append(f"{number}{where}")
                threads.pause(where)
            done.append(f"{number}.")
            return number

        return run

    threads = LogicalThreads([call(number) for number in range(calls)], order)
    answers, seen = threads.run()
    assert answers == list(range(calls))
    assert [f"{number}{where.replace('end', '.')}" for number, where in seen] == done
    return done


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([], "0a 0b 0. 1a 1b 1."),
        ([1], "1a 0a 0b 0. 1b 1."),  # when the order is used up, the lowest goes on
        ([0, 1, 0, 1], "0a 1a 0b 1b 0. 1."),
        ([1, 1, 1, 1, 1], "1a 1b 1. 0a 0b 0."),  # who has ended is passed over
        ([0, 1, 1, 1, 0], "0a 1a 1b 1. 0b 0."),
    ],
)
def test_who_goes_on(order: list[int], expected: str) -> None:
    assert _names(order) == expected.split()


def test_one_goes_on_at_a_time_of_many() -> None:
    order = [number % 7 for number in range(14)]
    seen = _names(order, calls=7)
    assert seen == [f"{number}{where}" for where in "ab" for number in range(7)] + [
        f"{number}." for number in range(7)
    ]


def test_calls_that_never_pause_end_in_the_order_of_their_turns() -> None:
    assert _names([2, 0, 1], calls=3, pauses=0) == ["2.", "0.", "1."]


def _fails(error: Exception) -> Callable[[], Any]:
    def run() -> Any:
        raise error

    return run


def test_an_error_is_an_answer_and_the_others_go_on() -> None:
    calls = [_fails(JavaArithmeticError("/ by zero")), lambda: 7, _fails(KeyError("bug"))]
    answers, seen = LogicalThreads(calls, [2, 1]).run()
    assert answers == ["java.lang.ArithmeticException", 7, "python KeyError: 'bug'"]
    assert seen == [[2, "end"], [1, "end"], [0, "end"]]

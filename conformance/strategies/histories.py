"""Histories: lists of operations, short ones and ones of hundreds of steps."""

from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Operation
from conformance.strategies.integers import int32
from conformance.strategies.packed import Choices, packed

MAX_STEPS: Final = 400
LONG_HISTORY: Final = 100
_REPEATS: Final = (1, 1, 1, 1, 1, 1, 2, 3, 10, 40)
_LONGEST_BLOCK: Final = 8
_GOLDEN: Final = 0x9E3779B9


def histories(size: int, decode: Callable[[Choices], Operation]) -> SearchStrategy[list[Operation]]:
    """One to five blocks of operations, some repeated, so that rare states are reached.

    ``decode`` reads an operation from ``size`` bytes; a block is one draw. Hundreds of
    independent operations would be slow to generate and to shrink; a short block played forty
    times gets a counter, a byte count or a metadata cycle as far. Each repetition draws other
    random values.
    """

    def block(choices: Choices) -> tuple[list[Operation], int]:
        repeats = choices.one_of(_REPEATS)
        length = choices.between(1, _LONGEST_BLOCK)
        return [decode(choices) for _ in range(length)], repeats

    blocks = packed(2 + _LONGEST_BLOCK * size, block)
    return st.lists(blocks, min_size=1, max_size=5).map(_unroll)


def _unroll(blocks: list[tuple[list[Operation], int]]) -> list[Operation]:
    steps = [
        _vary(operation, repetition)
        for operations, repeats in blocks
        for repetition in range(repeats)
        for operation in operations
    ]
    return steps[:MAX_STEPS]


def _vary(operation: Operation, repetition: int) -> Operation:
    if repetition == 0 or "draw" not in operation:
        return operation
    first, tail = operation["draw"]
    return {**operation, "draw": [int32(first + repetition * _GOLDEN), tail]}


def pick(options: list[Any], where: int) -> Any:
    """One of the options by a number of any size; 0 is the last, to which shrinking tends."""
    return options[-1 - where % len(options)]

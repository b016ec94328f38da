"""Numbers at the edges of Java's ``int``."""

from functools import cache
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.strategies.packed import INT32_BYTES, Choices, packed

INT32_MIN: Final = -(2**31)
INT32_MAX: Final = 2**31 - 1
INT64_MIN: Final = -(2**63)


@cache
def int32s() -> SearchStrategy[int]:
    """Every int32, its edges in a third of the cases: sign errors and wraps live there."""
    return packed(INT32_BYTES, Choices.int32)


@cache
def near_powers() -> SearchStrategy[int]:
    """Powers of two, their neighbours and negatives, as far as they are int32s."""
    return packed(3, Choices.near_power)


def int32(number: int) -> int:
    """The number as Java's ``int`` has it."""
    return (number + 2**31) % 2**32 - 2**31

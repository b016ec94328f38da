"""Numbers at the edges of Java's ``int``."""

from functools import cache
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.strategies.packed import DRAW_BYTES, INT32_BYTES, Choices, packed

INT32_MIN: Final = -(2**31)
INT32_MAX: Final = 2**31 - 1


@cache
def int32s() -> SearchStrategy[int]:
    """Every int32, its edges in a third of the cases: sign errors and wraps live there."""
    return packed(INT32_BYTES, Choices.int32)


@cache
def near_powers() -> SearchStrategy[int]:
    """Powers of two, their neighbours and negatives, as far as they are int32s."""
    return packed(3, Choices.near_power)


@cache
def draws() -> SearchStrategy[list[int]]:
    """What one step may draw, as ``[first, tail]`` (see :class:`conformance.draws.Draw`).

    The first int32 is at an edge in a third of the cases; the tail only matters where a
    partitioner draws again.
    """
    return packed(DRAW_BYTES, Choices.draw)

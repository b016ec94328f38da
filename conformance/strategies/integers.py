"""Numbers at the edges of Java's ``int``."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

INT32_MIN: Final = -(2**31)
INT32_MAX: Final = 2**31 - 1

_EDGES: Final = (0, -1, 1, INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1, 2**30, -(2**30))


@cache
def int32s() -> SearchStrategy[int]:
    """Every int32, its edges in a third of the cases: sign errors and wraps live there."""
    anything = st.integers(INT32_MIN, INT32_MAX)
    return st.one_of(anything, anything, st.sampled_from(_EDGES))


@cache
def draws() -> SearchStrategy[list[int]]:
    """What one step may draw, as ``[first, tail]`` (see :class:`conformance.draws.Draw`).

    The first int32 is at an edge in a third of the cases; the tail only matters where a
    partitioner draws again.
    """
    return st.tuples(int32s(), st.integers(0, 1023)).map(list)

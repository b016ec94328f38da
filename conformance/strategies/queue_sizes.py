"""Queue sizes for the adaptive choice: how many batches wait for each partition."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.strategies.integers import INT32_MAX

LoadStats = tuple[list[int] | None, list[int], int]
"""Queue sizes (or None), partition ids, and the logical length of both."""

_SHAPES: Final = (
    *("any", "any", "equal", "zeros", "giant", "huge", "sum 0"),
    *("giants",) * 4,  # only some of them give unordered sums
)


@cache
@st.composite
def load_stats(draw: DrawFn) -> LoadStats:
    """Sizes, ids and length as ``RecordAccumulator.partitionReady`` builds them, and worse.

    Small sizes, all equal, zeros, one giant or several (the sums wrap, in one shape to exactly
    0), all near the int32 limit; one partition or none; shortened because partitions of slow
    brokers are left out; rarely arrays that do not fit together, which only Java's asserts would
    notice; None when adaptive partitioning is off.
    """
    shape = draw(st.sampled_from(_SHAPES))
    sizes = draw(_sizes())
    if shape == "sum 0":
        # Two weights that make 2**32 with all the others, which are 1: no remainder by that.
        sizes = [0, len(sizes), INT32_MAX, *([INT32_MAX] * (len(sizes) - 1))]
    if shape in ("equal", "zeros"):
        sizes = [sizes[0] if shape == "equal" else 0] * len(sizes)
    elif shape == "giant":
        sizes[draw(st.integers(0, len(sizes) - 1))] = draw(_giants())
    elif shape == "giants":
        # Weights of almost 2**31 beside small ones: the running sums wrap again and again.
        which, giant = draw(st.integers(0, 2**10 - 1)), draw(_giants())
        sizes = [giant - n if which >> at % 10 & 1 else n for at, n in enumerate(sizes)]
    elif shape == "huge":
        sizes = [INT32_MAX - size * 1_000_003 for size in sizes]
    where = draw(st.integers(0, 99))
    ids = list(range(len(sizes))) if where % 3 else [size * 7 % 50 for size in range(len(sizes))]
    length = len(sizes)
    if where >= 97:
        return None, ids, length
    if where >= 94:
        return sizes, ids[: where % 3] + ids, length + where % 2
    if where >= 90:
        return sizes, ids[: where % 3], length
    if where >= 84:
        return sizes, ids, (length + 1, -1, -length)[where % 3]
    if where == 83:
        return [], [], where % 2
    if where >= 60:
        length = min(length, 1) if where % 5 == 4 else length - min(length, where % 4)
    return sizes, ids, length


@cache
def _sizes() -> SearchStrategy[list[int]]:
    few = st.lists(st.integers(0, 20), min_size=1, max_size=10)
    many = st.builds(
        lambda count, step: [at * step % 17 for at in range(count)],
        st.integers(20, 200),
        st.integers(1, 16),
    )
    return st.one_of(few, few, few, few, many)


@cache
def _giants() -> SearchStrategy[int]:
    return st.sampled_from((INT32_MAX, INT32_MAX - 1, 2**30, 1_000_000, INT32_MAX // 2 + 1))

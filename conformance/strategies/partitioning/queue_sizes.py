"""Queue sizes for the adaptive choice: how many batches wait for each partition."""

from functools import cache
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.strategies.integers import INT32_MAX
from conformance.strategies.packed import Choices, packed

LoadStats = tuple[list[int] | None, list[int], int]
"""Queue sizes (or None), partition ids, and the logical length of both."""

_FEW: Final = 10
_GIANTS: Final = (INT32_MAX, INT32_MAX - 1, 2**30, 1_000_000, INT32_MAX // 2 + 1)
_SHAPES: Final = (
    *("any", "any", "equal", "zeros", "giant", "huge", "sum 0"),
    *("giants",) * 4,  # only some of them give unordered sums
)


@cache
def load_stats() -> SearchStrategy[LoadStats]:
    """Sizes, ids and length as ``RecordAccumulator.partitionReady`` builds them, and worse.

    Small sizes, all equal, zeros, one giant or several (the sums wrap, in one shape to exactly
    0), all near the int32 limit; one partition or none; shortened because partitions of slow
    brokers are left out; rarely arrays that do not fit together, which only Java's asserts would
    notice; None when adaptive partitioning is off.
    """
    return packed(9 + _FEW, lambda of: _fitted(_shaped(_sizes(of.part(3 + _FEW)), of), of))


def _shaped(sizes: list[int], of: Choices) -> list[int]:
    shape = of.one_of(_SHAPES)
    giant = of.one_of(_GIANTS)
    which = of.below(2**10, size=2)
    if shape == "sum 0":
        # Two weights that make 2**32 with all the others, which are 1: no remainder by that.
        return [0, len(sizes), INT32_MAX, *([INT32_MAX] * (len(sizes) - 1))]
    if shape in ("equal", "zeros"):
        return [sizes[0] if shape == "equal" else 0] * len(sizes)
    if shape == "giant":
        return [giant if at == which % len(sizes) else size for at, size in enumerate(sizes)]
    if shape == "giants":
        # Weights of almost 2**31 beside small ones: the running sums wrap again and again.
        return [giant - n if which >> at % 10 & 1 else n for at, n in enumerate(sizes)]
    if shape == "huge":
        return [INT32_MAX - size * 1_000_003 for size in sizes]
    return sizes


def _fitted(sizes: list[int], of: Choices) -> LoadStats:
    """With ids and a length, which fit mostly."""
    where = of.below(100)
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


def _sizes(of: Choices) -> list[int]:
    """A few, of 0 to 20; or many, by a rule."""
    if of.below(5) == 4:
        count, step = of.between(20, 200), of.between(1, 16)
        return [at * step % 17 for at in range(count)]
    return [of.below(21) for _ in range(of.between(1, _FEW))]

"""Queue sizes for the adaptive choice: how many batches wait for each partition."""

from functools import cache
from itertools import accumulate
from random import Random
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.strategies.integers import INT32_MAX, int32
from conformance.strategies.packed import Choices, packed

LoadStats = tuple[list[int] | None, list[int], int]
"""Queue sizes (or None), partition ids, and the logical length of both."""

_FEW: Final = 10
_COUNTS: Final = (
    *(20, 63, 64, 65, 100, 127, 128, 129, 130, 200, 201, 255, 256, 256, 257, 300, 512),
)
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
    return packed(10 + _FEW, lambda of: _fitted(_shaped(_sizes(of.part(3 + _FEW)), of), of))


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
    length = len(sizes)
    ids = _ids(length, of.below(256))
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


def _ids(count: int, how: int) -> list[int]:
    """Ids of partitions: dense mostly, or else in reverse, far apart, repeated, in any order."""
    ids = list(range(count))
    if how % 8 < 4:
        return ids
    if how % 8 == 4:
        return ids[::-1]
    if how % 8 == 5:
        return [INT32_MAX - at if how & 64 else 1000 + 3 * at for at in ids]
    return Random(how).sample(ids, count) if how % 8 == 6 else [at * 7 % 50 for at in ids]


def table_of(stats: LoadStats) -> list[int]:
    """Where the ranges of a table end, to aim draws at: empty if there is nothing to choose by."""
    queues, _, length = stats
    used = (queues or [])[: max(length, 0)]
    if length > len(used) or len(queues or []) < 2 or not used:
        return []
    if length == len(queues or []) and len(set(used)) == 1:
        return []
    longest = max(used) + 1
    return [int32(end) for end in accumulate(longest - size for size in used)]


def aimed(table: list[int], how: int) -> int:
    """A draw at the end of one of a table's ranges, or beside it; ``how`` is any 24-bit number.

    Small, or as large as int32 has room for, or negative: with its sign cleared it is the same.
    """
    end, (how, beside) = max(table[-1], 1), divmod(how, 3)
    how, turns = divmod(how, 3)
    how, negative = divmod(how, 3)
    draw = min(INT32_MAX, max(0, table[how % len(table)] + beside - 1))
    if turns:
        most = max(0, (INT32_MAX - draw) // end)
        draw += (most if turns == 2 else most // 2) * end
    return draw - 2**31 if negative == 2 else draw


def _sizes(of: Choices) -> list[int]:
    """A few, of 0 to 20; or many, by a rule."""
    if of.below(4) == 3:
        count, step = of.one_of(_COUNTS), of.between(1, 16)
        return [at * step % 17 for at in range(count)]
    return [of.below(21) for _ in range(of.between(1, _FEW))]

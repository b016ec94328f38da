"""The cumulative frequency table of KIP-794's adaptive choice (3.3 and later)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..errors import (
    JavaArrayIndexOutOfBoundsError,
    JavaAssertionError,
)
from ..int32 import int32, remainder


@dataclass(frozen=True, slots=True)
class PartitionLoadStats:
    """``BuiltInPartitioner.PartitionLoadStats``: weights as running sums, ids, logical length.

    Entries of ``table`` (int32) from ``length`` on, and the ids there, are not used.
    """

    table: Sequence[int]
    partition_ids: Sequence[int]
    length: int

    @property
    def range_end(self) -> int:
        """The last cumulative frequency (int32); a draw is taken modulo this."""
        return self.table[self.length - 1]

    def choose(self, random: int, *, assertions: bool = False) -> int:
        """The partition whose range of the table holds ``random`` modulo its end.

        Raises :class:`JavaArithmeticError` when the sums wrapped to an end of exactly 0;
        :class:`JavaArrayIndexOutOfBoundsError` when wrapped sums are unordered and the search
        runs off the table (with ``assertions``, Java's ``-ea``: :class:`JavaAssertionError`).
        """
        weighted = remainder(random, self.range_end)
        index = abs(_binary_search(self.table, self.length, weighted) + 1)
        if assertions and index >= self.length:
            raise JavaAssertionError("partitionIndex < partitionLoadStats.length")
        return element(self.partition_ids, index)


def fold_queue_sizes(
    queue_sizes: list[int], partition_ids: Sequence[int], length: int, *, assertions: bool = False
) -> PartitionLoadStats | None:
    """Turn queue sizes into a cumulative table *in place*, or None where Java does not adapt.

    Follows ``BuiltInPartitioner.updatePartitionLoadStats``: a weight is the largest size + 1 -
    the partition's own, in int32. None with fewer than two partitions, without any in
    ``length``, and when all sizes are equal and none was excluded (``length`` below the
    number of sizes). Raises :class:`JavaArrayIndexOutOfBoundsError` for a length beyond the
    sizes (with ``assertions``, Java's ``-ea``, :class:`JavaAssertionError` for that and for
    arrays of different lengths).
    """
    if not differ(queue_sizes, partition_ids, length, assertions=assertions):
        return None
    used = queue_sizes[:length]
    max_size_plus_1 = int32(max(used) + 1)
    invert_and_fold(queue_sizes, max_size_plus_1, length)
    return PartitionLoadStats(queue_sizes, partition_ids, length)


def differ(
    queue_sizes: Sequence[int],
    partition_ids: Sequence[int],
    length: int,
    *,
    assertions: bool = False,
) -> bool:
    """Whether queue sizes are such that Java adapts to them; see :func:`fold_queue_sizes`."""
    if assertions and len(queue_sizes) != len(partition_ids):
        raise JavaAssertionError("queueSizes.length == partitionIds.length")
    if assertions and length > len(queue_sizes):
        raise JavaAssertionError("length <= queueSizes.length")
    if length < 1 or len(queue_sizes) < 2:
        return False
    if length > len(queue_sizes):
        raise JavaArrayIndexOutOfBoundsError(f"length {length} of {len(queue_sizes)} sizes")
    used = queue_sizes[:length]
    return length < len(queue_sizes) or len(set(used)) > 1


def invert_and_fold(queue_sizes: list[int], max_size_plus_1: int, length: int) -> None:
    """``invertAndFoldQueueSizeArray``: sizes to running sums of weights, in place and in int32.

    The first entry is changed whatever ``length`` says: there must be one.
    """
    queue_sizes[0] = int32(max_size_plus_1 - queue_sizes[0])
    for i in range(1, length):
        queue_sizes[i] = int32(max_size_plus_1 - queue_sizes[i] + queue_sizes[i - 1])


Element = TypeVar("Element")


def element(array: Sequence[Element], index: int) -> Element:
    """``array[index]`` as Java reads it: no negative indices."""
    if not 0 <= index < len(array):
        raise JavaArrayIndexOutOfBoundsError(f"index {index} of {len(array)}")
    return array[index]


def _binary_search(table: Sequence[int], length: int, key: int) -> int:
    """``Arrays.binarySearch``: where ``key`` is, or -(insertion point) - 1.

    Step for step, because wrapped sums are unordered and duplicates possible: which entry is
    found then depends on the order of the comparisons.
    """
    low, high = 0, length - 1
    while low <= high:
        middle = (low + high) // 2
        if table[middle] < key:
            low = middle + 1
        elif table[middle] > key:
            high = middle - 1
        else:
            return middle
    return -(low + 1)

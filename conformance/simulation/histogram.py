"""Many numbers in little memory, and percentiles of them."""

from array import array
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.int64]

_EXACT_BITS: Final = 11
"""Numbers below 2^11 are kept as they are, larger ones to one part in 2^10."""
_CELLS: Final = (64 - _EXACT_BITS) << _EXACT_BITS
_FOLDED_AT_ONCE: Final = 8192


class Histogram:
    """Whole numbers from 0 to 2^62, of which any percentile is known to a thousandth.

    Its memory is the same for any number of them. Sums, and the largest one, are exact; so is a
    percentile where all numbers near it are equal.
    """

    def __init__(self) -> None:
        self._counts = np.zeros(_CELLS, np.int64)
        self._highest = np.zeros(_CELLS, np.int64)
        self._waiting = array("q")
        self._sum = 0

    def extend(self, numbers: Iterable[int]) -> None:
        """Count numbers."""
        self._waiting.extend(numbers)
        if len(self._waiting) >= _FOLDED_AT_ONCE:
            self._fold()

    def merge(self, other: "Histogram") -> None:
        """Count the numbers of another one, too; the order of merging changes nothing."""
        self._fold()
        other._fold()
        self._counts += other._counts
        np.maximum(self._highest, other._highest, out=self._highest)
        self._sum += other._sum

    def __getstate__(self) -> tuple[Cells, Cells, Cells, int]:
        """Only the cells with numbers: there are few of them where this is pickled."""
        self._fold()
        there = np.flatnonzero(self._counts)
        return there, self._counts[there], self._highest[there], self._sum

    def __setstate__(self, state: tuple[Cells, Cells, Cells, int]) -> None:
        there, counts, highest, self._sum = state
        self._counts, self._highest = np.zeros((2, _CELLS), np.int64)
        self._counts[there], self._highest[there] = counts, highest
        self._waiting = array("q")

    def _fold(self) -> None:
        numbers = np.array(self._waiting, np.int64)
        self._waiting = array("q")
        self._sum += int(numbers.sum())
        # frexp's exponent is how many bits a number has, exactly for these few top bits.
        shift = np.maximum(0, np.frexp(numbers.astype(np.float64))[1].astype(np.int64) - 11)
        cells = (shift << _EXACT_BITS) + (numbers >> shift)
        np.add.at(self._counts, cells, 1)
        np.maximum.at(self._highest, cells, numbers)

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return int(self._counts.sum()) + len(self._waiting)

    @property
    def total(self) -> int:
        """Their sum."""
        return self._sum + sum(self._waiting)

    @property
    def mean(self) -> float:
        """Their mean; NaN of none."""
        return self.total / self.count if self.count else float("nan")

    @property
    def highest(self) -> float:
        """The largest; NaN of none."""
        return self.percentile(100)

    def percentile(self, percent: float) -> float:
        """The smallest number that so many percent do not exceed; NaN of none."""
        self._fold()
        counted = np.cumsum(self._counts)
        if not counted[-1]:
            return float("nan")
        # Shy of a rounding error: 99.9 % of 1000 is the 999th, not the 1000th.
        rank = max(1, int(np.ceil(percent / 100 * counted[-1] - 1e-9)))
        return float(self._highest[np.searchsorted(counted, rank)])

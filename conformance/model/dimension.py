"""Dimensions of cases: what can vary in them, in which ranges, and which ranges a case reaches.

A dimension looks at the case alone, so that the inputs of a run are known without performing it.
The classes of :attr:`~conformance.model.behaviour.Behaviour.interesting` also look at answers.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.model.case import Case


@dataclass(frozen=True)
class Dimension:
    """One property that varies from case to case, such as the length of a key."""

    name: str
    """``key length``."""
    meaning: str
    """The measured quantity, with its unit: ``bytes of a key that is hashed``."""
    ranges: tuple[str, ...]
    """All ranges, in order; every default run must reach each."""
    reached: Callable[[Case], Iterable[str]]
    """The ranges that a case reaches: none, one or several, each any number of times."""


def numbers(
    name: str, meaning: str, starts: tuple[int, ...], values: Callable[[Case], Iterable[int]]
) -> Dimension:
    """A dimension of numbers, in ranges that begin at ``starts`` (ascending; the last is open).

    Boundaries of real code belong between two starts, such as 255 and 256. A value below the
    first start raises ValueError, because it belongs to no range.
    """
    ends = [following - 1 for following in starts[1:]]
    ranges = [
        f"{start:,}" if start == end else f"{start:,} to {end:,}"
        for start, end in zip(starts, ends, strict=False)
    ]
    ranges.append(f"{starts[-1]:,} or more")

    def reached(case: Case) -> Iterable[str]:
        for value in values(case):
            at = bisect_right(starts, value) - 1
            if at < 0:
                raise ValueError(f"{name}: {value} is below the first range, {ranges[0]}")
            yield ranges[at]

    return Dimension(name, meaning, tuple(ranges), reached)

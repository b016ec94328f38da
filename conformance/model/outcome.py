"""The result of a test, before and after the correction for the number of tests."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a test decides."""

    EXACT = "exact"
    """By arithmetic: one record out of place is one too many."""
    STATISTICAL = "statistical"
    """By how unlikely the counts are if the behaviour is correct."""


@dataclass(frozen=True, slots=True)
class Effect:
    """How far the counts are from the expected ones, whatever their number.

    ``w`` is Cohen's, the root of chi-square / records, without the contribution of chance;
    ``low`` and ``high`` are the ends of its 95 % confidence interval. ``choices`` is how many
    partitions there were to choose from.
    """

    w: float
    low: float
    high: float
    choices: float

    def bias(self, w: float) -> float:
        """``w`` in words that need no statistics.

        One partition among the ``choices`` is taken this share too often (0.01: 1 % more often
        than it should), the others evenly less.
        """
        return float(w * max(self.choices - 1, 0) ** 0.5)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test of one subject's distribution.

    ``statistic_name`` names ``statistic``; ``noncentrality_per_w2`` turns a squared effect
    size into the noncentrality of the statistic (for a chi-square test: the records).
    A test that could not run has a ``not_run`` reason; an exact one has no ``p``.
    """

    test: str
    kind: Kind
    records: int
    statistic_name: str = ""
    statistic: float | None = None
    df: float | None = None
    df_error: float | None = None
    """The second degrees of freedom of an F test."""
    p: float | None = None
    effect: Effect | None = None
    noncentrality_per_w2: float | None = None
    failed: bool = False
    """The failures that an exact test found."""
    detail: str = ""
    """The observation of an exact test, in a sentence."""
    even: str = ""
    """The message about a statistic that is too small, if that also counts."""
    first_of: "tuple[Outcome, int] | None" = None
    """If this test is the furthest off of several of a kind: the first, and how many."""
    told: bool = False
    """Whether the detail is worth telling although the test conforms."""
    not_run: str | None = None

    @property
    def first(self) -> "Outcome":
        """The first of several, or this one."""
        return self if self.first_of is None else self.first_of[0]

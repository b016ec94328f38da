"""Verdicts on claims, by tests on the repetitions: reproduced, not reproduced, or undecided."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

CONFIDENCE: Final = 0.95
"""Of every interval."""
LEAST_EFFECT: Final = 0.05
"""A share that is nearer than this to the fair one, as a part of it, is no effect."""
LEAST_REPETITIONS: Final = 3


class Verdict(StrEnum):
    """What is said of a claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"
    """The interval has both in it: more repetitions may decide."""
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over repetitions, and where the true one is with :data:`CONFIDENCE`."""

    mean: float
    low: float
    high: float
    count: int


def mean_interval(numbers: Sequence[float]) -> Interval:
    """By Student's t; without end for fewer than two numbers, NaN for none."""
    count = len(numbers)
    if not count:
        return Interval(math.nan, -math.inf, math.inf, 0)
    mean = math.fsum(numbers) / count
    if count == 1:
        return Interval(mean, -math.inf, math.inf, 1)
    # Imported here because SciPy takes long.
    from scipy.stats import t  # noqa: PLC0415

    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in numbers) / (count - 1))
    half = float(t.ppf((1 + CONFIDENCE) / 2, count - 1)) * spread / math.sqrt(count)
    return Interval(mean, mean - half, mean + half, count)


def proportion_interval(successes: int, count: int) -> Interval:
    """The part of repetitions in which something holds, by Clopper and Pearson, which is exact."""
    if not count:
        return Interval(math.nan, 0.0, 1.0, 0)
    from scipy.stats import beta  # noqa: PLC0415 -- as above

    tail = (1 - CONFIDENCE) / 2
    low = float(beta.ppf(tail, successes, count - successes + 1)) if successes else 0.0
    failures = count - successes
    high = float(beta.ppf(1 - tail, successes + 1, failures)) if failures else 1.0
    return Interval(successes / count, low, high, count)


def judge_more(numbers: Sequence[float], than: float) -> tuple[Verdict, Interval]:
    """Whether the true mean is more than a number."""
    interval = mean_interval(numbers)
    if interval.count < LEAST_REPETITIONS:
        return Verdict.UNDECIDED, interval
    if interval.low > than:
        return Verdict.REPRODUCED, interval
    return (Verdict.NOT_REPRODUCED if interval.high <= than else Verdict.UNDECIDED), interval


def judge_less(numbers: Sequence[float], than: float) -> tuple[Verdict, Interval]:
    """Whether it is less."""
    verdict, turned = judge_more([-one for one in numbers], -than)
    return verdict, Interval(-turned.mean, -turned.high, -turned.low, turned.count)


def judge_holds(held: Sequence[bool]) -> tuple[Verdict, Interval]:
    """Whether something holds as a rule: in more than half of all repetitions there could be.

    Where it holds in every one of six or more it is reproduced; with five there is no telling.
    """
    interval = proportion_interval(sum(held), len(held))
    if interval.low > 0.5:
        return Verdict.REPRODUCED, interval
    return (Verdict.NOT_REPRODUCED if interval.high < 0.5 else Verdict.UNDECIDED), interval

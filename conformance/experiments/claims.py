"""Claims about producers, each with the numbers of a round that decide it and its test."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from conformance.experiments.judgement import (
    LEAST_EFFECT,
    LEAST_REPETITIONS,
    Interval,
    Verdict,
    judge_holds,
    judge_less,
    judge_more,
    mean_interval,
)
from conformance.experiments.measures import Measured
from conformance.text import counted

Round = Mapping[str, Measured]
"""The runs of one repetition that were judged, by variant."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that is said of producers.

    ``number`` is what a round says about it: a number that is compared with ``than``, or, for
    ``holds``, 1 where it holds and 0 where not. It needs the runs of all ``variants``.
    """

    name: str
    text: str
    variants: tuple[str, ...]
    kind: Literal["more", "less", "holds"]
    number: Callable[[Round], float]
    than: float = 0.0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict. ``numbers`` are those of the rounds, in their order."""

    claim: Claim
    verdict: Verdict
    interval: Interval
    numbers: Sequence[float] = field(default=())
    note: str = ""


def judge(claim: Claim, rounds: Sequence[Round]) -> Judged:
    """The verdict on a claim; a round that lacks one of its runs does not count, and is told."""
    complete = [one for one in rounds if all(name in one for name in claim.variants)]
    numbers = [claim.number(one) for one in complete]
    missing = len(rounds) - len(complete)
    note = f"{counted(missing, 'repetition')} left out: a run does not count" if missing else ""
    if missing and len(numbers) < LEAST_REPETITIONS:
        return Judged(claim, Verdict.NOT_RUN, mean_interval(numbers), numbers, note)
    if claim.kind == "holds":
        verdict, interval = judge_holds([bool(one) for one in numbers])
    else:
        test = judge_more if claim.kind == "more" else judge_less
        verdict, interval = test(numbers, claim.than)
    return Judged(claim, verdict, interval, numbers, note)


# Those about the share of slow brokers, as a ratio to their fair share.

_MORE: Final = 1 + LEAST_EFFECT
_LESS: Final = 1 - LEAST_EFFECT
_RATIO: Final = "of the fair share"


def more_to_slow(variant: str) -> Claim:
    """A client sends the slow brokers more than their share."""
    return _to_slow(variant, "feeds", "more", _MORE)


def less_to_slow(variant: str) -> Claim:
    """A client sends the slow brokers less than their share."""
    return _to_slow(variant, "relieves", "less", _LESS)


def _to_slow(variant: str, does: str, kind: Literal["more", "less"], than: float) -> Claim:
    return Claim(
        f"{variant} {does} slow brokers",
        f"{variant} sends slow brokers {kind} than their fair share",
        (variant,),
        kind,
        lambda one: one[variant].figures["slow_ratio"],
        than,
        _RATIO,
    )


def fair_to_slow(variant: str) -> Claim:
    """A client sends the slow brokers their share, to 5 %."""
    return Claim(
        f"{variant} is fair",
        f"{variant} sends slow brokers their fair share, to {LEAST_EFFECT:.0%}",
        (variant,),
        "holds",
        lambda one: float(_LESS < one[variant].figures["slow_ratio"] < _MORE),
        0.5,
        "of repetitions",
    )


def more_to_slow_than(variant: str, other: str) -> Claim:
    """A client sends the slow brokers more than another one does, in the same repetition."""
    return Claim(
        f"{variant} over {other}",
        f"{variant} sends slow brokers more than {other} does",
        (variant, other),
        "more",
        lambda one: one[variant].figures["slow_ratio"] - one[other].figures["slow_ratio"],
        LEAST_EFFECT,
        f"{_RATIO}, difference",
    )


def more_than(variant: str, other: str, figure: str, what: str, least: float, unit: str) -> Claim:
    """A figure of a variant is more than another's by more than ``least``."""
    return Claim(
        f"{what}: {variant} over {other}",
        f"{what} is larger with {variant} than with {other}",
        (variant, other),
        "more",
        lambda one: one[variant].figures[figure] - one[other].figures[figure],
        least,
        f"{unit}, difference",
    )


def holds(variant: str, text: str, test: Callable[[Measured], bool]) -> Claim:
    """Something is so in a run of a variant."""
    return Claim(
        f"{variant}: {text}",
        f"{variant}: {text}",
        (variant,),
        "holds",
        lambda one: float(test(one[variant])),
        0.5,
        "of repetitions",
    )

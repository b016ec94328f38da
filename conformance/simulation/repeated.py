"""Runs that differ in their seeds only: means, and where the true ones are."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from conformance.errors import UsageError
from conformance.simulation.answers import Answer, simulate
from conformance.simulation.loop import Tell, tell_nobody
from conformance.simulation.measures import Sink
from conformance.simulation.scenario import Scenario
from conformance.simulation.unfinished import Unfinished

MOST_RUNS: Final = 1000
CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over runs, and half of its interval of 95 %; 0 for one run, which has none."""

    mean: float
    half: float = 0.0

    @property
    def low(self) -> float:
        """Where the interval begins."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """Where it ends."""
        return self.mean + self.half


@dataclass(frozen=True, slots=True)
class Run:
    """A scenario with one seed; ``in_detail``: whether also to answer what happened when."""

    scenario: Scenario
    in_detail: bool

    def answer(self, sink: Sink | None = None, tell: Tell = tell_nobody) -> Answer:
        """What came of it; ``sink`` is told of each record that has ended."""
        answer = simulate(self.scenario, sink, tell)
        return answer if self.in_detail else answer.in_short


RunAll = Callable[[Sequence[Run], Tell], Sequence[Answer]]
"""Answers what came of each run, and tells meanwhile how many records more have come."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A scenario and its runs, the first of which is the one to be shown in detail."""

    scenario: Scenario
    answers: Sequence[Answer]
    figures: Mapping[str, Mean]

    @property
    def first(self) -> Answer:
        """The run of the seed that was asked for."""
        return self.answers[0]

    @property
    def unfinished(self) -> Unfinished | None:
        """What the first run waited for in which time ran out, if there is any."""
        return next((one.unfinished for one in self.answers if one.unfinished), None)


def _here(runs: Sequence[Run], tell: Tell) -> list[Answer]:
    return [one.answer(tell=tell) for one in runs]


def run_variants(
    scenarios: Sequence[Scenario],
    runs: int,
    sink: Sink | None = None,
    *,
    run_all: RunAll = _here,
    tell: Tell = tell_nobody,
) -> list[Variant]:
    """Each scenario with the seeds from its own on.

    ``run_all`` makes all runs, wherever; but with a ``sink``, which is told of the records of the
    first run of each scenario, these are made here. ``tell`` is told how many records have come.
    Raises :class:`UsageError` for no runs, or too many.
    """
    if not 1 <= runs <= MOST_RUNS:
        raise UsageError(f"--runs is {runs}.", f"There can be 1 to {MOST_RUNS:,}.")
    firsts: list[list[Answer]] = [[] for _ in scenarios]
    if sink is not None:
        for scenario, own in zip(scenarios, firsts, strict=True):
            sink.begin(scenario)
            own.append(Run(scenario, in_detail=True).answer(sink, tell))
    done = 0 if sink is None else 1
    others = [
        Run(replace(one, seed=one.seed + number), in_detail=number == 0)
        for one in scenarios
        for number in range(done, runs)
    ]
    rest = iter(run_all(others, tell) if others else ())
    found = []
    for scenario, own in zip(scenarios, firsts, strict=True):
        answers = [*own, *islice(rest, runs - done)]
        found.append(Variant(scenario, answers, means_of([one.figures for one in answers])))
    return found


def means_of(figures: Sequence[Mapping[str, float]]) -> dict[str, Mean]:
    """Means over runs, by Student's t; NaN where a run has no such number."""
    return {name: _mean([one[name] for one in figures]) for name in figures[0]}


def _mean(numbers: Sequence[float]) -> Mean:
    count = len(numbers)
    mean = sum(numbers) / count
    if math.isnan(mean):
        return Mean(mean)
    if min(numbers) == max(numbers):
        return Mean(numbers[0])  # to the last bit: a rounded mean would have a spread
    # Imported here because SciPy takes long, and one run needs no interval.
    from scipy.stats import t  # noqa: PLC0415

    spread = math.sqrt(sum((one - mean) ** 2 for one in numbers) / (count - 1))
    return Mean(mean, float(t.ppf((1 + CONFIDENCE) / 2, count - 1)) * spread / math.sqrt(count))

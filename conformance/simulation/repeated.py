"""Runs that differ in their seeds only: means, and where the true ones are."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from conformance.errors import UsageError
from conformance.simulation.answers import Answer, simulate
from conformance.simulation.measures import Sink
from conformance.simulation.scenario import Scenario

RunAll = Callable[[Sequence[Scenario]], Sequence[Answer]]
"""Answers what came of each scenario."""
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
    def unfinished(self) -> bool:
        """Whether time ran out in any of the runs."""
        return any(one.unfinished for one in self.answers)


def _here(scenarios: Sequence[Scenario]) -> list[Answer]:
    return [simulate(one).in_short for one in scenarios]


def run_variants(
    scenarios: Sequence[Scenario],
    runs: int,
    sink: Sink | None = None,
    *,
    run_all: RunAll = _here,
) -> list[Variant]:
    """Each scenario with the seeds from its own on.

    The first run of each is made here, and ``sink`` is told of its records; ``run_all`` makes the
    others, wherever.
    """
    if not 1 <= runs <= MOST_RUNS:
        raise UsageError(f"--runs is {runs}.", f"There can be 1 to {MOST_RUNS:,}.")
    firsts = []
    for scenario in scenarios:
        if sink is not None:
            sink.begin(scenario)
        firsts.append(simulate(scenario, sink))
    further = [
        replace(one, seed=one.seed + number) for one in scenarios for number in range(1, runs)
    ]
    others = iter(run_all(further) if further else ())
    found = []
    for scenario, first in zip(scenarios, firsts, strict=True):
        answers = [first, *islice(others, runs - 1)]
        found.append(Variant(scenario, answers, means_of([one.figures for one in answers])))
    return found


def means_of(figures: Sequence[Mapping[str, float]]) -> dict[str, Mean]:
    """Means over runs, by Student's t; NaN where a run has no such number."""
    return {name: _mean([one[name] for one in figures]) for name in figures[0]}


def _mean(numbers: Sequence[float]) -> Mean:
    count = len(numbers)
    mean = sum(numbers) / count
    if count == 1 or math.isnan(mean):
        return Mean(mean)
    # Imported here because SciPy takes long, and one run needs no interval.
    from scipy.stats import t  # noqa: PLC0415

    spread = math.sqrt(sum((one - mean) ** 2 for one in numbers) / (count - 1))
    return Mean(mean, float(t.ppf((1 + CONFIDENCE) / 2, count - 1)) * spread / math.sqrt(count))

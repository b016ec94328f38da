"""An experiment and all that came of it: runs, means, verdicts, predictions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.experiments.catalogue import Experiment, Variant
from conformance.experiments.claims import Judged, Round, judge
from conformance.experiments.judgement import Interval, mean_interval
from conformance.experiments.measures import Measured
from conformance.experiments.prediction import predict
from conformance.experiments.running import Listener, Plan, Run, run_experiment


@dataclass(frozen=True, slots=True)
class Outcome:
    """The runs of a variant together. ``means`` are by the names of figures, of runs that count."""

    variant: Variant
    runs: Sequence[Run]
    means: Mapping[str, Interval]
    predicted: Mapping[str, float] | None

    @property
    def measured(self) -> list[Measured]:
        """Of the runs that count."""
        return counting(self.runs)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an experiment."""

    experiment: Experiment
    site: str
    """Where it ran, and how brokers were made slow."""
    slow: Sequence[int]
    seed: int
    repetitions: int
    outcomes: Sequence[Outcome]
    judged: Sequence[Judged]
    stopped: bool
    """Whether it was ended in the middle, by Ctrl-C."""

    @property
    def runs(self) -> list[Run]:
        """Those of all variants."""
        return [run for outcome in self.outcomes for run in outcome.runs]

    @property
    def is_complete(self) -> bool:
        """Whether each run was made, and counts."""
        expected = self.repetitions * len(self.experiment.variants)
        return len(self.runs) == expected and not any(run.not_run for run in self.runs)


def carry_out(experiment: Experiment, plan: Plan, listener: Listener) -> Result:
    """Make all runs and judge them; a Ctrl-C ends the runs, and what is known is judged."""
    runs: list[Run] = []
    stopped = False
    try:
        for run in run_experiment(experiment, plan, listener):
            runs.append(run)  # one by one: those made before a Ctrl-C are kept
    except KeyboardInterrupt:
        stopped = True
    outcomes = [_outcome(experiment, one, runs, plan) for one in experiment.variants]
    judged = [judge(claim, rounds_of(runs, plan.repetitions)) for claim in experiment.claims]
    site = plan.site.described
    if experiment.needs_disturbance and plan.site.how_slow:
        site += f"; slow: {plan.site.how_slow}"
    return Result(
        *(experiment, site, plan.slow, plan.seed, plan.repetitions),
        outcomes,
        judged,
        stopped,
    )


def _outcome(experiment: Experiment, variant: Variant, runs: Sequence[Run], plan: Plan) -> Outcome:
    own = [run for run in runs if run.variant is variant]
    predicted = predict(experiment, variant, counting(own), plan.slow, plan.site.brokers)
    return Outcome(variant, own, means_of(own), predicted)


def counting(runs: Sequence[Run]) -> list[Measured]:
    """What was measured in those that were made and whose accounts balance."""
    return [run.measured for run in runs if run.measured is not None and not run.not_run]


def rounds_of(runs: Sequence[Run], repetitions: int) -> list[Round]:
    """Of each repetition the runs that count, by their variants."""
    rounds: list[dict[str, Measured]] = [{} for _ in range(repetitions)]
    for run in runs:
        if run.measured is not None and not run.not_run:
            rounds[run.round][run.variant.name] = run.measured
    return [*rounds]


def means_of(runs: Sequence[Run]) -> dict[str, Interval]:
    """Of each figure over the runs that count and have it."""
    measured = counting(runs)
    found = {}
    for name in measured[0].figures if measured else ():
        numbers = [one.figures[name] for one in measured]
        found[name] = mean_interval([one for one in numbers if not math.isnan(one)])
    return found

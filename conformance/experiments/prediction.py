"""What the simulator of the producer says of a run, beside what was measured."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from conformance.experiments.catalogue import Condition, Experiment, Variant
from conformance.experiments.measures import Measured
from conformance.simulation.answers import Answer, simulate
from conformance.simulation.arrivals import BLOCK, Block
from conformance.simulation.brokers import ClusterPlan, Service
from conformance.simulation.scenario import Scenario

PREDICTED: Final = (
    *("slow_ratio", "records_per_batch", "batches_per_request", "seconds"),
    *("latency_mean_ms", "latency_p50_ms", "latency_p99_ms"),
)
"""The figures that are predicted, by their names in a run."""
_RECORDS: Final = 200_000
"""So many are simulated, for a prediction is a mean over random choices of partitions."""
_FEWEST_RUNS: Final = 2
"""Of long runs only so many are simulated: that takes about as long as the run."""
_MOST_RUNS: Final = 20
_NETWORK_US: Final = 0
"""What the network takes is in the measured service times."""


@dataclass(frozen=True, slots=True)
class _Observed:
    """Records as a run's application sent them."""

    times_us: npt.NDArray[np.int64]
    value_bytes: int

    def described(self) -> dict[str, object]:
        """See :class:`~conformance.simulation.arrivals.Arrivals`."""
        return {"records": len(self.times_us), "value_bytes": self.value_bytes}

    def blocks(self, random: np.random.Generator) -> Iterator[Block]:
        """See :class:`~conformance.simulation.arrivals.Arrivals`."""
        del random
        for first in range(0, len(self.times_us), BLOCK):
            times = self.times_us[first : first + BLOCK].tolist()
            yield Block(times, [None] * len(times), [self.value_bytes] * len(times))


def predict(
    experiment: Experiment,
    variant: Variant,
    measured: Sequence[Measured],
    slow: Sequence[int],
    brokers: Sequence[int],
) -> Mapping[str, float] | None:
    """The means of :data:`PREDICTED` over simulations; None for what the simulator cannot do.

    The runs are simulated in turn, short ones many times, each time with other choices. Of a run
    the simulator is given when the application sent its records, what each broker took for one
    request after the other, and what the sender's own work for a request took on average; nothing
    that it answers. It simulates healthy and slow brokers 0, 1, 2 ... that lead partitions in turn.
    """
    if variant.condition not in (Condition.HEALTHY, Condition.SLOW) or not measured:
        return None
    if [*brokers] != [*range(len(brokers))]:
        return None
    slow_here = slow if experiment.needs_disturbance else ()
    found = []
    for seed in range(_simulations(measured)):
        run = measured[seed % len(measured)]
        answer = simulate(_scenario(experiment, variant, run, len(brokers), seed))
        if answer.unfinished:
            return None
        found.append({**answer.figures, "slow_ratio": _slow_ratio(answer, slow_here)})
    return {name: math.fsum(one[name] for one in found) / len(found) for name in PREDICTED}


def _simulations(measured: Sequence[Measured]) -> int:
    wanted = math.ceil(_RECORDS / len(measured[0].called_us))
    return min(_MOST_RUNS, max(_FEWEST_RUNS, wanted))


def _scenario(
    experiment: Experiment, variant: Variant, run: Measured, brokers: int, seed: int
) -> Scenario:
    services = {
        broker: Service(round(float(np.mean(times))), times_us=times)
        for broker, times in run.services_us.items()
        if broker < brokers
    }
    return Scenario(
        _Observed(np.maximum.accumulate(run.called_us), experiment.value_bytes),
        ClusterPlan(experiment.partitions, brokers, slow=services, network_us=_NETWORK_US),
        variant.client,
        experiment.settings_of(variant),
        seed=seed,
        request_us=run.request_us,
    )


def _slow_ratio(answer: Answer, slow: Sequence[int]) -> float:
    partitions = answer.partitions
    led = [one for one in partitions if one["broker"] in slow]
    if not led:
        return math.nan
    return math.fsum(one["share"] for one in led) * len(partitions) / len(led)

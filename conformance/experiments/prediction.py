"""What the simulator of the producer says of a run, beside what was measured."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from conformance.experiments.catalogue import Condition, Experiment, Variant
from conformance.experiments.measures import Measured
from conformance.simulation.answers import Answer, simulate
from conformance.simulation.arrivals import Load, Pace
from conformance.simulation.brokers import ClusterPlan, Service
from conformance.simulation.quantities import MILLISECOND
from conformance.simulation.scenario import Scenario

PREDICTED: Final = (
    *("slow_ratio", "records_per_batch", "batches_per_request", "seconds"),
    *("latency_mean_ms", "latency_p50_ms", "latency_p99_ms"),
)
"""The figures that are predicted, by their names in a run."""
_SEEDS: Final = 3
_NETWORK_US: Final = 0
"""What the network takes is in the measured service times."""


def predict(
    experiment: Experiment,
    variant: Variant,
    measured: Sequence[Measured],
    slow: Sequence[int],
    brokers: Sequence[int],
) -> Mapping[str, float] | None:
    """The means of :data:`PREDICTED` over some seeds; None for what the simulator does not do.

    It is given what was measured of the *brokers*, their mean service times, and the rate at
    which records came; nothing that it answers. It simulates healthy and slow brokers 0, 1, 2 ...
    that lead partitions in turn, and a producer that takes no time itself.
    """
    if variant.condition not in (Condition.HEALTHY, Condition.SLOW) or not measured:
        return None
    if [*brokers] != [*range(len(brokers))]:
        return None
    scenario = _scenario(experiment, variant, measured, len(brokers))
    answers = [simulate(replace(scenario, seed=seed)) for seed in range(_SEEDS)]
    if any(one.unfinished for one in answers):
        return None
    slow_here = slow if variant.condition is Condition.SLOW else ()
    found = [{**one.figures, "slow_ratio": _slow_ratio(one, slow_here)} for one in answers]
    return {name: math.fsum(one[name] for one in found) / _SEEDS for name in PREDICTED}


def _scenario(
    experiment: Experiment, variant: Variant, measured: Sequence[Measured], brokers: int
) -> Scenario:
    per_us = 1 / math.fsum(_interval_us(one) for one in measured) * len(measured)
    interval_ns = experiment.interval_of(variant)
    if interval_ns:
        per_us = 1000 / interval_ns
    services = {
        broker: Service(max(1, round(_mean_service_ms(measured, broker) * MILLISECOND)))
        for broker in range(brokers)
    }
    return Scenario(
        Load(experiment.records, Pace(per_us), experiment.value_bytes, experiment.value_bytes),
        ClusterPlan(experiment.partitions, brokers, slow=services, network_us=_NETWORK_US),
        variant.client,
        experiment.settings_of(variant),
    )


def _interval_us(run: Measured) -> float:
    """Between two records of a run that went as fast as it could."""
    return max(1e-3, run.figures["sending_seconds"] * 1e6 / run.figures["records"])


def _mean_service_ms(measured: Sequence[Measured], broker: int) -> float:
    """Of the runs in which the broker was asked at all."""
    times = [one.service_ms[broker] for one in measured if broker in one.service_ms]
    return math.fsum(times) / len(times) if times else 1.0


def _slow_ratio(answer: Answer, slow: Sequence[int]) -> float:
    partitions = answer.partitions
    led = [one for one in partitions if one["broker"] in slow]
    if not led:
        return math.nan
    return math.fsum(one["share"] for one in led) * len(partitions) / len(led)

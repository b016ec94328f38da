"""What is predicted of a run: by its records' times and its brokers' own, and by nothing else."""

import math
from dataclasses import replace

import numpy as np
import pytest

from conformance.experiments import prediction
from conformance.experiments.catalogue import Condition, Variant, experiments_named
from conformance.experiments.measures import Measured, measure
from conformance.experiments.prediction import PREDICTED, predict
from conformance.simulation.answers import Answer, simulate
from conformance.simulation.arrivals import Load, Pace
from conformance.simulation.scenario import Scenario
from tests.experiments.made import batch, records, told

[STICKY] = experiments_named(["sticky-slow-brokers"])
BROKERS = (0, 1, 2, 3)
SLOW = (1, 3)


def _run(service_ms: dict[int, float], *, every_ms: float, count: int = 2000) -> Measured:
    """A run with these brokers; what its client did is of no interest here."""
    sent = records([0] * count, every_ms=every_ms)
    batches = [batch(0, 0, 0, count, at_ms=1, request=0)]
    run = measure(told(sent, batches, {0: 0}), (), linger_ms=0, interval_ns=0)
    services = {broker: [round(1000 * ms)] for broker, ms in service_ms.items()}
    return replace(run, services_us=services, request_us=0)


SLOW_RUN = _run({0: 1, 1: 100, 2: 1, 3: 100}, every_ms=0.1)


ANSWER = simulate(Scenario(Load(100, Pace(1.0))))


def _ratio(client: str, run: Measured, condition: Condition = Condition.SLOW) -> float:
    predicted = predict(STICKY, Variant("v", client, condition), [run], SLOW, BROKERS)
    assert predicted is not None
    return predicted["slow_ratio"]


def test_the_sticky_partitioner_is_predicted_to_feed_slow_brokers() -> None:
    assert _ratio("3.2.3", SLOW_RUN) > 1.7
    assert _ratio("2.3.1", SLOW_RUN) == pytest.approx(1, abs=0.01)


def test_equal_brokers_get_about_their_share() -> None:
    assert _ratio("3.2.3", _run(dict.fromkeys(BROKERS, 10.0), every_ms=0.1)) == pytest.approx(
        1, abs=0.35
    )


def test_times_of_requests_are_taken_one_after_the_other() -> None:
    # The same mean, but all of it in the first requests: then brokers are fast.
    early = replace(
        SLOW_RUN, services_us={0: [1000], 1: [50_000, 1000], 2: [1000], 3: [50_000, 1000]}
    )
    even = replace(SLOW_RUN, services_us={0: [1000], 1: [25_500], 2: [1000], 3: [25_500]})
    assert _ratio("3.2.3", early) != _ratio("3.2.3", even)


def test_a_sender_that_takes_its_time_fills_batches_for_all_brokers() -> None:
    assert _ratio("3.2.3", replace(SLOW_RUN, request_us=10_000)) < 1.3


@pytest.mark.parametrize(("records_of_run", "simulations"), [(100_000, 2), (20_000, 10), (113, 20)])
def test_runs_are_simulated_in_turn_and_short_ones_often(
    monkeypatch: pytest.MonkeyPatch, records_of_run: int, simulations: int
) -> None:
    simulated = []

    def noted(scenario: Scenario) -> Answer:
        times, _, _ = next(scenario.load.blocks(np.random.default_rng()))
        simulated.append((scenario.seed, times[0]))
        return ANSWER

    monkeypatch.setattr(prediction, "simulate", noted)
    runs = [
        replace(SLOW_RUN, called_us=np.full(records_of_run, at, np.int64)) for at in (11, 22, 33)
    ]
    assert predict(STICKY, STICKY.variants[0], runs, SLOW, BROKERS) is not None
    assert simulated == [(seed, (11, 22, 33)[seed % 3]) for seed in range(simulations)]


def test_where_no_broker_is_ever_slow_nothing_is_said_of_them() -> None:
    [round_robin] = experiments_named(["round-robin-latency"])
    run = _run(dict.fromkeys(BROKERS, 1.0), every_ms=1, count=50)
    predicted = predict(round_robin, round_robin.variants[0], [run], SLOW, BROKERS)
    assert predicted is not None
    assert math.isnan(predicted["slow_ratio"])
    assert predicted["seconds"] > 15  # the linger


def test_each_figure_has_the_name_of_a_measured_one() -> None:
    predicted = predict(STICKY, STICKY.variants[0], [SLOW_RUN], SLOW, BROKERS)
    assert predicted is not None
    assert [*predicted] == [*PREDICTED]
    assert {*PREDICTED} <= {*SLOW_RUN.figures}


@pytest.mark.parametrize("condition", [Condition.PAUSED, Condition.KILLED])
def test_what_the_simulator_does_not_do_is_not_predicted(condition: Condition) -> None:
    variant = Variant("v", "3.8.0", condition)
    assert predict(STICKY, variant, [SLOW_RUN], SLOW, BROKERS) is None


def test_neither_is_a_cluster_with_other_ids_nor_what_did_not_run() -> None:
    assert predict(STICKY, STICKY.variants[0], [SLOW_RUN], SLOW, (1, 2, 3, 4)) is None
    assert predict(STICKY, STICKY.variants[0], [], SLOW, BROKERS) is None

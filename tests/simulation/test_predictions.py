"""The simulator beside the real producer: the same batches, to the record, at the same times."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given, settings

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.model.trace import Trace
from conformance.predictions.held import held
from conformance.predictions.recorded import Recording, recorded
from conformance.simulation.arrivals import Keys, Load, Pace
from conformance.simulation.brokers import ClusterPlan, Service, Stop
from conformance.simulation.scenario import Scenario
from conformance.subjects.java_client import JavaSubject
from tests.simulation.collected import VERSIONS, run, scenario
from tests.simulation.scenarios import SCENARIOS, late_and_idempotent

_MS = 1000
_LATE = {"request.timeout.ms": "3", "delivery.timeout.ms": "203", "retries": "1", "acks": "1"}
"""Requests run out of time, and batches, in one pass of the sender."""

Perform = Callable[[str, Case], Trace]


@pytest.fixture(scope="module")
def perform(java: JavaSubject) -> Perform:
    """Lead the real producer of a version through a case."""
    behaviour = behaviour_named("producer")
    return lambda version, case: java.performer(behaviour, client_named(version))(case)


@pytest.mark.parametrize("client", VERSIONS)
@pytest.mark.parametrize("linger_ms", [0, 50])
def test_thousands_of_records_are_the_real_producers(
    perform: Perform, client: str, linger_ms: int
) -> None:
    cluster = ClusterPlan(12, slow={0: Service(100 * _MS)}, stops={1: [Stop(0, 400 * _MS)]})
    load = Load(1500, Pace(0.005, poisson=True), 10, 1000, Keys("zipf", 50))
    later = {"request.timeout.ms": "200", "delivery.timeout.ms": "600"}
    of = Scenario(load, cluster, client, {"linger.ms": str(linger_ms), **later})
    recording = recorded(of)
    found = held(recording, perform(client, recording.case))
    assert found.told == []
    assert found.differences == 0
    assert found.records == 1500
    assert found.batches > 20
    assert found.requests > 20
    assert {row.error for row in recording.rows.values()} > {None}


def _can_be_written_down(of: Scenario) -> Scenario:
    """The same with memory enough, without codecs of other bytes, and with values that differ."""
    codec = "gzip" if of.settings["compression.type"] == "gzip" else "none"
    changed = {"buffer.memory": str(1 << 25), "compression.type": codec}
    load = of.load
    assert isinstance(load, Load)
    load = replace(load, smallest=load.smallest + 4, largest=load.largest + 4)
    return replace(of, load=load, settings={**of.settings, **changed})


# In both a batch ran out of time in the very pass that sent it: for the first time, and again.
@settings(max_examples=40, deadline=None)
@example(
    Scenario(
        Load(37, Pace(0.001, poisson=True), 174, 774, Keys("zipf", 20)),
        ClusterPlan(1, 2, Service(2000, exponential=True), network_us=0),
        "2.3.1",
        {**_LATE, "batch.size": "0", "max.in.flight.requests.per.connection": "1"},
        seed=2,
    )
)
@example(
    Scenario(
        Load(60, Pace(0.0002, poisson=True), 78, 88),
        ClusterPlan(5, 2, Service(40_000, exponential=True), network_us=0),
        "2.3.1",
        {**_LATE, "batch.size": "200", "max.in.flight.requests.per.connection": "2"},
        seed=3,
    )
)
# The real client throws at an answer, and only logs that: its sequences were moved up.
@example(late_and_idempotent("2.3.1", 12))
# A broker refuses a sequence.
@example(late_and_idempotent("3.2.3", 155))
@given(SCENARIOS.map(_can_be_written_down))
def test_any_run_is_the_real_producers(perform: Perform, of: Scenario) -> None:
    recording = recorded(of)
    found = held(recording, perform(of.client, recording.case))
    assert found.told == []
    assert found.differences == 0
    assert found.records == len(recording.rows)


@pytest.mark.parametrize("client", VERSIONS)
def test_a_run_that_is_written_down_is_the_same(client: str) -> None:
    # Keys decide, so that nothing is left to chance.
    load = Load(2000, Pace(0.005, poisson=True), 4, 900, Keys("zipf", 100))
    of = Scenario(load, ClusterPlan(slow={0: Service(20 * _MS)}), client, {"linger.ms": "5"})
    _, _, records = run(of)
    plain = [
        (one.batch.partition, one.batch.number, one.batch.sent_us // _MS, one.ended_us // _MS)
        for one in records
        if one.batch is not None and one.batch.sent_us is not None
    ]
    rows = recorded(of).rows.values()
    assert sorted(plain) == sorted((r.partition, r.batch, r.sent_ms, r.ended_ms) for r in rows)


def _small(client: str = "3.8.0") -> Recording:
    return recorded(scenario(client, records=40, every_us=500, linger_ms=5))


def test_each_kind_of_difference_is_noticed(perform: Perform) -> None:
    recording = _small()
    trace = perform("3.8.0", recording.case)
    assert held(recording, trace).differences == 0
    assert held(recording, trace[:-1]).differences
    index, row = next(iter(recording.rows.items()))
    late = replace(row, ended_ms=row.ended_ms + 1)
    changed = replace(recording, rows={**recording.rows, index: late})
    assert "the record of step" in held(changed, trace).told[0]
    alone = replace(row, batch="another")
    changed = replace(recording, rows={**recording.rows, index: alone})
    assert "of the real client is 2 with the other" in held(changed, trace).told[0]
    missing = {key: one for key, one in recording.rows.items() if key != index}
    assert "39 records, and 40" in held(replace(recording, rows=missing), trace).told[0]


def test_a_sender_that_sleeps_too_long_is_noticed(perform: Perform) -> None:
    recording = _small()
    trace = perform("3.8.0", recording.case)
    passes = [at for at, one in enumerate(recording.case["steps"]) if one["op"] == "pass"]
    times = [one + (at >= passes[3]) for at, one in enumerate(recording.times_us)]
    assert "was due at" in held(replace(recording, times_us=times), trace).told[0]


@pytest.mark.parametrize(
    "changed",
    [{"linger_ms": 6}, {"batch_size": 999}, {"max_in_flight": 1}, {"adaptive": False}, {"acks": 0}],
)
def test_a_real_client_with_another_setting_is_noticed(
    perform: Perform, changed: dict[str, int]
) -> None:
    slow = ClusterPlan(3, 3, slow={0: Service(20 * _MS)})
    recording = recorded(scenario(records=400, every_us=100, cluster=slow, batch_size=1000))
    case = recording.case
    assert held(recording, perform("3.8.0", case)).differences == 0
    other: Case = {**case, "config": {**case["config"], **changed}}
    assert held(recording, perform("3.8.0", other)).differences


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"compression.type": "lz4"}, "not the same bytes as Java's: lz4"),
        ({"buffer.memory": "20000"}, "a send waits for memory"),
    ],
)
def test_what_a_case_cannot_say_is_refused(more: dict[str, str], told: str) -> None:
    of = scenario(records=400, every_us=10, linger_ms=50)
    with pytest.raises(ValueError, match=told):
        recorded(replace(of, settings={**of.settings, **more}))

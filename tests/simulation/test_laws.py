"""What holds in every run, whatever the settings, the records and the cluster."""

from dataclasses import replace

from hypothesis import example, given, settings

from conformance.simulation.scenario import Scenario
from tests.simulation.collected import run
from tests.simulation.scenarios import SCENARIOS, late_and_idempotent


@settings(max_examples=300, deadline=None)
@example(late_and_idempotent("2.3.1", 12))
@example(late_and_idempotent("3.2.3", 155))
@given(SCENARIOS)
def test_all_laws(of: Scenario) -> None:
    answer, simulation, records = run(of)
    figures = answer.figures
    in_flight = int(of.settings["max.in.flight.requests.per.connection"])
    assert simulation.has_ended
    # Each record ends once.
    assert len(records) == len({id(record) for record in records}) == figures["records"]
    assert figures["delivered"] + figures["failed"] == figures["records"]
    assert sum(answer.errors.values()) == figures["failed"]
    delivered = [record for record in records if record.error is None]
    assert len(delivered) == figures["delivered"]
    # Nothing is kept.
    assert simulation.pool.used == 0
    assert not any(simulation.measures.partition_backlog)
    assert not any(map(simulation.network.in_flight, range(of.cluster.brokers)))
    assert figures["memory_most"] <= figures["memory_limit"]
    # No broker has more than it may.
    assert all(one["in_flight_most"] <= in_flight for one in answer.brokers)
    # Brokers have what was delivered, and an idempotent producer's only once.
    network, settings_taken = simulation.network, of.producer_settings()
    written = sum(log.end for log in network.logs.values())
    if settings_taken.acks != 0:
        assert written - network.written_twice >= figures["delivered"]
    if settings_taken.idempotent and not figures["failed"]:
        assert written == figures["records"]
        assert network.written_twice == 0
    # Parts are never negative, and add up.
    for record in delivered:
        parts = record.parts
        assert parts is not None
        assert min(parts) >= 0
        assert sum(parts) == record.ended_us - record.arrived_us
        assert record.arrived_us <= record.taken_us <= record.ended_us
    taken = [record for record in records if record.batch is not None]
    assert sum(one["records"] for one in answer.partitions) == len(taken)
    assert sum(one["records"] for one in answer.brokers) == len(taken)
    assert all(batch.count for batch in simulation.measures.batches_log)


@settings(max_examples=30, deadline=None)
@given(SCENARIOS)
def test_the_same_seed_gives_the_same_run(of: Scenario) -> None:
    assert _told(of) == _told(replace(of))


def _told(of: Scenario) -> str:
    answer, _, records = run(of)
    times = [(one.arrived_us, one.taken_us, one.ended_us, str(one.error)) for one in records]
    return repr((answer.figures, answer.partitions, answer.brokers, times))

"""Requests that get no answer: when the sender notices, and what becomes of the connection."""

from pathlib import Path

import pytest

from conformance.simulation.brokers import ClusterPlan, Service, Stop
from conformance.simulation.loop import Simulation
from conformance.simulation.quantities import NEVER
from conformance.simulation.scenario import Scenario
from conformance.simulation.traces import Trace
from tests.simulation.collected import VERSIONS, run, scenario

_MS = 1000
_SETTINGS = {
    "linger.ms": "0",
    "request.timeout.ms": "4000",
    "retries": "0",
    "enable.idempotence": "false",
}
# Of two partitions the key b has the first and h the second.
_ONE = "time,key,size\n0,b,10\n"
_TWO = f"{_ONE}2500,h,10\n"
_STOPPED = ClusterPlan(2, 2, stops={0: [Stop(0, NEVER)]})


def _ended_ms(records: str, cluster: ClusterPlan, folder: Path) -> list[float]:
    """When each record of a trace ended, by when it came."""
    file = folder / "t.csv"
    file.write_text(records)
    _, _, ended = run(Scenario(Trace(file), cluster, settings=_SETTINGS))
    return [one.ended_us / _MS for one in sorted(ended, key=lambda one: one.arrived_us)]


def test_a_quiet_sender_notices_late_that_an_answer_is_overdue(tmp_path: Path) -> None:
    """A real 3.8.0 before brokers, one of them stopped: 4.01 s, and 6.53 s with the other record.

    ``NetworkClient.poll`` waits for ``request.timeout.ms`` at most, looks for overdue requests when
    that wait ends, and waits anew after whatever else has woken it.
    """
    assert _ended_ms(_ONE, _STOPPED, tmp_path) == [4001]
    # The other record's answer comes at 2504; from then on the sender sleeps for 4001 ms.
    assert _ended_ms(_TWO, _STOPPED, tmp_path) == [6505, 2504]


def test_an_overdue_answer_that_comes_before_anybody_notices_is_taken(tmp_path: Path) -> None:
    late = ClusterPlan(2, 2, slow={0: Service(5000 * _MS)})
    assert _ended_ms(_ONE, late, tmp_path) == [4001]
    assert _ended_ms(_TWO, late, tmp_path) == [5002, 2504]


def test_a_record_that_wakes_the_sender_has_it_look(tmp_path: Path) -> None:
    ended = _ended_ms(f"{_TWO}4300,h,10\n", _STOPPED, tmp_path)
    assert ended == [4300, 2504, 4304]


def test_all_that_is_overdue_ends_when_the_sender_wakes(tmp_path: Path) -> None:
    gone = ClusterPlan(2, 2, stops={broker: [Stop(0, NEVER)] for broker in (0, 1)})
    # Sent at 0 and 10; the first one alone would be given up at 4001, but nothing wakes the sender.
    assert _ended_ms(f"{_ONE}10,h,10\n", gone, tmp_path) == [4011, 4011]


@pytest.mark.parametrize("client", VERSIONS)
def test_a_new_connection_takes_two_round_trips(client: str) -> None:
    still = ClusterPlan(1, 1, stops={0: [Stop(0, 150 * _MS)]}, network_us=20 * _MS)
    settings = {"linger_ms": 0, "request_timeout_ms": 200, "retry_backoff_ms": 0}
    simulation = Simulation(scenario(client, records=1, cluster=still, **settings))
    simulation.run()
    assert simulation.network.timed_out == 0
    gone = ClusterPlan(1, 1, stops={0: [Stop(0, 400 * _MS)]}, network_us=20 * _MS)
    answer, _, [record] = run(scenario(client, records=1, cluster=gone, **settings))
    # Given up at 206. The broker is asked what it knows after 50 and three ways of 20, at 316; it
    # stands still until 400, and answers at 420. What it has of the first request takes 2 more.
    assert answer.figures["requests_timed_out"] == 1
    assert record.ended_us == (420 + 20 + 2 + 20) * _MS

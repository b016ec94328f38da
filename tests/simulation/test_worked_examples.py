"""The examples that the documents work out by hand, to the microsecond."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from conformance.simulation import loop
from conformance.simulation.arrivals import Load, Pace
from conformance.simulation.brokers import ClusterPlan, Service, Stop
from conformance.simulation.measures import Batch
from conformance.simulation.quantities import NEVER
from conformance.simulation.scenario import Scenario
from python_impl.records.builder import MemoryRecordsBuilder
from tests.landing import later
from tests.simulation.collected import VERSIONS, run, scenario

_MS = 1000
_OF_PRODUCER = "org.apache.kafka.clients.producer"


def _batches(batches: list[Batch]) -> list[tuple[int, int]]:
    """When each was sent (ms), and its records."""
    return [((batch.sent_us or 0) // _MS, batch.count) for batch in batches]


@pytest.mark.parametrize("client", VERSIONS)
def test_without_linger_each_record_is_a_batch(client: str) -> None:
    answer, _, records = run(scenario(client, linger_ms=0))
    assert answer.log is not None
    assert _batches([*answer.log.batches]) == [(5 * one, 1) for one in range(1, 10)]
    # 1 ms there, 2 ms of service, 1 ms back.
    assert {record.ended_us - record.arrived_us for record in records} == {4 * _MS}
    assert answer.figures["seconds"] == 0.049


def test_with_linger_round_robin_fills_three_batches_of_three() -> None:
    answer, _, _ = run(scenario("2.3.1", linger_ms=50))
    assert answer.log is not None
    assert _batches([*answer.log.batches]) == [(55, 3), (60, 3), (65, 3)]
    assert answer.latency["linger"]["max"] == 50
    assert answer.latency["latency"]["max"] == 54
    assert answer.latency["flight"]["mean"] == 4


def test_a_sticky_batch_that_is_full_leaves_at_once() -> None:
    # Room for exactly three records of 100 bytes.
    answer, _, _ = run(scenario("3.2.3", linger_ms=50, batch_size=61 + 3 * 109))
    assert answer.log is not None
    assert _batches([*answer.log.batches]) == [(15, 3), (30, 3), (45, 3)]


def test_while_the_sender_works_on_a_request_batches_fill() -> None:
    two = ClusterPlan(partitions=2, brokers=2)
    of = scenario("2.3.1", cluster=two, every_us=_MS, linger_ms=0)
    answer, _, records = run(replace(of, request_us=2500))
    assert answer.log is not None
    # The first request takes it until 3.5 ms. What has come by then are two requests, until 8.5.
    sent = [(batch.sent_us, batch.count) for batch in answer.log.batches]
    assert sent[:3] == [(1000, 1), (3500, 1), (3500, 1)]
    assert sorted(sent[3:5]) == [(8500, 2), (8500, 3)]
    assert sent[5:] == [(13_500, 1)]
    # The first answer was there at 5 ms, and is seen at 8.5; nothing stands before the last one.
    assert records[0].ended_us == 8500
    assert records[-1].ended_us == 17_500


def test_ten_batches_of_11_or_12_records_wait_for_linger() -> None:
    of = scenario(
        *("2.3.1",),
        records=113,
        every_us=50 * _MS,
        size=36,
        cluster=ClusterPlan(partitions=10, brokers=10),
        linger_ms=15_000,
        batch_size=5000,
    )
    answer, _, _ = run(of)
    assert answer.log is not None
    assert Counter(batch.count for batch in answer.log.batches) == {11: 7, 12: 3}
    waited = [(batch.sent_us or 0) - batch.created_us for batch in answer.log.batches]
    assert set(waited) == {15_000 * _MS}


def test_a_broker_that_is_asked_too_often_has_a_queue() -> None:
    one = ClusterPlan(partitions=1, brokers=1, service=Service(20 * _MS), network_us=0)
    answer, simulation, records = run(
        scenario(records=5, cluster=one, linger_ms=0, max_in_flight_requests_per_connection=2)
    )
    # Sent at 5 and 10 (two in flight), answered at 25 and 45; at 25 the other three go together.
    assert [record.ended_us // _MS for record in records] == [25, 45, 65, 65, 65]
    assert simulation.network.most_in_flight(0) == 2
    assert answer.latency["queue"]["max"] == 10
    assert answer.figures["records_per_batch"] == 5 / 3
    assert answer.brokers[0]["busy"] == pytest.approx(60 / 65)


def test_a_broker_that_stands_still_answers_afterwards() -> None:
    stops = {0: [Stop(6 * _MS, 100 * _MS)]}
    still = ClusterPlan(partitions=1, brokers=1, stops=stops)
    _, _, records = run(scenario(records=1, cluster=still, linger_ms=0))
    # It arrives at 6 ms, where the broker stops: it is served from 100 to 102 ms.
    assert [record.ended_us for record in records] == [103 * _MS]


@pytest.mark.parametrize("client", VERSIONS)
def test_a_request_without_an_answer_is_tried_again(client: str) -> None:
    stops = {0: [Stop(0, 150 * _MS)]}
    still = ClusterPlan(partitions=1, brokers=1, stops=stops)
    answer, _, records = run(
        scenario(client, records=1, cluster=still, linger_ms=0, request_timeout_ms=100)
    )
    # Given up at 106; the broker, which still has the first one, serves both. Since 3.0 a producer
    # is idempotent by default.
    assert answer.figures["requests_timed_out"] == 1
    assert answer.figures["batches_resent"] == 1
    assert answer.figures["records_written_twice"] == (client == "2.3.1")
    assert [record.error for record in records] == [None]
    assert 206 * _MS <= records[0].ended_us <= 310 * _MS  # a backoff of 100 ms, with jitter


@pytest.mark.parametrize(
    ("idempotent", "ended_ms"),
    [("false", [120_015, 120_015, 120_015]), ("true", [120_005, 120_010, 120_015])],
)
def test_a_broker_that_never_comes_back_fails_records_in_the_end(
    idempotent: str, ended_ms: list[int]
) -> None:
    gone = ClusterPlan(partitions=1, brokers=1, stops={0: [Stop(0, NEVER)]})
    answer, simulation, records = run(
        scenario(records=3, cluster=gone, linger_ms=0, enable_idempotence=idempotent)
    )
    assert answer.errors == {"TimeoutException": 3}
    assert answer.figures["failed"] == 3
    assert not answer.unfinished
    assert simulation.pool.used == 0
    # Given up together at 30,016, each was put before the last: so the youngest, of 15, is first,
    # and the others, which are behind it, are not looked at before it has had its two minutes.
    # An idempotent producer has them in the order of their sequences.
    assert [one.ended_us // _MS for one in records] == ended_ms


@pytest.mark.parametrize("client", VERSIONS)
def test_an_idempotent_producer_goes_on_in_a_new_epoch(client: str) -> None:
    still = ClusterPlan(partitions=1, brokers=1, stops={0: [Stop(0, 900 * _MS)]})
    settings = {"linger_ms": 0, "request_timeout_ms": 200, "delivery_timeout_ms": 500}
    answer, simulation, records = run(
        scenario(
            client,
            records=3,
            every_us=150 * _MS,
            cluster=still,
            enable_idempotence="true",
            **settings,
        )
    )
    # The first two were sent at 150 and 350, and run out of time. Their broker has them all the
    # same, which the producer cannot know: so the third one, sent at 903, is the first of a new
    # epoch, or up to 2.4 of a new id.
    assert [record.ended_us // _MS for record in records] == [650, 800, 907]
    assert [record.error is None for record in records] == [False, False, True]
    assert simulation.network.logs[0].end == 3
    assert answer.figures["records_written_twice"] == 0
    assert simulation.network.given_ids == (2 if client == "2.3.1" else 1)


def test_idempotence_ends_where_a_batch_fails() -> None:
    busy = ClusterPlan(partitions=1, brokers=1, service=Service(40 * _MS, exponential=True))
    load = Load(100, Pace(200 / 1e6, poisson=True), 100, 100)
    late = {"request.timeout.ms": "50", "delivery.timeout.ms": "500", "linger.ms": "5"}
    answer, simulation, records = run(Scenario(load, busy, "3.2.3", late, seed=32))
    assert answer.errors == {"TimeoutException": 88}
    # All records were sent, and the broker has more than there are: in a new epoch it does not know
    # a batch that it has, and that is sent again.
    assert all(one.batch is not None and one.batch.sent_us is not None for one in records)
    more = simulation.network.logs[0].end - len(records)
    assert answer.figures["records_written_twice"] == more > 0


@pytest.mark.parametrize("client", VERSIONS)
def test_a_send_without_memory_waits_for_it(client: str) -> None:
    one = ClusterPlan(partitions=1, brokers=1, service=Service(50 * _MS), network_us=0)
    settings = {"linger_ms": 0, "batch_size": 1000, "buffer_memory": 1000}
    answer, simulation, records = run(scenario(client, records=3, cluster=one, **settings))
    # One batch at a time: sent at 5, answered at 55; the second record waits from 10 until then,
    # and behind it the third one, of 15, which then finds its batch open.
    assert [record.taken_us // _MS for record in records] == [5, 55, 55]
    assert [record.ended_us // _MS for record in records] == [55, 105, 105]
    assert answer.figures["blocked_sends"] == 1
    assert answer.figures["blocked_ms"] == 45
    assert answer.latency["blocked"]["max"] == 45
    assert answer.figures["memory_most"] == 1000
    assert simulation.pool.used == 0


@pytest.mark.parametrize("client", VERSIONS)
def test_a_record_that_waited_for_memory_has_the_time_of_its_send(
    client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []

    class Noted(MemoryRecordsBuilder):
        def append_if_room(self, timestamp: int, *record: Any) -> bool:
            has_room = super().append_if_room(timestamp, *record)
            told.extend([timestamp] * has_room)
            return has_room

    monkeypatch.setattr(loop, "SizedRecordsBuilder", Noted)
    one = ClusterPlan(partitions=1, brokers=1, service=Service(50 * _MS), network_us=0)
    settings = {"linger_ms": 0, "batch_size": 1000, "buffer_memory": 1000}
    run(scenario(client, records=3, cluster=one, **settings))
    # The second one from 10 on; the third one stood behind it, and was not sent before 55.
    assert told == [5, 10, 55]


@pytest.mark.parametrize(
    ("client", "error"), [("2.3.1", "TimeoutException"), ("3.8.0", "BufferExhaustedException")]
)
def test_a_send_without_memory_fails_after_max_block(client: str, error: str) -> None:
    one = ClusterPlan(partitions=1, brokers=1, service=Service(50 * _MS), network_us=0)
    settings = {"batch_size": 1000, "buffer_memory": 1000, "max_block_ms": 20, "linger_ms": 0}
    answer, _, records = run(scenario(client, records=2, cluster=one, **settings))
    failed = [record for record in records if record.error is not None]
    assert answer.errors == {error: 1}
    assert [record.ended_us // _MS for record in failed] == [30]


def test_a_record_that_is_too_large_is_refused() -> None:
    answer, _, _ = run(scenario(records=2, size=2000, max_request_size=1000))
    assert answer.errors == {"RecordTooLargeException": 2}


def test_before_3_3_a_slow_broker_gets_most_records() -> None:
    slow = ClusterPlan(partitions=12, brokers=4, slow={0: Service(100 * _MS)})
    shares = {}
    for client in VERSIONS:
        of = scenario(client, records=20_000, every_us=50, cluster=slow, linger_ms=0)
        shares[client] = run(of)[0].brokers[0]["share"]
    assert shares["2.3.1"] == 0.25  # round robin does not look
    assert shares["3.2.3"] > 0.7
    assert shares["3.8.0"] < 0.4
    assert shares["4.4.0"] == shares["3.8.0"]


@pytest.mark.parametrize(
    ("records", "every_us", "shares"),
    [
        # A backlog tells 3.8.0 who is slow; without one it knows nothing, and a batch of a slow
        # broker grows to twice the batch size before the next partition has its turn.
        (5_000, 200, {"2.3.1": (1, 1), "3.2.3": (1.8, 2), "3.8.0": (1.05, 1.5)}),
        (10_000, 10, {"2.3.1": (1, 1), "3.2.3": (1.15, 2), "3.8.0": (0.5, 0.97)}),
        # When every batch fills at once, the sticky partitioner goes on from each alike.
        later((20_000, 1, {"2.3.1": (1, 1), "3.2.3": (0.95, 1.05), "3.8.0": (0.6, 0.9)})),
    ],
    ids=["5,000 a second", "100,000 a second", "a million a second"],
)
def test_two_slow_brokers_get_more_with_3_2_3_and_less_with_3_8_0_if_records_wait(
    records: int, every_us: int, shares: dict[str, tuple[float, float]]
) -> None:
    service = Service(100 * _MS)
    two_slow = ClusterPlan(partitions=12, brokers=4, slow={0: service, 1: service})
    for client, (least, most) in shares.items():
        of = scenario(
            client,
            records=records,
            every_us=every_us,
            size=36,
            cluster=two_slow,
            linger_ms=0,
            batch_size=5000,
        )
        brokers = run(of)[0].brokers
        assert least <= 2 * (brokers[0]["share"] + brokers[1]["share"]) <= most, client


@pytest.mark.parametrize(("client", "used"), [("3.2.3", 2), ("3.8.0", 2), ("4.4.0", 4)])
def test_round_robin_leaves_out_every_other_partition_until_the_producer_asks_once(
    client: str, used: int
) -> None:
    four = ClusterPlan(partitions=4, brokers=1)
    name = f"{_OF_PRODUCER}.RoundRobinPartitioner"
    _, _, records = run(scenario(client, cluster=four, linger_ms=0, partitioner_class=name))
    assert len({one.batch.partition for one in records if one.batch}) == used  # KAFKA-9965


@pytest.mark.parametrize("client", ["3.2.3", "3.8.0"])
def test_a_partitioner_is_not_asked_again_after_a_wait_for_memory(client: str) -> None:
    one = ClusterPlan(partitions=4, brokers=1, service=Service(50 * _MS), network_us=0)
    settings = {"linger_ms": 0, "batch_size": 1000, "buffer_memory": 1000}
    name = f"{_OF_PRODUCER}.RoundRobinPartitioner"
    of = scenario(client, records=3, cluster=one, **settings, partitioner_class=name)
    _, simulation, records = run(of)
    assert simulation.measures.blocked_sends == 2
    # Each opens a batch, and so takes two turns of four; none is lost to the second try.
    first, second, third = (one.batch.partition for one in records if one.batch)
    assert (second - first) % 4 == (third - second) % 4 == 2

"""What a run comes to, worked out by hand for a run of six records."""

import math

import pytest

from conformance.experiments.measures import Measured, first_departures, measure
from tests.experiments.made import batch, records, told

# Partition 0 is led by broker 0, partition 1 by the slow broker 1. Record n is sent at n ms and
# answered 5 ms later.
SENT = records([0, 1, 1, 1, 0, 1])
BATCHES = [
    batch(0, 0, 0, 1, at_ms=0.5, request=0),
    batch(1, 1, 1, 3, at_ms=3.5, request=1),
    batch(0, 0, 4, 1, at_ms=4.5, request=2),
    batch(1, 1, 5, 1, at_ms=5.5, request=3),
]


def _measured(*, linger_ms: float = 2.0, slow: tuple[int, ...] = (1,)) -> Measured:
    return measure(
        told(SENT, BATCHES, {0: 0, 1: 1}), slow, linger_ms=linger_ms, interval_ns=1_000_000
    )


def test_shares_are_of_the_partitions_that_slow_brokers_lead() -> None:
    figures = _measured().figures
    assert figures["slow_share"] == pytest.approx(4 / 6)
    assert figures["fair_share"] == 0.5
    assert figures["slow_ratio"] == pytest.approx(4 / 3)


def test_without_slow_brokers_there_is_no_such_share() -> None:
    figures = _measured(slow=()).figures
    assert math.isnan(figures["slow_ratio"])
    assert math.isnan(figures["fair_share"])


def test_batches_and_requests_are_counted() -> None:
    figures = _measured().figures
    assert (figures["batches"], figures["requests"], figures["batches_resent"]) == (4, 4, 0)
    assert figures["records_per_batch"] == 1.5
    assert (figures["batch_records_least"], figures["batch_records_most"]) == (1, 3)


def test_a_batch_waits_from_its_first_record_until_it_leaves() -> None:
    run = _measured()
    assert [one.waited_ms for one in run.batches] == pytest.approx([0.5, 2.5, 0.5, 0.5])
    assert run.figures["waited_whole_linger"] == 0.25  # 2 ms, to 1 ms of a producer's clock
    assert run.figures["oldest_waited_least_ms"] == pytest.approx(0.5)
    assert run.last_left_ms == pytest.approx([4.5, 5.5])


def test_a_batch_that_is_sent_again_counts_once_and_is_told() -> None:
    again = [*BATCHES, batch(1, 1, 1, 3, at_ms=9, request=4)]
    run = measure(told(SENT, again, {0: 0, 1: 1}), [1], linger_ms=0, interval_ns=0)
    assert (run.figures["batches"], run.figures["batches_resent"]) == (4, 1)
    departures = first_departures(SENT, again)
    assert [one.left_ms for one in departures] == pytest.approx([0.5, 3.5, 4.5, 5.5])


def test_a_request_takes_from_when_its_broker_was_free() -> None:
    run = _measured()
    # Broker 0: 0.5 to 5 ms, then 4.5 (free from 5) to 9. Broker 1: 3.5 to 6, then 6 to 10.
    assert run.services_us == {0: [4500, 4000], 1: [2500, 4000]}


def test_requests_with_a_batch_that_was_sent_again_say_nothing_of_a_broker() -> None:
    again = [*BATCHES, batch(1, 1, 1, 3, at_ms=9, request=4)]
    run = measure(told(SENT, again, {0: 0, 1: 1}), [1], linger_ms=0, interval_ns=0)
    assert run.services_us == {0: [4500, 4000], 1: [4500]}


def test_latencies_are_of_delivered_records() -> None:
    figures = _measured().figures
    assert figures["latency_mean_ms"] == pytest.approx(5)
    assert figures["latency_max_ms"] == pytest.approx(5)
    failed = records([0, 0], errors={0: "TimeoutException", 1: "TimeoutException"})
    run = measure(told(failed, [BATCHES[0]], {0: 0}), [], linger_ms=0, interval_ns=0)
    assert math.isnan(run.figures["latency_mean_ms"])
    assert run.figures["failed"] == 2


def test_a_course_counts_who_is_on_the_way() -> None:
    course = _measured().course
    assert course.at_ms[0] == 0
    assert course.at_ms[-1] == pytest.approx(10)
    # At 4.0 ms records 0 to 4 have been sent and none has ended: 1, 2 and 3 to the slow broker.
    assert (course.slow[40], course.others[40]) == (3, 2)
    assert (course.slow[-1], course.others[-1]) == (0, 0)

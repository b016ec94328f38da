"""Worked examples of batches that wait and leave, on the real RecordAccumulator and on the port."""

from typing import Any

import pytest

from conformance.model.case import Operation
from tests.examples.conftest import Perform

VERSIONS = pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])
CHOOSING = pytest.mark.parametrize("version", ["3.8.0", "4.4.0"])
CONFIG = {
    **{"batch_size": 16384, "linger_ms": 0, "buffer_memory": 32 << 20},
    **{"backoff_ms": 100, "backoff_max_ms": 1000, "delivery_timeout_ms": 120_000},
    **{"adaptive": True, "availability_timeout_ms": 0},
}
EVERYTHING = 1 << 20
"""``max.request.size``, by default."""
THREE_BROKERS = [[0, 0], [1, 1], [2, 2]]


def append(now: int, partition: int | None, size: int = 36, draw: int = 0) -> Operation:
    record = {"topic": "t", "partition": partition, "key": None, "size": size}
    when = {"now": now, "metadata": 0, "draw": [draw, 0]}
    return {"op": "append", **record, "abort": False, "told": True, **when}


def ready(now: int) -> Operation:
    return {"op": "ready", "now": now, "metadata": 0, "epoch": -1, "draw": [0, 0]}


def drain(now: int, ready_step: int, max_size: int = EVERYTHING) -> Operation:
    of = {"of": {"step": ready_step}, "max_size": max_size}
    return {"op": "drain", **of, "now": now, "metadata": 0, "epoch": -1, "draw": [0, 0]}


class Timeline:
    """Steps, and passes of a sender over them: what is ready is drained."""

    def __init__(self) -> None:
        self.steps: list[Operation] = []
        self._drains: dict[int, int] = {}

    def append(self, *step: Any, **more: Any) -> None:
        self.steps.append(append(*step, **more))

    def look(self, now: int) -> None:
        self.steps.append(ready(now))
        self._drains[now] = len(self.steps)
        self.steps.append(drain(now, len(self.steps) - 1))

    def left(self, trace: Any) -> dict[int, list[tuple[int, int]]]:
        """By time: partition and records of each batch that left then."""
        left = {}
        for now, step in self._drains.items():
            batches = [batch for _, some in trace[step]["answer"] for batch in some]
            if batches:
                left[now] = [(partition, records) for _, partition, records, *_ in batches]
        return left


def nine_in_turn() -> Timeline:
    """A record every 5 ms over three partitions, then a look each ms."""
    time = Timeline()
    for number in range(9):
        time.append(5 * (number + 1), number % 3)
    for now in range(46, 80):
        time.look(now)
    return time


@VERSIONS
def test_nine_records_without_linger_leave_in_nine_batches(perform: Perform, version: str) -> None:
    time = Timeline()
    for number in range(9):
        time.append(5 * number, number % 3)
        time.look(5 * number)
    trace = perform("accumulator", version, time.steps, topic=THREE_BROKERS, config=CONFIG)
    assert time.left(trace) == {5 * number: [(number % 3, 1)] for number in range(9)}


@VERSIONS
def test_nine_records_in_turn_leave_in_three_batches_50_ms_after_their_first_ones(
    perform: Perform, version: str
) -> None:
    time = nine_in_turn()
    config = {**CONFIG, "linger_ms": 50}
    trace = perform("accumulator", version, time.steps, topic=THREE_BROKERS, config=config)
    assert time.left(trace) == {55: [(0, 3)], 60: [(1, 3)], 65: [(2, 3)]}


@VERSIONS
def test_a_broker_that_is_ready_sends_all_its_partitions(perform: Perform, version: str) -> None:
    """So only the oldest batch of each broker waits for the whole of its linger."""
    time = nine_in_turn()
    config = {**CONFIG, "linger_ms": 50}
    one_broker = [[number, 0] for number in range(3)]
    trace = perform("accumulator", version, time.steps, topic=one_broker, config=config)
    assert time.left(trace) == {55: [(0, 3), (1, 3), (2, 3)]}


@VERSIONS
def test_a_full_batch_leaves_at_once_whatever_the_linger(perform: Perform, version: str) -> None:
    time = Timeline()
    # Room for three records of 36 bytes: 61 and three times 43.
    for number in range(3):
        time.append(5 * number, 1)
        time.look(5 * number)
    config = {**CONFIG, "linger_ms": 50, "batch_size": 61 + 3 * 43}
    trace = perform("accumulator", version, time.steps, topic=THREE_BROKERS, config=config)
    assert time.left(trace) == {10: [(1, 3)]}


@VERSIONS
def test_113_records_over_ten_partitions_make_ten_batches_of_11_or_12(
    perform: Perform, version: str
) -> None:
    time = Timeline()
    for number in range(113):
        time.append(0, number % 10)
    for now in (0, 14_999, 15_000):
        time.look(now)
    config = {**CONFIG, "batch_size": 5000, "linger_ms": 15_000}
    four_brokers = [[number, number % 4] for number in range(10)]
    trace = perform("accumulator", version, time.steps, topic=four_brokers, config=config)
    [(now, batches)] = time.left(trace).items()
    assert now == 15_000
    assert sorted(records for _, records in batches) == [11] * 7 + [12] * 3


@CHOOSING
def test_queues_of_1_4_and_3_batches_weigh_4_1_and_2(perform: Perform, version: str) -> None:
    # Each record fills a batch; its partition is named.
    steps = [append(0, partition, size=400) for partition in (0, 1, 1, 1, 1, 2, 2, 2)]
    config = {**CONFIG, "batch_size": 200}
    trace = perform("accumulator", version, [*steps, ready(0)], topic=THREE_BROKERS, config=config)
    assert trace[-1]["state"]["load stats"] == [["t", [4, 5, 7], [0, 1, 2]]]


@CHOOSING
def test_load_stats_need_a_queue_for_every_partition(perform: Perform, version: str) -> None:
    steps = [append(0, partition, size=400) for partition in (0, 1, 1)]
    config = {**CONFIG, "batch_size": 200}
    trace = perform("accumulator", version, [*steps, ready(0)], topic=THREE_BROKERS, config=config)
    assert trace[-1]["state"]["load stats"] == []


@CHOOSING
def test_a_switch_waits_for_an_unfinished_batch(perform: Perform, version: str) -> None:
    """batch.size is exceeded by the second record, but its batch could take more."""
    steps: list[Operation] = []
    for number in range(4):
        draw = 1 if number < 2 else 2  # the partition, should it be chosen now
        steps += [append(0, None, size=500, draw=draw), ready(0)]
        steps.append(drain(0, len(steps) - 1))
    config = {**CONFIG, "batch_size": 1000}
    trace = perform("accumulator", version, steps, topic=THREE_BROKERS, config=config)
    appended = [trace[number]["answer"] for number in range(0, len(steps), 3)]
    assert [answer[4] for answer in appended] == [61 + 509] * 4
    assert [answer[0] for answer in appended] == [1, 1, 2, 2]
    # The third record finds no batch to wait for, and the switch is made before it is appended.
    assert [trace[number]["draws"] for number in range(0, len(steps), 3)] == [1, 0, 1, 0]


@VERSIONS
def test_a_producer_without_memory_is_refused_and_gets_it_back(
    perform: Perform, version: str
) -> None:
    steps = [append(0, 0), append(0, 1), ready(0)]
    steps.append(drain(0, 2))
    complete = {"op": "complete", "of": {"step": 3}, "number": 0, "twice": False}
    steps += [complete, append(0, 1)]
    config = {**CONFIG, "buffer_memory": 16384}
    trace = perform("accumulator", version, steps, topic=THREE_BROKERS, config=config)
    name = {
        "2.3.1": "org.apache.kafka.common.errors.TimeoutException",
    }.get(version, "org.apache.kafka.clients.producer.BufferExhaustedException")
    assert trace[1]["answer"] == {"error": name}
    assert [step["state"]["available memory"] for step in trace] == [0, 0, 0, 0, 16384, 0]


@pytest.mark.parametrize(("records", "halves"), [(4, 2), (30, 3)])
def test_a_part_of_a_split_batch_is_halved_since_4_2(
    perform: Perform, records: int, halves: int
) -> None:
    """Before, a part that is no larger than batch.size is the same part again, for ever.

    Its overhead counts as well: half of the bytes of 30 records and of the batch hold ten of them.
    """
    steps = [append(0, 0, size=0) for _ in range(records)]
    for _ in range(2):
        steps.append(ready(0))
        steps.append(drain(0, len(steps) - 1))
        steps.append({"op": "split", "of": {"step": len(steps) - 1}, "number": 0})
    for version, parts in (("3.8.0", [1, 1]), ("4.4.0", [1, halves])):
        trace = perform("accumulator", version, steps, topic=[[0, 0]], config=CONFIG)
        assert [trace[records + 2]["answer"], trace[records + 5]["answer"]] == parts

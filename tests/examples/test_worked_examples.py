"""The worked examples about partitioners that the material around Kafka gives."""

from collections import Counter

import pytest

from tests.examples.conftest import Perform, answers, led, new_batch, record, sent

BUILT_IN = {"assertions": True, "source": "mock"}


@pytest.mark.parametrize(
    ("sizes", "table"),
    [
        ([8, 3, 14, 8, 5], [7, 19, 20, 27, 37]),
        ([8, 3, 14], [7, 19, 20]),
        ([1, 4, 3], [4, 5, 7]),
        ([0, 3, 1], [4, 5, 8]),
    ],
)
def test_queue_sizes_become_a_cumulative_table(
    perform: Perform, sizes: list[int], table: list[int]
) -> None:
    ids = list(range(len(sizes)))
    steps = [
        {"op": "create", "topic": "t", "batch_size": 1},
        {"op": "load", "topic": "t", "queues": sizes, "ids": ids, "length": len(sizes)},
        {"op": "range end", "topic": "t"},
    ]
    trace = perform("load-stats", "3.8.0", steps, config=BUILT_IN)
    assert trace[1]["state"] == {"table": table, "ids": ids, "length": len(sizes)}
    assert trace[2]["answer"] == table[-1]


def test_every_value_below_the_range_end_maps_to_its_partition(perform: Perform) -> None:
    # Sizes 0 3 1 give weights 4 1 3: four, one and three values of the draw.
    steps: list[dict[str, object]] = [
        {"op": "create", "topic": "t", "batch_size": 1},
        {"op": "load", "topic": "t", "queues": [0, 3, 1], "ids": [5, 6, 9], "length": 3},
    ]
    for draw in range(8):
        if draw:
            update = {"op": "update", "of": {"step": len(steps) - 1}, "bytes": 1, "switch": True}
            steps.append({**update, "topic": "t", "metadata": 0, "draw": [draw, 0]})
        steps.append({"op": "peek", "topic": "t", "metadata": 0, "draw": [draw, 0]})
    trace = perform("adaptive", "3.8.0", steps, topic=led(0), config=BUILT_IN)
    chosen = [t["answer"] for s, t in zip(steps, trace, strict=True) if s["op"] == "peek"]
    assert chosen == [5, 5, 5, 5, 6, 9, 9, 9]


def test_five_records_round_robin_fill_no_batch_of_three(perform: Perform) -> None:
    steps = [record() for _ in range(5)]
    trace = perform("round-robin-null-key", "2.3.1", steps, topic=led(0, 1, 2))
    assert answers(trace) == [0, 1, 2, 0, 1]
    assert max(Counter(answers(trace)).values()) < 3


def test_five_records_sticky_fill_the_first_batch_of_three(perform: Perform) -> None:
    # The fourth record finds the batch full: the producer reports a new batch, then asks again.
    steps = [*(record() for _ in range(4)), new_batch({"step": 3}, draw=1), record(), record()]
    trace = perform("sticky", "3.2.3", steps, topic=led(0, 1, 2))
    sent = answers(trace)[:3] + answers(trace)[5:]
    assert sent == [0, 0, 0, 1, 1]


def test_113_records_over_ten_partitions_are_11_or_12_each(perform: Perform) -> None:
    steps = [record(draw=7) for _ in range(113)]
    trace = perform("round-robin-null-key", "2.3.1", steps, topic=led(*range(10)))
    assert sorted(Counter(answers(trace)).values()) == [11] * 7 + [12] * 3


def test_nine_records_go_three_times_round_three_partitions(perform: Perform) -> None:
    trace = perform("round-robin", "3.2.3", [record()] * 9, topic=led(0, 1, 2))
    assert answers(trace) == [0, 1, 2] * 3


@pytest.mark.parametrize("version", ["3.2.3", "3.8.0"])
def test_a_real_producer_uses_two_of_four_partitions_and_three_of_three(
    perform: Perform, version: str
) -> None:
    config = {"batch_records": 1}
    for topic, used in ((led(0, 1, 2, 3), [1, 3] * 3), (led(0, 1, 2), [1, 0, 2] * 2)):
        trace = perform("round-robin-sends", version, [sent()] * 6, topic=topic, config=config)
        assert answers(trace) == used


@pytest.mark.parametrize(
    ("key", "hashed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
@pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0"])
def test_kafkas_own_murmur2_vectors(
    perform: Perform, version: str, key: bytes, hashed: int
) -> None:
    assert answers(perform("murmur2", version, [{"op": "murmur2", "key": key}])) == [hashed]

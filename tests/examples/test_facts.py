"""What surprises people about the partitioners, each fact on Java and on the port."""

from typing import Any

import pytest

from tests.examples.conftest import Perform, answers, led, new_batch, record, sent

THREAD = {"assertions": False, "source": "thread"}
MOCK = {"assertions": False, "source": "mock"}
INT32_MAX = 2**31 - 1
VERSIONS = pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])
PRODUCERS = pytest.mark.parametrize("version", ["3.2.3", "3.8.0"])


def create(batch_size: int) -> dict[str, Any]:
    return {"op": "create", "topic": "t", "batch_size": batch_size}


def peek(draw: int = 0) -> dict[str, Any]:
    return {"op": "peek", "topic": "t", "metadata": 0, "draw": [draw, 0]}


def update(of: int, size: int, *, switch: bool | None = True, draw: int = 1) -> dict[str, Any]:
    step = {"op": "update", "topic": "t", "of": {"step": of}, "bytes": size, "switch": switch}
    return {**step, "metadata": 0, "draw": [draw, 0]}


@VERSIONS
def test_keyed_answers_an_index_modulo_the_count_not_an_id(perform: Perform, version: str) -> None:
    # murmur2("foobar") is -790332482; its low 31 bits modulo 3 are 0; there is no partition 0.
    step = {"op": "partition", "topic": "t", "key": b"foobar", "metadata": 0}
    topic = [[10, 0], [20, None], [30, 0]]
    assert answers(perform("keyed", version, [step], topic=topic)) == [1357151166 % 3] == [0]


@VERSIONS
def test_a_named_partition_wins_over_the_key_and_a_negative_one_is_refused(
    perform: Perform, version: str
) -> None:
    def named(partition: int | None) -> dict[str, Any]:
        return {
            **{"op": "record", "topic": "t", "partition": partition},
            **{"key": b"foobar", "metadata": 0},
        }

    steps = [named(partition) for partition in (2, None, -1)]
    answered = answers(perform("explicit-partition", version, steps, topic=led(0, 1, 2)))
    assert answered[:2] == [2, 0]
    assert answered[2]["error"] == "java.lang.IllegalArgumentException"


def test_a_record_with_neither_partition_nor_key_has_the_partition_minus_one(
    perform: Perform,
) -> None:
    # No case of explicit-partition is one: until 3.2 the default partitioner chooses at random.
    step = {"op": "record", "topic": "t", "partition": None, "key": None, "metadata": 0}
    assert answers(perform("explicit-partition", "3.8.0", [step], topic=led(0, 1))) == [-1]


def test_null_keys_answer_the_id_of_an_available_partition(perform: Perform) -> None:
    topic = [[10, 0], [20, None], [30, 0]]
    trace = perform("round-robin-null-key", "2.3.1", [record()] * 3, topic=topic)
    assert answers(trace) == [10, 30, 10]


@VERSIONS
def test_to_positive_is_a_mask_not_abs(perform: Perform, version: str) -> None:
    numbers = [-(2**31), -1, 1]
    steps = [{"op": "toPositive", "number": number} for number in numbers]
    assert answers(perform("murmur2", version, steps)) == [0, INT32_MAX, 1]


def test_the_counter_of_each_topic_wraps(perform: Perform) -> None:
    trace = perform("round-robin-null-key", "2.3.1", [record(draw=INT32_MAX)] * 2, topic=led(0, 1))
    assert [step["state"] for step in trace] == [{"topic": -(2**31)}, {"topic": -(2**31) + 1}]
    assert answers(trace) == [1, 0]


def test_the_round_robin_jumps_where_the_counter_leaves_the_negative_numbers(
    perform: Perform,
) -> None:
    # The mask of -1 is 2^31-1, which is 7 modulo 10; the next record has counter 0. So even a
    # plain round robin is not exactly balanced there.
    trace = perform("round-robin-null-key", "2.3.1", [record(draw=-2)] * 4, topic=led(*range(10)))
    assert answers(trace) == [6, 7, 0, 1]


def test_round_robin_partitioner_starts_at_zero_and_wraps(perform: Perform) -> None:
    config = {"counters": {"t": INT32_MAX}}
    trace = perform("round-robin", "3.8.0", [record()] * 2, topic=led(0, 1), config=config)
    assert answers(trace) == [1, 0]
    assert answers(perform("round-robin", "3.8.0", [record()], topic=led(4, 5))) == [4]


def test_asking_twice_for_each_record_skips_every_other_partition(perform: Perform) -> None:
    # KAFKA-9965: the 3.2.3 producer asks again after each new batch; the second answer is used.
    trace = perform("round-robin", "3.2.3", [record()] * 8, topic=led(0, 1, 2, 3))
    assert answers(trace)[1::2] == [1, 3, 1, 3]


@PRODUCERS
def test_a_producer_skips_every_other_partition_whatever_a_batch_holds(
    perform: Perform, version: str
) -> None:
    # A record that finds no open batch is asked for again; the open ones are all at odd places.
    for batch_records in (1, 2, 5, 1000):
        config = {"batch_records": batch_records}
        steps = [sent() for _ in range(40)]
        trace = perform("round-robin-sends", version, steps, topic=led(0, 1, 2, 3), config=config)
        assert set(answers(trace)) == {1, 3}


@PRODUCERS
def test_a_key_does_not_spare_a_record_the_second_question(perform: Perform, version: str) -> None:
    steps = [sent(b"key"), sent(b"k" * 36), sent(b"")]
    config = {"batch_records": 1}
    trace = perform("round-robin-sends", version, steps, topic=led(0, 1, 2, 3), config=config)
    assert answers(trace) == [1, 3, 1]


@PRODUCERS
def test_a_record_that_finds_room_is_asked_for_once(perform: Perform, version: str) -> None:
    # Counters 0, 1 and 2, 3 open batches on 1 and 0; 4 alone finds room, on 1. 5, 6 find it at the
    # second attempt, on 0; then both batches are full, and 7, 8 and 9, 10 open new ones.
    steps = [sent() for _ in range(6)]
    config = {"batch_records": 2}
    trace = perform("round-robin-sends", version, steps, topic=led(0, 1, 2), config=config)
    assert answers(trace) == [1, 0, 1, 0, 2, 1]


@PRODUCERS
def test_a_producer_takes_any_id_and_an_index_when_no_partition_has_a_leader(
    perform: Perform, version: str
) -> None:
    config = {"batch_records": 1}
    topic = [[INT32_MAX, 0], [20, None], [30, 0]]
    trace = perform("round-robin-sends", version, [sent()] * 2, topic=topic, config=config)
    assert answers(trace) == [30, 30]
    topic = [[10, None], [20, None], [30, None]]
    trace = perform("round-robin-sends", version, [sent()] * 3, topic=topic, config=config)
    assert answers(trace) == [1, 0, 2]


def test_a_producer_that_asks_once_uses_every_partition(perform: Perform) -> None:
    topic = led(0, 1, 2, 3)
    config = {"batch_records": 1}
    trace = perform("round-robin-sends", "4.4.0", [sent()] * 5, topic=topic, config=config)
    assert answers(trace) == [0, 1, 2, 3, 0]


def test_sticky_redraws_until_the_partition_differs(perform: Perform) -> None:
    steps = [record(), new_batch({"step": 0})]
    trace = perform("sticky", "3.2.3", steps, topic=led(0, 1, 2))
    assert trace[1]["draws"] > 1
    assert trace[1]["state"]["topic"] != 0


def test_sticky_does_not_draw_for_a_single_available_partition(perform: Perform) -> None:
    topic = [[0, None], [7, 0]]
    trace = perform("sticky", "3.2.3", [record(), new_batch(7), record()], topic=topic)
    assert [step["draws"] for step in trace] == [0, 0, 0]
    assert answers(trace) == [7, None, 7]


def test_sticky_without_leaders_draws_once_and_may_stay(perform: Perform) -> None:
    topic = [[5, None], [6, None]]
    trace = perform("sticky", "3.2.3", [record(draw=3), new_batch(1, draw=5)], topic=topic)
    assert [step["draws"] for step in trace] == [1, 1]
    # An index, although no partition has the id 1; and the same one again.
    assert [step["state"]["topic"] for step in trace] == [1, 1]


def test_a_late_new_batch_of_another_thread_changes_nothing(perform: Perform) -> None:
    steps = [record(), new_batch({"step": 0}, draw=1), new_batch({"step": 0}, draw=2), record()]
    trace = perform("sticky", "3.2.3", steps, topic=led(0, 1, 2))
    assert trace[2]["draws"] == 0
    assert answers(trace)[3] == 1


def test_a_switch_comes_at_the_batch_size_if_the_caller_allows_it(perform: Perform) -> None:
    for size, switched in ((99, False), (100, True)):
        trace = perform(
            "built-in",
            "3.8.0",
            [create(100), peek(), update(1, size)],
            topic=led(0, 1),
            config=MOCK,
        )
        assert trace[2]["draws"] == int(switched)


def test_a_switch_comes_at_twice_the_batch_size_in_any_case(perform: Perform) -> None:
    for size, switched in ((199, False), (200, True)):
        steps = [create(100), peek(), update(1, size, switch=False)]
        trace = perform("built-in", "3.8.0", steps, topic=led(0, 1), config=MOCK)
        assert trace[2]["draws"] == int(switched)


def test_a_batch_size_of_2_30_switches_at_once(perform: Perform) -> None:
    # Twice 2^30 is -2^31 in int32, which any count of bytes exceeds.
    steps = [create(2**30), peek(), update(1, 0, switch=False)]
    trace = perform("built-in", "3.8.0", steps, topic=led(0, 1), config=MOCK)
    assert trace[2]["draws"] == 1


def test_produced_bytes_wrap(perform: Perform) -> None:
    steps = [create(2**30 - 1), peek(), update(1, 1, switch=False)]
    steps += [update(1, 2**30, switch=False), update(1, INT32_MAX, switch=False)]
    trace = perform("built-in", "3.8.0", steps, topic=led(0, 1), config=MOCK)
    assert [step["state"]["peeked bytes"] for step in trace[2:]] == [1, 2**30 + 1, -(2**30)]


def test_a_stale_update_is_the_callers_mistake_and_not_ignored(perform: Perform) -> None:
    steps = [create(10), peek(), update(1, 10), update(1, 3, switch=False)]
    trace = perform("built-in", "3.8.0", steps, topic=led(0, 1), config=MOCK)
    assert trace[3]["state"] == {"partition": 1, "bytes": 0, "peeked bytes": 13}
    asserted = perform(
        "built-in", "3.8.0", steps, topic=led(0, 1), config={**MOCK, "assertions": True}
    )
    assert asserted[3]["answer"] == {"error": "java.lang.AssertionError"}


def test_an_append_with_a_stale_peek_starts_over(perform: Perform) -> None:
    steps = [create(10), peek(), update(1, 10), {**update(1, 3), "op": "append"}]
    trace = perform("built-in", "3.8.0", steps, topic=led(0, 1), config=MOCK)
    assert trace[3] == {
        "answer": "changed",
        "draws": 0,
        "state": {"partition": 1, "bytes": 0, "peeked bytes": 10},
    }


def test_mock_random_is_used_raw_so_a_negative_value_is_a_negative_index(perform: Perform) -> None:
    steps = [create(1), peek(-1)]
    trace = perform("built-in", "3.8.0", steps, topic=led(0, 1, 2), config=MOCK)
    assert trace[1]["answer"] == {"error": "java.lang.IndexOutOfBoundsException"}
    # ThreadLocalRandom's value loses its sign: 2^31-1 modulo 3 is 1.
    trace = perform("built-in", "3.8.0", steps, topic=led(0, 1, 2), config=THREAD)
    assert trace[1]["answer"] == INT32_MAX % 3


def test_load_stats_change_the_array_and_drop_what_is_beyond_the_length(perform: Perform) -> None:
    load = {"op": "load", "topic": "t", "queues": [0, 3, 9], "ids": [0, 1, 2], "length": 2}
    trace = perform("load-stats", "3.8.0", [create(1), load], config=MOCK)
    assert trace[1]["answer"] == [4, 5, 9]
    assert trace[1]["state"]["length"] == 2


def test_a_cumulative_table_can_overflow_to_a_negative_end(perform: Perform) -> None:
    queues = [INT32_MAX - 1, 0, 0]
    load = {"op": "load", "topic": "t", "queues": queues, "ids": [0, 1, 2], "length": 3}
    steps = [create(1), load, {"op": "range end", "topic": "t"}]
    trace = perform("load-stats", "3.8.0", steps, config=MOCK)
    assert trace[2]["answer"] == 1 + 2 * INT32_MAX - 2**32
    assert trace[2]["answer"] < 0


@pytest.mark.parametrize(
    ("behaviour", "version"),
    [("round-robin-null-key", "2.3.1"), ("round-robin", "3.2.3"), ("sticky", "3.8.0")],
)
def test_a_topic_without_partitions_is_a_division_by_zero(
    perform: Perform, behaviour: str, version: str
) -> None:
    trace = perform(behaviour, version, [record()], topic=[])
    assert answers(trace) == [{"error": "java.lang.ArithmeticException"}]


def test_null_metadata_counts_in_3_8_0_but_not_in_3_2_3(perform: Perform) -> None:
    for version, counter in (("3.2.3", None), ("3.8.0", 1)):
        trace = perform("round-robin", version, [record()])
        assert trace[0]["answer"] == {"error": "java.lang.NullPointerException"}
        assert trace[0]["state"] == {"topic": counter}


def test_a_batch_size_below_one_is_refused(perform: Perform) -> None:
    trace = perform("built-in", "3.8.0", [create(0)], config=MOCK)
    assert answers(trace) == [{"error": "java.lang.IllegalArgumentException"}]

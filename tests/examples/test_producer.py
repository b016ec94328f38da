"""A worked example of a whole producer, on the real KafkaProducer and on the port."""

from collections import Counter
from typing import Any

import pytest

from conformance.model.case import Operation
from conformance.model.values import int64
from tests.examples.conftest import Perform

VERSIONS = pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])
CONFIG = {
    **{"batch_size": 16384, "linger_ms": 5, "buffer_memory": 32 << 20, "max_block_ms": 60_000},
    **{"retry_backoff_ms": 100, "retry_backoff_max_ms": 100, "request_timeout_ms": 1000},
    **{"delivery_timeout_ms": 2000, "adaptive": True, "availability_timeout_ms": 0},
    **{"max_request_size": 1 << 20, "max_in_flight": 5, "acks": -1, "retries": 2**31 - 1},
    **{"ignore_keys": False, "partitioner": None, "compression": "none", "invalid_topic": None},
    "idempotence": False,
    "estimated_percent": 100,
}
NOT_LEADER = 6
DRAW = [0, 0]


def send(now: int) -> Operation:
    record = {"topic": "t", "partition": 0, "key": None, "size": 10, "arrivals": []}
    return {"op": "send", **record, "now": now, "metadata": 0, "epoch": -1, "draw": DRAW}


def look(now: int) -> Operation:
    seen = {"now": now, "metadata": 0, "epoch": -1}
    return {"op": "pass", **seen, "unready": [], "turns": [], "draw": DRAW}


def respond(now: int, code: int, offset: int = -1) -> Operation:
    answered = {"codes": [code], "offsets": [offset], "starts": [-1]}
    answered |= {"refused_of": 0, "refused": []}
    return {"op": "respond", "number": 0, "how": "answer", **answered, "throttle": 0, "now": now}


def requests(step: Any) -> list[tuple[int, int]]:
    """Partition and records of each batch that left in a pass."""
    _, sent, *_ = step["answer"]
    return [(batch[1], batch[2]) for *_, batches in sent for batch in batches]


@VERSIONS
def test_two_records_linger_leave_and_are_retried(perform: Perform, version: str) -> None:
    steps = (
        *(send(0), look(0), send(1), look(5), respond(6, NOT_LEADER)),
        *(look(50), look(106), respond(107, 0, offset=40)),
    )
    trace = perform("producer", version, [*steps], topic=[[0, 0]], config=CONFIG)
    assert [step["state"]["woken"] for step in trace[:3]] == [1, 0, 0]
    assert trace[1]["answer"] == [int64(5), [], 0, 0]
    assert requests(trace[3]) == [(0, 2)]
    assert trace[4]["state"]["metadata wanted"] == 1
    assert requests(trace[5]) == []
    assert requests(trace[6]) == [(0, 2)]
    told = [one for one in trace[7]["state"]["callbacks"] if one[0] != "acknowledged"]
    assert told == [[0, int64(40)], [2, int64(41)]]


@VERSIONS
def test_a_batch_in_flight_runs_out_of_time(perform: Perform, version: str) -> None:
    steps = send(0), send(1), look(5), look(1999), look(2000), respond(2001, 0, offset=40)
    trace = perform("producer", version, [*steps], topic=[[0, 0]], config=CONFIG)
    assert trace[3]["state"]["callbacks"] == []
    told = [one for one in trace[4]["state"]["callbacks"] if one[0] != "acknowledged"]
    assert told == [[at, "org.apache.kafka.common.errors.TimeoutException"] for at in (0, 1)]
    before, after = (trace[step]["state"]["available memory"] for step in (4, 5))
    assert after == 32 << 20
    # Its request may still be read until it has ended, which only 4.4.0 heeds.
    assert before == (32 << 20) - (16384 if version == "4.4.0" else 0)
    assert trace[5]["state"]["callbacks"] == []


@VERSIONS
@pytest.mark.parametrize("acks", [-1, 0, 1])
def test_a_request_says_how_many_replicas_it_is_for_and_how_long_it_may_take(
    perform: Perform, version: str, acks: int
) -> None:
    config = {**CONFIG, "acks": acks, "request_timeout_ms": 1234}
    trace = perform("producer", version, [send(0), look(5)], topic=[[0, 0]], config=config)
    ((*terms, _),) = trace[1]["answer"][1]
    assert terms == [0, int(acks != 0), acks, 1234, 1234]


@VERSIONS
@pytest.mark.parametrize("most", [2, 5])
def test_a_connection_takes_so_many_requests_and_is_woken_by_an_answer(
    perform: Perform, version: str, most: int
) -> None:
    config = {**CONFIG, "linger_ms": 0, "max_in_flight": most}
    one = send(0), look(0)
    steps = [*one * most, *one, respond(1, 0, offset=40), look(1)]
    trace = perform("producer", version, steps, topic=[[0, 0]], config=config)
    left = [requests(step) for step in trace[1 : 2 * most + 2 : 2]]
    assert left == [[(0, 1)]] * most + [[]]
    # Nobody has to look again before something comes; what is in flight may expire.
    assert trace[2 * most + 1]["answer"][0] == int64(config["delivery_timeout_ms"])
    assert requests(trace[-1]) == [(0, 1)]


IDEMPOTENT = {**CONFIG, "idempotence": True, "linger_ms": 0}
OUT_OF_ORDER, INVALID_RECORD = 45, 87
LAST_EPOCH = 2**15 - 1


def identified(now: int, producer_id: int = 7, epoch: int = 0) -> Operation:
    """A pass in which a request for a producer id is answered; up to 2.4 it also sends."""
    return {**look(now), "turns": [["answer", 0, producer_id, epoch]]}


def numbered(step: Any) -> list[tuple[int, int, int]]:
    """Producer id, epoch and first sequence of each batch that left in a pass."""
    return [
        (int(batch[5]["int64"]), batch[6], batch[7])
        for *_, batches in step["answer"][1]
        for batch in batches
        if len(batch) > 5
    ]


def three_in_flight() -> list[Operation]:
    return [identified(0), *(step for _ in range(3) for step in (send(0), look(0)))]


@VERSIONS
def test_what_is_sent_again_is_sent_alone_and_in_order(perform: Perform, version: str) -> None:
    refused = respond(1, NOT_LEADER), respond(1, OUT_OF_ORDER), respond(1, OUT_OF_ORDER)
    later = [step for at in (101, 202, 303) for step in (look(at), respond(at, 0, offset=at))]
    steps = [*three_in_flight(), *refused, *later]
    trace = perform("producer", version, steps, topic=[[0, 0]], config=IDEMPOTENT)
    for first in (2, 10):
        sent = [numbered(step) for step in trace[first : first + 5 : 2]]
        assert sent == [[(7, 0, 0)], [(7, 0, 1)], [(7, 0, 2)]]


@VERSIONS
def test_a_partition_that_waits_for_its_sequence_holds_up_its_node(
    perform: Perform, version: str
) -> None:
    """Nothing else leaves for the node; since 3.3 in no pass, before in every other one."""
    refused = respond(1, NOT_LEADER), respond(1, OUT_OF_ORDER), respond(1, OUT_OF_ORDER)
    steps = [*three_in_flight(), *refused, look(101)]
    first = len(steps)
    for at in (101, 102, 103):
        steps += [{**send(at), "partition": 1}, look(at)]
    steps += [respond(104, 0, offset=1), look(104)]
    trace = perform("producer", version, steps, topic=[[0, 0], [1, 0]], config=IDEMPOTENT)
    held_up, freed = trace[first + 1 : -2 : 2], trace[-1]
    if version in ("2.3.1", "3.2.3"):
        assert [*map(requests, held_up)] == [[], [(1, 2)], [(1, 1)]]
        assert requests(freed) == [(0, 1)]
    else:
        assert [*map(requests, held_up)] == [[], [], []]
        assert requests(freed) == [(0, 1), (1, 3)]


@VERSIONS
def test_a_refused_batch_frees_its_sequences(perform: Perform, version: str) -> None:
    steps = [*three_in_flight(), respond(1, INVALID_RECORD), look(1), respond(1, OUT_OF_ORDER)]
    steps += [look(101)]
    trace = perform("producer", version, steps, topic=[[0, 0]], config=IDEMPOTENT)
    # Since 2.5 the others move into the next epoch; before, they move up by one.
    assert numbered(trace[-1]) == ([(7, 0, 0)] if version == "2.3.1" else [(7, 1, 0)])


@VERSIONS
def test_sequences_begin_with_0_again(perform: Perform, version: str) -> None:
    skip = {"op": "skip", "topic": "t", "partition": 0, "count": 2**31 - 1}
    steps = [identified(0), send(0), look(0), respond(0, 0, offset=0), skip]
    for at in range(3):
        steps += [send(at), send(at), look(at), respond(at, 0, offset=1 + at)]
    trace = perform("producer", version, steps, topic=[[0, 0]], config=IDEMPOTENT)
    assert [numbered(step) for step in trace[7::4]] == [[(7, 0, 0)], [(7, 0, 2)], [(7, 0, 4)]]


@pytest.mark.parametrize("version", ["3.2.3", "3.8.0", "4.4.0"])
def test_after_the_last_epoch_a_batch_is_sent_again_as_nobodys(
    perform: Perform, version: str
) -> None:
    """A bug of these clients: a broker cannot tell that batch from one sent twice."""
    steps = [identified(0, epoch=LAST_EPOCH), *(s for _ in range(2) for s in (send(0), look(0)))]
    steps += [respond(1, INVALID_RECORD), identified(1, producer_id=8), respond(1, NOT_LEADER)]
    steps += [look(101)]
    trace = perform("producer", version, steps, topic=[[0, 0]], config=IDEMPOTENT)
    assert numbered(trace[4]) == [(7, LAST_EPOCH, 1)]
    assert trace[-1]["state"]["producer id"] == 8
    assert numbered(trace[-1]) == [(-1, -1, 0)]


@VERSIONS
@pytest.mark.parametrize(
    ("refuses", "key", "error"),
    [
        ("key", None, "org.apache.kafka.common.errors.SerializationException"),
        ("value", None, "org.apache.kafka.common.errors.SerializationException"),
        ("class of value", None, "org.apache.kafka.common.errors.SerializationException"),
        ("class of key", b"key", "org.apache.kafka.common.errors.SerializationException"),
        # To name the class that the serializer does not know, the producer asks the key for it.
        ("class of key", None, "java.lang.NullPointerException"),
    ],
)
def test_what_a_serializer_refuses_is_raised_and_the_producer_goes_on(
    perform: Perform, version: str, refuses: str, key: bytes | None, error: str
) -> None:
    refused = {**send(1), "refuses": refuses, "key": key}
    trace = perform(
        "producer", version, [send(0), refused, send(2), look(5)], topic=[[0, 0]], config=CONFIG
    )
    assert trace[1]["answer"] == {"error": error}
    # Interceptors are told, the callback is not, and nothing is left of it.
    assert trace[1]["state"]["callbacks"] == [["acknowledged", 0, error]]
    assert trace[1]["state"]["available memory"] == trace[0]["state"]["available memory"]
    assert requests(trace[3]) == [(0, 2)]


OWN = {**CONFIG, "partitioner": "own"}
NO_PARTITION = "java.lang.IllegalArgumentException"
TIMED_OUT = "org.apache.kafka.common.errors.TimeoutException"


def chosen(now: int, *answers: int | None) -> Operation:
    """A record whose partition the case's own partitioner answers, and answers again."""
    return {**send(now), "partition": None, "answers": [*answers]}


@VERSIONS
def test_a_partitioner_that_answers_no_partition(perform: Perform, version: str) -> None:
    steps = [chosen(0, -1), look(5), look(2000)]
    trace = perform("producer", version, steps, topic=[[0, 0]], config=OWN)
    if version == "2.3.1":
        # The record waits for the leader of partition -1, until its batch has no time left.
        assert trace[0]["answer"] == [-1, 0]
        assert requests(trace[1]) == []
        assert trace[2]["state"]["callbacks"] == [["acknowledged", -1, TIMED_OUT], [0, TIMED_OUT]]
        return
    assert trace[0]["answer"] == {"error": NO_PARTITION}
    assert trace[0]["state"]["callbacks"] == [["acknowledged", -1, NO_PARTITION]]


@VERSIONS
def test_a_partitioner_is_asked_again_for_a_new_batch(perform: Perform, version: str) -> None:
    topic = [[0, 0], [1, 1]]
    steps = [chosen(0, 0, 1), chosen(1, 1, 0)]
    trace = perform("producer", version, steps, topic=topic, config=OWN)
    asked_again = version in ("3.2.3", "3.8.0")
    assert trace[0]["answer"] == [1 if asked_again else 0, 0]
    assert trace[1]["answer"] == [1, 0]  # up to 3.9 that batch is open, so it is asked once
    told = [["new batch", 0]] if asked_again else []
    assert [step["state"]["callbacks"] for step in trace] == [told, []]


@VERSIONS
def test_a_partitioner_that_throws(perform: Perform, version: str) -> None:
    trace = perform("producer", version, [chosen(0, None)], topic=[[0, 0]], config=OWN)
    error = "java.lang.IllegalStateException"
    assert trace[0]["answer"] == {"error": error}
    assert trace[0]["state"]["callbacks"] == [["acknowledged", -1, error]]


@VERSIONS
def test_each_interceptor_sees_what_the_one_before_handed_on(
    perform: Perform, version: str
) -> None:
    other = {"topic": "t", "partition": 1, "key": None}
    topic = [[0, 0], [1, 1]]
    for replacements in ([other], [other, "throws"], ["throws", other]):
        steps = [{**send(0), "replacements": replacements}, look(5)]
        trace = perform("producer", version, steps, topic=topic, config=CONFIG)
        assert trace[0]["answer"] == [1, 0]
        assert requests(trace[1]) == [(1, 1)]


@VERSIONS
def test_what_was_learnt_of_compression_ends_with_a_case(perform: Perform, version: str) -> None:
    """Also of a topic that only an interceptor names: estimates are kept by all that a JVM runs."""
    other = {"topic": "u", "partition": 0, "key": None}
    config = {**CONFIG, "batch_size": 120, "compression": "gzip"}
    one = {**send(0), "size": 4, "replacements": [other]}
    # A record alone takes more bytes under gzip than without it; then fewer are expected to fit.
    steps = [one] * 8 + [look(5), look(5)] + [step for _ in range(3) for step in (one, look(5))]
    metadata = [[("t", [[0, 0]]), ("u", [[0, 0]])]]
    once, again = (
        perform("producer", version, steps, metadata=metadata, config=config) for _ in range(2)
    )
    assert [requests(step) for step in (once[8], once[-1])] == [[(0, 5)], [(0, 1)]]
    assert again == once


@VERSIONS
def test_what_metadata_tell_of_a_topic_is_told_once(perform: Perform, version: str) -> None:
    unauthorized = "org.apache.kafka.common.errors.TopicAuthorizationException"
    waits = {**send(0), "partition": 1}

    def told(*arrivals: tuple[int, str]) -> list[Any]:
        steps = [
            {**waits, "arrivals": [[at, 0, what, "t"] for at, what in arrivals]},
            {**waits, "now": 20, "arrivals": [[21, 0]]},
        ]
        config = {**CONFIG, "max_block_ms": 10}
        trace = perform("producer", version, steps, topic=[[0, 0]], config=config)
        return [step["answer"] for step in trace]

    assert told((5, "unauthorized")) == [[unauthorized], [TIMED_OUT]]
    # Too late for the record that waits; the next one waits for other metadata, which say no more.
    assert told((10, "unauthorized")) == [[TIMED_OUT], [TIMED_OUT]]


ROOM_FOR_THREE = 61 + 3 * 17
"""``batch.size`` for three of the records that :func:`send` sends."""


@pytest.mark.parametrize(
    ("version", "at_once", "later"),
    [
        ("2.3.1", [], [1, 2, 2]),  # round robin: no batch is full
        ("3.2.3", [3], [2]),
        ("3.8.0", [3], [2]),
        ("4.4.0", [3], [2]),
    ],
)
def test_of_five_records_over_three_partitions_sticky_fill_a_batch(
    perform: Perform, version: str, at_once: list[int], later: list[int]
) -> None:
    """The full batch leaves at once; the others linger until 100 ms have passed."""
    config = {**CONFIG, "batch_size": ROOM_FOR_THREE, "linger_ms": 100}
    draws = (0, 0, 1, 1, 1)  # the partition to begin with, and the one to go on with
    sends = [{**send(0), "partition": None, "draw": [draw, 0]} for draw in draws]
    topic = [[0, 0], [1, 1], [2, 2]]  # a broker of its own for each
    trace = perform("producer", version, [*sends, look(0), look(100)], topic=topic, config=config)
    partitions = [step["answer"][0] for step in trace[:5]]
    assert sorted(records for _, records in requests(trace[5])) == at_once
    assert sorted(records for _, records in requests(trace[6])) == later
    assert sorted(Counter(partitions).values()) == sorted(at_once + later)

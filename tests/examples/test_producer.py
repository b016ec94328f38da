"""A worked example of a whole producer, on the real KafkaProducer and on the port."""

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
}
NOT_LEADER = 6
DRAW = [0, 0]


def send(now: int) -> Operation:
    record = {"topic": "t", "partition": 0, "key": None, "size": 10, "arrivals": []}
    return {"op": "send", **record, "now": now, "metadata": 0, "epoch": -1, "draw": DRAW}


def look(now: int) -> Operation:
    seen = {"now": now, "metadata": 0, "epoch": -1}
    return {"op": "pass", **seen, "unready": [], "draw": DRAW}


def respond(now: int, code: int, offset: int = -1) -> Operation:
    answered = {"codes": [code], "offsets": [offset], "refused_of": 0, "refused": []}
    return {"op": "respond", "number": 0, "how": "answer", **answered, "throttle": 0, "now": now}


def requests(step: Any) -> list[tuple[int, int]]:
    """Partition and records of each batch that left in a pass."""
    _, sent = step["answer"]
    return [(batch[1], batch[2]) for *_, batches in sent for batch in batches]


@VERSIONS
def test_two_records_linger_leave_and_are_retried(perform: Perform, version: str) -> None:
    steps = (
        *(send(0), look(0), send(1), look(5), respond(6, NOT_LEADER)),
        *(look(50), look(106), respond(107, 0, offset=40)),
    )
    trace = perform("producer", version, [*steps], topic=[[0, 0]], config=CONFIG)
    assert [step["state"]["woken"] for step in trace[:3]] == [1, 0, 0]
    assert trace[1]["answer"] == [int64(5), []]
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

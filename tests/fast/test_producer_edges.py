"""What a producer's cases do not ask: settings that no case has time for, a deadline to the ms."""

from dataclasses import FrozenInstanceError
from types import SimpleNamespace
from typing import cast

import pytest

from python_impl import Cluster, kafka_3_8_0
from python_impl.errors import JavaTimeoutError
from python_impl.hash_order import hash_of_fenceable_node, hash_of_node
from python_impl.producer.kafka_producer import KafkaProducer, WaitForMetadata
from python_impl.producer.produce_request import (
    KafkaClient,
    NoResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from python_impl.producer.producer_id import InitProducerIdResponse
from python_impl.producer.producer_metadata import ProducerMetadata
from python_impl.producer.producer_settings import ProducerSettings

INT32_MAX = 2**31 - 1
NO_NODES = cast("KafkaClient", SimpleNamespace(wakeup=lambda: None))
"""Connections of which nothing is asked but to wake their sender."""


def producer(
    metadata: ProducerMetadata, wait: WaitForMetadata | None = None, **settings: str
) -> KafkaProducer:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    taken = ProducerSettings.of({"enable.idempotence": "false", **named}, "3.8.0")
    waiting = {} if wait is None else {"wait_for_metadata": wait}
    return kafka_3_8_0.KafkaProducer(taken, metadata, NO_NODES, **waiting)


def test_a_linger_beyond_int32_is_the_longest_that_there_is() -> None:
    sending = producer(ProducerMetadata(Cluster.of(t=1)), linger_ms=str(2**40))
    sending.send("t", 0, None, b"value", now_ms=0)
    cluster = sending.metadata.cluster
    ready = sending.accumulator.ready(cluster, INT32_MAX - 1, sending.metadata.leader_epoch)
    assert list(ready.ready_nodes) == []
    assert ready.next_ready_check_delay_ms == 1


@pytest.mark.parametrize("come_ms", [59_999, 60_000])
def test_metadata_that_come_at_the_deadline_come_too_late(come_ms: int) -> None:
    metadata = ProducerMetadata(Cluster([]))

    def wait(topic: str, deadline_ms: int) -> int:
        assert (topic, deadline_ms) == ("t", 60_000)
        metadata.update(Cluster.of(t=1))
        return come_ms

    sent = producer(metadata, wait).send("t", 0, None, b"value", now_ms=0)
    if come_ms < 60_000:
        assert (sent.error, sent.waited_ms) == (None, come_ms)
    else:
        assert isinstance(sent.error, JavaTimeoutError)


def test_metadata_are_wanted_until_they_come() -> None:
    metadata = ProducerMetadata(Cluster([]))
    assert not metadata.update_requested
    metadata.add("t")
    assert metadata.update_requested
    assert metadata.topics == {"t"}
    metadata.update(Cluster.of(t=1))
    assert not metadata.update_requested
    metadata.add("t")
    assert not metadata.update_requested
    assert metadata.address(3) == ("localhost", 9092, None)


def test_an_answer_that_says_nothing_else_is_a_success_that_tells_no_offset() -> None:
    answer = PartitionResponse()
    assert (answer.code, answer.base_offset, answer.log_start_offset) == (0, -1, -1)
    assert ProduceResponse().throttle_ms == 0
    silence = NoResponse()
    told = silence.disconnected, silence.timed_out, silence.version_mismatch
    assert told == (False, False, False)
    refusal = InitProducerIdResponse(31)
    assert (refusal.producer_id, refusal.producer_epoch) == (-1, -1)
    with pytest.raises(FrozenInstanceError):
        answer.code = 1  # type: ignore[misc]


def test_requests_of_the_same_contents_are_two() -> None:
    one, other = (ProduceRequest(0, -1, 30_000, []) for _ in range(2))
    assert one != other


def test_the_hash_of_a_node_is_javas_of_its_host_id_port_and_rack() -> None:
    # By hand: "a" has the hash 97, then 31 * (31 * (31 * (31 + 97) + 1) + 9092) + 0.
    assert hash_of_node(1, "a", 9092, None) == 4_096_061
    assert hash_of_node(1, "a", 9092, "b") == 4_096_061 + 98
    # From 4.0 on a node has another field, Boolean.FALSE, whose hash is 1237.
    assert hash_of_fenceable_node(1, "a", 9092, None) == 31 * 4_096_061 + 1237

"""What a producer's cases do not ask: settings that no case has time for, a deadline to the ms."""

import hashlib
from dataclasses import FrozenInstanceError
from types import SimpleNamespace
from typing import cast

import pytest

from python_impl import Cluster, kafka_3_8_0, kafka_4_4_0
from python_impl.errors import (
    JavaIllegalArgumentError,
    JavaIllegalStateError,
    JavaTimeoutError,
)
from python_impl.hash_order import hash_of_fenceable_node, hash_of_node, in_hash_order
from python_impl.producer.kafka_producer import KafkaProducer, WaitForMetadata
from python_impl.producer.produce_request import (
    KafkaClient,
    NoResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from python_impl.producer.producer_batch import ProducerBatch
from python_impl.producer.producer_id import InitProducerIdResponse
from python_impl.producer.producer_metadata import ProducerMetadata
from python_impl.producer.producer_record import ProducerRecord
from python_impl.producer.producer_settings import ProducerSettings
from python_impl.producer.transaction_manager import (
    EarlierTransactionManager,
    TransactionManager,
)

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
    assert sending.send("t", 0, None, b"value", now_ms=0).waited_ms == 0
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


def test_a_record_that_is_too_large_has_not_waited() -> None:
    sent = producer(ProducerMetadata(Cluster.of(t=1)), max_request_size="100").send(
        *("t", 0, None, bytes(100)), now_ms=0
    )
    assert sent.error is not None
    assert (sent.waited_ms, sent.result) == (0, None)


def test_a_buffer_grows_if_compression_does_worse_than_was_expected() -> None:
    ratios = kafka_3_8_0.CompressionRatioEstimator()
    ratios.set_estimation("t", "gzip", 0.1)
    batch = ProducerBatch("t", 0, 100, 0, ratios=ratios, compression="gzip")
    noise = hashlib.shake_128(b"").digest(200)
    assert batch.try_append(0, None, noise, (), None, 0)
    assert (batch.capacity, batch.is_closed) == (100, False)
    batch.close()
    assert batch.capacity == len(batch.records()) > 200
    small = ProducerBatch("t", 0, 100, 0, ratios=ratios)
    small.close()
    assert small.capacity == 100


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
    for frozen, name in (
        (answer, "code"),
        (silence, "timed_out"),
        (ProduceResponse(), "throttle_ms"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(frozen, name, 1)
        assert not hasattr(frozen, "__dict__")


def test_requests_of_the_same_contents_are_two() -> None:
    one, other = (ProduceRequest(0, -1, 30_000, []) for _ in range(2))
    assert one != other


def test_a_map_has_room_for_the_keys_that_it_was_made_for() -> None:
    # 0 and 16 share the first of 16 buckets, where they stay as they came; not one of 32.
    assert in_hash_order([16, 0], int, capacity=16) == [16, 0]
    assert in_hash_order([16, 0], int, capacity=17) == [0, 16]


def test_a_ninth_key_in_a_bucket_doubles_a_small_map() -> None:
    # As a real HashMap has them: with 16 buckets all nine share the first, with 32 they are in two.
    ids = [16 * one for one in range(1, 10)]
    assert in_hash_order(ids[:8], int) == ids[:8]
    assert in_hash_order(ids, int) == [32, 64, 96, 128, 16, 48, 80, 112, 144]


def test_the_hash_of_a_node_is_javas_of_its_host_id_port_and_rack() -> None:
    # By hand: "a" has the hash 97, then 31 * (31 * (31 * (31 + 97) + 1) + 9092) + 0.
    assert hash_of_node(1, "a", 9092, None) == 4_096_061
    assert hash_of_node(1, "a", 9092, "b") == 4_096_061 + 98
    # From 4.0 on a node has another field, Boolean.FALSE, whose hash is 1237.
    assert hash_of_fenceable_node(1, "a", 9092, None) == 31 * 4_096_061 + 1237


@pytest.mark.parametrize(
    ("partition", "timestamp"), [(-1, None), (-5, None), (None, -1), (0, -(2**63))]
)
def test_what_is_no_record_is_not_sent(partition: int | None, timestamp: int | None) -> None:
    sending = producer(ProducerMetadata(Cluster.of(t=1)))
    with pytest.raises(JavaIllegalArgumentError, match="should always be non-negative or null"):
        sending.send("t", partition, b"key", b"value", now_ms=0, timestamp=timestamp)
    with pytest.raises(JavaIllegalArgumentError, match="should always be non-negative or null"):
        ProducerRecord("t", partition, timestamp=timestamp)


@pytest.mark.parametrize("timestamp", [0, 1, 2**63 - 1])
def test_a_record_may_be_of_any_time_since_1970(timestamp: int) -> None:
    assert ProducerRecord("t", 0, timestamp=timestamp).timestamp == timestamp


def test_a_buffer_is_returned_once() -> None:
    # A batch of 4.4.0 remembers it (ProducerBatch.isBufferDeallocated), one of 4.1.0 does not.
    pool = kafka_4_4_0.BufferPool(10_000, 1000)
    accumulator = kafka_4_4_0.RecordAccumulator(pool, batch_size=1000, linger_ms=0)
    ratios = kafka_4_4_0.CompressionRatioEstimator()
    batch = ProducerBatch("t", 0, pool.allocate(1000), 0, ratios=ratios)
    for _ in range(2):
        accumulator.return_buffer(batch)
        assert pool.available_memory == 10_000


def test_the_last_part_of_a_split_batch_takes_no_other_record() -> None:
    # By the source of 3.8.0: ProducerBatch.split closes each part, also one that has room.
    batch = ProducerBatch("t", 0, 1000, 0, ratios=kafka_3_8_0.CompressionRatioEstimator())
    assert batch.max_record_size == 0
    for _ in range(3):
        batch.try_append(0, None, b"v" * 50, (), None, 0)
    parts = batch.split(200)
    assert [part.record_count for part in parts] == [2, 1]
    parts[-1].try_append(0, None, b"", (), None, 0)
    assert parts[-1].record_count == 1


def test_a_callback_that_throws_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    told: list[int] = []

    def tell(offset: int, error: object) -> None:
        assert error is None
        told.append(offset)
        raise KeyError("told to")

    ratios = kafka_3_8_0.CompressionRatioEstimator()
    batch = ProducerBatch("t", 0, 1000, 0, ratios=ratios)
    for _ in range(3):
        batch.try_append(0, None, b"", (), tell, 0)
    assert batch.complete(7)
    assert told == [7, 8, 9]
    assert [one.message for one in caplog.records] == [
        "Error executing user-provided callback on ('t', 0)"
    ] * len(told)


@pytest.mark.parametrize(
    ("made", "told"), [(TransactionManager, "invalid"), (EarlierTransactionManager, "forbidden")]
)
def test_an_id_after_the_end_ends_it_once_more(made: type[TransactionManager], told: str) -> None:
    # By the source of 3.8.0 (KAFKA-14831): the suite is never Java's I/O thread.
    manager = made()
    manager.bump_epoch_and_reset_id_if_needed()
    request = manager.next_request()
    assert request is not None
    manager.transition_to_fatal_error(JavaIllegalStateError("forbidden"))
    with pytest.raises(JavaIllegalStateError, match="from state FATAL_ERROR to state READY"):
        manager.handle_init_producer_id_response(request, InitProducerIdResponse(0, 7, 0))
    assert manager.has_fatal_error
    assert told in str(manager.last_error).lower()
    # A record is told of a state that cannot be, where that ended it (maybeFailWithError).
    with pytest.raises(JavaIllegalStateError):
        manager.fail_with_error()

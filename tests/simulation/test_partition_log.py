"""What a broker makes of batches with sequences, step by step."""

import pytest

from conformance.simulation.partition_log import KEPT_BATCHES, Appended, PartitionLog
from python_impl.producer.producer_batch import ProducerBatch
from python_impl.producer.protocol_errors import (
    INVALID_PRODUCER_EPOCH,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    ProtocolError,
)
from python_impl.records.compression_ratio import CompressionRatioEstimator


def _batch(
    records: int, sequence: int | None = None, epoch: int = 0, producer_id: int = 7
) -> ProducerBatch:
    batch = ProducerBatch("t", 0, 1 << 20, 0, ratios=CompressionRatioEstimator())
    for _ in range(records):
        batch.try_append(0, None, b"value", (), None, 0)
    if sequence is not None:
        batch.set_producer_state((producer_id, epoch), sequence)
    return batch


def _is_refused(appended: Appended, error: ProtocolError) -> bool:
    return appended.response.code == error.code and not appended.is_written


@pytest.fixture
def log() -> PartitionLog:
    """With a batch of three records, sequences 0 to 2."""
    made = PartitionLog()
    appended = made.append(_batch(3, 0))
    assert appended.is_written
    assert (appended.response.code, appended.response.base_offset) == (0, 0)
    return made


def test_batches_without_sequences_are_written_each_time() -> None:
    log, batch = PartitionLog(), _batch(2)
    assert [log.append(batch).response.base_offset for _ in range(3)] == [0, 2, 4]
    assert log.end == 6


def test_what_follows_is_written_and_what_is_there_is_found(log: PartitionLog) -> None:
    assert log.append(_batch(2, 3)).response.base_offset == 3
    for sequence, records, offset in ((0, 3, 0), (3, 2, 3)):
        again = log.append(_batch(records, sequence))
        assert (again.response.code, again.response.base_offset) == (0, offset)
        assert not again.is_written
    assert log.end == 5


@pytest.mark.parametrize("sequence", [4, 2, 1])
def test_a_gap_or_part_of_what_is_there_is_refused(log: PartitionLog, sequence: int) -> None:
    assert _is_refused(log.append(_batch(2, sequence)), OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert log.end == 3


def test_only_the_last_five_batches_are_known_again(log: PartitionLog) -> None:
    for sequence in range(3, 3 + KEPT_BATCHES):
        assert log.append(_batch(1, sequence)).is_written
    assert _is_refused(log.append(_batch(3, 0)), OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert log.append(_batch(1, 3)).response.base_offset == 3


def test_a_new_epoch_begins_with_0_and_ends_the_one_before(log: PartitionLog) -> None:
    assert _is_refused(log.append(_batch(1, 3, epoch=1)), OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert log.append(_batch(1, 0, epoch=1)).response.base_offset == 3
    assert _is_refused(log.append(_batch(1, 3)), INVALID_PRODUCER_EPOCH)
    # What the same sequences were in the epoch before is forgotten.
    assert _is_refused(log.append(_batch(3, 0, epoch=1)), OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert log.append(_batch(1, 1, epoch=1)).is_written


def test_a_producer_that_is_not_known_begins_anywhere(log: PartitionLog) -> None:
    assert log.append(_batch(1, 40, producer_id=8)).is_written
    assert log.append(_batch(1, 41, producer_id=8)).is_written
    assert log.append(_batch(1, 3)).is_written


@pytest.mark.parametrize(("records", "first", "next_first"), [(1, 2**31 - 1, 0), (3, 2**31 - 2, 1)])
def test_0_follows_the_last_sequence(records: int, first: int, next_first: int) -> None:
    log, batch = PartitionLog(), _batch(records, first)
    assert log.append(batch).is_written
    assert not log.append(batch).is_written
    assert log.append(_batch(1, next_first)).is_written

"""What the port promises where no Java client can be asked, or none is: its own edges."""

import random
import tomllib
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import python_impl
from conformance.model.port import (
    BuiltInRelease,
    DefaultRelease,
    KeyedRelease,
    Port,
    RackAwareRelease,
    RoundRobinRelease,
    StickyRelease,
)
from python_impl import (
    Cluster,
    kafka_2_3_1,
    kafka_3_2_3,
    kafka_3_8_0,
    kafka_4_4_0,
    randomness,
)
from python_impl.cluster import PartitionInfo
from python_impl.errors import JavaArrayIndexOutOfBoundsError
from python_impl.int32 import check_int32, int32
from python_impl.producer.load_stats import PartitionLoadStats, fold_queue_sizes
from python_impl.producer.producer_record import UNKNOWN_PARTITION


def test_a_batch_holds_a_record_or_more() -> None:
    partitioner = kafka_3_8_0.RoundRobinPartitioner()
    kafka_3_8_0.ProducerSends(partitioner, 1)
    for batch_records in (0, -1):
        with pytest.raises(ValueError, match="a batch holds one record or more"):
            kafka_3_8_0.ProducerSends(partitioner, batch_records)


class _Told:
    """A partitioner that always answers 0, and is told of new batches."""

    def __init__(self) -> None:
        self.new_batches = 0

    def partition(self, topic: str | None, key: bytes | None, cluster: Cluster | None) -> int:
        del topic, key, cluster
        return 0

    def on_new_batch(self, topic: str, cluster: Cluster, previous: int) -> None:
        del topic, cluster, previous
        self.new_batches += 1


# Numbers of one, two and three bytes tell how far a record stands from the first.
@pytest.mark.parametrize("batch_records", [1, 64, 65, 8192, 8193])
def test_a_batch_is_full_after_so_many_records(batch_records: int) -> None:
    partitioner, cluster = _Told(), Cluster([PartitionInfo("t", 0, 0)])
    producer = kafka_3_8_0.ProducerSends(partitioner, batch_records)
    for number in range(2 * batch_records):
        producer.send("t", None, cluster)
        assert partitioner.new_batches == 1 + number // batch_records


def test_a_record_with_neither_partition_nor_key_is_for_others_to_place() -> None:
    record = kafka_3_8_0.ProducerRecord("t")
    assert kafka_3_8_0.partition_of_record(record, None) == UNKNOWN_PARTITION == -1


@pytest.mark.parametrize("number", [-2147483648, -1, 0, 2147483647])
def test_what_fits_an_int32(number: int) -> None:
    assert check_int32("number", number) == int32(number) == number


@pytest.mark.parametrize("number", [-2147483649, 2147483648, 2**40])
def test_what_does_not_fit_an_int32(number: int) -> None:
    with pytest.raises(ValueError, match="from -2147483648 to 2147483647, not"):
        check_int32("number", number)


@pytest.mark.parametrize("first", [0, 2**32 - 1])
def test_both_ends_of_an_int32_are_drawn(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Drawn(random.Random):
        def getrandbits(self, bits: int) -> int:
            assert bits == 32
            return first

    monkeypatch.setattr(randomness, "_random", Drawn())
    assert randomness.random_int32() == first - 2147483648


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: PartitionInfo("t", 0, 1), "leader"),
        (lambda: kafka_3_8_0.ProducerRecord("t", 1, b"k"), "key"),
        (lambda: PartitionLoadStats((1, 3), (0, 1), 2), "length"),
    ],
    ids=["PartitionInfo", "ProducerRecord", "PartitionLoadStats"],
)
def test_values_are_values(make: Callable[[], object], field: str) -> None:
    one = make()
    assert one == make()
    assert hash(one) == hash(make())
    assert not hasattr(one, "__dict__")
    with pytest.raises(FrozenInstanceError):
        setattr(one, field, None)


def test_assertions_are_off_unless_asked_for() -> None:
    # Sums that wrapped: the search runs off the table. With assertions it is another error.
    with pytest.raises(JavaArrayIndexOutOfBoundsError):
        PartitionLoadStats((5, -7, -6), (0, 1, 2), 3).choose(-1)
    assert fold_queue_sizes([3, 1, 2], [0, 1], 3) is not None


def test_a_cluster_of_counts() -> None:
    cluster = Cluster.of({"my-topic": 2}, orders=1)
    assert cluster.partitions_for_topic("my-topic") == [
        PartitionInfo("my-topic", 0, 0),
        PartitionInfo("my-topic", 1, 0),
    ]
    assert cluster.available_partitions_for_topic("orders") == [PartitionInfo("orders", 0, 0)]
    assert cluster.partitions_for_topic("payments") == []


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'murmur3'"):
        python_impl.murmur3  # noqa: B018


def test_the_port_has_the_shape_that_the_suite_asks_for() -> None:
    """It is mypy that notices, here, what a release lacks; Python only that there is one at all."""
    port: Port = python_impl
    keyed: tuple[KeyedRelease, ...] = (kafka_2_3_1, kafka_3_2_3, kafka_3_8_0, kafka_4_4_0)
    old: tuple[DefaultRelease, ...] = (kafka_2_3_1, kafka_3_2_3, kafka_3_8_0)
    sticky: tuple[StickyRelease, ...] = (kafka_3_2_3, kafka_3_8_0)
    in_turn: tuple[RoundRobinRelease, ...] = (kafka_3_2_3, kafka_3_8_0, kafka_4_4_0)
    built_in: tuple[BuiltInRelease, ...] = (kafka_3_8_0, kafka_4_4_0)
    in_racks: RackAwareRelease = kafka_4_4_0
    one = port.Cluster.of(t=1)
    places = [
        *(release.partition_of_record(release.ProducerRecord("t", 0), one) for release in keyed),
        *(release.DefaultPartitioner().partition("t", b"k", one) for release in old),
        *(release.DefaultPartitioner().partition("t", None, one) for release in sticky),
        *(release.RoundRobinPartitioner().partition("t", None, one) for release in in_turn),
        *(release.BuiltInPartitioner("t", 1).peek(one).partition() for release in built_in),
        in_racks.BuiltInPartitioner("t", 1, rack_aware=True, rack="a").peek(one).partition(),
    ]
    assert places == [0] * 15


def test_mypy_reads_this_file() -> None:
    """Else the types of the test before say nothing."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert __name__ in project["tool"]["mypy"]["modules"]

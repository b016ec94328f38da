"""The typed interface of a Python port, as behaviours and distributions use it.

:mod:`python_impl` has it, and so has each mutant of it; mypy checks the port against it. Objects
that only a port itself looks into, clusters and infos, have no type here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol

from conformance.model.client_version import ClientVersion

RandomInts = Callable[[], int]
"""Answers the next int32."""


class ClusterClass(Protocol):
    """The class of cluster metadata."""

    def __call__(self, partitions: Iterable[Any], /) -> Any:
        """Metadata of these partitions."""

    def of(self, topics: Mapping[str, int] | None = None, /, **named: int) -> Any:
        """Metadata in which each topic has this many partitions, all with a leader."""


class PartitionInfoClass(Protocol):
    """The class of a topic's partition in metadata."""

    def __call__(
        self, topic: str | None, partition: int, leader: int | None, leader_rack: str | None = None
    ) -> Any:
        """A partition; its leader, and the leader's rack, are None where there is none."""


class Partitioner(Protocol):
    """A partitioner of Kafka's ``Partitioner`` interface."""

    def partition(self, topic: str | None, key: bytes | None, cluster: Any) -> int:
        """The partition of one record."""


class InTurn(Partitioner, Protocol):
    """One that takes the partitions in turn."""

    def counter(self, topic: str) -> int | None:
        """The counter of a topic, the next int32; None before its first record."""


class Sticky(Partitioner, Protocol):
    """One that stays with a partition until its batch is full."""

    def on_new_batch(self, topic: str | None, cluster: Any, previous: int) -> None:
        """Called for each new batch."""

    def sticky_partition(self, topic: str) -> int | None:
        """Its present partition; None before the topic's first record."""


class StickyInfo(Protocol):
    """What ``BuiltInPartitioner`` sticks to."""

    produced_bytes: int

    def partition(self) -> int:
        """The partition."""


class BuiltIn(Protocol):
    """``BuiltInPartitioner`` of one topic (KIP-794)."""

    @property
    def current(self) -> StickyInfo | None:
        """What it sticks to; None before the first peek."""

    def peek(self, cluster: Any) -> StickyInfo:
        """``peekCurrentPartitionInfo``."""

    def is_partition_changed(self, info: Any) -> bool:
        """``isPartitionChanged``."""

    def update_partition_info(
        self, info: Any, appended_bytes: int, cluster: Any, enable_switch: bool = True
    ) -> None:
        """``updatePartitionInfo``."""

    def update_partition_load_stats(
        self, queue_sizes: list[int] | None, partition_ids: Sequence[int], length: int
    ) -> None:
        """``updatePartitionLoadStats``."""

    def load_stats_range_end(self) -> int:
        """``loadStatsRangeEnd``."""


class BuiltInClass(Protocol):
    """Its class."""

    def __call__(
        self,
        topic: str,
        sticky_batch_size: int,
        *,
        random: RandomInts = ...,
        mock_random: RandomInts | None = None,
        assertions: bool = False,
    ) -> BuiltIn:
        """A partitioner of one topic."""


class RackAware(BuiltIn, Protocol):
    """The same of a version that can prefer leaders in its own rack (KIP-1123)."""

    def update_partition_load_stats(
        self,
        queue_sizes: list[int] | None,
        partition_ids: Sequence[int],
        length: int,
        leader_racks: Sequence[str | None] | None = None,
    ) -> None:
        """``updatePartitionLoadStats``."""

    def load_stats_in_this_rack_range_end(self) -> int:
        """``loadStatsInThisRackRangeEnd``."""


class RackAwareClass(Protocol):
    """Its class."""

    def __call__(
        self,
        topic: str,
        sticky_batch_size: int,
        *,
        rack_aware: bool = False,
        rack: str = "",
        random: RandomInts = ...,
        mock_random: RandomInts | None = None,
        assertions: bool = False,
    ) -> RackAware:
        """A partitioner of one topic."""


class Sends(Protocol):
    """A producer as far as it asks a partitioner twice for a new batch."""

    def send(self, topic: str, key: bytes | None, cluster: Any, named: int | None = None) -> int:
        """The partition into whose batch a record goes."""


class KeyedRelease(Protocol):
    """A release as every one is: records that may name a partition."""

    @property
    def ProducerRecord(self) -> Callable[..., Any]:  # noqa: N802 -- Java's name
        """Made of a topic, a partition or None, and a key or None."""

    def partition_of_record(self, record: Any, cluster: Any) -> int:
        """``KafkaProducer.partition``."""


class DefaultRelease(Protocol):
    """A release with ``DefaultPartitioner``: up to 3.9."""

    @property
    def DefaultPartitioner(self) -> Callable[..., Partitioner]:  # noqa: N802
        """The class that a producer uses by default, or used before 3.3."""


class StickyRelease(Protocol):
    """A release whose default partitioner sticks to batches: 2.4 to 3.2, deprecated until 4.0."""

    @property
    def DefaultPartitioner(self) -> Callable[..., Sticky]:  # noqa: N802
        """Its class."""


class RoundRobinRelease(Protocol):
    """A release with ``RoundRobinPartitioner``: 2.4 and later."""

    @property
    def RoundRobinPartitioner(self) -> Callable[..., InTurn]:  # noqa: N802
        """Its class."""

    @property
    def ProducerSends(self) -> Callable[[Any, int], Sends]:  # noqa: N802
        """Made of a partitioner and how many records fill a batch."""


class BuiltInRelease(Protocol):
    """A release with ``BuiltInPartitioner``: 3.3 and later."""

    @property
    def BuiltInPartitioner(self) -> BuiltInClass:  # noqa: N802
        """Its class."""


class RatioEstimator(Protocol):
    """``CompressionRatioEstimator``: compressed bytes for each byte of records, in float32."""

    def estimation(self, topic: str, compression: str) -> float:
        """The estimate."""

    def update_estimation(self, topic: str, compression: str, observed: float) -> float:
        """Learn from a batch; answers the new estimate."""

    def set_estimation(self, topic: str, compression: str, ratio: float) -> None:
        """Set an estimate."""

    def reset_estimation(self, topic: str) -> None:
        """Forget what was learnt of a topic."""


class RatioRelease(Protocol):
    """A release as every one is: estimates of compression."""

    @property
    def CompressionRatioEstimator(self) -> Callable[[], RatioEstimator]:  # noqa: N802
        """Its class."""


class BatchRelease(Protocol):
    """A release as every one is: batches that are written record by record."""

    @property
    def MemoryRecordsBuilder(self) -> Callable[..., Any]:  # noqa: N802
        """Its class, made of arguments by name."""


class AccumulatorRelease(Protocol):
    """A release as every one is: batches that a producer collects and sends."""

    @property
    def BufferPool(self) -> Callable[[int, int], Any]:  # noqa: N802
        """Its memory, made of all bytes there are and those of a usual buffer."""

    @property
    def RecordAccumulator(self) -> Callable[..., Any]:  # noqa: N802
        """Its class, made of a pool and settings by name."""


class ProducerRelease(RatioRelease, Protocol):
    """A version's port of a whole producer."""

    @property
    def KafkaProducer(self) -> Callable[..., Any]:  # noqa: N802
        """The class of producers."""


class RackAwareRelease(Protocol):
    """A release whose ``BuiltInPartitioner`` knows racks: 4.4 and later."""

    @property
    def BuiltInPartitioner(self) -> RackAwareClass:  # noqa: N802
        """Its class."""


class Port(Protocol):
    """A port: what is the same in all releases; each release is a module beside it."""

    @property
    def Cluster(self) -> ClusterClass:  # noqa: N802
        """Cluster metadata."""

    @property
    def PartitionInfo(self) -> PartitionInfoClass:  # noqa: N802
        """A topic's partition."""

    def murmur2(self, data: bytes | bytearray | memoryview) -> int:
        """``Utils.murmur2``."""

    def to_positive(self, number: int) -> int:
        """``Utils.toPositive``."""

    def partition_for_key(self, key: bytes | None, num_partitions: int) -> int:
        """``BuiltInPartitioner.partitionForKey``."""

    def murmur2_column(self, keys: Any, /, *, compiled: bool | None = None) -> Any:
        """A column's hashes: by Numba's loop, by NumPy's, or (None) by the better one."""

    def partitions_for_keys(self, keys: Any, count: int, /, *, compiled: bool | None = None) -> Any:
        """A column's partitions, of so many; likewise."""

    @property
    def errors(self) -> ModuleType:
        """What ports raise, a class for each of Java's."""

    @property
    def producer(self) -> ModuleType:
        """What a producer and its surroundings tell each other."""

    @property
    def records(self) -> ModuleType:
        """Record batches, as far as they are the same in all releases."""

    @property
    def serializers(self) -> ModuleType:
        """Kafka's serializers, as functions."""


def release_of(port: Port, client: ClientVersion) -> Any:
    """The module of a port that is of one version; say by a type what is asked of it."""
    return getattr(port, client.port)

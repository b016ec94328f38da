"""kafka-python and aiokafka: pure Python clients, asked through their producers.

The partition of a record comes from the producer's own method ``_partition``, without a
connection: it looks into the metadata, which is the library's ClusterMetadata, updated with a
MetadataResponse as a broker would send it, and takes the partition that the record names or calls
the partitioner. A stand-in for the producer holds only the two members that this method reads.

Not asked: null metadata and null topics (no such thing in these libraries), and unknown topics,
because both producers wait for the topic's metadata (or fail) before they call ``_partition``
(kafka/producer/kafka.py, KafkaProducer.send; aiokafka/producer/producer.py, AIOKafkaProducer.send).
"""

import sys
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from testee import CouldNotTry, int32, key_of, serve

Message = dict[str, Any]
_ALL = ["2.3.1", "3.2.3", "3.8.0", "4.4.0"]
_CANNOT = ["null metadata", "unknown topics", "null topics"]
_NO_LEADER, _LEADER_NOT_AVAILABLE = -1, 5
_VERSION = 8  # of kafka-python's MetadataResponse; its parts have to know theirs, too


class KafkaPython:
    """kafka-python: partitioners are objects that see the cluster."""

    package = "kafka-python"

    def __init__(self, which: str) -> None:
        from kafka import partitioner
        from kafka.cluster import ClusterMetadata
        from kafka.producer import KafkaProducer
        from kafka.protocol.metadata import MetadataResponse

        self.murmur2 = partitioner.murmur2
        classes = {
            "default": partitioner.DefaultPartitioner,
            "sticky": partitioner.StickyPartitioner,
        }
        self._class = classes[which]
        self.name = f"kafka-python {self._class.__name__}"
        self.partition_of = KafkaProducer._partition
        self._cluster, self._response = ClusterMetadata, MetadataResponse

    def cluster(self, snapshot: list[Any]) -> Any:
        response = self._response
        topics = [
            response.MetadataResponseTopic(
                error_code=0,
                name=topic,
                is_internal=False,
                partitions=[
                    response.MetadataResponseTopic.MetadataResponsePartition(
                        error_code=_LEADER_NOT_AVAILABLE if leader is None else 0,
                        partition_index=number,
                        leader_id=_NO_LEADER if leader is None else leader,
                        leader_epoch=0,
                        replica_nodes=[],
                        isr_nodes=[],
                        offline_replicas=[],
                        version=_VERSION,
                    )
                    for number, leader in partitions
                ],
                version=_VERSION,
            )
            for topic, partitions in snapshot
        ]
        broker = response.MetadataResponseBroker(0, "broker", 9092, None, version=_VERSION)
        cluster = self._cluster()
        cluster.update_metadata(
            response(brokers=[broker], topics=topics, controller_id=0, version=_VERSION)
        )
        return cluster

    def producer(self) -> Any:
        return SimpleNamespace(_metadata=None, config={"partitioner": self._class()})

    def new_batch(self, producer: Any, topic: str, previous: int) -> None:
        # As KafkaProducer.send does; only the sticky partitioner has it.
        on_new_batch = getattr(producer.config["partitioner"], "on_new_batch", None)
        if on_new_batch is not None:
            on_new_batch(topic, producer._metadata, previous)


class AioKafka:
    """aiokafka: the partitioner is a callable that is handed two lists of ids."""

    package = "aiokafka"
    name = "aiokafka DefaultPartitioner"

    def __init__(self, which: str) -> None:
        assert which == "default"
        from aiokafka import partitioner
        from aiokafka.cluster import ClusterMetadata
        from aiokafka.producer import AIOKafkaProducer
        from aiokafka.protocol.metadata import MetadataResponse_v1

        self.murmur2 = partitioner.murmur2
        self._class = partitioner.DefaultPartitioner
        self.partition_of = AIOKafkaProducer._partition
        self._cluster, self._response = ClusterMetadata, MetadataResponse_v1

    def cluster(self, snapshot: list[Any]) -> Any:
        topics = [
            (0, topic, False, [_aio_partition(number, leader) for number, leader in partitions])
            for topic, partitions in snapshot
        ]
        cluster = self._cluster()
        cluster.update_metadata(self._response([(0, "broker", 9092, None)], 0, topics))
        return cluster

    def producer(self) -> Any:
        return SimpleNamespace(_metadata=None, _partitioner=self._class())

    def new_batch(self, producer: Any, topic: str, previous: int) -> None:
        """AIOKafka's partitioner is not told of batches."""


def _aio_partition(number: int, leader: int | None) -> tuple[Any, ...]:
    if leader is None:
        return _LEADER_NOT_AVAILABLE, number, _NO_LEADER, [], []
    return 0, number, leader, [], []


def _partition(
    library: Any, producer: Any, topic: str, key: bytes | None, named: int | None = None
) -> int:
    """The partition of a record by the producer's own method, which both libraries have alike."""
    return library.partition_of(producer, topic, named, key, b"", key, b"")


class Case:
    """One producer, fresh; one ClusterMetadata for each snapshot of the case."""

    def __init__(self, library: Any, metadata: list[Any]) -> None:
        self._library, self._metadata = library, metadata
        self._producer = library.producer()
        self._clusters: dict[int, Any] = {}

    def step(self, step: Message) -> int:
        if step["op"] == "murmur2":
            return int32(self._library.murmur2(key_of(step)))
        if step["op"] not in ("partition", "record"):
            raise CouldNotTry(f"no operation {step['op']}")
        at = step["metadata"]
        if at not in self._clusters:
            self._clusters[at] = self._library.cluster(self._metadata[at])
        self._producer._metadata = self._clusters[at]
        named = step.get("partition")  # only a record has one
        return _partition(self._library, self._producer, step["topic"], key_of(step), named)


class Adapter:
    """A library behind the protocol."""

    def __init__(self, library: Any, behaviours: dict[str, Any]) -> None:
        self._library, self.behaviours = library, behaviours
        self.name, self.version = library.name, version(library.package)

    def new_case(self, case: Message) -> Case:
        return Case(self._library, case["metadata"])

    def records(self, message: Message) -> list[int]:
        library = self._library
        producer = library.producer()
        producer._metadata = library.cluster([["t", message["partitions"]]])
        if message["behaviour"] == "keyed":
            keys = map(bytes.fromhex, message["keys"])
            return [_partition(library, producer, "t", key) for key in keys]
        count = message.get("count")
        closes = [0] * count if count else message["closes"]
        chosen = []
        for close in closes:
            partition = _partition(library, producer, "t", None)
            chosen.append(partition)
            if close:
                library.new_batch(producer, "t", partition)
        return chosen


def main() -> None:
    library, which = sys.argv[1:]
    behaviours: dict[str, Any] = {
        "murmur2": {"mode": "exact", "operations": ["murmur2"]},
        "keyed": {
            "mode": "exact",
            "records": True,
            "claims": _ALL,
            "cannot": _CANNOT,
            "operations": ["partition"],
        },
    }
    for name in ("round-robin-null-key", "sticky", "built-in"):
        behaviours[name] = {"mode": "statistical"}
    if which == "default":  # the partitioner has no say in a partition that is named
        behaviours["explicit-partition"] = {"mode": "exact", "cannot": _CANNOT}
    if which == "sticky":  # its documentation: "KIP-480 sticky partitioner"
        behaviours["sticky"]["claims"] = ["3.2.3", "3.8.0"]
    made = {"kafka-python": KafkaPython, "aiokafka": AioKafka}[library](which)
    serve(Adapter(made, behaviours))


if __name__ == "__main__":
    main()

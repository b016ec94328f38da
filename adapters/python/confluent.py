"""confluent-kafka: the partitioners of librdkafka, by real Producer.produce calls.

librdkafka partitions inside produce(), and Python cannot call its partitioners. So a Producer
talks to librdkafka's own mock cluster (rdkafka_mock.h, reached with ctypes in the very library
that the wheel ships), where topics have any number of partitions, with or without leaders. Records
are produced, purged before they are sent, and the delivery reports tell their partitions.

Records without key stick to a partition for sticky.partitioning.linger.ms (10 by default), not for
a batch: nothing tells the partitioner that a batch was closed, so neither do we.

Not asked: gaps in ids (librdkafka knows only a count; a mock topic has 0, 1, 2, ...), null
metadata, null topics, and unknown topics (records wait, unpartitioned, for metadata).
"""

import ctypes
import socket
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import confluent_kafka
from confluent_kafka import KafkaError, KafkaException, Producer
from testee import CouldNotTry, key_of, serve

Message = dict[str, Any]
_ALL = ["2.3.1", "3.2.3", "3.8.0", "4.4.0"]
_CANNOT = ["null metadata", "unknown topics", "null topics", "gaps in ids", "changing metadata"]
_PARTITIONS_OF_A_PRODUCER = 10_000  # then it is replaced: its threads look through all of them
_LINGER_MS = 20  # the warm-up's records are sent after it; later ones are purged first
_STICKY_MS = 10  # librdkafka's default of sticky.partitioning.linger.ms


def _library() -> ctypes.CDLL:
    package = Path(confluent_kafka.__file__).parent
    folders = (package.parent / "confluent_kafka.libs", package / ".dylibs", package)
    found = [path for folder in folders for path in sorted(folder.glob("librdkafka*"))]
    # Opened already when the package was imported: this is the same copy, not a second one.
    library = ctypes.CDLL(str(found[0]))
    pointer, text, int32 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    for name, result, arguments in (
        ("conf_new", pointer, []),
        ("conf_set", ctypes.c_int, [pointer, text, text, text, ctypes.c_size_t]),
        ("new", pointer, [ctypes.c_int, pointer, text, ctypes.c_size_t]),
        ("mock_cluster_new", pointer, [pointer, ctypes.c_int]),
        ("mock_cluster_bootstraps", text, [pointer]),
        ("mock_topic_create", ctypes.c_int, [pointer, text, ctypes.c_int, ctypes.c_int]),
        ("mock_cluster_destroy", None, [pointer]),
        ("destroy", None, [pointer]),
        ("mock_partition_set_leader", ctypes.c_int, [pointer, text, int32, int32]),
    ):
        function = getattr(library, f"rd_kafka_{name}")
        function.restype, function.argtypes = result, arguments
    return library


class MockCluster:
    """One broker that lives in a handle of its own."""

    def __init__(self) -> None:
        self._library = _library()
        error = ctypes.create_string_buffer(512)
        conf = self._library.rd_kafka_conf_new()
        # Its client part is not used; without this it warns that it has no broker.
        self._library.rd_kafka_conf_set(conf, b"log_level", b"0", error, 512)
        self._handle = self._library.rd_kafka_new(0, conf, error, 512)
        if not self._handle:
            raise RuntimeError(error.value.decode())
        self._mock = self._library.rd_kafka_mock_cluster_new(self._handle, 1)
        self.bootstrap: str = self._library.rd_kafka_mock_cluster_bootstraps(self._mock).decode()
        self._waiting, self._closed = threading.Event(), False
        threading.Thread(target=self._nudge, daemon=True).start()

    def _nudge(self) -> None:
        """Connect to the broker while a call waits: its thread may sleep for a second otherwise."""
        host, port = self.bootstrap.rsplit(":", 1)
        while self._waiting.wait() and not self._closed:
            time.sleep(0.002)
            with suppress(OSError):  # it may be closed by now
                socket.create_connection((host, int(port)), timeout=1).close()

    def create(self, topics: Iterable[str], leaders: tuple[bool, ...]) -> None:
        """Topics with one partition for each of ``leaders``: whether it has one."""
        self._waiting.set()
        for topic in topics:
            self._create(topic.encode(), leaders)
        self._waiting.clear()

    def _create(self, name: bytes, leaders: tuple[bool, ...]) -> None:
        if self._library.rd_kafka_mock_topic_create(self._mock, name, len(leaders), 1):
            raise RuntimeError(f"no mock topic with {len(leaders)} partitions")
        for number, led in enumerate(leaders):
            if not led:  # -1: this partition has no leader
                self._library.rd_kafka_mock_partition_set_leader(self._mock, name, number, -1)

    def close(self) -> None:
        """End it, once no producer talks to it."""
        self._waiting.set()
        self._library.rd_kafka_mock_cluster_destroy(self._mock)
        self._library.rd_kafka_destroy(self._handle)
        self._closed = True  # the thread ends


class Adapter:
    """A Producer with one of librdkafka's partitioners."""

    def __init__(self, partitioner: str, sticky_ms: int, behaviours: dict[str, Any]) -> None:
        self.behaviours = behaviours
        self.name = f"confluent-kafka partitioner={partitioner}"
        if sticky_ms != _STICKY_MS:
            self.name += f" sticky.partitioning.linger.ms={sticky_ms}"
        librdkafka = confluent_kafka.libversion()[0]
        self.version = f"{confluent_kafka.__version__} (librdkafka {librdkafka})"
        self._partitioner, self._sticky_ms = partitioner, sticky_ms
        self._cluster: MockCluster | None = None  # the hello does not need it
        self._producer: Producer | None = None
        self._keyed: dict[tuple[bool, ...], str] = {}  # those for keyed records, by leaders
        self._created, self._partitions = 0, 0

    def topics(self, count: int, leaders: tuple[bool, ...]) -> list[str]:
        """New topics that the producer knows."""
        if self._cluster is None or self._partitions > _PARTITIONS_OF_A_PRODUCER:
            self._producer = None  # ends it: one that lives would make its topics anew
            if self._cluster is not None:
                self._cluster.close()
            self._cluster = MockCluster()
            self._keyed.clear()
            self._partitions = 0
            self._producer = self._new_producer(self._cluster.bootstrap)
        names = [f"t{self._created + more}" for more in range(count)]
        self._created += count
        self._partitions += count * len(leaders)
        self._cluster.create(names, leaders)
        for name in names:
            metadata = self._producer.list_topics(name, timeout=10).topics[name]
            if len(metadata.partitions) != len(leaders):
                raise RuntimeError(f"the producer sees {len(metadata.partitions)} of {leaders}")
        return names

    def _new_producer(self, bootstrap: str) -> Producer:
        settings = {
            "bootstrap.servers": bootstrap,
            "partitioner": self._partitioner,
            "sticky.partitioning.linger.ms": self._sticky_ms,
            "linger.ms": _LINGER_MS,
            "message.max.bytes": 1_000_000_000,
            "queue.buffering.max.messages": 0,  # no limit
            "queue.buffering.max.kbytes": 2_147_483_647,
            "topic.metadata.refresh.interval.ms": -1,
        }
        return Producer(settings)

    def produce(
        self, topic: str, keys: Sequence[bytes | None], named: int | None = None
    ) -> list[int]:
        """The partitions that records with these keys get, which may all name one."""
        producer = self._producer
        assert producer is not None
        chosen = [-1] * len(keys)
        missing = len(keys)

        def report(error: Any, message: Any) -> None:
            del error  # purged, mostly; the partition is there all the same
            nonlocal missing
            chosen[int.from_bytes(message.value(), "big")] = message.partition()
            missing -= 1

        explicit = {} if named is None else {"partition": named}
        for number, key in enumerate(keys):
            producer.produce(topic, number.to_bytes(4, "big"), key, on_delivery=report, **explicit)
        producer.purge(in_flight=False, blocking=False)
        until = time.monotonic() + 15
        while missing:
            producer.poll(0.1)
            if time.monotonic() > until:
                raise RuntimeError(f"no delivery report for {missing} of {len(keys)} records")
        return chosen

    def warm_up(self, topics: list[str], leaders: tuple[bool, ...]) -> None:
        """Wait until every led partition is connected: before that librdkafka avoids it."""
        assert self._producer is not None
        failed: list[str] = []

        def report(error: Any, message: Any) -> None:
            if error is not None:
                failed.append(f"partition {message.partition()}: {error}")

        for topic in topics:
            for number, led in enumerate(leaders):
                if led:
                    self._producer.produce(topic, b"", b"", number, on_delivery=report)
        if self._producer.flush(10) or failed:
            raise RuntimeError(f"the warm-up failed: {failed[:3]}")

    def new_case(self, case: Message) -> "Case":
        return Case(self, case["metadata"])

    def keyed(
        self, leaders: tuple[bool, ...], keys: list[bytes | None], named: int | None = None
    ) -> list[int]:
        """Partitions of records with a key, or that name one: no state, so topics are reused."""
        topic = self._keyed.get(leaders)
        if topic is None:
            (topic,) = self.topics(1, leaders)
            self._keyed[leaders] = topic
        return self.produce(topic, keys, named)

    def records(self, message: Message) -> list[int]:
        leaders = _leaders(message["partitions"])
        if message["behaviour"] == "keyed":
            return self.keyed(leaders, [bytes.fromhex(key) for key in message["keys"]])
        # It sticks for a time, not for a batch: nothing tells it that a batch was closed.
        count = message.get("count") or len(message["closes"])
        topics = self.topics(1, leaders)
        self.warm_up(topics, leaders)
        return self.produce(topics[0], [None] * count)


class Case:
    """Steps of keyed cases, and of those that name partitions."""

    def __init__(self, adapter: Adapter, metadata: list[Any]) -> None:
        self._adapter, self._metadata = adapter, metadata

    def step(self, step: Message) -> Any:
        key, named = key_of(step), step.get("partition")
        if step["op"] not in ("partition", "record") or (key is None and named is None):
            raise CouldNotTry("only the partition of a key, or of a record that names one")
        topics = dict(self._metadata[step["metadata"]])
        try:
            return self._adapter.keyed(_leaders(topics[step["topic"]]), [key], named)[0]
        except KafkaException as error:
            if error.args[0].code() == KafkaError._UNKNOWN_PARTITION:  # what was named is refused
                return {"error": "argument", "message": str(error)}
            raise
        except (BufferError, RuntimeError) as error:  # ours; the library's is KafkaException
            raise CouldNotTry(str(error)) from error


def _leaders(partitions: list[list[Any]]) -> tuple[bool, ...]:
    if any(number != at for at, (number, _) in enumerate(partitions)):
        raise CouldNotTry("librdkafka's partitions are 0, 1, 2, ...")
    return tuple(leader is not None for _, leader in partitions)


def main() -> None:
    partitioner = sys.argv[1]
    sticky_ms = int(sys.argv[2]) if len(sys.argv) > 2 else _STICKY_MS
    behaviours: dict[str, Any] = {}
    if partitioner != "random":
        behaviours["keyed"] = {
            "mode": "exact",
            "records": True,
            "cannot": _CANNOT,
            "operations": ["partition"],
        }
        if partitioner in ("murmur2", "murmur2_random"):
            behaviours["keyed"]["claims"] = _ALL  # "Java Producer compatible"
    if (partitioner, sticky_ms) == ("murmur2_random", _STICKY_MS):
        # Whatever the partitioner, librdkafka does the same; with this one keys go where Java's go.
        behaviours["explicit-partition"] = {"mode": "exact", "cannot": _CANNOT}
    for name in ("round-robin-null-key", "sticky", "built-in"):
        behaviours[name] = {"mode": "statistical", "cannot": ["gaps in ids"]}
    if partitioner == "random":  # keys are ignored
        behaviours["uniform-sticky"] = {"mode": "statistical", "cannot": ["gaps in ids"]}
    serve(Adapter(partitioner, sticky_ms, behaviours))


if __name__ == "__main__":
    main()

"""One history of an accumulator on its way: into a program for a real client, and on a port."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final, Protocol

from conformance.behaviours.partitioning.partitioner_history import LedClusters
from conformance.behaviours.producing.logical_threads import (
    AT_MEMORY,
    AT_PARTITION,
    AT_WAIT,
    LogicalThreads,
)
from conformance.draws import DrawSource
from conformance.model.case import Case, Operation
from conformance.model.port import AccumulatorRelease, Port
from conformance.model.program import NULL, Argument, Linker, boolean, integer, long, slot
from conformance.model.trace import Answer
from conformance.model.values import int64
from conformance.oracle.internals import ACCUMULATOR_HISTORY, add_accumulator_history
from conformance.oracle.kafka import ClusterSymbols, KafkaProgram
from conformance.oracle.kafka_classes import ACCUMULATOR, BYTES, CLUSTER, STRING
from conformance.utf16 import utf16

STATE: Final = ("available memory", "unallocated memory", "has undrained", "has incomplete")
_AVAILABLE, _UNALLOCATED, _UNDRAINED, _INCOMPLETE = STATE
CALLBACKS: Final = "callbacks"
ENDED: Final = "callbacks in any order"
"""Where several batches end at once, of which none is the first."""
LOADS: Final = "load stats"
_NEW: Final = ("int", "int", "long", "long", "long", "int", "boolean", "long")
APPENDED: Final = (
    *("int", STRING, "int", "long", BYTES, BYTES),
    *("boolean", "boolean", "long", CLUSTER),
)
"""What is told of a record that is appended; see :meth:`JavaRun.appended`."""


def value_of(operation: Operation, index: int) -> bytes | None:
    """The value of a record: so many bytes, which no other step's have, or null."""
    size = operation["size"]
    return None if size is None else (index.to_bytes(4, "big") * (size // 4 + 1))[:size]


def outcome_of(offset: int, error: Any) -> Answer:
    """What a callback is told: an offset, or the Java class of an error."""
    return error.java_class if error is not None and offset == -1 else int64(offset)


class Asked(Protocol):
    """A method of our ``AccumulatorHistory``."""

    java_method: str
    asks: str
    types: ClassVar[tuple[str, ...]]


class Symbols:
    """What operations call of a real client, linked once."""

    def __init__(self, link: Linker, operations: Mapping[str, Asked]) -> None:
        self.cluster = ClusterSymbols(link)
        add_accumulator_history(link)
        self.new = link.constructor(ACCUMULATOR_HISTORY, *_NEW)
        self.state = link.method(ACCUMULATOR_HISTORY, "state")
        self.observed = {
            CALLBACKS: link.method(ACCUMULATOR_HISTORY, "told"),
            ENDED: link.method(ACCUMULATOR_HISTORY, "toldInAnyOrder"),
            LOADS: link.method(ACCUMULATOR_HISTORY, "loads"),
        }
        self.thread = link.method(ACCUMULATOR_HISTORY, "thread", *APPENDED)
        self.together = link.method(ACCUMULATOR_HISTORY, "together", "[I")
        self.asked = {
            name: link.method(ACCUMULATOR_HISTORY, performed.asks, *performed.types)
            for name, performed in operations.items()
            if link.has(ACCUMULATOR, performed.java_method)
        }


class JavaRun:
    """One case on its way into a program."""

    def __init__(self, symbols: Symbols, case: Case) -> None:
        self.symbols = symbols
        self.program = KafkaProgram(symbols.cluster)
        history = self.program.new_slot()
        self.history = slot(history)
        self._metadata = case["metadata"]
        config = case["config"]
        self.program.call(
            symbols.new,
            NULL,
            *(integer(config["batch_size"]), integer(config["linger_ms"])),
            *(long(config["buffer_memory"]), long(config["backoff_ms"])),
            *(long(config["backoff_max_ms"]), integer(config["delivery_timeout_ms"])),
            *(boolean(config["adaptive"]), long(config["availability_timeout_ms"])),
            into=history,
        )

    def begin(self, draw: tuple[int, int]) -> None:
        """What the step may draw."""
        self.program.seed(*draw)

    def cluster(self, operation: Operation) -> Argument:
        """The metadata that a step sees."""
        return self.program.cluster(self._metadata, operation["metadata"])

    def appended(self, index: int, step: Operation) -> tuple[Argument, ...]:
        """A record that is appended: by which number callbacks know it, what it is, and how."""
        program, now = self.program, long(step["now"])
        partition = -1 if step["partition"] is None else step["partition"]
        data = program.data(step["key"]), program.data(value_of(step, index))
        record = program.topic(step["topic"]), integer(partition), now, *data
        flags = boolean(step["abort"]), boolean(step["told"])
        return (integer(index), *record, *flags, now, self.cluster(step))


class PortRun:
    """One case on the port."""

    def __init__(self, implementation: Port, release: AccumulatorRelease, case: Case) -> None:
        config = case["config"]
        self.source = DrawSource()
        self.chooses = hasattr(release, "BuiltInPartitioner")
        """Whether records need name no partition: from 3.3 on."""
        self.throttles = not hasattr(release, "RoundRobinPartitioner")
        """Whether a partition is muted until a time: in 2.3.1."""
        self.errors = implementation.errors
        self.clusters = LedClusters(implementation, case["metadata"])
        self.told: list[list[Any]] = []
        self.ready: dict[int, list[int]] = {}
        self.drained: dict[int, list[Any]] = {}
        self._in_flight: dict[int, Any] = {}
        self.topics: set[str] = set()
        self.threads: LogicalThreads | None = None
        """While some append together."""
        self.pool = _pool(release.BufferPool)(config["buffer_memory"], config["batch_size"])
        self.pool.run = self
        more: dict[str, Any] = {}
        if self.chooses:
            more = {
                "retry_backoff_max_ms": config["backoff_max_ms"],
                "adaptive": config["adaptive"],
                "availability_timeout_ms": config["availability_timeout_ms"],
                "random": self.source,
                "jitter": self.source.unit_double,
            }
        self.accumulator: Any = release.RecordAccumulator(
            self.pool,
            batch_size=config["batch_size"],
            linger_ms=config["linger_ms"],
            retry_backoff_ms=config["backoff_ms"],
            delivery_timeout_ms=config["delivery_timeout_ms"],
            **more,
        )

    def cluster(self, operation: Operation) -> Any:
        """The metadata that a step sees."""
        return self.clusters[operation["metadata"]]

    def append(self, index: int, step: Operation) -> Answer:
        """Append a record of a step, which callbacks know by that number."""
        self.topics.add(step["topic"])

        def tell(offset: int, error: Any) -> None:
            self.told.append([index, outcome_of(offset, error)])

        more: dict[str, Any] = {"now_ms": step["now"]}
        if step["told"]:
            more["callback"] = tell
            if self.chooses:
                more["set_partition"] = lambda _partition: self.pause(AT_PARTITION)
        if self.chooses:
            more["cluster"] = self.cluster(step)
        if step["abort"]:
            more["abort_on_new_batch"] = True
        contents = step["now"], step["key"], value_of(step, index)
        seen = self.accumulator.append(step["topic"], step["partition"], *contents, **more)
        grown = seen.appended_bytes if self.chooses else None
        flags = seen.batch_is_full, seen.new_batch_created, seen.abort_for_new_batch
        return [seen.partition, *map(int, flags), grown]

    def pause(self, where: str) -> None:
        """Let other threads go on, if there are some."""
        if self.threads is not None:
            self.threads.pause(where)

    def took(self, index: int, batches: list[Any]) -> None:
        """Batches that a step drained."""
        self.drained[index] = batches
        self._in_flight |= {id(batch): batch for batch in batches}

    def taken(self, operation: Operation) -> Any:
        """A batch that an earlier step drained; None if it is no longer in flight."""
        batches = self.drained.get(operation["of"]["step"], [])
        if operation["number"] >= len(batches):
            return None
        batch = batches[operation["number"]]
        if batch.is_done or id(batch) not in self._in_flight:
            return None
        del self._in_flight[id(batch)]
        return batch

    def state(self, observes: tuple[str, ...]) -> dict[str, Answer]:
        """What :data:`STATE` names, and what else is observed after a step."""
        accumulator, pool = self.accumulator, self.pool
        state: dict[str, Answer] = {
            _AVAILABLE: pool.available_memory,
            _UNALLOCATED: pool.unallocated_memory,
            _UNDRAINED: int(accumulator.has_undrained),
            _INCOMPLETE: int(accumulator.has_incomplete),
        }
        for observed in observes:
            if observed == LOADS:
                state[LOADS] = loads_of(self.accumulator, self.topics) if self.chooses else []
            else:
                told, self.told = self.told, []
                state[observed] = sorted(told, key=_step) if observed == ENDED else told
        return state


def let_go(run: object) -> None:
    """Forget all that a run has at its end: in a circle it would stay for the collector of garbage.

    Collecting it took a fifth of a case's time.
    """
    vars(run).clear()


def loads_of(accumulator: Any, topics: set[str]) -> list[Answer]:
    """By topic: the table of load stats and the partitions that are in it."""
    loads: list[Answer] = []
    for topic in sorted(topics, key=utf16):
        partitioner = accumulator.built_in_partitioner(topic)
        stats = None if partitioner is None else partitioner.load_stats
        if stats is not None:
            parts = stats.table, stats.partition_ids
            loads.append([topic, *(list(part[: stats.length]) for part in parts)])
    return loads


def _step(told: list[Any]) -> int:
    """The step whose record a callback was about."""
    return int(told[0])


@lru_cache(maxsize=8)
def _pool(of: Any) -> Any:
    """A pool in which as many wait as are told.

    A thread pauses before it asks for memory, and when it has some.
    """

    class Pool(of):  # type: ignore[misc]
        run: PortRun
        waiting = 0

        @property
        def queued(self) -> int:
            return self.waiting

        def allocate(self, size: int) -> int:
            self.run.pause(AT_WAIT)
            buffer = int(super().allocate(size))
            self.run.pause(AT_MEMORY)
            return buffer

    return Pool


def epochs(run: PortRun, operation: Operation) -> dict[str, Any]:
    """How metadata tell of leaders' epochs, if they do."""
    epoch = operation["epoch"]
    if not run.chooses or epoch < 0:
        return {}
    seen = operation["metadata"]

    def leader_epoch(topic: str, partition: int) -> int | None:
        return epoch if run.clusters.has(seen, topic, partition) else None

    return {"leader_epoch": leader_epoch}


def seen_of(batch: Any) -> list[Answer]:
    """A batch that was drained: where from, its records, its bytes and their checksum."""
    data = batch.records()
    crc = int.from_bytes(data[17:21], "big", signed=True)
    return [batch.topic, batch.partition, batch.record_count, len(data), crc]

"""The operations of an accumulator's histories, each in one place.

What an operation is, and what its members mean, is told in :mod:`.accumulator`.
"""

from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, Final

from conformance.behaviours.producing.accumulator_runs import (
    APPENDED,
    CALLBACKS,
    ENDED,
    LOADS,
    JavaRun,
    PortRun,
    epochs,
    seen_of,
)
from conformance.behaviours.producing.histories import Performed, Plain
from conformance.behaviours.producing.logical_threads import LogicalThreads
from conformance.model.case import Operation
from conformance.model.program import Argument, Mode, boolean, integer, integers, long
from conformance.model.trace import Answer
from conformance.model.values import int64
from conformance.oracle.kafka_classes import CLUSTER, STRING
from conformance.utf16 import utf16

OFFSETS_OF_A_STEP: Final = 1000
"""The first offset of what step n completes is n times that."""
MEANWHILE: Final = 1000
"""What others append meanwhile is known to callbacks by its step plus that, or twice that ..."""


class Append(Performed[JavaRun, PortRun]):
    """A record; perhaps others of other threads at the same time."""

    java_method = asks = "append"
    types = APPENDED
    tells = (
        "[partition, its batch is full, its batch is new, not appended, bytes the batch grew by]; "
        "with others meanwhile, [[such an answer, or an error, for each thread], "
        "[[thread, where it paused], ...]]"
    )

    def emit(self, run: JavaRun, index: int, operation: Operation) -> None:
        if "meanwhile" not in operation:
            super().emit(run, index, operation)
            return
        symbols, call = run.symbols, run.program.call
        for number, step in _threads(operation, index):
            call(symbols.thread, run.history, *run.appended(number, step))
        order = integers(operation["order"])
        call(symbols.together, run.history, order, mode=Mode.ANSWER)

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return run.appended(index, operation)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        if "meanwhile" not in operation:
            return run.append(index, operation)
        appends = [partial(run.append, *of) for of in _threads(operation, index)]
        run.threads = LogicalThreads(appends, operation["order"])
        try:
            return run.threads.run()
        finally:
            run.threads = None


def _threads(operation: Operation, index: int) -> Iterator[tuple[int, Operation]]:
    """What each thread appends, a step's own record first; others get numbers that no step has."""
    yield index, operation
    for place, other in enumerate(operation["meanwhile"], 1):
        yield place * MEANWHILE + index, {**operation, "abort": False, "told": True, **other}


class Ready(Performed[JavaRun, PortRun]):
    """Which nodes have something to be sent."""

    java_method = asks = "ready"
    observes = (LOADS,)
    types = ("int", "long", CLUSTER, "int")
    tells = "[nodes that are ready, ms until others may be, topics without a known leader]"

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        seen = run.cluster(operation), integer(operation["epoch"])
        return (integer(index), long(operation["now"]), *seen)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        result = run.accumulator.ready(
            run.cluster(operation), operation["now"], **epochs(run, operation)
        )
        run.ready[index] = sorted(result.ready_nodes)
        unknown = sorted(result.unknown_leader_topics, key=utf16)
        return [run.ready[index], int64(result.next_ready_check_delay_ms), unknown]


class Drain(Performed[JavaRun, PortRun]):
    """What is sent to some nodes, or to those that an earlier step found ready."""

    java_method = asks = "drain"
    types = ("int", "int", "[I", "int", "long", CLUSTER, "int")
    tells = "[node, [[topic, partition, records, bytes, checksum], ...]] for each node"

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        of = operation.get("of")
        nodes = integer(-1 if of is None else of["step"]), integers(operation.get("nodes", []))
        seen = run.cluster(operation), integer(operation["epoch"])
        most = integer(operation["max_size"])
        return (integer(index), *nodes, most, long(operation["now"]), *seen)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        of = operation.get("of")
        nodes = operation["nodes"] if of is None else run.ready.get(of["step"], [])
        taken = run.accumulator.drain(
            run.cluster(operation),
            nodes,
            operation["max_size"],
            operation["now"],
            **epochs(run, operation),
        )
        run.took(index, [batch for node in nodes for batch in taken[node]])
        return [[node, [seen_of(batch) for batch in taken[node]]] for node in nodes]


class OfBatch(Performed[JavaRun, PortRun]):
    """Something becomes of a batch; null if it is no longer in flight."""

    types: ClassVar[tuple[str, ...]] = ("int", "int")

    def __init__(self, java_method: str, asks: str) -> None:
        self.java_method, self.asks = java_method, asks

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return integer(operation["of"]["step"]), integer(operation["number"])

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        batch = run.taken(operation)
        return None if batch is None else self.on(run, index, operation, batch)

    @abstractmethod
    def on(self, run: PortRun, index: int, operation: Operation, batch: Any) -> Answer:
        """What becomes of it on the port."""


class Complete(OfBatch):
    """A broker has it."""

    observes = (CALLBACKS,)
    types: ClassVar[tuple[str, ...]] = ("int", "int", "int", "boolean")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        twice = boolean(operation["twice"])
        return (integer(index), *super().arguments(run, index, operation), twice)

    def on(self, run: PortRun, index: int, operation: Operation, batch: Any) -> Answer:
        first = batch.complete(index * OFFSETS_OF_A_STEP)
        run.accumulator.deallocate(batch)
        if operation["twice"]:
            run.accumulator.deallocate(batch)
        return int(first)


class Fail(OfBatch):
    """It fails for good."""

    observes = (CALLBACKS,)

    def on(self, run: PortRun, index: int, operation: Operation, batch: Any) -> Answer:
        first = batch.complete_exceptionally(run.errors.JavaTimeoutError())
        run.accumulator.deallocate(batch)
        return int(first)


class Again(Performed[JavaRun, PortRun]):
    """A batch that has ended gets another end; null if it has not."""

    java_method, asks = "deallocate", "again"
    types = ("int", "int", "int", STRING)
    observes = (CALLBACKS,)
    tells = "[it was the first end, how the batch ended]"

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        of = integer(operation["of"]["step"]), integer(operation["number"])
        return (integer(index), *of, run.program.topic(operation["how"]))

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        batches = run.drained.get(operation["of"]["step"], [])
        if operation["number"] >= len(batches) or not batches[operation["number"]].is_done:
            return None
        batch, counts = batches[operation["number"]], False
        if operation["how"] == "abort":
            batch.abort(run.errors.JavaKafkaError("given up"))
        elif operation["how"] == "complete":
            counts = batch.complete(index * OFFSETS_OF_A_STEP)
        else:
            counts = batch.complete_exceptionally(run.errors.JavaTimeoutError())
        return [int(counts), batch.final_state.name]


class Retry(OfBatch):
    """It is to be sent again."""

    types: ClassVar[tuple[str, ...]] = ("int", "int", "long")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return (*super().arguments(run, index, operation), long(operation["now"]))

    def on(self, run: PortRun, index: int, operation: Operation, batch: Any) -> Answer:
        run.accumulator.reenqueue(batch, operation["now"])
        return 1


class Split(OfBatch):
    """It is too large, and to be sent in parts."""

    def on(self, run: PortRun, index: int, operation: Operation, batch: Any) -> Answer:
        parts = run.accumulator.split_and_reenqueue(batch)
        run.accumulator.deallocate(batch)
        return int(parts)


class Expire(Performed[JavaRun, PortRun]):
    """What has waited for too long fails."""

    java_method, asks = "expiredBatches", "expire"
    observes = (CALLBACKS,)
    types = ("long", "boolean")
    tells = "[topic, partition, records] for each expired batch, then when the next one expires"

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return long(operation["now"]), boolean(operation["reset"])

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        if operation["reset"]:
            run.accumulator.reset_next_batch_expiry_time()
        seen = []
        for batch in run.accumulator.expired_batches(operation["now"]):
            seen.append([batch.topic, batch.partition, batch.record_count])
            batch.complete_exceptionally(run.errors.JavaTimeoutError())
            run.accumulator.deallocate(batch)
        return [*seen, int64(run.accumulator.next_expiry_time_ms)]


class Mute(Performed[JavaRun, PortRun]):
    """A partition's batches wait, because one is in flight."""

    java_method, asks = "mutePartition", "mute"
    types: ClassVar[tuple[str, ...]] = (STRING, "int")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return run.program.topic(operation["topic"]), integer(operation["partition"])

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        run.accumulator.mute_partition(operation["topic"], operation["partition"])
        return None


class Unmute(Mute):
    """They wait no more; in 2.3.1 from a time on."""

    java_method, asks = "unmutePartition", "unmute"
    types: ClassVar[tuple[str, ...]] = (STRING, "int", "long")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return (*super().arguments(run, index, operation), long(operation["until"]))

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        until = (operation["until"],) if run.throttles else ()
        at = operation["topic"], operation["partition"]
        run.accumulator.unmute_partition(*at, *until)
        return None


class Latency(Performed[JavaRun, PortRun]):
    """A node has batches to be sent, and takes them or not."""

    java_method, asks = "updateNodeLatencyStats", "latency"
    types = ("int", "long", "boolean")

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        node, now = integer(operation["node"]), long(operation["now"])
        return node, now, boolean(operation["can_drain"])

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        seen = operation["node"], operation["now"], operation["can_drain"]
        run.accumulator.update_node_latency_stats(*seen)
        return None


class Waiting(Performed[JavaRun, PortRun]):
    """So many threads wait for memory from now on."""

    java_method, asks = "append", "waiting"
    types = ("int",)

    def arguments(self, run: JavaRun, index: int, operation: Operation) -> tuple[Argument, ...]:
        return (integer(operation["threads"]),)

    def perform(self, run: PortRun, index: int, operation: Operation) -> Answer:
        run.pool.waiting = operation["threads"]
        return None


def end_flush(accumulator: Any) -> Answer:
    """The end of a flush of a port's accumulator; null if it would wait."""
    if not accumulator.flush_in_progress or accumulator.has_incomplete:
        return None
    accumulator.end_flush()
    return 1


def _abort_undrained(run: PortRun) -> Answer:
    return run.accumulator.abort_undrained_batches(run.errors.JavaKafkaError("given up"))


OPERATIONS: Final[dict[str, Performed[JavaRun, PortRun]]] = {
    "append": Append(),
    "ready": Ready(),
    "drain": Drain(),
    "complete": Complete("deallocate", "complete"),
    "fail": Fail("deallocate", "fail"),
    "again": Again(),
    "retry": Retry("reenqueue", "retry"),
    "split": Split("splitAndReenqueue", "split"),
    "expire": Expire(),
    "mute": Mute(),
    "unmute": Unmute(),
    "latency": Latency(),
    "waiting": Waiting(),
    "flush": Plain("beginFlush", "flush", lambda run: run.accumulator.begin_flush()),
    "end flush": Plain("awaitFlushCompletion", "endFlush", lambda run: end_flush(run.accumulator)),
    "close": Plain("close", "close", lambda run: run.accumulator.close()),
    "abort incomplete": Plain(
        "abortIncompleteBatches",
        "abortIncomplete",
        lambda run: run.accumulator.abort_incomplete_batches(),
        (ENDED,),
    ),
    "abort undrained": Plain("abortUndrainedBatches", "abortUndrained", _abort_undrained, (ENDED,)),
}
"""By the ``op`` of a step."""

"""Classes of an accumulator's histories: the rare states that cases must reach."""

from collections.abc import Iterator
from typing import Any, Final

from conformance.behaviours.producing.accumulator_runs import CALLBACKS, ENDED
from conformance.model.case import Case, Operation
from conformance.model.trace import Step, Trace
from conformance.model.values import is_error

OF_CHOICE: Final = {
    "unknown topic": "a record without partition, for a topic that metadata do not have",
    "load stats": "queues of all partitions, of different lengths: some are chosen more often",
    "late node": "load stats without the partitions of a node that is late",
    "all late": "batches wait, and all nodes that lead a partition are late",
    "switch": "the accumulator moves on to another partition",
    "race": "while a record waited for memory, another one opened a batch",
    "late peek": "another record moves the accumulator on once a partition has been chosen",
    "leader changed": "a batch that is retried has a new leader, so it need not wait",
    "backoff draws": "a wait before a retry that is drawn, for its jitter",
}
CLASSES: Final = {
    "full": "a record fills its batch",
    "new batch": "a record opens a batch",
    "joins": "a record goes into an open batch",
    "not appended": "a record that would open a batch, and must not",
    "exhausted": "no memory for a batch",
    "too large": "a record that is larger than all memory",
    "larger than a batch": "a record that needs a buffer of its own",
    "closed": "a record for a closed accumulator",
    "ready": "a node is ready",
    "waits": "no node is ready, and one will be",
    "unknown leader": "a batch for a partition without leader",
    "several batches": "a drain that takes several batches",
    "request full": "a drain that leaves batches for another request",
    "retried": "a batch is sent once more",
    "retry behind": "a batch comes back while newer ones wait",
    "split": "a batch is sent in parts",
    "split of a split": "a part is split once more",
    "expired": "a batch that has waited for too long",
    "completed": "callbacks are told offsets",
    "failed": "callbacks are told an error",
    "aborted": "batches are given up",
    "muted": "a batch that waits for the one before it",
    "flushed": "a node is ready because of a flush",
    "threads wait": "a node is ready because threads wait for memory",
    **OF_CHOICE,
}


def accumulator_labels(case: Case, trace: Trace) -> Iterator[str]:
    """The classes of a case, from the oracle's trace."""
    seen = _Seen(case)
    for index, (operation, step) in enumerate(zip(case["steps"], trace, strict=True)):
        yield from seen.labels(index, operation, step)


class _Seen:
    """What went before, as far as classes need it."""

    def __init__(self, case: Case) -> None:
        self._config = case["config"]
        self._partition: dict[str, int] = {}
        self._muted: set[tuple[str, int]] = set()
        self._drained: dict[int, list[list[Any]]] = {}
        self._split: set[tuple[str, int]] = set()
        self._metadata = case["metadata"]
        self._latencies: dict[int, tuple[int, int]] = {}
        self._flushing = False
        self._waiting = 0
        self._epoch = -1
        self._retried = False
        self._undrained = False

    def labels(self, index: int, operation: Operation, step: Step) -> Iterator[str]:
        """The classes that a step shows."""
        name, answer = operation["op"], step["answer"]
        state = step["state"]
        if name == "append":
            yield from self._of_append(operation, step)
        elif name == "ready" and not is_error(answer):
            yield from self._of_ready(operation, step)
        elif name == "drain" and not is_error(answer):
            self._drained[index] = [batch for _, batches in answer for batch in batches]
            yield from self._of_drain(operation, step)
        elif name in ("retry", "split") and answer is not None and not is_error(answer):
            yield from self._of_batch(operation, step)
        elif name == "expire" and len(answer) > 1:
            yield "expired"
        elif name in ("abort incomplete", "abort undrained") and state.get(ENDED):
            yield "aborted"
        if name == "mute":
            self._muted.add((operation["topic"], operation["partition"]))
        if name == "flush":
            self._flushing = True
        if name == "waiting":
            self._waiting = operation["threads"]
        for _, told in (*state.get(CALLBACKS, ()), *state.get(ENDED, ())):
            yield "failed" if isinstance(told, str) else "completed"
        if name == "latency":
            self._latency(operation)
        self._undrained = bool(state["has undrained"])

    def _latency(self, operation: Operation) -> None:
        _, drained = self._latencies.get(operation["node"], (0, operation["now"]))
        now = operation["now"]
        self._latencies[operation["node"]] = now, now if operation["can_drain"] else drained

    def _is_late(self, node: int) -> bool:
        ready, drained = self._latencies.get(node, (0, 0))
        timeout: int = self._config["availability_timeout_ms"]
        return ready - drained > timeout > 0

    def _of_loads(self, operation: Operation, state: dict[str, Any]) -> Iterator[str]:
        known = self._metadata[operation["metadata"]] or []
        led = {topic: [node for _, node in parts if node is not None] for topic, parts in known}
        nodes = {node for ofs in led.values() for node in ofs}
        if nodes and all(map(self._is_late, nodes)) and state["has undrained"]:
            yield "all late"
        for topic, _, ids in state["load stats"]:
            yield "load stats"
            if len(ids) < len(led.get(topic, ())) and any(map(self._is_late, led[topic])):
                yield "late node"

    def _of_append(self, operation: Operation, step: Step) -> Iterator[str]:
        answer = step["answer"]
        if "meanwhile" in operation:
            answer, other = answer
            if isinstance(other, list) and isinstance(answer, list):
                yield from _of_race(operation, answer, other)
        if is_error(answer):
            name = answer["error"].rpartition(".")[2]
            yield {
                "KafkaException": "closed",
                "IllegalArgumentException": "too large",
                "ArithmeticException": "unknown topic",
            }.get(name, "exhausted")
            return
        partition, full, new, aborted, _ = answer
        if aborted:
            yield "not appended"
            return
        yield "new batch" if new else "joins"
        if full:
            yield "full"
        if new and (operation["size"] or 0) > self._config["batch_size"]:
            yield "larger than a batch"
        if operation["partition"] is None:
            before = self._partition.get(operation["topic"])
            self._partition[operation["topic"]] = partition
            if before not in (None, partition):
                yield "switch"

    def _of_ready(self, operation: Operation, step: Step) -> Iterator[str]:
        nodes, delay, unknown = step["answer"]
        if nodes:
            yield "ready"
            if self._flushing:
                yield "flushed"
            if self._waiting:
                yield "threads wait"
        elif int(delay["int64"]) < 2**63 - 1:
            yield "waits"
        if unknown:
            yield "unknown leader"
        yield from self._of_loads(operation, step["state"])
        yield from self._of_epoch(operation)
        if step.get("draws"):
            yield "backoff draws"

    def _of_epoch(self, operation: Operation) -> Iterator[str]:
        if self._retried and operation["epoch"] > self._epoch:
            yield "leader changed"
        self._epoch = max(self._epoch, operation["epoch"])

    def _of_drain(self, operation: Operation, step: Step) -> Iterator[str]:
        answer = step["answer"]
        yield from self._of_epoch(operation)
        for _, batches in answer:
            if len(batches) > 1:
                yield "several batches"
            small = operation["max_size"] < 1000
            if batches and small and step["state"]["has undrained"]:
                yield "request full"
        if self._muted:
            yield "muted"

    def _of_batch(self, operation: Operation, step: Step) -> Iterator[str]:
        topic, partition, *_ = self._drained[operation["of"]["step"]][operation["number"]]
        if operation["op"] == "split":
            yield "split"
            if (topic, partition) in self._split:
                yield "split of a split"
            self._split.add((topic, partition))
            return
        yield "retried"
        self._retried = True
        if self._undrained:
            yield "retry behind"


def _of_race(operation: Operation, answer: list[Any], other: list[Any]) -> Iterator[str]:
    """Classes of a record in whose middle another one was appended."""
    if not operation.get("peeked"):
        if not answer[2]:
            yield "race"
        return
    second = operation["meanwhile"]
    same = operation["topic"] == second["topic"]
    if same and operation["partition"] is None is second["partition"] and answer[0] != other[0]:
        yield "late peek"

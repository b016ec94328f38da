"""Classes of an accumulator's histories: the rare states that cases must reach."""

from collections.abc import Iterator
from typing import Any, Final

from conformance.behaviours.producing.accumulator_queues import Queues
from conformance.behaviours.producing.accumulator_runs import CALLBACKS, ENDED
from conformance.behaviours.producing.thread_labels import (
    LATE_PEEK,
    OF_THREADS,
    ended_in_order,
    labels_of_threads,
)
from conformance.model.case import Case, Operation
from conformance.model.trace import Answer, Step, Trace
from conformance.model.values import is_error, thrown

OF_CHOICE: Final = {
    "unknown topic": "a record without partition, for a topic that metadata do not have",
    "load stats": "queues of all partitions, of different lengths: some are chosen more often",
    "late node": "load stats without the partitions of a node that is late",
    "all late": "batches wait, and all nodes that lead a partition are late",
    "switch": "after the bytes of a batch the accumulator moves on to another partition",
    "switch at twice": "it moves on only after those of two batches, for one was incomplete",
    LATE_PEEK: "a partition is chosen again, for another record of the topic came in between",
    "backoff draws": "a wait before a retry that is drawn, for its jitter",
}
OF_LEADERS: Final = {
    "leader changed": "a batch that is retried has a new leader, so it does not wait",
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
    "retry behind": "a batch comes back while newer ones of its partition wait",
    "split": "a batch that is too large for its broker is made again; from 4.2 on it is halved",
    "split of a split": "what was made again is too large once more",
    "expired": "a batch that has waited for too long",
    "completed": "callbacks are told offsets",
    "failed": "callbacks are told an error",
    "aborted": "batches are given up",
    "muted": "a batch that waits for the one before it",
    "flushed": "a node is ready because of a flush",
    "threads wait": "a node is ready because threads wait for memory",
    **OF_THREADS,
    "leader moves": "metadata have another leader for a partition whose batches wait",
    **OF_CHOICE,
    **OF_LEADERS,
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
        self._queues = Queues(self._config["backoff_ms"])
        self._produced: dict[str, int] = {}
        self._metadata = case["metadata"]
        self._latencies: dict[int, tuple[int, int]] = {}
        self._flushing = False
        self._waiting = 0

    def labels(self, index: int, operation: Operation, step: Step) -> Iterator[str]:
        """The classes that a step shows."""
        state = step["state"]
        if "metadata" in operation:
            yield from self._queues.see(self._metadata[operation["metadata"]])
        if not is_error(step["answer"]) or operation["op"] == "append":
            yield from self._of_step(index, operation, step)
        for _, told in (*state.get(CALLBACKS, ()), *state.get(ENDED, ())):
            yield "failed" if isinstance(told, str) else "completed"
        self._remember(operation)

    def _of_step(self, index: int, operation: Operation, step: Step) -> Iterator[str]:
        name, answer = operation["op"], step["answer"]
        if name == "append":
            yield from self._of_append(operation, step)
        elif name == "ready":
            yield from self._of_ready(operation, step)
        elif name == "drain":
            yield from self._of_drain(index, operation, step)
        elif name == "retry" and answer is not None:
            yield from self._queues.retry(operation)
        elif name == "split" and answer is not None:
            yield from self._queues.split(operation, answer)
        elif name == "expire" and len(answer) > 1:
            self._queues.expire(answer[:-1])
            yield "expired"
        elif name in ("abort incomplete", "abort undrained"):
            self._queues.clear()
            if step["state"].get(ENDED):
                yield "aborted"

    def _remember(self, operation: Operation) -> None:
        name = operation["op"]
        if name == "mute":
            self._muted.add((operation["topic"], operation["partition"]))
        elif name == "unmute":
            self._muted.discard((operation["topic"], operation["partition"]))
        elif name == "flush":
            self._flushing = True
        elif name == "waiting":
            self._waiting = operation["threads"]
        elif name == "latency":
            self._latency(operation)

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
        if "meanwhile" not in operation or is_error(answer):
            yield from self._of_record(operation, answer)
            return
        answers, pauses = answer
        records = [operation, *operation["meanwhile"]]
        yield from labels_of_threads(records, answers, pauses)
        for number in ended_in_order(pauses):
            its = answers[number]
            answer = its if isinstance(its, list) else thrown(its)
            yield from self._of_record(records[number], answer)

    def _of_record(self, operation: Operation, answer: Answer) -> Iterator[str]:
        """Classes of a record that is appended."""
        if is_error(answer):
            name = answer["error"].rpartition(".")[2]
            yield {
                "KafkaException": "closed",
                "IllegalArgumentException": "too large",
                "ArithmeticException": "unknown topic",
            }.get(name, "exhausted")
            return
        self._queues.appended(operation["topic"], answer)
        partition, full, new, aborted, grown = answer
        if aborted:
            yield "not appended"
            return
        yield "new batch" if new else "joins"
        if full:
            yield "full"
        if new and (operation["size"] or 0) > self._config["batch_size"]:
            yield "larger than a batch"
        if operation["partition"] is None:
            yield from self._of_choice(operation["topic"], partition, grown)

    def _of_choice(self, topic: str, partition: int, grown: int) -> Iterator[str]:
        before, produced = self._partition.get(topic), self._produced.get(topic, 0)
        self._partition[topic] = partition
        if before not in (None, partition):
            twice = produced >= 2 * self._config["batch_size"]
            yield "switch at twice" if twice else "switch"
            produced = 0
        self._produced[topic] = produced + grown

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
        if step.get("draws"):
            yield "backoff draws"

    def _of_drain(self, index: int, operation: Operation, step: Step) -> Iterator[str]:
        answer = step["answer"]
        yield from self._queues.drain(index, operation, answer)
        for _, batches in answer:
            if len(batches) > 1:
                yield "several batches"
            small = operation["max_size"] < 1000
            if batches and small and step["state"]["has undrained"]:
                yield "request full"
        if any(map(self._queues.has, self._muted)):
            yield "muted"

"""Classes of interesting histories of ``BuiltInPartitioner``."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.behaviours.partitioning.labels import partition_labels, partitions_of
from conformance.model.case import Case, Operation
from conformance.model.trace import Step, Trace
from conformance.model.values import is_error
from conformance.strategies.histories import LONG_HISTORY
from conformance.strategies.integers import INT32_MAX

STICKY_CLASSES: Mapping[str, str] = {
    "mock draws": "the choice uses mockRandom's value raw",
    "thread draws": "the choice uses ThreadLocalRandom",
    "assertions on": "Java's assert statements are checked (-ea)",
    "switch at the batch size": "batch.size bytes were produced and the caller allows the switch",
    "switch forbidden": "batch.size bytes, but not twice as many, and the caller forbids it",
    "2x switch": "twice batch.size bytes: a switch although the caller forbids it",
    "doubled batch size overflows": "batch.size of 2^30 or more: twice that is negative",
    "bytes overflow": "the produced bytes wrap below 0",
    "stale peek": "an append finds that another thread changed the partition",
    "stale update": "an update with an outdated peek",
    "stale update asserted": "the same with assertions on: AssertionError",
    "no info": "an update for a record with a key: no peeked info",
    "batch size below 1": "the constructor refuses: IllegalArgumentException",
    "leaderless partition": "a partition of the topic has no leader",
    "one available": "exactly one partition is available",
    "none available": "no partition is available: any is chosen, by index",
    "unknown topic": "the metadata does not have the topic",
    "null metadata": "the metadata is null when a partition is chosen",
    "several topics": "more than one topic in one history",
    "long history": f"{LONG_HISTORY} steps or more",
    "error": "a step that the client answers with an exception",
}
RAW_DRAW_CLASSES: Mapping[str, str] = {
    "negative draw": "mockRandom answers a negative number: a negative index",
}
LOAD_CLASSES: Mapping[str, str] = {
    "adaptive": "load stats are installed",
    "stats removed": "load stats are withdrawn after they were installed",
    "all sizes equal": "nothing to adapt to, unless a partition was excluded",
    "excluded partitions": "the length is below the number of sizes",
    "one partition of several": "a length of 1: always the same partition",
    "too few partitions": "fewer than two sizes",
    "one giant": "one queue of a million batches or more",
    "table overflows": "the running sum of weights wraps",
}
TABLE_CLASSES: Mapping[str, str] = {
    "all excluded": "a length of 0",
    "arrays disagree": "sizes, ids and length do not fit together",
    "search runs off the table": "wrapped sums are unordered: an index beyond the length",
    "range end 0": "the sums wrap to exactly 0: ArithmeticException for every draw",
}

_OFF_THE_TABLE = ("java.lang.ArrayIndexOutOfBoundsException", "java.lang.AssertionError")


def built_in_labels(case: Case, trace: Trace) -> Iterator[str]:
    """The classes that one history belongs to (each may be given several times)."""
    config = case["config"]
    yield f"{config['source']} draws"
    if config["assertions"]:
        yield "assertions on"
    if len({operation["topic"] for operation in case["steps"]}) > 1:
        yield "several topics"
    if len(trace) >= LONG_HISTORY:
        yield "long history"
    sizes: dict[str, int] = {}
    installed: set[str] = set()
    for operation, step in zip(case["steps"], trace, strict=True):
        if is_error(step["answer"]):
            yield "error"
        if operation["op"] == "create":
            sizes[operation["topic"]] = operation["batch_size"]
            if operation["batch_size"] < 1:
                yield "batch size below 1"
        elif operation["op"] == "load":
            yield from _load_labels(operation, step, installed)
        else:
            yield from _sticky_labels(case, operation, step, sizes[operation["topic"]])


def _sticky_labels(case: Case, operation: Operation, step: Step, size: int) -> Iterator[str]:
    if step.get("draws"):
        snapshot = case["metadata"][operation["metadata"]]
        if snapshot is None:
            yield "null metadata"
        else:
            yield from partition_labels(partitions_of(snapshot, operation["topic"]))
        if case["config"]["source"] == "mock" and operation["draw"][0] < 0:
            yield "negative draw"
        if is_error(step["answer"]) and step["answer"]["error"] in _OFF_THE_TABLE:
            yield "search runs off the table"
    if operation["op"] in ("append", "update"):
        yield from _update_labels(case, operation, step, size)


def _update_labels(case: Case, operation: Operation, step: Step, size: int) -> Iterator[str]:
    if operation["of"] is None:
        yield "no info"
        return
    if step["answer"] == "changed":
        yield "stale peek"
        return
    state = step.get("state", {})
    produced, switched = state["peeked bytes"], bool(step.get("draws"))
    stayed_elsewhere = not switched and state["bytes"] != produced
    if operation["op"] == "update" and stayed_elsewhere:
        yield "stale update"
    if is_error(step["answer"]) and not step.get("draws") and case["config"]["assertions"]:
        yield "stale update asserted"
    if produced is None:
        return
    if produced < 0:
        yield "bytes overflow"
    allowed = operation["switch"] is not False
    if size >= 2**30 and switched:
        yield "doubled batch size overflows"
    elif switched and allowed:
        yield "switch at the batch size"
    elif switched:
        yield "2x switch"
    elif produced >= size and not allowed:
        yield "switch forbidden"


def _load_labels(operation: Operation, step: Step, installed: set[str]) -> Iterator[str]:
    queues: list[Any] | None = operation["queues"]
    length, topic = operation["length"], operation["topic"]
    now = step.get("state", {}).get("table") is not None
    if now:
        yield "adaptive"
        installed.add(topic)
    elif topic in installed:
        yield "stats removed"
        installed.discard(topic)
    if queues is None:
        return
    if len(queues) != len(operation["ids"]) or not 0 <= length <= len(queues):
        yield "arrays disagree"
        return
    if is_error(step["answer"]):
        return
    if len(queues) < 2:
        yield "too few partitions"
        return
    if length < len(queues):
        yield "excluded partitions" if length else "all excluded"
        if length == 1:
            yield "one partition of several"
    elif len(set(queues)) == 1:
        yield "all sizes equal"
    if max(queues) >= 1_000_000:
        yield "one giant"
    used = queues[:length]
    if used and len(used) * (max(used) + 1) - sum(used) > INT32_MAX:
        yield "table overflows"
        if step["state"]["table"][length - 1] == 0:
            yield "range end 0"

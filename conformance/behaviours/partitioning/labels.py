"""Classes of interesting cases that several behaviours share, and how to recognise them."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.model.case import Case, Metadata, Operation
from conformance.model.trace import Step, Trace
from conformance.model.values import is_error
from conformance.strategies.histories import LONG_HISTORY
from conformance.strategies.integers import INT32_MIN

HISTORY_CLASSES: Mapping[str, str] = {
    "leaderless partition": "a partition of the topic has no leader",
    "none available": "no partition of the topic has a leader",
    "unknown topic": "the metadata does not have the topic",
    "null metadata": "the metadata is null",
    "metadata change": "a topic is seen with two different sets of partitions",
    "several topics": "more than one topic in one history",
    "ids with gaps": "partition ids that are not 0, 1, 2 ...",
    "hundreds of partitions": "a topic of 100 or more partitions",
    "long history": f"{LONG_HISTORY} steps or more",
    "error": "a step that the client answers with an exception",
    "goes on after an error": "a successful step after a failed one",
}
COUNTER_CLASSES: Mapping[str, str] = {
    **HISTORY_CLASSES,
    "counter wraps": "the counter goes from 2^31-1 to -2^31",
    "negative counter": "a record is partitioned with a negative counter",
}
STICKY_CLASSES: Mapping[str, str] = {
    **HISTORY_CLASSES,
    "one available": "exactly one partition is available, so nothing is drawn",
    "redraw": "the draw gave the old partition again",
    "several redraws": "three or more draws in one step",
    "stale batch": "a new batch on a partition that is not the sticky one any more",
    "vanished partition": "the sticky partition is not in the metadata any more",
}
KEY_CLASSES: Mapping[str, str] = {
    "null key": "a record without key",
    "keyed": "a record with a key",
}


def history_labels(case: Case, trace: Trace, *, keys_hashed: bool) -> Iterator[str]:
    """Classes of a history; ``keys_hashed`` if records with a key do not touch the state."""
    seen: dict[str | None, set[int]] = {}
    for operation, step in zip(case["steps"], trace, strict=True):
        keyed = operation["op"] == "partition" and operation["key"] is not None
        # Only what a choice was made from: a record with a key looks at nothing but the count.
        if operation["topic"] is not None and (step["draws"] or not keyed or not keys_hashed):
            seen.setdefault(operation["topic"], set()).add(operation["metadata"])
    if len(seen) > 1:
        yield "several topics"
    for topic, indices in seen.items():
        snapshots = [case["metadata"][index] for index in indices]
        if None in snapshots:
            yield "null metadata"
        known = [partitions_of(one, topic) for one in snapshots if one is not None]
        if any(one != known[0] for one in known):
            yield "metadata change"
        for partitions in known:
            yield from partition_labels(partitions)
    if len(trace) >= LONG_HISTORY:
        yield "long history"
    errors = [is_error(step["answer"]) for step in trace]
    if True in errors:
        yield "error"
        if False in errors[errors.index(True) :]:
            yield "goes on after an error"


def partitions_of(snapshot: Metadata | None, topic: str | None) -> list[Any]:
    """The topic's partitions in a snapshot; empty if it, or the topic, is unknown."""
    return next((parts for name, parts in snapshot or [] if name == topic), [])


def partition_labels(partitions: list[Any]) -> Iterator[str]:
    """Classes of one topic's partitions."""
    if not partitions:
        yield "unknown topic"
        return
    led = sum(leader is not None for _, leader in partitions)
    if led < len(partitions):
        yield "leaderless partition"
    if led <= 1:
        yield "one available" if led else "none available"
    if len(partitions) >= 100:
        yield "hundreds of partitions"
    if {number for number, _ in partitions} != set(range(len(partitions))):
        yield "ids with gaps"


def counter_labels(_case: Case, operation: Operation, step: Step) -> Iterator[str]:
    """Classes of one step of a round robin."""
    after = step.get("state", {}).get("topic")
    if after is not None and after < 0 and operation["op"] == "partition":
        if after > INT32_MIN:
            yield "negative counter"
        elif not is_error(step["answer"]):
            yield "counter wraps"


def sticky_labels(case: Case, operation: Operation, step: Step) -> Iterator[str]:
    """Classes of one step of a sticky partitioner."""
    if step["draws"] > 1:
        yield "redraw"
        if step["draws"] > 2:
            yield "several redraws"
    sticky = step.get("state", {}).get("topic")
    if sticky is None:
        return
    if operation["op"] == "new batch" and step["draws"] == 0 and not is_error(step["answer"]):
        partitions = partitions_of(case["metadata"][operation["metadata"]], operation["topic"])
        if sum(leader is not None for _, leader in partitions) != 1:
            yield "stale batch"
    if operation["op"] == "partition" and operation["key"] is None and not step["draws"]:
        partitions = partitions_of(case["metadata"][operation["metadata"]], operation["topic"])
        if partitions and sticky not in [number for number, _ in partitions]:
            yield "vanished partition"

"""Cases for the ``Partitioner`` classes; see ``partitioner_history.py`` for its words."""

from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.histories import histories, pick
from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.strategies.keys import optional_keys
from conformance.strategies.metadata import TOPICS, metadata_histories
from conformance.strategies.packed import DRAW_BYTES, Choices


@cache
@st.composite
def partitioner_cases(draw: DrawFn, *, batches: bool, counters: bool) -> Case:
    """Records and batches over one to three topics, against changing metadata.

    With ``batches``, threads also report new batches, some of them stale; with ``counters``,
    the per-topic counters start near their wrap in some cases.
    """
    topics = draw(st.sampled_from((1, 1, 2, 3)))
    metadata = draw(metadata_histories(topics=topics, one_left=batches))
    keys = draw(_key_pools())
    kinds = ("partition", "partition", "null key", "metadata") + ("new batch",) * (3 * batches)
    operations = draw(_histories(kinds))
    config: dict[str, Any] = {}
    if counters:
        starts = {topic: draw(_counter_starts()) for topic in TOPICS[:topics]}
        config["counters"] = {topic: at for topic, at in starts.items() if at is not None}
    return {
        "config": config,
        "metadata": metadata,
        "steps": _resolve(operations, TOPICS[:topics], len(metadata), keys),
    }


@cache
def _histories(kinds: tuple[str, ...]) -> SearchStrategy[list[Operation]]:
    def operation(of: Choices) -> Operation:
        return {"op": of.one_of(kinds), "where": of.below(256), "draw": of.draw()}

    return histories(2 + DRAW_BYTES, operation)


@cache
def _counter_starts() -> SearchStrategy[int | None]:
    """Where a counter starts: left alone, or so near the wrap that a history reaches it."""
    near = (INT32_MAX, INT32_MAX - 5, INT32_MAX - 50, INT32_MIN, -1)
    return st.one_of(st.none(), st.sampled_from(near))


@cache
def _key_pools() -> SearchStrategy[list[bytes | None]]:
    return st.lists(optional_keys(), min_size=1, max_size=3)


def _resolve(
    operations: list[Operation],
    topics: tuple[str, ...],
    snapshots: int,
    keys: list[bytes | None],
) -> list[Operation]:
    """Give each operation its topic, key and metadata, and each batch an earlier answer."""
    steps: list[Operation] = []
    answered: dict[str | None, list[int]] = {}
    current = 0
    for operation in operations:
        kind, where = operation["op"], operation["where"]
        if kind == "metadata":
            current = where % snapshots
            continue
        # A null topic is rejected by the producer; the partitioners see it once in a while.
        topic = None if where == 255 else topics[where % len(topics)]
        step: Operation = {"op": "partition", "topic": topic}
        if kind == "new batch" and answered.get(topic):
            earlier = answered[topic]
            # Mostly the batch just opened; sometimes one of another, slower thread.
            age = where // 16 % len(earlier) if where & 1 else 0
            step = {"op": "new batch", "topic": topic, "previous": {"step": pick(earlier, age)}}
        elif kind == "new batch":
            step = {"op": "new batch", "topic": topic, "previous": where % 16 - 1}
        else:
            step["key"] = None if kind == "null key" else keys[where // 4 % len(keys)]
        step |= {"metadata": current, "draw": operation["draw"]}
        answered.setdefault(topic, []).append(len(steps))
        if kind == "new batch":
            answered[topic].pop()
        steps.append(step)
    if not steps:
        steps.append(
            {"op": "partition", "topic": topics[0], "key": None, "metadata": 0, "draw": [0, 0]}
        )
    return steps

"""Cases for the ``Partitioner`` classes; see ``partitioner_history.py`` for its words."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.draws import EQUAL_DRAWS
from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.histories import histories, pick
from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.strategies.keys import optional_keys
from conformance.strategies.metadata import metadata_histories, renamed, topic_count
from conformance.strategies.names import NAMES_BYTES, topic_at, topic_names
from conformance.strategies.packed import DRAW_BYTES, Choices, packed

_NEAR_WRAPS: Final = (
    *(INT32_MAX, INT32_MAX - 5, INT32_MAX - 50, INT32_MIN, INT32_MIN + 1, -1, -5),
    # Where narrower counters wrap, and where floats stop counting.
    *(127, 120, 255, 250, 32_767, 32_760, 65_535, 65_530, 2**24 - 1, 2**24 - 5),
)
_AIMS: Final = (*("none",) * 6, "equal draws", "wrap")


@cache
@st.composite
def partitioner_cases(draw: DrawFn, *, batches: bool, counters: bool) -> Case:
    """Records and batches over one to three topics, rarely many, against changing metadata.

    With ``batches``, threads also report new batches, some of them stale; with ``counters``,
    the per-topic counters start near a wrap in some cases. Some draws are made to choose the
    same partition many times in a row, or to begin a counter near a wrap.
    """
    names, starts = draw(_names_and_counters())
    metadata = draw(metadata_histories(topics=len(names), one_left=batches))
    keys = draw(_key_pools())
    kinds = ("partition", "partition", "null key", "metadata") + ("new batch",) * (3 * batches)
    operations = draw(_histories(kinds))
    config: dict[str, Any] = {}
    if counters:
        config["counters"] = {
            topic: at for topic, at in zip(names, starts, strict=True) if at is not None
        }
    metadata = renamed(metadata, names)
    return {
        "config": config,
        "metadata": metadata,
        "steps": _resolve(operations, names, metadata, keys, wraps=not batches),
    }


@cache
def _names_and_counters() -> SearchStrategy[tuple[tuple[str, ...], list[int | None]]]:
    """The topics, and where the counter of each starts: left alone, or near a wrap."""

    def chosen(of: Choices) -> tuple[tuple[str, ...], list[int | None]]:
        count = topic_count(of)
        names = topic_names(of, count)
        whether, first = of.below(3), of.below(256)
        options = (None, *_NEAR_WRAPS)
        return names, [
            options[(first + at * (1 + whether)) % len(options)] if whether else None
            for at in range(count)
        ]

    return packed(2 + NAMES_BYTES + 2, chosen)


@cache
def _histories(kinds: tuple[str, ...]) -> SearchStrategy[list[Operation]]:
    def operation(of: Choices) -> Operation:
        kind, where = of.one_of(kinds), of.below(256)
        return {"op": kind, "where": where, "draw": of.draw(), "aim": of.one_of(_AIMS)}

    return histories(3 + DRAW_BYTES, operation)


def available_in(snapshot: Metadata | None, topic: str | None) -> int:
    """How many partitions of a topic have a leader."""
    return sum(
        leader is not None
        for name, partitions in snapshot or []
        if name == topic
        for _, leader in partitions
    )


def _draw(
    operation: Operation, snapshot: Metadata | None, topic: str | None, *, wraps: bool
) -> list[int]:
    """What a step draws: as chosen, or as it is aimed."""
    aim, (first, tail) = operation["aim"], operation["draw"]
    if aim == "wrap" and wraps:
        return [_NEAR_WRAPS[tail % len(_NEAR_WRAPS)], tail]
    count = available_in(snapshot, topic) if aim == "equal draws" and not wraps else 0
    return list(EQUAL_DRAWS.get((count, tail % max(count, 1)), (first, tail)))


@cache
def _key_pools() -> SearchStrategy[list[bytes | None]]:
    return st.lists(optional_keys(), min_size=1, max_size=3)


def _resolve(
    operations: list[Operation],
    topics: tuple[str, ...],
    metadata: list[Metadata | None],
    keys: list[bytes | None],
    *,
    wraps: bool,
) -> list[Operation]:
    """Give each operation its topic, key and metadata, and each batch an earlier answer."""
    steps: list[Operation] = []
    answered: dict[str | None, list[int]] = {}
    current = 0
    for operation in operations:
        kind, where = operation["op"], operation["where"]
        if kind == "metadata":
            current = where % len(metadata)
            continue
        # A null topic is rejected by the producer; the partitioners see it once in a while.
        topic = None if where == 255 else topic_at(topics, where, len(steps))
        step: Operation = {"op": "partition", "topic": topic}
        if kind == "new batch" and answered.get(topic):
            earlier = answered[topic]
            # Mostly the batch just opened; sometimes one of another, slower thread.
            age = where // 16 % len(earlier) if where & 1 else 0
            if where >= 248:
                # One of any topic: a number that is another partition there.
                earlier = [at for one in answered.values() for at in one]
                age = where % len(earlier)
            step = {"op": "new batch", "topic": topic, "previous": {"step": pick(earlier, age)}}
        elif kind == "new batch":
            step = {"op": "new batch", "topic": topic, "previous": where % 16 - 1}
        else:
            step["key"] = None if kind == "null key" else keys[where // 4 % len(keys)]
        aimed = _draw(operation, metadata[current], topic, wraps=wraps)
        step |= {"metadata": current, "draw": aimed}
        answered.setdefault(topic, []).append(len(steps))
        if kind == "new batch":
            answered[topic].pop()
        steps.append(step)
    if not steps:
        steps.append(
            {"op": "partition", "topic": topics[0], "key": None, "metadata": 0, "draw": [0, 0]}
        )
    return steps

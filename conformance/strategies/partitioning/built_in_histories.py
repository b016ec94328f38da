"""Cases for ``BuiltInPartitioner``; vocabulary in behaviours/partitioning/built_in_history.py."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.histories import histories, pick
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.metadata import metadata_histories, renamed, topic_count
from conformance.strategies.names import NAMES_BYTES, topic_at, topic_names
from conformance.strategies.packed import DRAW_BYTES, Choices, packed
from conformance.strategies.partitioning.queue_sizes import LoadStats, aimed, load_stats, table_of

_THREADS: Final = 3
_BATCH_SIZES: Final = (
    *(1, 1, 2, 3, 100, 127, 128, 255, 256, 16384, 16384, 16384, 32767, 65535),
    *(2**30 - 1, 2**30, 2**30 + 1, INT32_MAX - 1, INT32_MAX),
)
_KINDS: Final = ("record", "record", "peek", "append", "append", "update", "changed", "metadata")
# Appended bytes relative to the batch size: so many halves of it, and so many more.
_AMOUNTS: Final = (
    *((0, 1), (0, 0), (1, 0), (1, -1), (2, -1), (2, 0), (2, 1), (3, 0)),
    *((4, -2), (4, -1), (4, 0), (4, 1), (5, 0)),
)


@cache
@st.composite
def built_in_cases(draw: DrawFn, *, load: bool) -> Case:
    """Several logical threads that peek, append and update in any order, on a few topics or many.

    Batch sizes from 1 to 2**31 - 1; appended bytes around the batch size, its double and what
    makes the count wrap. With ``load``, load stats come and go in between. In a tenth of the
    cases the batch size is invalid, and the constructor is all there is.
    """
    config, topics = draw(_configs())
    metadata = renamed(draw(metadata_histories(topics=len(topics))), topics)
    size = draw(_batch_sizes())
    create: list[Operation] = [
        {"op": "create", "topic": topic, "batch_size": size} for topic in topics
    ]
    if size < 1:
        return {"config": config, "metadata": metadata, "steps": create}
    operations = draw(_histories(load))
    stats = draw(_several_load_stats()) if load else []
    steps = create + _Resolver(topics, len(metadata), size, stats, len(create)).steps(operations)
    return {"config": config, "metadata": metadata, "steps": steps}


@cache
def _configs() -> SearchStrategy[tuple[dict[str, Any], tuple[str, ...]]]:
    """The configuration, and the topics."""

    def chosen(of: Choices) -> tuple[dict[str, Any], tuple[str, ...]]:
        config = {"assertions": bool(of.below(2)), "source": of.one_of(("thread", "mock"))}
        return config, topic_names(of, topic_count(of))

    return packed(4 + NAMES_BYTES, chosen)


@cache
def _batch_sizes() -> SearchStrategy[int]:
    valid = st.sampled_from(_BATCH_SIZES)
    return st.one_of(valid, valid, st.integers(1, INT32_MAX), st.sampled_from((0, -1, 1, 7)))


@cache
def _several_load_stats() -> SearchStrategy[list[LoadStats]]:
    return st.lists(load_stats(), min_size=1, max_size=3)


@cache
def _histories(load: bool) -> SearchStrategy[list[Operation]]:
    kinds = (*_KINDS, "load", "load", "unload", "range end") if load else _KINDS

    def operation(of: Choices) -> Operation:
        return {
            "op": of.one_of(kinds),
            "where": of.below(256),
            "amount": of.one_of((*_AMOUNTS, None)),
            "draw": of.draw(),
            "aim": of.below(2**24, size=3),
        }

    return histories(6 + DRAW_BYTES, operation)


class _Resolver:
    """Turns operations of threads into steps that name earlier peeks by their position."""

    def __init__(
        self,
        topics: tuple[str, ...],
        snapshots: int,
        batch_size: int,
        stats: list[LoadStats],
        first_step: int,
    ) -> None:
        self._topics = topics
        self._snapshots = snapshots
        self._batch_size = batch_size
        self._stats = stats
        self._first_step = first_step
        self._metadata = 0
        self._tables: dict[str, list[int]] = {}
        self._steps: list[Operation] = []
        self._peeks: dict[tuple[str, int], list[int]] = {}

    def steps(self, operations: list[Operation]) -> list[Operation]:
        """The steps; each thread refers to its own peeks, mostly to its last one."""
        for chosen in operations:
            kind, where = chosen["op"], chosen["where"]
            topic = topic_at(self._topics, where, len(self._steps))
            operation = {**chosen, "draw": self._draw(topic, chosen)}
            thread = where // 2 % _THREADS
            if kind == "metadata":
                self._metadata = where % self._snapshots
            elif kind in ("load", "unload"):
                self._load(topic, where, keep=kind == "load")
                if where & 64:
                    self._choose(topic, chosen)
            elif kind == "range end":
                self._steps.append({"op": kind, "topic": topic})
            else:
                earlier = self._peeks.setdefault((topic, thread), [])
                if kind in ("record", "peek") or not earlier:
                    self._peek(topic, earlier, operation["draw"])
                if kind != "peek":
                    self._use("append" if kind == "record" else kind, topic, earlier, operation)
        return self._steps

    def _load(self, topic: str, where: int, *, keep: bool) -> None:
        stats = queues, ids, length = self._stats[where // 2 % len(self._stats)]
        self._tables[topic] = table_of(stats) if keep else []
        step = {"op": "load", "topic": topic, "queues": queues if keep else None}
        self._steps.append({**step, "ids": ids, "length": length})

    def _choose(self, topic: str, operation: Operation) -> None:
        """Have the topic's partitioner choose, so that what was just loaded is seen."""
        earlier = self._peeks.setdefault((topic, 0), [])
        draw = self._draw(topic, operation)
        self._peek(topic, earlier, draw)
        step = {"op": "update", "topic": topic, "of": {"step": earlier[-1]}, "switch": True}
        seen = {"bytes": self._batch_size, "metadata": self._metadata, "draw": draw}
        self._steps.append({**step, **seen})

    def _draw(self, topic: str, operation: Operation) -> list[int]:
        """What a step draws: as chosen, or in half of the steps at an end of a loaded range."""
        how, odd = divmod(operation["aim"], 2)
        table = self._tables.get(topic)
        draw: list[int] = operation["draw"]
        return [aimed(table, how), draw[1]] if table and odd else draw

    def _peek(self, topic: str, earlier: list[int], draw: list[int]) -> None:
        earlier.append(self._first_step + len(self._steps))
        self._steps.append({"op": "peek", "topic": topic, "metadata": self._metadata, "draw": draw})

    def _use(self, kind: str, topic: str, earlier: list[int], operation: Operation) -> None:
        where = operation["where"]
        # In a quarter of the cases an older peek of the same thread, as after a lost race.
        of: int | None = pick(earlier, where // 16 if where // 8 % 4 == 3 else 0)
        if where >= 250:
            of = None
        step: Operation = {"op": kind, "topic": topic, "of": None if of is None else {"step": of}}
        if kind != "changed":
            step |= {
                "bytes": self._bytes(operation["amount"]),
                "switch": (None, True, False, False)[where // 64],
                "metadata": self._metadata,
                "draw": operation["draw"],
            }
        self._steps.append(step)

    def _bytes(self, amount: tuple[int, int] | None) -> int:
        if amount is None:
            return INT32_MAX
        halves, more = amount
        return max(0, min(INT32_MAX, halves * self._batch_size // 2 + more))


@cache
@st.composite
def load_cases(draw: DrawFn) -> Case:
    """Load stats of every kind, each followed by its range end and by choices from it.

    A batch size of 1 makes every append a new choice. Half of the draws are at the end of a range.
    """
    config, (topic, *_) = draw(_configs())
    steps: list[Operation] = [{"op": "create", "topic": topic, "batch_size": 1}]
    last_peek: int | None = None
    for (queues, ids, length), choices in draw(_stats_and_choices()):
        load = {"op": "load", "queues": queues, "ids": ids, "length": length}
        steps.append({**load, "topic": topic})
        steps.append({"op": "range end", "topic": topic})
        for chosen in choices:
            seen = {"topic": topic, "metadata": 0, "draw": chosen}
            if last_peek is not None:
                update = {"op": "update", "of": {"step": last_peek}, "bytes": 1, "switch": True}
                steps.append({**update, **seen})
            last_peek = len(steps)
            steps.append({"op": "peek", **seen})
    return {"config": config, "metadata": [[(topic, _FOUR)]], "steps": steps}


_FOUR = [[number, 0] for number in range(4)]
_MOST_CHOICES: Final = 6


@cache
def _stats_and_choices() -> SearchStrategy[list[tuple[LoadStats, list[list[int]]]]]:
    pair = st.builds(_with_choices, load_stats(), packed(1 + 11 * _MOST_CHOICES, _choices))
    return st.lists(pair, min_size=1, max_size=4)


def _choices(of: Choices) -> list[tuple[list[int], int]]:
    """Draws, and where each is to be aimed at."""
    return [(of.draw(), of.below(2**24, size=3)) for _ in range(1 + of.below(_MOST_CHOICES))]


def _with_choices(
    stats: LoadStats, chosen: list[tuple[list[int], int]]
) -> tuple[LoadStats, list[list[int]]]:
    table = table_of(stats)
    return stats, [
        [aimed(table, how // 2), draw[1]] if table and how % 2 else draw for draw, how in chosen
    ]

"""Records that a producer is sent; vocabulary in behaviours/partitioning/round_robin_sends.py."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.histories import histories, pick
from conformance.strategies.keys import optional_keys
from conformance.strategies.metadata import metadata_histories, renamed, topic_count
from conformance.strategies.names import NAMES_BYTES, topic_at, topic_names
from conformance.strategies.packed import DRAW_BYTES, Choices, packed

LONGEST_KEY: Final = 36
"""In bytes: all records are of one size, so a key takes room from the value."""
ENDLESS: Final = 1000
"""Records that no case fills a batch with."""
_STICKY: Final = ("UniformStickyPartitioner", "UniformStickyPartitioner", "DefaultPartitioner")
_SIZES: Final = (1, 1, 1, 2, 2, 3, 4, 5, 7, 8, ENDLESS, ENDLESS)


@cache
@st.composite
def send_cases(draw: DrawFn, *, sticky: bool) -> Case:
    """Records to one to three topics, rarely many, against changing metadata.

    A fifth of the records name a partition. A batch holds one to many records. With ``sticky``,
    half of the cases are of a partitioner that does something when it is told of a new batch, and
    draws.
    """
    config, names = draw(_configs(sticky=sticky))
    history = renamed(draw(metadata_histories(topics=len(names))), names)
    metadata = _that_a_producer_can_use(history, names[0])
    keys = draw(st.lists(optional_keys(), min_size=1, max_size=3))
    steps = _resolve(draw(_histories()), metadata, keys)
    if "partitioner" in config:
        steps = [{**step, "op": "sticky send"} for step in steps]
    else:
        steps = [{name: step[name] for name in step if name != "draw"} for step in steps]
    return {"config": config, "metadata": metadata, "steps": steps}


@cache
def _configs(*, sticky: bool) -> SearchStrategy[tuple[dict[str, Any], tuple[str, ...]]]:
    def chosen(of: Choices) -> tuple[dict[str, Any], tuple[str, ...]]:
        config: dict[str, Any] = {"batch_records": of.one_of(_SIZES)}
        which = of.below(6)
        if sticky and which < len(_STICKY):
            config["partitioner"] = _STICKY[which]
        return config, topic_names(of, topic_count(of))

    return packed(2 + 2 + NAMES_BYTES, chosen)


def _that_a_producer_can_use(history: list[Metadata | None], topic: str) -> list[Metadata | None]:
    """Without snapshots that are null or know no topic: there a producer waits for better ones."""
    return [snapshot for snapshot in history if snapshot] or [[(topic, [[0, 0]])]]


@cache
def _histories() -> SearchStrategy[list[Operation]]:
    kinds = ("send", "send", "send", "metadata")

    def operation(of: Choices) -> Operation:
        named = of.below(5 * 256, size=2)
        return {
            "op": of.one_of(kinds),
            "where": of.below(256),
            "draw": of.draw(),
            "named": named if named % 5 == 4 else None,
        }

    return histories(4 + DRAW_BYTES, operation)


def _resolve(
    operations: list[Operation], metadata: list[Metadata | None], keys: list[bytes | None]
) -> list[Operation]:
    """Give each record its key, and a topic that the metadata of the moment has."""
    steps: list[Operation] = []
    current = 0
    for operation in operations:
        where = operation["where"]
        if operation["op"] == "metadata":
            current = where % len(metadata)
            continue
        key = pick(keys, where // 4)
        topic, partitions = topic_at(metadata[current] or [], where, len(steps))
        step = _send(topic, None if key is None else key[:LONGEST_KEY], current, operation["draw"])
        if operation["named"] is not None:
            step["partition"] = operation["named"] // 5 % len(partitions)
        steps.append(step)
    topic, _ = (metadata[0] or [])[0]
    return steps or [_send(topic, None, 0, [0, 0])]


def _send(topic: str, key: bytes | None, metadata: int, draw: list[int]) -> Operation:
    return {"op": "send", "topic": topic, "key": key, "metadata": metadata, "draw": draw}

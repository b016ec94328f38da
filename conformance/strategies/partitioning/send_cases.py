"""Records that a producer is sent; vocabulary in behaviours/partitioning/round_robin_sends.py."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Metadata, Operation
from conformance.strategies.histories import histories, pick
from conformance.strategies.keys import optional_keys
from conformance.strategies.metadata import TOPICS, metadata_histories

LONGEST_KEY: Final = 36
"""In bytes: all records are of one size, so a key takes room from the value."""
ENDLESS: Final = 1000
"""Records that no case fills a batch with."""


@cache
@st.composite
def send_cases(draw: DrawFn) -> Case:
    """Records to one to three topics against changing metadata, batches of one to many records."""
    topics = draw(st.sampled_from((1, 1, 2, 3)))
    metadata = _that_a_producer_can_use(draw(metadata_histories(topics=topics)))
    keys = draw(st.lists(optional_keys(), min_size=1, max_size=3))
    operations = draw(_histories())
    return {
        "config": {"batch_records": draw(st.sampled_from((1, 1, 2, 3, 5, ENDLESS)))},
        "metadata": metadata,
        "steps": _resolve(operations, metadata, keys),
    }


def _that_a_producer_can_use(history: list[Metadata | None]) -> list[Metadata | None]:
    """Without snapshots that are null or know no topic: there a producer waits for better ones."""
    return [snapshot for snapshot in history if snapshot] or [[(TOPICS[0], [[0, 0]])]]


@cache
def _histories() -> SearchStrategy[list[Operation]]:
    kinds = ("send", "send", "send", "metadata")
    return histories(2, lambda of: {"op": of.one_of(kinds), "where": of.below(256)})


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
        steps.append(_send(metadata, current, where, None if key is None else key[:LONGEST_KEY]))
    return steps or [_send(metadata, 0, 0, None)]


def _send(
    metadata: list[Metadata | None], current: int, where: int, key: bytes | None
) -> Operation:
    known = metadata[current] or []
    topic, _ = known[where % len(known)]
    return {"op": "send", "topic": topic, "key": key, "metadata": current}

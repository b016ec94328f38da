"""Cases for hashing and keyed partitioning; vocabulary in the modules of those behaviours."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN, int32s, near_powers
from conformance.strategies.keys import key_lists
from conformance.strategies.metadata import (
    metadata_histories,
    names_of_topics,
    partition_count,
    renamed,
)
from conformance.strategies.packed import INT32_BYTES, Choices, packed


@cache
def hash_cases() -> SearchStrategy[Case]:
    """One to nine keys to hash, nulls among them, and a few numbers to mask."""
    numbers = st.lists(st.one_of(int32s(), near_powers()), max_size=3)
    return st.builds(_hash_case, key_lists(min_size=1, max_size=8), numbers)


def _hash_case(keys: list[bytes | None], numbers: list[int]) -> Case:
    hashes: list[Operation] = [{"op": "murmur2", "key": key} for key in keys]
    masks: list[Operation] = [{"op": "toPositive", "number": number} for number in numbers]
    return {"config": {}, "metadata": [], "steps": hashes + masks}


@cache
@st.composite
def keyed_cases(draw: DrawFn, *, bare_counts: bool) -> Case:
    """Keys of topics with like names against changing metadata, some asked again elsewhere.

    With ``bare_counts`` also keys against any int32 as the number of partitions, 0 and
    negative ones included.
    """
    topics = draw(names_of_topics())
    metadata = renamed(draw(metadata_histories(topics=len(topics))), topics)
    keys = draw(key_lists(min_size=1, max_size=8))
    places = draw(packed(len(keys) * _PLACE_BYTES, lambda of: [_Place(of) for _ in keys]))
    steps: list[Operation] = []
    for key, place in zip(keys, places, strict=True):
        bare = bare_counts and place.bare
        if key is None and not bare:
            continue
        again = place.again and len(key or b"") < _LONG
        for where, count in zip(place.where, place.counts, strict=True):
            if bare:
                steps.append({"op": "partition for key", "key": key, "partitions": count})
            else:
                topic = topics[where % len(topics)]
                snapshot = where // len(topics) % len(metadata)
                steps.append({"op": "partition", "topic": topic, "key": key, "metadata": snapshot})
            if not again:
                break
    if not steps:
        steps.append({"op": "partition", "topic": topics[0], "key": b"", "metadata": 0})
    return {"config": {}, "metadata": metadata, "steps": steps}


_LONG: Final = 4096
"""Bytes of a key that is asked once only, because it is dear."""
_COUNT_BYTES: Final = 1 + INT32_BYTES
_PLACE_BYTES: Final = 4 + 2 * _COUNT_BYTES


class _Place:
    """Where a key is asked, and where again: numbers of topic and snapshot, or bare counts."""

    def __init__(self, of: Choices) -> None:
        self.bare = of.below(2) == 1
        self.again = of.below(5) > 1
        self.where = (of.below(256), of.below(256))
        self.counts = (_count(of), _count(of))


def _count(of: Choices) -> int:
    """A number of partitions that a topic may have, near a power of two, or any int32."""
    kind = of.below(6)
    of = of.part(INT32_BYTES)
    if kind < 2:
        return partition_count(of)
    if kind < 4:
        return abs(of.near_power(16)) if kind == 2 else of.near_power()
    return of.one_of((0, 1, -1, 2, INT32_MAX, INT32_MIN)) if kind == 4 else of.int32()

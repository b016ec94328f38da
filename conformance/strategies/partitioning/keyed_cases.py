"""Cases for hashing and keyed partitioning; vocabulary in the modules of those behaviours."""

import math
import struct
import sys
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN, int32s
from conformance.strategies.keys import key_lists, keys
from conformance.strategies.metadata import (
    TOPICS,
    metadata_histories,
    partition_count,
)
from conformance.strategies.packed import INT32_BYTES, Choices, packed


@cache
def hash_cases() -> SearchStrategy[Case]:
    """One to nine keys to hash, nulls among them, and a few numbers to mask."""
    numbers = st.lists(int32s(), max_size=2)
    return st.builds(_hash_case, key_lists(min_size=1, max_size=8), numbers)


def _hash_case(keys: list[bytes | None], numbers: list[int]) -> Case:
    hashes: list[Operation] = [{"op": "murmur2", "key": key} for key in keys]
    masks: list[Operation] = [{"op": "toPositive", "number": number} for number in numbers]
    return _case_of(hashes + masks)


def _case_of(steps: list[Operation]) -> Case:
    return {"config": {}, "metadata": [], "steps": steps}


@cache
@st.composite
def keyed_cases(draw: DrawFn, *, bare_counts: bool) -> Case:
    """Keys of one to three topics against changing metadata.

    With ``bare_counts`` also keys against any int32 as the number of partitions, 0 and
    negative ones included.
    """
    topics = draw(st.sampled_from((1, 1, 2, 3)))
    metadata = draw(metadata_histories(topics=topics))
    steps: list[Operation] = []
    keys = draw(key_lists(min_size=1, max_size=8))
    for key, (where, count) in zip(keys, draw(_places_and_counts(len(keys))), strict=True):
        if bare_counts and where & 1:
            steps.append({"op": "partition for key", "key": key, "partitions": count})
        elif key is not None:
            topic = TOPICS[where // 2 % topics]
            place = where // 8 % len(metadata)
            steps.append({"op": "partition", "topic": topic, "key": key, "metadata": place})
    if not steps:
        steps.append({"op": "partition", "topic": TOPICS[0], "key": b"", "metadata": 0})
    return {"config": {}, "metadata": metadata, "steps": steps}


@cache
def _places_and_counts(keys: int) -> SearchStrategy[list[tuple[int, int]]]:
    def places_and_counts(of: Choices) -> list[tuple[int, int]]:
        return [(of.below(64), _count(of)) for _ in range(keys)]

    return packed(keys * (1 + _COUNT_BYTES), places_and_counts)


_COUNT_BYTES = 1 + INT32_BYTES


def _count(of: Choices) -> int:
    """A number of partitions that a topic may have, or any int32."""
    kind = of.below(3)
    of = of.part(INT32_BYTES)
    if kind == 0:
        return partition_count(of)
    return of.one_of((0, 1, -1, 2, INT32_MAX, INT32_MIN)) if kind == 1 else of.int32()


@cache
def serialized_cases() -> SearchStrategy[Case]:
    """One to six values for Kafka's serializers: every type, null, NaNs, lone surrogates."""
    step = st.one_of(
        _typed("string", _texts()),
        _typed("integer", int32s()),
        _typed("long", _longs()),
        _typed("double", _doubles()),
        _typed("double", _doubles()),
        _typed("uuid", st.uuids().map(str)),
        _typed("bytes", keys()),
        _typed("byte_array", keys()),
    )
    return st.lists(step, min_size=1, max_size=6).map(_case_of)


def _typed(kind: str, values: SearchStrategy[Any]) -> SearchStrategy[Operation]:
    value = st.one_of(values, values, values, values, st.none())
    return st.builds(
        lambda some, count: {"op": "serialize", "type": kind, "value": some, "partitions": count},
        value,
        st.integers(1, 50),
    )


@cache
def _texts() -> SearchStrategy[str]:
    """Any text; lone and paired surrogates; NUL, byte order mark, unnormalized, long text."""
    halves = st.lists(st.sampled_from(("\ud83d", "\ude00", "a", "é")), min_size=1, max_size=4)
    odd = ("\0", "\ufeff", "e\u0301", "\u212b", "a", "x" * 300)
    oddities = st.lists(st.sampled_from(odd), min_size=1, max_size=3)
    return st.one_of(st.text(max_size=12), halves.map("".join), oddities.map("".join))


@cache
def _longs() -> SearchStrategy[str]:
    """Any int64, and such as a double or an int32 cannot hold, in decimal."""
    edges = st.sampled_from((2**63, -(2**63), 2**53, -(2**53), 2**31, -(2**31)))
    near = st.builds(lambda edge, off: edge + off, edges, st.integers(-2, 2))
    inside = near.map(lambda number: max(-(2**63), min(2**63 - 1, number)))
    return st.one_of(st.integers(-(2**63), 2**63 - 1), inside, int32s()).map(str)


@cache
def _doubles() -> SearchStrategy[str]:
    """Any double, and those at the edges: zeros, infinities, subnormals, NaNs of any bits."""
    edges = (0.0, -0.0, math.inf, -math.inf, 5e-324, -5e-324, *_NORMAL_EDGES)
    ordinary = st.floats().map(_bits)
    nans = st.sampled_from(("7ff8000000000001", "fff8000000000000", "7ff0000000000001"))
    at_edges = st.sampled_from(edges).map(_bits)
    return st.one_of(ordinary, at_edges, at_edges, nans)


_NORMAL_EDGES = (sys.float_info.min, sys.float_info.max, -sys.float_info.max)


def _bits(value: float) -> str:
    return struct.pack(">d", value).hex()

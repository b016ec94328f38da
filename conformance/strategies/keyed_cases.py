"""Cases for hashing and keyed partitioning; vocabulary in the modules of those behaviours."""

import struct
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.case import Case, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN, int32s
from conformance.strategies.keys import key_lists, keys
from conformance.strategies.metadata import TOPICS, metadata_histories, partition_counts


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
    for key in draw(key_lists(min_size=1, max_size=8)):
        where = draw(_places())
        if bare_counts and where & 1:
            count = draw(_counts())
            steps.append({"op": "partition for key", "key": key, "partitions": count})
        elif key is not None:
            topic = TOPICS[where // 2 % topics]
            place = where // 8 % len(metadata)
            steps.append({"op": "partition", "topic": topic, "key": key, "metadata": place})
    if not steps:
        steps.append({"op": "partition", "topic": TOPICS[0], "key": b"", "metadata": 0})
    return {"config": {}, "metadata": metadata, "steps": steps}


@cache
def _places() -> SearchStrategy[int]:
    return st.integers(0, 63)


@cache
def _counts() -> SearchStrategy[int]:
    edges = st.sampled_from((0, 1, -1, 2, INT32_MAX, INT32_MIN))
    return st.one_of(partition_counts(), edges, int32s())


_LAYOUTS = ("binary", "binary", "large_binary", "sliced", "chunked", "dictionary", "list")


@cache
def column_cases() -> SearchStrategy[Case]:
    """One column of keys; a few keys repeated in a scrambled order make it hundreds long."""
    few = key_lists(min_size=0, max_size=12)
    counts = st.one_of(partition_counts(), st.just(0), partition_counts())
    return st.builds(
        _column_case, few, st.sampled_from((1, 1, 1, 40)), counts, st.sampled_from(_LAYOUTS)
    )


def _column_case(few: list[bytes | None], repeats: int, count: int, layout: str) -> Case:
    short = [key for key in few if key is None or len(key) <= 300] if repeats > 1 else few
    rows = [key for turn in range(repeats) for key in short[turn % 5 :] + short[: turn % 5]]
    step = {"op": "column", "keys": rows, "partitions": count, "layout": layout}
    return _case_of([step])


@cache
def serialized_cases() -> SearchStrategy[Case]:
    """One to six values for Kafka's serializers: every type, null, NaNs, lone surrogates."""
    step = st.one_of(
        _typed("string", _texts()),
        _typed("integer", int32s()),
        _typed("long", st.one_of(st.integers(-(2**63), 2**63 - 1), int32s()).map(str)),
        _typed("double", _doubles()),
        _typed("uuid", st.uuids().map(str)),
        _typed("bytes", keys()),
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
    """Any text, and such that is only valid in UTF-16: lone and paired surrogates."""
    halves = st.lists(st.sampled_from(("\ud83d", "\ude00", "a", "é")), min_size=1, max_size=4)
    return st.one_of(st.text(max_size=12), halves.map("".join))


@cache
def _doubles() -> SearchStrategy[str]:
    """Any 64 bits, so every NaN, infinity and zero."""
    ordinary = st.floats().map(lambda value: struct.pack(">d", value).hex())
    nans = st.sampled_from(("7ff8000000000001", "fff8000000000000", "7ff0000000000001"))
    return st.one_of(ordinary, ordinary, nans)

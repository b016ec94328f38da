"""Cases of sizes; see ``record_sizes.py`` for their words."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX
from conformance.strategies.packed import Choices, packed
from conformance.strategies.records.contents import (
    DATA_BYTES,
    HEADERS_BYTES,
    data_of,
    headers_of,
    int64_of,
    number_of,
)

_BYTES: Final = 16 + 2 * DATA_BYTES + HEADERS_BYTES


@cache
def size_cases() -> SearchStrategy[Case]:
    """One to eight numbers, sequences, records and bounds."""
    steps = st.lists(packed(_BYTES, _step), min_size=1, max_size=8)
    return steps.map(lambda some: {"config": {}, "metadata": [], "steps": some})


def _step(of: Choices) -> Operation:
    kind = of.below(8)
    if kind == 0:
        return {"op": "varint", "number": number_of(of, 31)}
    if kind == 1:
        return {"op": "varlong", "long": str(int64_of(of))}
    if kind == 2:
        return _sequence(of)
    deltas = of.part(11)
    contents = {
        "key": data_of(of.part(DATA_BYTES)),
        "value": data_of(of.part(DATA_BYTES)),
        "headers": headers_of(of),
    }
    if kind < 5:
        return {"op": "upper bound", **contents}
    offset_delta, timestamp_delta = deltas.near_power(), str(int64_of(deltas))
    return {
        "op": "record size",
        "offset_delta": offset_delta,
        "timestamp_delta": timestamp_delta,
        **contents,
    }


def _sequence(of: Choices) -> Operation:
    """A sequence number, and how far to go: to just where it wraps in half of the cases."""
    sequence, by = of.near_power() % 2**31, abs(of.near_power()) % 2**31
    if of.below(2):
        ends = (INT32_MAX - sequence, sequence)[of.below(2)]
        by = max(0, min(INT32_MAX, ends + of.between(-1, 2)))
    return {"op": "sequence", "sequence": sequence, "by": by}

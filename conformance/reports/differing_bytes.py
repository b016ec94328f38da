"""Where long byte strings of two answers differ, which their beginnings do not show."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

_MOST_PLACES: Final = 4
_MOST_BYTES: Final = 16
"""Of a place that are shown."""


def differing_bytes(one: Any, other: Any, longer_than: int) -> Iterator[str]:
    """A line for each place in which bytes at the same place of two answers differ.

    Bytes of which both have at most ``longer_than`` are left out: a reader sees all of them.
    """
    if isinstance(one, bytes) and isinstance(other, bytes):
        if one != other and max(len(one), len(other)) > longer_than:
            yield from _places(one, other)
    elif isinstance(one, list) and isinstance(other, list):
        for pair in zip(one, other, strict=False):
            yield from differing_bytes(*pair, longer_than)
    elif isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() & other.keys():
            yield from differing_bytes(one[name], other[name], longer_than)


def _places(one: bytes, other: bytes) -> Iterator[str]:
    places = _runs(one, other)
    for start, end in islice(places, _MOST_PLACES):
        where = f"byte {start}" if end == start + 1 else f"bytes {start} to {end - 1}"
        yield f"{where}: {_shown(one[start:end])} and {_shown(other[start:end])}"
    more = sum(1 for _ in places)
    if more:
        yield f"and {more} more places"


def _runs(one: bytes, other: bytes) -> Iterator[tuple[int, int]]:
    """Where they differ, from the first byte until the one before which they are equal again."""
    start = None
    for at in range(max(len(one), len(other))):
        if one[at : at + 1] != other[at : at + 1]:
            start = at if start is None else start
        elif start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, max(len(one), len(other))


def _shown(data: bytes) -> str:
    if not data:
        return "none"
    return data[:_MOST_BYTES].hex(" ") + (" ..." if len(data) > _MOST_BYTES else "")

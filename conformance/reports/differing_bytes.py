"""Where long byte strings of two answers differ, which their beginnings do not show."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

_MOST_LINES: Final = 5
_MOST_BYTES: Final = 16
"""Of a place that are shown."""


def differing_bytes(one: Any, other: Any, longer_than: int) -> Iterator[str]:
    """A line for each of the first places in which bytes at the same place of two answers differ.

    Bytes of which both have at most ``longer_than`` are left out: a reader sees all of them.
    """
    places = _places(one, other, longer_than)
    yield from islice(places, _MOST_LINES)
    if next(places, None) is not None:
        yield "further places"


def _places(one: Any, other: Any, longer_than: int) -> Iterator[str]:
    if isinstance(one, bytes) and isinstance(other, bytes):
        if one != other and max(len(one), len(other)) > longer_than:
            for start, end in _runs(one, other):
                where = f"byte {start}" if end == start + 1 else f"bytes {start} to {end - 1}"
                yield f"{where}: {_shown(one[start:end])} and {_shown(other[start:end])}"
    elif isinstance(one, list) and isinstance(other, list):
        for pair in zip(one, other, strict=False):
            yield from _places(*pair, longer_than)
    elif isinstance(one, dict) and isinstance(other, dict):
        for name, value in one.items():
            if name in other:
                yield from _places(value, other[name], longer_than)


def _runs(one: bytes, other: bytes) -> Iterator[tuple[int, int]]:
    """Where they differ, from the first byte until the one before which they are equal again."""
    start, longest = None, max(len(one), len(other))
    for at, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            start = at if start is None else start
        elif start is not None:
            yield start, at
            start = None
    if start is None and len(one) != len(other):
        start = min(len(one), len(other))
    if start is not None:
        yield start, longest


def _shown(data: bytes) -> str:
    if not data:
        return "none"
    return data[:_MOST_BYTES].hex(" ") + (" ..." if len(data) > _MOST_BYTES else "")

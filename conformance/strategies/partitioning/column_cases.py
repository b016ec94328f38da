"""Cases for whole columns of keys; vocabulary in the behaviour ``keyed-columns``."""

import hashlib
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN
from conformance.strategies.keys import key_lists, key_with_hash, text_keys, uuid_keys
from conformance.strategies.metadata import partition_count
from conformance.strategies.packed import INT32_BYTES, Choices, packed

SEQUENCES: Final = ("list", "tuple", "objects", "strided objects")
"""Types of columns that are not Arrow's."""
TYPES: Final = (
    *("binary", "large_binary", "fixed_size_binary", "binary_view"),
    *("string", "large_string", "string_view", "null"),
)
"""Arrow's types of keys."""
_IN_ONE_PIECE: Final = ("binary", "large_binary", "string", "large_string")
"""Types that the port reads where they are, however many rows they have."""
_IN_PIECES: Final = ("fixed_size_binary", "fixed_size_binary", "binary_view", "string_view")
_DRAWN_TYPES: Final = (
    *_IN_ONE_PIECE * 2,
    *("binary", "binary", "large_binary", "fixed_size_binary"),
    *_IN_PIECES,
    *("binary_view", "string_view", "null", *SEQUENCES),
)

_ENTRIES: Final = (0, 0, 129, 255, 256, 257, 300)
ENTRIES: Final = {
    "int8": (0, 127, 128),
    "uint8": (0, 128, 129, 255, 256),
    "int16": (*_ENTRIES, 32768),
    "uint16": (*_ENTRIES, 32769, 65535, 65536),
    "int32": (*_ENTRIES, 32769, 65537),
    "uint32": (*_ENTRIES, 65537),
    "int64": (*_ENTRIES, 65537),
    "uint64": (*_ENTRIES, 32769),
}
"""Sizes of dictionaries by the type of their index; 0: one for each key, and few more."""

_FEW_ENTRIES: Final = 300
"""Of dictionaries that are made anew for each chunk."""

_OFFSETS: Final = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 8193)
_AFTER: Final = (0, 0, 0, 1, 2, 5, 64)
_CHUNKS: Final = (1, 2, 2, 3, 3, 5, 17, 40)

# Boundaries of the port: 16 keys a vector, 64 keys a step of NumPy's, 8192 a copy and a block of
# NumPy's, 32768 reduced at a time.
_SOME_ROWS: Final = (
    *(15, 16, 16, 17, 31, 32, 32, 33, 47, 48, 49, 63, 64, 65, 79, 80, 127, 128, 129),
    *(240, 255, 256, 257, 300),
)
_MANY_ROWS: Final = (8191, 8192, 8193, 8194, 8192 + 63, 8192 + 64, 16383, 16384, 16385, 20_000)
_MOST_ROWS: Final = (32767, 32768, 32769, 32769, 32768 + 8193, 65537)
_SIZES: Final = (
    *(((0,), _DRAWN_TYPES),) * 14,
    *((_SOME_ROWS, _DRAWN_TYPES),) * 13,
    *((_MANY_ROWS, (*_IN_PIECES, "binary_view", *SEQUENCES, *_IN_ONE_PIECE)),) * 3,
    *((_MOST_ROWS, _IN_ONE_PIECE),) * 2,
)
"""How many rows a column has at least, 0: as many as keys; and the types it may have then."""

_ROUNDED_DOWN: Final = (49, 98, 103, 107, 161, 187, 196, 197)
"""Counts n for which n * (1 / n) is below 1 in floating point."""

_MOST_KEYS: Final = 24
_MOST_OF_LENGTH: Final = ((64, 65537), (1100, 300), (2**30, 9))
"""How long keys may be, in bytes, of which a column holds up to so many, all in all."""


@cache
@st.composite
def column_cases(draw: DrawFn, *, bare_counts: bool) -> Case:
    """One column or two of keys, and their partitions or their hashes.

    With ``bare_counts`` any int32 as the number of partitions. A column may be the one before,
    asked for something else.
    """
    steps: list[Operation] = []
    for again, column, question in draw(_columns(bare_counts)):
        at_edges = question.pop("edges")
        if steps and again:
            step = {name: steps[-1][name] for name in ("keys", "rows", "run", "layout")}
        else:
            keys = draw(_keys_of(column))
            count = abs(question.get("partitions", 0))
            # Keys that are computed are no text.
            computed = at_edges and count and "string" not in column.type
            step = column.holding(_at_edges(keys, count) if computed else keys)
        steps.append({**question, **step})
    return {"config": {}, "metadata": [], "steps": steps}


class _Column(NamedTuple):
    """What a column is, but for its keys, some of which take a draw of their own."""

    type: str
    rows: int
    """At least so many rows; 0: as many as there are keys."""
    run: int
    layout: dict[str, Any]
    """But for its type and its chunks."""
    chunks: tuple[int, int] | None
    """How many, and a seed of where they end."""
    of: Choices
    """To make keys from."""

    def holding(self, keys: list[bytes | None]) -> Operation:
        """The column with these keys."""
        longest = max((len(key or b"") for key in keys), default=0)
        most = next(rows for length, rows in _MOST_OF_LENGTH if longest <= length)
        rows = max(len(keys), min(self.rows, most) if keys else 0)
        layout: dict[str, Any] = {"type": self.type}
        for part, value in self.layout.items():
            layout[part] = min(value, most) if isinstance(value, int) else value
        if self.chunks is not None and layout.get("entries", 0) <= _FEW_ENTRIES:
            none = rows == 0 and self.chunks[1] % 2
            layout["chunks"] = [] if none else lengths_of_chunks(rows, *self.chunks)
        return {"keys": keys, "rows": rows, "run": self.run, "layout": layout}


@cache
def _columns(bare_counts: bool) -> SearchStrategy[list[tuple[bool, _Column, Operation]]]:
    """Whether it is the column before once more, a column, and what it is asked for."""

    def columns(of: Choices) -> list[tuple[bool, _Column, Operation]]:
        return [
            (of.below(3) == 2, _column(of.part(_COLUMN_BYTES)), _question(of, bare_counts))
            for _ in range(of.one_of((1, 1, 2)))
        ]

    return packed(1 + 2 * (1 + _COLUMN_BYTES + _QUESTION_BYTES), columns)


_SHAPE_BYTES: Final = 13
_KEY_BYTES: Final = 4
_COLUMN_BYTES: Final = _SHAPE_BYTES + 5 + _MOST_KEYS * _KEY_BYTES
_QUESTION_BYTES: Final = 3 + 3 + INT32_BYTES


def _column(of: Choices) -> _Column:
    """Rows, layout, and the rest to make keys from."""
    shape = of.part(_SHAPE_BYTES)
    some_rows, types = shape.one_of(_SIZES)
    rows, kind = shape.one_of(some_rows), shape.one_of(types)
    run = shape.one_of((1, 1, 1, 1, 1, 16, 20, 100))
    sliced, before, after = shape.below(2), shape.one_of(_OFFSETS), shape.one_of(_AFTER)
    encoded, index, entries = shape.below(6), shape.one_of(tuple(ENTRIES)), shape.below(256)
    chunked, chunks = shape.below(4), (shape.one_of(_CHUNKS), shape.below(2**16, size=2))
    layout: dict[str, Any] = {}
    if kind in SEQUENCES:
        return _Column(kind, rows, run, layout, None, of)
    if encoded == 5:
        layout |= {"index": index, "entries": ENTRIES[index][entries % len(ENTRIES[index])]}
    if sliced:
        layout |= {"before": before, "after": after}
    return _Column(kind, rows, run, layout, chunks if chunked == 3 else None, of)


def lengths_of_chunks(rows: int, count: int, seed: int) -> list[int]:
    """The lengths of so many chunks, empty ones among them."""
    ends = sorted(Random(seed).choices(range(rows + 1), k=count - 1))
    return [end - start for start, end in pairwise((0, *ends, rows))]


# --- What is asked ---------------------------------------------------------------------------


def _question(of: Choices, bare_counts: bool) -> Operation:
    kind, edges = of.below(4), of.below(5) > 2
    of = of.part(_QUESTION_BYTES - 2)
    if kind == 3:
        return {"op": "hashes", "edges": edges}
    count = _bare_count(of) if bare_counts else _count(of)
    return {"op": "column", "partitions": count, "edges": edges}


def _bare_count(of: Choices) -> int:
    """Any int32; the edges of it, zero, and numbers around powers of two, half of the time."""
    kind = of.below(6)
    if kind == 5:
        return of.one_of(_ROUNDED_DOWN)
    if kind == 0:
        return partition_count(of)
    if kind == 1:
        return of.one_of((0, 0, 0, 0, 1, -1, 2, -2, INT32_MAX, INT32_MIN, INT32_MIN + 1))
    if kind < 4:
        near: int = (1 << of.one_of((*range(1, 31), 7, 7, 8, 8, 15, 16))) + of.between(-1, 1)
        return -near if of.below(4) == 3 else near
    return of.int32()


def _count(of: Choices) -> int:
    """What a topic may have, zero partitions among them."""
    kind = of.below(8)
    if kind == 0:
        return 0
    return of.one_of((127, 128, 129, 255, 256, 257)) if kind == 1 else partition_count(of)


def _at_edges(keys: list[bytes | None], count: int) -> list[bytes | None]:
    """Keys of whole words whose hashes are multiples of a count, or one less.

    There a remainder that is computed in another way, such as by a reciprocal, is off by one first.
    """
    random = Random(count)
    edges: list[bytes | None] = []
    for at, key in enumerate(keys):
        hashed = random.randrange(2**31 // count + 1) * count - at % 2
        # So that keys of one length stay so.
        words = 0 if key is None else max(1, len(key) // 4)
        edges.append(None if key is None else key_with_hash(hashed, key[: 4 * (words - 1)]))
    return edges


# --- Keys --------------------------------------------------------------------------------------


def _keys_of(column: _Column) -> SearchStrategy[list[bytes | None]]:
    """Keys that fit the type of the column and the number of its rows."""
    of = column.of
    family, many = of.below(16), column.rows > max(_SOME_ROWS)
    if column.type == "null":
        return st.just([None] * of.below(20))
    if of.below(16) == 15:
        return st.just([])
    if family < 4 and not many and column.type != "fixed_size_binary":
        return _texts() if "string" in column.type or family == 3 else _mixed()
    least, most = _range_of_lengths(of, family % 12, many)
    if column.type == "fixed_size_binary":
        least = most
    count = of.between(*((1, 3) if most > 1100 else (6 if many else 1, _MOST_KEYS)))
    # None null, or of 256 so many: a fifth, half, all.
    part = (0, 0, 0, 0, 0, 0, 52, 52, 52, 52, 52, 128, 128, 128, 256, 52)[of.below(16)]
    text = "string" in column.type
    keys = []
    for _ in range(count):
        null, length = of.below(256) < part, of.between(least, most)
        seed = of.below(2**16, size=2)
        keys.append(None if null else _key(seed, length, text))
    return st.just(keys)


def _range_of_lengths(of: Choices, family: int, many: bool) -> tuple[int, int]:
    """The shortest and the longest key of a column, in bytes."""
    size = of.below(256)
    if family < 2:
        return 0, 3  # less than a word
    if family < 4:  # all of one length
        length = (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 36, 36, 63, 64, 127, 128, 255, 256)
        return (length[size % 15],) * 2 if many else (length[size % len(length)],) * 2
    if family < 8:  # equally many words, or one more
        words = 4 * (size % 8 if many else (*range(12), 16, 63, 64, 254, 255, 256)[size % 18])
        return words, words + (3 if family < 6 else 7)
    if family < 11 or many:
        return 0, 4 + size % 61
    if size < 160:  # hashed singly by the port from 1024 bytes on
        return (1020, 1027) if size % 2 else (1024, 1100)
    return (16380, 16390) if size % 2 else (32765, 32772)  # 4096 words are a piece of NumPy's loop


def _key(seed: int, length: int, text: bool) -> bytes:
    """Any bytes, or ASCII; zeros for the simplest."""
    if not seed:
        return (b"0" if text else b"\0") * length
    digest = hashlib.shake_128(seed.to_bytes(2, "big"))
    return digest.hexdigest(length // 2 + 1)[:length].encode() if text else digest.digest(length)


@cache
def _mixed() -> SearchStrategy[list[bytes | None]]:
    """Keys of all kinds, those with telling hashes among them; rarely one of 1 MiB."""
    return key_lists(min_size=1, max_size=12)


@cache
def _texts() -> SearchStrategy[list[bytes | None]]:
    return st.lists(st.one_of(text_keys(), uuid_keys(), st.none()), min_size=1, max_size=12)

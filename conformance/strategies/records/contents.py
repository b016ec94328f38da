"""What records are made of: keys, values, headers, times, around the lengths of varints."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from conformance.strategies.packed import Choices

Header: TypeAlias = list[Any]
"""``[key, value]``: text, and bytes or None."""

_EDGES: Final = (63, 64, 65, 127, 128, 8191, 8192, 8193)
"""Lengths around which a varint takes one byte more."""
_LONG_RECORD: Final = 63
"""A length at which its record's length takes two bytes, as do some 20 bytes less."""
_RARE_EDGES: Final = (8192, 8193, 16383, 16384, 2**20 - 1, 2**20)
DATA_BYTES: Final = 12
HEADERS_BYTES: Final = 3 + 3 * (2 + DATA_BYTES)
_COUNTS: Final = (63, 64, 65, 127, 128, 4, 8, 16)
"""Numbers of headers."""
_FILLERS: Final = b"\x00a\xff\x80 "
_HEADER_KEYS: Final = (
    *("h", "", "trace-id", "é", "\u0800", "\uffff", "\U0001f600", "h\0", "ä" * 32, "x" * 63),
    *("\x7fé", "\x80", "\xff\u0100", "\u07ff", "\ud800", "\udbff\udc00x", "\udbffa", "\udfff"),
    *("\ud7ff", "\ud7ff\ue000", "\udc00", "\udc00é"),
    *("x" * 64, "\ud83d", "\ude00", "a\ud83db", "\ud83d\ud83d\ude00", "\u07ff\u0800" * 40),
)
"""Names of each length in UTF-8; halves of characters, which Java counts and writes otherwise."""
_LONG_HEADER_KEYS: Final = ("k" * 127, "é" * 64, "k" * 8191, "é" * 4096, "x\u0800\U0001f600" * 1200)
_RARE_HEADER_KEYS: Final = ("k" * (2**20 - 1), "é" * 2**19)
"""Long names: around the lengths at which a varint takes one byte more, in bytes or in UTF-16."""
_LONG_KINDS: Final = range(244, 252)
"""Of 256 kinds of headers those with a long name."""


def data_of(of: Choices, *, rare: bool = True) -> bytes | None:
    """A key or a value from :data:`DATA_BYTES`: null, empty, short, or as long as an edge.

    With ``rare``, one in some hundreds has 16 KiB or a mebibyte.
    """
    kind, edge, filler = of.below(16), of.below(256), of.one_of(_FILLERS)
    short = of.take(of.below(9)) if kind < 10 else b""
    if kind == 0:
        return None
    if kind < 10:
        return short
    if rare and kind == 15 and edge < 24:
        return bytes((filler,)) * _RARE_EDGES[edge % len(_RARE_EDGES)]
    if kind == 14:
        return bytes((filler,)) * _EDGES[edge % len(_EDGES)]
    if kind == 13:
        return bytes((filler,)) * (_LONG_RECORD - edge % 24)
    return bytes((filler,)) * (edge % 130)


def headers_of(of: Choices, *, rare: bool = True) -> list[Header] | None:
    """The headers of a record from :data:`HEADERS_BYTES`: mostly none, some, many; null."""
    kind, count, many = of.below(32), of.below(4), of.one_of(_COUNTS)
    of = of.part(HEADERS_BYTES - 3)
    if kind == 31:
        return None
    if kind < 16:
        return []
    if kind < 18:
        return [_header(of, rare=False)] * many
    return [_header(of, rare=rare) for _ in range(count)]


def _header(of: Choices, *, rare: bool) -> Header:
    name, kind = of.below(256), of.below(256)
    keys: Sequence[str] = _HEADER_KEYS
    if kind in _LONG_KINDS:
        is_rare = rare and kind < 246 and name < 64
        keys = _RARE_HEADER_KEYS if is_rare else _LONG_HEADER_KEYS
    value = data_of(of.part(DATA_BYTES), rare=rare)
    return [keys[name % len(keys)], None if kind % 4 == 3 else value]


def number_of(of: Choices, bits: int) -> int:
    """A signed number of so many bits and one for its sign, from 8 bytes.

    It is near a power of two, small, or anything.
    """
    kind, at = of.below(8), of.part(7)
    if kind < 5:
        number: int = at.near_power(bits)
        return number
    if kind < 7:
        return at.between(-70, 70)
    return at.below(2**56, size=7) % (2 << bits) - (1 << bits)


def int64_of(of: Choices) -> int:
    """An int64, from 8 bytes."""
    return number_of(of, 63)

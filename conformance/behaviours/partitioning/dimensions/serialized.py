"""What varies in the values of serializers."""

from collections.abc import Iterator
from typing import Any, Final

from conformance.model.case import Case
from conformance.model.dimension import Dimension, numbers
from conformance.utf16 import joined, utf16


def _values(case: Case, *kinds: str) -> Iterator[Any]:
    for operation in case["steps"]:
        if operation["type"] in kinds and operation["value"] is not None:
            yield operation["value"]


TEXT_LENGTH: Final = numbers(
    "text length",
    "UTF-16 units of a text",
    (0, 1, 2, 3, 4, 8, 13, 100, 128, 256, 300, 512, 1024, 4096, 2**13, 2**16),
    lambda case: (len(utf16(text)) // 2 for text in _values(case, "string")),
)

CODE_POINT: Final = numbers(
    "code point",
    "characters of a text, surrogates by themselves",
    (
        *(0, 1, 0x7F, 0x80, 0x100, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000),
        *(0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x10001, 0xFFFFF, 0x100000, 0x10FFFF),
    ),
    lambda case: (point for text in _values(case, "string") for point in set(map(ord, text))),
)

_BOUNDARIES: Final = tuple(2**power for power in range(7, 17))


def _across(case: Case) -> Iterator[str]:
    for text in _values(case, "string"):
        units = utf16(text)
        for boundary in _BOUNDARIES:
            pair = units[2 * boundary - 2 : 2 * boundary + 2]
            if len(pair) == 4 and pair[1] & 0xFC == 0xD8 and pair[3] & 0xFC == 0xDC:
                yield f"{boundary:,}"


ACROSS: Final = Dimension(
    "across a boundary",
    "UTF-16 units before which a surrogate pair is cut by a buffer of that size",
    tuple(f"{boundary:,}" for boundary in _BOUNDARIES),
    _across,
)


def _lone(case: Case) -> Iterator[str]:
    for text in _values(case, "string"):
        whole = joined(text)
        size = "short" if len(whole) < 100 else "long"
        for at in (0, -1):
            if whole and "\ud800" <= whole[at] <= "\udfff":
                yield f"{size}, {'last' if at else 'first'}"
        if any("\ud800" <= char <= "\udfff" for char in whole[1:-1]):
            yield f"{size}, inside"


LONE_SURROGATE: Final = Dimension(
    "lone surrogate",
    "where a text has half a character; a long text has 100 characters or more",
    tuple(f"{size}, {at}" for size in ("short", "long") for at in ("first", "inside", "last")),
    _lone,
)


_EDGES: Final = (0, 1, 2, 127, 128, 129, 2**15 - 1, 2**16 - 1, 2**16 + 2, 2**31 - 1)
_LARGE: Final = (2**31 + 2, 2**32 + 2, 2**53 - 1, 2**53 + 2, 2**63 - 2)
_NEGATIVE: Final = (-(2**16) - 1, -257, -129, -128, -1)

INTEGER: Final = numbers(
    "integer",
    "an integer, 32 bits",
    (-(2**31), -(2**31) + 2, *_NEGATIVE, *_EDGES),
    lambda case: _values(case, "integer"),
)

LONG: Final = numbers(
    "long",
    "a long, 64 bits",
    (-(2**63), -(2**63) + 2, -(2**53), -(2**31) - 1, *_NEGATIVE, *_EDGES, *_LARGE),
    lambda case: map(int, _values(case, "long")),
)


def _double(case: Case) -> Iterator[str]:
    for text in _values(case, "double"):
        bits = int(text, 16)
        sign, exponent, fraction = bits >> 63, bits >> 52 & 0x7FF, bits & 2**52 - 1
        special = {0: ("zero", "subnormal"), 0x7FF: ("infinity", "NaN")}
        plain = "low word 0" if not bits & 0xFFFFFFFF else "ordinary"
        kind = special.get(exponent, (plain, plain))[fraction != 0]
        yield f"{'-' if sign else '+'} {kind}"


DOUBLE: Final = Dimension(
    "double",
    "sign and kind of a double; of ordinary ones, whether the lower 32 bits are 0",
    tuple(
        f"{sign} {kind}"
        for sign in "+-"
        for kind in ("zero", "subnormal", "low word 0", "ordinary", "infinity", "NaN")
    ),
    _double,
)


def _uuid(case: Case) -> Iterator[str]:
    for text in _values(case, "uuid"):
        for name, half in (("first", text[:18]), ("second", text[19:])):
            if not half.strip("0-"):
                yield f"{name} half 0"
            yield f"{name} half, sign bit {int(half[0] >= '8')}"
        if any(not group.strip("0") for group in text.split("-")):
            yield "a group of zeros"


UUID_BITS: Final = Dimension(
    "UUID",
    "what two longs, or text without leading zeros, would make of a UUID",
    (
        *(f"{half} half, sign bit {bit}" for half in ("first", "second") for bit in (0, 1)),
        *("first half 0", "second half 0", "a group of zeros"),
    ),
    _uuid,
)

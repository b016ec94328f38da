"""Cases for Kafka's serializers: values of each type; see ``serialized_keys.py`` for its words."""

import math
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.strategies.keys import key_of
from conformance.strategies.packed import Choices, packed
from conformance.utf16 import utf16


@cache
def serialized_cases() -> SearchStrategy[Case]:
    """One to ten values for Kafka's serializers: every type, null, NaNs, lone surrogates."""
    steps = st.lists(packed(_VALUE_BYTES, _serialized), min_size=1, max_size=10)
    return steps.map(lambda some: {"config": {}, "metadata": [], "steps": some})


_VALUE_BYTES: Final = 64


def _serialized(of: Choices) -> Operation:
    kind, value = of.one_of(_SERIALIZED)
    null, partitions = of.below(10) == 9, of.between(1, 50)
    some = None if null else value(of)
    return {"op": "serialize", "type": kind, "value": some, "partitions": partitions}


def _text(of: Choices) -> str:
    """Any characters; those with a meaning or at an edge of UTF-8 more often; or long text."""
    if of.below(8) > 5:
        return _long_text(of)
    return "".join(_character(of) for _ in range(of.below(13)))


def _long_text(of: Choices) -> str:
    """Text of one character, astral or in halves perhaps, with an odd one around a power of two.

    Buffers end there. The length is in UTF-16 units, give or take a few.
    """
    kind = of.below(16)
    units = (100, 300, 65536)[kind] if kind < 3 else 2 ** (7 + kind % 7)
    first = of.one_of(("", "a", "a", "\ude00"))
    filler = of.one_of(("\U0001f600", "x", "\ud83d\ude00", "é"))
    at = (units - of.below(4)) * 2 // len(utf16(filler))
    odd = _character(of) + of.one_of(("", "", "\ude00", "\ud83d"))
    return first + filler * at + odd + of.one_of((filler * 5, filler * 9, "", first, " "))


def _character(of: Choices) -> str:
    kind = of.below(8)
    of = of.part(3)
    if kind < 4:
        return of.one_of(_CHARACTERS)
    if kind == 4:
        return "".join(of.one_of(_HALVES) for _ in range(2))
    return chr(of.below((0x80, 0x10000, 0x110000)[kind - 5], size=3))


_CHARACTERS: Final = (
    *("a", "\0", "\ufeff", "e\u0301", "\u212b", "\ufb01", "ß", "İ", "A", "?", "\U0001f600"),
    *(" ", "\n", "\r\n", "\t", "\xa0", "\u2028", "\u200d", "\U000e0041"),
    # Each first and last of so many bytes; what is no character; private use.
    *("\x7f", "\x80", "\xff", "\u0100", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufffd"),
    *("\ufffe", "\uffff", "\U00010000", "\U000fffff", "\U00100000", "\U0010ffff"),
)
_HALVES: Final = ("\ud83d", "\ude00", "\ud800", "\udbff", "\udc00", "\udfff")


def _integer(of: Choices) -> int:
    """Any int32; powers of two; those that are 0 to a careless ``if``, or cached objects."""
    return _number(of, 31)


def _long(of: Choices) -> str:
    """Any int64, and such as a double or an int32 cannot hold, in decimal."""
    return str(_number(of, 63))


def _number(of: Choices, bits: int) -> int:
    kind = of.below(6)
    if kind < 4:
        return of.near_power(bits) if kind else of.one_of((0, 1, -1, 127, 128, -128, -129))
    number = of.below(2 << bits, size=(bits + 1) // 8) - (1 << bits)
    return number if kind < 5 else number >> of.below(bits)


def _double(of: Choices) -> str:
    """Any bits; whole numbers and short decimals; zeros, infinities, subnormals, NaNs."""
    kind = of.below(6)
    if kind == 0:
        return _bits(of.one_of(_DOUBLES))
    if kind == 1:
        return _bits(_number(of, 63) / of.one_of((1, 1, 10, 3)))
    if kind == 2:
        return _bits(math.nextafter(2.0 ** of.between(-20, 70), of.one_of((0.0, math.inf))))
    sign = of.below(2) << 63
    bits = of.below(2**63, size=8)
    if kind == 3:  # subnormals, and exactly one word of bits
        bits = of.one_of((bits >> 11, bits & 0xFFFFFFFF, bits >> 32 << 32))
    elif kind == 4:  # NaNs: bits of the fraction that are not all 0
        bits = 0x7FF << 52 | of.one_of((1, 2**51, 2**52 - 1, bits >> 11 or 1, 2**51 + 1))
    return (sign | bits).to_bytes(8, "big").hex()


_DOUBLES: Final = (
    *(0.0, -0.0, math.inf, -math.inf) * 3,
    *(1.0, -1.0, 0.1, 5e-324, -5e-324),
    *(sys.float_info.min, sys.float_info.max, -sys.float_info.max, 2.0**53, 2.0**63, -(2.0**63)),
)


def _bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def _uuid(of: Choices) -> str:
    """Any 128 bits, of any version; with bytes that are 0 or 0xff in places; 0; all ones."""
    kind = of.below(4)
    mask = of.below(2**16, size=2)
    digits = [of.below(256) for _ in range(16)]
    if kind < 3:
        edge = (0, 0, 0xFF)[kind]
        digits = [edge if kind == 0 or mask >> at & 1 else digits[at] for at in range(16)]
    if kind == 0 and mask % 3:  # a first or a second half alone
        digits[8 * (mask % 3 - 1)] = 0x80
    return str(UUID(bytes=bytes(digits)))


_SERIALIZED: Final[tuple[tuple[str, Callable[[Choices], Any]], ...]] = (
    *(("string", _text),) * 3,
    *(("integer", _integer),) * 2,
    *(("long", _long),) * 2,
    *(("double", _double),) * 3,
    *(("uuid", _uuid),) * 2,
    *(("bytes", key_of), ("byte_array", key_of)),
)

"""Variable-length integers as record batches have them: zig-zag, seven bits a byte, least first.

Follows ``org.apache.kafka.common.utils.ByteUtils`` (2.3.1 to 4.4.0).
"""

import operator
from functools import lru_cache
from typing import Final

from ..int32 import check_int32

_INT64 = range(-(2**63), 2**63)
INT64_MAX: Final = _INT64[-1]
NULL_SIZE: Final = 1
"""Bytes of the length -1, which stands for null."""

# Nearly all lengths and differences of records are few small numbers. Typed, for 1.0 is no 1 here.
_remembered: Final = lru_cache(maxsize=8192, typed=True)


@_remembered
def size_of_varint(value: int) -> int:
    """How many bytes an int32 takes as a varint: 1 to 5. ``ValueError`` outside int32."""
    return _size(_zig_zag(check_int32("a varint", value)))


@_remembered
def size_of_varlong(value: int) -> int:
    """How many bytes an int64 takes as a varlong: 1 to 10. ``ValueError`` outside int64."""
    return _size(_zig_zag(_check_int64(value)))


@_remembered
def varint(value: int) -> bytes:
    """An int32 as a varint of 1 to 5 bytes (``writeVarint``). ``ValueError`` outside int32."""
    return _written(_zig_zag(check_int32("a varint", value)))


@_remembered
def varlong(value: int) -> bytes:
    """An int64 as a varlong of 1 to 10 bytes (``writeVarlong``). ``ValueError`` outside int64."""
    return _written(_zig_zag(_check_int64(value)))


def int64(value: int) -> int:
    """``value`` reduced to a signed 64-bit integer, as Java's ``long`` arithmetic does."""
    return ((value + 2**63) & (2**64 - 1)) - 2**63


def _check_int64(value: int) -> int:
    number = operator.index(value)
    if number not in _INT64:
        raise ValueError(f"a varlong is a Java long, from -2^63 to 2^63 - 1, not {number}")
    return number


def _zig_zag(value: int) -> int:
    """0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ..."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def _size(unsigned: int) -> int:
    return (unsigned.bit_length() + 6) // 7 or 1


def _written(unsigned: int) -> bytes:
    if unsigned < 0x80:
        return bytes((unsigned,))
    out = bytearray()
    while unsigned >= 0x80:
        out.append(unsigned & 0x7F | 0x80)
        unsigned >>= 7
    out.append(unsigned)
    return bytes(out)

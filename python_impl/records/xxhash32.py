"""xxHash32 of a few bytes, which LZ4 frames have as a checksum.

Follows the specification of xxHash, with the seed 0. It is for headers: a frame of a client rarely
has checksums of its blocks.
"""

import struct
from typing import Final

_MASK: Final = 0xFFFFFFFF
_PRIMES: Final = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)
_LANES: Final = struct.Struct("<4I")
_WORD: Final = struct.Struct("<I")


def xxhash32(data: bytes) -> int:
    """The hash, from 0 to 2^32 - 1."""
    one, two, three, four, five = _PRIMES
    lanes = [(one + two) & _MASK, two, 0, -one & _MASK]
    end = len(data) - len(data) % _LANES.size
    for words in _LANES.iter_unpack(data[:end]):
        lanes = [
            _rotated(lane + word * two, 13) * one & _MASK
            for lane, word in zip(lanes, words, strict=True)
        ]
    mixed = sum(map(_rotated, lanes, (1, 7, 12, 18))) if end else five
    mixed += len(data)
    rest = end + (len(data) - end) // _WORD.size * _WORD.size
    for (word,) in _WORD.iter_unpack(data[end:rest]):
        mixed = _rotated(mixed + word * three, 17) * four
    for byte in data[rest:]:
        mixed = _rotated(mixed + byte * five, 11) * one
    mixed &= _MASK
    mixed = (mixed ^ mixed >> 15) * two & _MASK
    mixed = (mixed ^ mixed >> 13) * three & _MASK
    return mixed ^ mixed >> 16


def _rotated(value: int, bits: int) -> int:
    value &= _MASK
    return (value << bits | value >> (32 - bits)) & _MASK

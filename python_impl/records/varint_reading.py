"""Variable-length integers, read; :mod:`.varints` writes them.

Follows ``org.apache.kafka.common.utils.ByteUtils`` (2.3.1 to 4.4.0).
"""

from collections.abc import Sequence

from ..errors import JavaIllegalArgumentError
from ..int32 import int32
from .varints import int64


def read_varint(data: Sequence[int], at: int) -> tuple[int, int]:
    """The int32 at a position, and the position after it (``readVarint``).

    More bytes than a writer needs are read, too; bits beyond the 32nd are dropped. Raises
    :class:`JavaIllegalArgumentError` for more than 5 bytes, ``IndexError`` where the data ends.
    """
    unsigned, at = _read(data, at, 5)
    return int32(_zag_zig(unsigned & 0xFFFFFFFF)), at


def read_varlong(data: Sequence[int], at: int) -> tuple[int, int]:
    """The int64 at a position, and the position after it, from at most 10 bytes; as above."""
    unsigned, at = _read(data, at, 10)
    return int64(_zag_zig(unsigned & 0xFFFFFFFFFFFFFFFF)), at


def _zag_zig(unsigned: int) -> int:
    """0, 1, 2, 3, 4 ... become 0, -1, 1, -2, 2 ..."""
    return unsigned >> 1 ^ -(unsigned & 1)


def _read(data: Sequence[int], at: int, most: int) -> tuple[int, int]:
    unsigned, shift = 0, 0
    while (byte := data[at]) & 0x80:
        unsigned |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if shift == 7 * most:
            raise JavaIllegalArgumentError(f"A number of more than {most} bytes")
    return unsigned | byte << shift, at + 1

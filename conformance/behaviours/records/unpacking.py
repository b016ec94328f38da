"""Records of a compressed batch after decompression, by the libraries alone.

What is compared must not depend on the port's own reader, so this is not its code.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Final

import cramjam

from conformance.model.trace import Answer
from conformance.strategies.records.wire import CODEC_IDS, LZ4_MAGIC, SNAPPY_HEADER

_LZ4_INDEPENDENT: Final = 0x20


def is_framed(number: int, data: bytes) -> bool:
    """Whether snappy is framed as snappy-java does it: Java writes nothing else, but reads both."""
    return number != CODEC_IDS["snappy"] or data.startswith(SNAPPY_HEADER)


def _unsnappy(data: bytes, room: memoryview) -> int:
    """Blocks, each after its length, after the header of snappy-java's streams; or one block."""
    if not data.startswith(SNAPPY_HEADER):
        return int(cramjam.snappy.decompress_raw_into(data, room))
    many, at = 0, len(SNAPPY_HEADER)
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        at += 4 + size
        if at > len(data):
            raise ValueError("its last block is cut off")
        many += cramjam.snappy.decompress_raw_into(data[at - size : at], room[many:])
    return many


def _unlz4(data: bytes, room: memoryview) -> int:
    """A frame whose blocks stand by themselves: Java refuses any other."""
    if not data.startswith(LZ4_MAGIC) or not data[4] & _LZ4_INDEPENDENT:
        raise ValueError("it is no frame of independent blocks")
    return int(cramjam.lz4.decompress_into(data, room))


def _ungzip(data: bytes, room: memoryview) -> int:
    found = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    written = found.decompress(data, len(room))
    if not found.eof:
        raise ValueError("it is cut off, or more than its records can be")
    room[: len(written)] = written
    return len(written)


def _as_it_is(data: bytes, room: memoryview) -> int:
    room[: len(data)] = data
    return len(data)


_UNPACK: Final[dict[str, Callable[[bytes, memoryview], int]]] = {
    "none": _as_it_is,
    "gzip": _ungzip,
    "snappy": _unsnappy,
    "lz4": _unlz4,
    "zstd": lambda data, room: int(cramjam.zstd.decompress_into(data, room)),
}
"""Each writes what it finds into the room, and answers how much it is."""


def unpacked(number: int, data: bytes, most: int) -> Answer:
    """The uncompressed records; a text that says why not, if they cannot be decompressed.

    ``number``: of their codec, as a batch names it. ``most``: bytes that they have at most. What
    has more, such as a bomb, is not decompressed.
    """
    codec = next((name for name, one in CODEC_IDS.items() if one == number), None)
    if codec is None:
        return f"no codec {number}"
    room = bytearray(most)
    try:
        return bytes(room[: _UNPACK[codec](data, memoryview(room))])
    except (zlib.error, cramjam.DecompressionError, struct.error, ValueError, IndexError) as error:
        return f"not {codec}: {error}"

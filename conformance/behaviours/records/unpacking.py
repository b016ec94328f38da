"""Records of a compressed batch after decompression, by the libraries alone.

What is compared must not depend on the port's own reader, so this is not its code.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Final

import cramjam

from conformance.model.trace import Answer
from conformance.strategies.records.wire import LZ4_MAGIC, SNAPPY_HEADER

_LZ4_INDEPENDENT: Final = 0x20


def _unsnappy(data: bytes) -> bytes:
    """Blocks, each after its length, after the header of snappy-java's streams."""
    if not data.startswith(SNAPPY_HEADER):
        raise ValueError("it has not the header of snappy-java")
    blocks, at = [], len(SNAPPY_HEADER)
    while at < len(data):
        (size,) = struct.unpack_from(">i", data, at)
        at += 4 + size
        blocks.append(bytes(cramjam.snappy.decompress_raw(data[at - size : at])))
    return b"".join(blocks)


def _unlz4(data: bytes) -> bytes:
    """A frame whose blocks stand by themselves: Java refuses any other."""
    if not data.startswith(LZ4_MAGIC) or not data[4] & _LZ4_INDEPENDENT:
        raise ValueError("it is no frame of independent blocks")
    return bytes(cramjam.lz4.decompress(data))


_UNPACK: Final[dict[str, Callable[[bytes], bytes]]] = {
    "gzip": lambda data: zlib.decompress(data, wbits=16 + zlib.MAX_WBITS),
    "snappy": _unsnappy,
    "lz4": _unlz4,
    "zstd": lambda data: bytes(cramjam.zstd.decompress(data)),
}


def unpacked(codec: str, data: bytes) -> Answer:
    """The uncompressed records; a text that says why not, if they cannot be decompressed."""
    try:
        return _UNPACK[codec](data)
    except (zlib.error, cramjam.DecompressionError, struct.error, ValueError) as error:
        return f"not {codec}: {error}"

"""The codecs of a batch's records, each framed as the Java client frames it.

Follows ``org.apache.kafka.common.record.CompressionType`` and, from 3.8, ``common.compress``. Two
writers of one codec may write other bytes for the same records; any reader reads both.
"""

import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

import cramjam

from ..errors import JavaIllegalArgumentError

SNAPPY_MAGIC: Final = b"\x82SNAPPY\0"
_SNAPPY_VERSIONS: Final = (1).to_bytes(4, "big") * 2
"""The version of the framing, and the lowest that reads it."""
_SNAPPY_BLOCK: Final = 32 * 1024
"""Bytes that snappy-java compresses at once."""
LZ4_HEADER: Final = bytes.fromhex("04224d18 60 40 82")
"""Magic; version 1 and independent blocks; blocks of 64 KiB; a checksum of the last two."""
_LZ4_BLOCK: Final = 64 * 1024
LZ4_UNCOMPRESSED: Final = 1 << 31
"""Set in the length of a block that compression would have made longer."""
_ZSTD_LEVEL: Final = 3
"""The default of zstd-jni."""
_GZIP: Final = 16 + zlib.MAX_WBITS
_GZIP_SYSTEM: Final = 9
"""Where gzip's header names the operating system; Java says 255, unknown."""


class Codec(NamedTuple):
    """One codec: its id in a batch's attributes, and how records are compressed with it."""

    id: int
    compress: Callable[[bytes], bytes]


def codec_called(name: str) -> Codec:
    """The codec of a ``compression.type``; :class:`JavaIllegalArgumentError` for other names."""
    if name not in CODECS:
        raise JavaIllegalArgumentError(f"Unknown compression name: {name}")
    return CODECS[name]


def _gzip(data: bytes) -> bytes:
    writer = zlib.compressobj(wbits=_GZIP)
    out = bytearray(writer.compress(data) + writer.flush())
    out[_GZIP_SYSTEM] = 0xFF
    return bytes(out)


def _snappy(data: bytes) -> bytes:
    parts = [SNAPPY_MAGIC, _SNAPPY_VERSIONS]
    for start in range(0, len(data), _SNAPPY_BLOCK):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + _SNAPPY_BLOCK]))
        parts += (len(block).to_bytes(4, "big"), block)
    return b"".join(parts)


def _lz4(data: bytes) -> bytes:
    """A frame as ``KafkaLZ4BlockOutputStream`` writes it.

    Each block stands by itself. Java refuses blocks that depend on the ones before, which many
    libraries write by default.
    """
    parts = [LZ4_HEADER]
    for start in range(0, len(data), _LZ4_BLOCK):
        block = data[start : start + _LZ4_BLOCK]
        packed = bytes(cramjam.lz4.compress_block(block, store_size=False))
        if len(packed) < len(block):
            parts += (len(packed).to_bytes(4, "little"), packed)
        else:
            parts += ((len(block) | LZ4_UNCOMPRESSED).to_bytes(4, "little"), block)
    parts.append(bytes(4))
    return b"".join(parts)


CODECS: Final = {
    "none": Codec(0, bytes),
    "gzip": Codec(1, _gzip),
    "snappy": Codec(2, _snappy),
    "lz4": Codec(3, _lz4),
    "zstd": Codec(4, lambda data: bytes(cramjam.zstd.compress(data, level=_ZSTD_LEVEL))),
}
"""By the name that ``compression.type`` has."""

"""The codecs of a batch's records, each framed as the Java client frames it.

Follows ``org.apache.kafka.common.record.CompressionType`` and, from 3.8, ``common.compress``. Two
writers of one codec may write other bytes for the same records; any reader reads both.
"""

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

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
_LZ4_LEVEL: Final = 9
"""The default, by which Java takes LZ4's fast compressor, and its strong one by any other."""
_ZSTD_LEVEL: Final = 3
"""The default of zstd-jni."""
_GZIP: Final = 16 + zlib.MAX_WBITS
_GZIP_EFFORT_AND_SYSTEM: Final = slice(8, 10)
"""Where gzip's header tells of effort (Java: 0) and the operating system (Java: 255, unknown)."""


class Levels(NamedTuple):
    """What a codec can be told of effort: all from ``lowest`` to ``highest``, and ``default``."""

    lowest: int
    highest: int
    default: int


class Codec(NamedTuple):
    """One codec: its id in a batch's attributes, and how records are compressed with it."""

    id: int
    compress: Callable[..., bytes]
    """Takes the records, and a level by that name where there are ``levels``."""
    levels: Levels | None = None

    def at(self, name: str, level: int) -> "Codec":
        """The same codec at a level, since 3.8 (KIP-390), as ``Compression.Builder.level`` has it.

        Raises :class:`JavaIllegalArgumentError` for a level that it does not have, and
        ``ValueError`` if it has none at all.
        """
        if self.levels is None:
            raise ValueError(f"{name} has no levels, so level {level} cannot be one")
        lowest, highest, default = self.levels
        if not lowest <= level <= highest and level != default:
            raise JavaIllegalArgumentError(
                f"{name} doesn't support given compression level: {level}"
            )
        return self._replace(compress=partial(self.compress, level=level))


def codec_called(name: str, level: int | None = None) -> Codec:
    """The codec of a ``compression.type``, at a level if one is given.

    Raises :class:`JavaIllegalArgumentError` for other names, and what :meth:`Codec.at` raises.
    """
    if name not in CODECS:
        raise JavaIllegalArgumentError(f"Unknown compression name: {name}")
    return CODECS[name] if level is None else CODECS[name].at(name, level)


def _gzip(data: bytes, level: int = zlib.Z_DEFAULT_COMPRESSION) -> bytes:
    writer = zlib.compressobj(level, wbits=_GZIP)
    out = bytearray(writer.compress(data) + writer.flush())
    out[_GZIP_EFFORT_AND_SYSTEM] = b"\0\xff"
    return bytes(out)


def _snappy(data: bytes) -> bytes:
    parts = [SNAPPY_MAGIC, _SNAPPY_VERSIONS]
    for start in range(0, len(data), _SNAPPY_BLOCK):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + _SNAPPY_BLOCK]))
        parts += (len(block).to_bytes(4, "big"), block)
    return b"".join(parts)


def _lz4(data: bytes, level: int = _LZ4_LEVEL) -> bytes:
    """A frame as ``KafkaLZ4BlockOutputStream`` writes it.

    Each block stands by itself. Java refuses blocks that depend on the ones before, which many
    libraries write by default. Any level but the default asks for the strong compressor, as in
    Java; cramjam 2.14 writes the same bytes for all of them.
    """
    strong: dict[str, Any] = {}
    if level != _LZ4_LEVEL:
        strong = {"mode": "high_compression", "compression": level}
    parts = [LZ4_HEADER]
    for start in range(0, len(data), _LZ4_BLOCK):
        block = data[start : start + _LZ4_BLOCK]
        packed = bytes(cramjam.lz4.compress_block(block, store_size=False, **strong))
        if len(packed) < len(block):
            parts += (len(packed).to_bytes(4, "little"), packed)
        else:
            parts += ((len(block) | LZ4_UNCOMPRESSED).to_bytes(4, "little"), block)
    parts.append(bytes(4))
    return b"".join(parts)


def _zstd(data: bytes, level: int = _ZSTD_LEVEL) -> bytes:
    return bytes(cramjam.zstd.compress(data, level=level))


CODECS: Final = {
    "none": Codec(0, bytes),
    "gzip": Codec(1, _gzip, Levels(1, 9, zlib.Z_DEFAULT_COMPRESSION)),
    "snappy": Codec(2, _snappy),
    "lz4": Codec(3, _lz4, Levels(1, 17, _LZ4_LEVEL)),
    "zstd": Codec(4, _zstd, Levels(-(2**17), 22, _ZSTD_LEVEL)),
}
"""By the name that ``compression.type`` has."""

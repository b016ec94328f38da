"""Compressed records as they were before, whoever wrote them.

Follows what ``CompressionType.wrapForInput`` leads to (from 3.8 in ``common.compress``): Java's
``GZIPInputStream``, the ``SnappyInputStream`` of snappy-java, Kafka's own reader of LZ4 frames, and
zstd-jni. What they refuse, this refuses; nothing is decompressed beyond a limit.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import cramjam

from ..errors import JavaIllegalArgumentError, JavaInvalidRecordError
from .compression import CODECS, LZ4_HEADER, LZ4_UNCOMPRESSED, SNAPPY_MAGIC
from .xxhash32 import xxhash32

_GZIP_START: Final = b"\x1f\x8b\x08"
_GZIP_HEADER: Final = 10
_GZIP_HEADER_CRC, _GZIP_EXTRA, _GZIP_NAME, _GZIP_COMMENT = 0x02, 0x04, 0x08, 0x10
_GZIP_TRAILER: Final = struct.Struct("<II")
"""CRC-32 and size of what was compressed."""
_GZIP_NEXT_MEMBER: Final = 18
"""Java takes so few bytes after a member for no further one."""
_PIECE: Final = 1 << 20
"""Bytes that are decompressed at once, where a codec has no blocks."""
_NOT_COPIED: Final = 32 << 20
"""Bytes that were decompressed at once and stay where they are if they are more."""
_FIRST_TAKEN, _MOST_TAKEN = 1 << 13, 1 << 16
"""Compressed bytes that zlib gets at once: it copies those that it leaves."""
_SNAPPY_HEADER: Final = 16
_SNAPPY_VERSION: Final = 1
_SNAPPY_LENGTH: Final = 5
"""Bytes of a block's length, at most."""
_SNAPPY_MOST: Final = 32
"""Snappy makes no more than 22 bytes of one; a length that says more lies."""
_LZ4_MAGIC: Final = LZ4_HEADER[:4]
_LZ4_LEAST: Final = 6
_LZ4_BLOCK_CHECKSUM: Final = 0x10
_LZ4_CONTENT_SIZE: Final = 0x08
_LZ4_CONTENT_CHECKSUM: Final = 0x04
_LZ4_FIXED: Final = 0b1110_0011
"""Version, independent blocks, reserved bits."""
_LZ4_VERSION_1: Final = 0b0110_0000
_ZSTD_FIRST: Final = 1 << 16
_ZSTD: Final = CODECS["zstd"].id
_NAMES: Final = {codec.id: name for name, codec in CODECS.items()}
_FULL: Final = "whole buffer"
"""What cramjam says if the output is too small."""

_Pieces = Iterator[bytes | memoryview]
"""Each is good until the next is asked for."""


class Compressed(NamedTuple):
    """What follows the header of a compressed batch."""

    codec: int
    records: int
    """How many, as the header says."""
    data: bytes


def codec_numbered(number: int) -> str:
    """The name of the codec with that id; :class:`JavaIllegalArgumentError` if there is none."""
    if number not in _NAMES:
        raise JavaIllegalArgumentError(f"Unknown compression type id: {number}")
    return _NAMES[number]


class Scratch:
    """Memory for one batch after the other: memory that is new has to be mapped and zeroed.

    For one reader at a time; it keeps at most 1 MiB.
    """

    def __init__(self) -> None:
        self._kept = bytearray()

    def room(self, size: int) -> memoryview:
        """So many bytes, whatever they were, good until the next call."""
        if size > _PIECE:
            return memoryview(bytearray(size))
        if size > len(self._kept):
            self._kept = bytearray(size)
        return memoryview(self._kept)[:size]


def decompressed(codec: int, data: bytes, limit: int) -> bytes:
    """The records that a batch with that codec's id (1 to 4) holds, at most ``limit`` bytes.

    Raises :class:`JavaInvalidRecordError` for what Java's reader refuses, and for more bytes.
    """
    return bytes(records_of(codec, 1, data, limit))


def records_of(codec: int, count: int, data: bytes, limit: int) -> memoryview:
    """What follows the header of a batch with that codec's id and that many records, uncompressed.

    Raises what :func:`append_records` does.
    """
    if codec_numbered(codec) == "none":
        return memoryview(data)
    records = bytearray()
    own = append_records(records, Compressed(codec, count, data), limit, Scratch())
    return memoryview(records) if own is None else own


def append_records(
    to: bytearray, batch: Compressed, limit: int, scratch: Scratch
) -> memoryview | None:
    """Append the decompressed records of a batch.

    Many that the codec makes at once, in memory of their own, are not copied: they are answered,
    and nothing is appended. Raises :class:`JavaIllegalArgumentError` for a codec that there is not,
    and what :func:`decompressed` does; a batch that counts no record is not read beyond the codec's
    header, as in Java.
    """
    codec, count, data = batch
    codec_numbered(codec)
    if count == 0:
        next(_pieces(codec, data, 0, scratch), None)
        return None
    size = 0
    for piece in _pieces(codec, data, limit, scratch):
        size += len(piece)
        if size > limit:
            raise _beyond(limit, data)
        if codec == _ZSTD and len(piece) > _NOT_COPIED:
            return memoryview(piece)
        to += piece
    return None


def _beyond(limit: int, data: bytes) -> JavaInvalidRecordError:
    return JavaInvalidRecordError(
        f"The batch's {len(data)} compressed bytes become more than {limit}, which is the limit of "
        "this reader"
    )


def _pieces(codec: int, data: bytes, limit: int, scratch: Scratch) -> _Pieces:
    """Decompressed pieces; the first comes once the codec's header is read, and may be empty."""
    try:
        yield from _READERS[codec](data, limit, scratch)
    except (zlib.error, cramjam.DecompressionError) as error:
        raise JavaInvalidRecordError(f"The batch cannot be decompressed: {error}") from error


def _gzip(whole: bytes) -> _Pieces:
    """One member after the other, as ``GZIPInputStream`` reads them.

    It skips what zlib refuses in a header, so only the compressed part is zlib's here.
    """
    data = memoryview(whole)
    at = _gzip_header(data)
    yield b""
    while True:
        reader, crc, size = zlib.decompressobj(wbits=-zlib.MAX_WBITS), 0, 0
        rest, many = data[at:], _FIRST_TAKEN
        while not reader.eof:
            taken = rest[:many]
            piece = reader.decompress(taken, _PIECE)
            if not piece and not taken and not reader.eof:
                raise JavaInvalidRecordError("The batch's gzip stream ends early")
            left = reader.unused_data if reader.eof else reader.unconsumed_tail
            rest, many = rest[len(taken) - len(left) :], _MOST_TAKEN
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            yield piece
        if rest[: _GZIP_TRAILER.size] != _GZIP_TRAILER.pack(crc, size & 0xFFFFFFFF):
            raise JavaInvalidRecordError("The checksum or size of the gzip stream is wrong")
        data = rest[_GZIP_TRAILER.size :]
        if len(data) <= _GZIP_NEXT_MEMBER:
            return
        try:
            at = _gzip_header(data)
        except JavaInvalidRecordError:
            return  # whatever follows is no member


def _gzip_header(data: memoryview) -> int:
    """Where the compressed part begins of a member."""
    if bytes(data[: len(_GZIP_START)]) != _GZIP_START or len(data) < _GZIP_HEADER:
        raise JavaInvalidRecordError("The batch's records do not begin as gzip does")
    flags, end = data[3], _GZIP_HEADER
    if flags & _GZIP_EXTRA:
        end += 2 + int.from_bytes(data[end : end + 2], "little")
    for flag in (_GZIP_NAME, _GZIP_COMMENT):
        if flags & flag:
            end = _after_text(data, end)
    if flags & _GZIP_HEADER_CRC:
        stored = int.from_bytes(data[end : end + 2], "little")
        if stored != zlib.crc32(data[:end]) & 0xFFFF:
            raise JavaInvalidRecordError("The checksum of a gzip stream's header is wrong")
        end += 2
    if end > len(data):
        raise JavaInvalidRecordError("The header of a gzip stream is cut off")
    return end


def _after_text(data: memoryview, at: int) -> int:
    """The position after the next byte of 0."""
    for start in range(at, len(data), _MOST_TAKEN):
        found = bytes(data[start : start + _MOST_TAKEN]).find(0)
        if found >= 0:
            return start + found + 1
    raise JavaInvalidRecordError("The header of a gzip stream has no end")


def _snappy(data: bytes, limit: int, scratch: Scratch) -> _Pieces:
    if not data:
        raise JavaInvalidRecordError("The batch's snappy stream is empty")
    if len(data) < _SNAPPY_HEADER or not data.startswith(SNAPPY_MAGIC):
        _ensure_within(limit, data, 0, len(data))
        yield _snappy_block(data, scratch)  # with the header, so to speak: Java does it at once
        return
    yield b""
    at = _SNAPPY_HEADER
    while at + 4 <= len(data):
        if data[at : at + 4] == SNAPPY_MAGIC[:4]:  # another stream begins
            if len(data) < at + _SNAPPY_HEADER:
                raise JavaInvalidRecordError("The header of a snappy stream is cut off")
            version = int.from_bytes(data[at + 8 : at + 12], "big", signed=True)
            if not data.startswith(SNAPPY_MAGIC, at):
                return  # Java takes half a magic for the end
            # It looks at the version of the later ones only.
            if version < _SNAPPY_VERSION:
                raise JavaInvalidRecordError("The version of a further snappy stream is wrong")
            at += _SNAPPY_HEADER
            continue
        size = int.from_bytes(data[at : at + 4], "big", signed=True)
        at += 4
        if not 0 <= size <= len(data) - at:
            raise JavaInvalidRecordError(f"A snappy block has {len(data) - at} of {size} bytes")
        _ensure_within(limit, data, at, size)
        yield _snappy_block(data[at : at + size], scratch)
        at += size


def _ensure_within(limit: int, data: bytes, at: int, size: int) -> None:
    """Raise before a block there is decompressed to more than a limit, of which 0 is none here."""
    if not 0 < limit < _SNAPPY_MOST * size:
        return
    if limit < cramjam.snappy.decompress_raw_len(data[at : at + _SNAPPY_LENGTH]):
        raise _beyond(limit, data)


def _snappy_block(block: bytes, scratch: Scratch) -> memoryview:
    size = cramjam.snappy.decompress_raw_len(block)
    if size > _SNAPPY_MOST * len(block):
        raise JavaInvalidRecordError("A snappy block says that it is longer than it can be")
    out = scratch.room(size)
    return out[: cramjam.snappy.decompress_raw_into(block, out)]


def _lz4(data: bytes, scratch: Scratch) -> _Pieces:
    """A frame as ``KafkaLZ4BlockInputStream`` reads it.

    It refuses blocks that depend on each other, does not look at the checksum of the contents,
    nor at what follows the frame.
    """
    flags, block_most, at = _lz4_header(data)
    yield b""
    checked = 4 if flags & _LZ4_BLOCK_CHECKSUM else 0
    out = scratch.room(block_most)
    while True:
        if at + 4 > len(data):
            raise JavaInvalidRecordError("The batch's LZ4 frame ends early")
        size = int.from_bytes(data[at : at + 4], "little")
        is_compressed, size = not size & LZ4_UNCOMPRESSED, size & ~LZ4_UNCOMPRESSED
        at += 4
        if size == 0:
            break
        if size > min(block_most, len(data) - at - checked):
            raise JavaInvalidRecordError(f"An LZ4 block of {size} bytes is too long")
        block = data[at : at + size]
        at += size + checked
        if is_compressed:
            many = cramjam.lz4.decompress_block_into(block, out, output_len=block_most)
            yield out[:many]
        else:
            yield block
        if checked and xxhash32(block) != int.from_bytes(data[at - 4 : at], "little"):
            raise JavaInvalidRecordError("The checksum of an LZ4 block is wrong")
    if flags & _LZ4_CONTENT_CHECKSUM and at + 4 > len(data):
        raise JavaInvalidRecordError("The batch's LZ4 frame ends before its checksum")


def _lz4_header(data: bytes) -> tuple[int, int, int]:
    """Flags, the most bytes of a block, and where the first one is."""
    if len(data) < _LZ4_LEAST or not data.startswith(_LZ4_MAGIC):
        raise JavaInvalidRecordError("The batch's records do not begin as an LZ4 frame does")
    flags = data[4]
    end = _LZ4_LEAST + (8 if flags & _LZ4_CONTENT_SIZE else 0)
    return flags, _lz4_block_most(data[4 : end + 1]), end + 1


@lru_cache(maxsize=64)  # a log's frames have one header, or a few
def _lz4_block_most(header: bytes) -> int:
    """The most bytes of a block, of a frame with that header after its magic."""
    flags, block = header[0], header[1]
    if flags & _LZ4_FIXED != _LZ4_VERSION_1:
        raise JavaInvalidRecordError(
            f"The LZ4 frame has flags {flags:#04x}; Java reads version 1 with independent blocks"
        )
    if block & 0x8F or block >> 4 < 4:
        raise JavaInvalidRecordError(f"The LZ4 frame has no size of blocks {block:#04x}")
    length = 2 + (8 if flags & _LZ4_CONTENT_SIZE else 0)
    if len(header) <= length or header[length] != xxhash32(header[:length]) >> 8 & 0xFF:
        raise JavaInvalidRecordError("The checksum of the LZ4 frame's header is wrong")
    return 1 << (8 + 2 * (block >> 4))


def _zstd(data: bytes, limit: int, scratch: Scratch) -> _Pieces:
    yield b""
    size = min(limit, max(_ZSTD_FIRST, 8 * len(data)))
    while True:
        out = scratch.room(size)
        try:
            many = cramjam.zstd.decompress_into(data, out)
            yield out[:many]
        except cramjam.DecompressionError as error:
            if _FULL not in str(error):
                raise
        else:
            return
        if size >= limit:
            raise _beyond(limit, data)
        del out  # before there is more
        size = min(limit, 4 * size)


_READERS: Final[dict[int, Callable[[bytes, int, Scratch], _Pieces]]] = {
    1: lambda data, _, __: _gzip(data),
    2: _snappy,
    3: lambda data, _, scratch: _lz4(data, scratch),
    4: _zstd,
}

"""Streams of the codecs with what their formats allow and Java's own writers leave out.

Headers of gzip with all their fields, LZ4 with checksums of blocks, further streams of snappy,
frames of zstd that hold nothing; and each of them with a checksum or a header that is wrong.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Final

import cramjam

from conformance.strategies.packed import Choices
from conformance.strategies.records import wire

FRAME_BYTES: Final = 16
"""What :func:`framed` reads."""
CHECKSUM: Final = "codec checksum"
HEADER: Final = "codec header"
WITH_CHECKSUMS: Final = ("gzip", "lz4", "zstd")
FEATURES: Final = {
    "gzip header fields": "a gzip header with an extra field, a name or a comment",
    "gzip header checksum": "a gzip header that ends with its checksum",
    "lz4 block checksums": "an LZ4 frame whose blocks have checksums",
    "lz4 content checksum": "an LZ4 frame that ends with the checksum of its contents",
    "lz4 content size": "an LZ4 frame that says how much it holds",
    "further snappy stream": "a snappy stream after another one",
    "skippable zstd frame": "a zstd frame that readers have to skip",
}
_FEXTRA, _FHCRC, _NAMES = 0x04, 0x02, (0x08, 0x10)
_BLOCK_CHECKSUM, _CONTENT_SIZE, _CONTENT_CHECKSUM = 0x10, 0x08, 0x04
_FEW: Final = 4096
"""Java sees a further gzip member only if it is in its buffer of 8 KiB: what it makes of one there
cannot be compared for longer data. And more blocks of LZ4 would take long to hash."""
_ZSTD_MAGIC: Final = bytes.fromhex("28b52ffd")
_SKIPPABLE: Final = bytes.fromhex("2a4d18")
"""After a byte from 0x50 to 0x5f."""


def framed(codec: str, of: Choices, data: bytes, wrong: str | None = None) -> tuple[bytes, bool]:
    """Records as a stream of that codec, and whether it is odd: nobody writes such ones.

    ``wrong``: :data:`CHECKSUM`, :data:`HEADER` or None. The rest is right then, checksums over
    what is wrong included.
    """
    return _FRAMES[codec](of, data, wrong)


def _gzip(of: Choices, data: bytes, wrong: str | None) -> tuple[bytes, bool]:
    """One member, or a plain one before it, which then may hold everything."""
    before = of.one_of((None, None, None, 1, 2))
    flags, parts, lie = of.below(32), of.part(6), of.part(5)
    first = b""
    if before and len(data) < _FEW:
        of_first = data[: len(data) // before]
        first, data = wire.compressed("gzip", 0, of_first), data[len(of_first) :]
    kind, at = lie.one_of(("cut", "bit", "cut", "extra")), lie.below(256)
    lies = wrong == HEADER and kind == "extra"
    if wrong == CHECKSUM:
        flags |= _FHCRC
    if lies or (wrong and not flags & ~1):
        flags |= _FEXTRA
    header = b"\x1f\x8b\x08" + bytes((flags,)) + b"time\x02\x03"
    extra = bytes(parts.one_of((0, 1, 2, 3, 7, 258)))
    if flags & _FEXTRA:
        size = len(extra) + (lie.one_of((1, 40, 2**15)) if lies else 0)
        header += struct.pack("<H", size) + extra
    for flag in _NAMES:
        text = b"name of a file"[: parts.below(8)]
        if flags & flag:
            header += text + b"\0"
    if flags & _FHCRC:
        mask = 1 << at % 16 if wrong == CHECKSUM else 0
        header += struct.pack("<H", zlib.crc32(header) & 0xFFFF ^ mask)
    if wrong == HEADER and kind == "cut":
        return first + header[: at % len(header)], False
    if wrong == HEADER and kind == "bit":
        header = wire.with_bit(header, at % 3, at // 3 % 8)
    return first + header + wire.compressed("gzip", 0, data)[10:], False


def _snappy(of: Choices, data: bytes, wrong: str | None) -> tuple[bytes, bool]:
    """Two streams, of which the first may hold everything; the header of one may be wrong."""
    half, at, kind = of.below(2), of.one_of((1, 1, 1, 0)), of.below(4)
    if wrong == HEADER and at and kind == 2:
        half = 0  # what Java reads after a magic that is wrong depends on its buffers
    first = data[: len(data) // (1 + half)]
    streams = [wire.compressed("snappy", 0, part) for part in (first, data[len(first) :])]
    if wrong == HEADER:
        magic, stream = streams[at][:8], streams[at]
        if kind < 2:
            numbers = [of.one_of((1, 0, 2, -1, 2**31 - 1, -(2**31))) for _ in range(2)]
            streams[at] = magic + struct.pack(">ii", *numbers) + stream[16:]
        elif kind == 2:
            streams[at] = wire.with_bit(magic, of.below(8), of.below(8)) + stream[8:]
        else:
            streams[at] = stream[: of.below(16)]
    return b"".join(streams), False


def _lz4(of: Choices, data: bytes, wrong: str | None) -> tuple[bytes, bool]:
    """A frame with any flags; blocks of any length modulo 16, what xxHash32 takes at once."""
    flags = 0x60 | of.one_of((0x10, 0x14, 0x18, 0x1C, 0x10, 0, 4, 8, 12))
    most = 0x40 + 0x10 * of.below(4)
    size, is_odd = of.one_of((of.between(1, 80), of.between(16, 47), 1 << 16)), of.below(8) == 7
    which, at, bit = of.below(8), of.below(16), of.below(32)
    if wrong == HEADER and which < 3:
        flags ^= of.one_of((0x20, 0x40, 0x80, 0xC0, 2, 1))  # dependence, versions, bits in no use
    elif wrong == HEADER:
        most = of.one_of((0x30, 0, 0x10, 0x20, 0x80, 0xC0, 0x41, 0x48))
    if wrong == CHECKSUM and 1 < which < 7:
        flags |= _BLOCK_CHECKSUM
    elif wrong == CHECKSUM and which == 7:
        flags |= _CONTENT_CHECKSUM
    descriptor = bytes((flags, most))
    if flags & _CONTENT_SIZE:
        descriptor += struct.pack("<Q", len(data))
    check, contents = _xxhash32(descriptor)[1:2], _xxhash32(data)
    if len(data) > _FEW:
        size = min(1 << 16, size + len(data) // 16)
    blocks = list(_lz4_blocks(data, size, checked=bool(flags & _BLOCK_CHECKSUM)))
    if wrong == CHECKSUM:
        if which < 2 or not data:
            check = wire.with_bit(check, 0, bit % 8)
        elif which < 7:
            at %= len(blocks)
            blocks[at] = wire.with_bit(blocks[at], -1 - bit // 8, bit % 8)
        else:
            contents = wire.with_bit(contents, bit // 8, bit % 8)  # Java does not look at it
    parts = [wire.LZ4_MAGIC, descriptor, check, *blocks]
    parts.append(b"\0\0\0\x80" if is_odd else bytes(4))  # both are a block of no bytes
    if flags & _CONTENT_CHECKSUM:
        parts.append(contents)
    return b"".join(parts), is_odd


def _lz4_blocks(data: bytes, size: int, *, checked: bool) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        block = data[start : start + size]
        packed = bytes(cramjam.lz4.compress_block(block, store_size=False))
        stored = len(packed) >= len(block)
        written = block if stored else packed
        length = struct.pack("<I", len(written) | 1 << 31 if stored else len(written))
        yield length + written + (_xxhash32(written) if checked else b"")


def _xxhash32(data: bytes) -> bytes:
    """As lz4's own library has it, which ends a frame with the hash of its contents."""
    writer = cramjam.lz4.Compressor(content_checksum=True)
    writer.compress(data)
    return bytes(writer.finish())[-4:]


def _zstd(of: Choices, data: bytes, wrong: str | None) -> tuple[bytes, bool]:
    """Frames that hold nothing before, between and after those with the records."""
    nothing = (_skippable(of), b"", _skippable(of), bytes(cramjam.zstd.compress(b"")))
    before, between, after = (of.one_of(nothing) for _ in range(3))
    half = len(data) // 2 if of.below(2) else len(data)
    if wrong == CHECKSUM:
        first = _raw_zstd(data[:half], 0x04, 0x38) + of.take(4)
    elif wrong == HEADER:
        first = _wrong_zstd(of, data[:half])
    elif of.below(2) and half < _FEW:
        first = _raw_zstd(data[:half], 0, 8 * of.below(14) + of.below(8))
    else:
        first = wire.compressed("zstd", 0, data[:half])
    second = wire.compressed("zstd", 0, data[half:]) if half < len(data) else b""
    if wrong == HEADER and not first:
        return b"", False
    return before + first + between + second + after, False


def _skippable(of: Choices) -> bytes:
    size = of.below(8)
    return bytes((0x50 + of.below(16),)) + _SKIPPABLE + struct.pack("<I", size) + bytes(size)


def _raw_zstd(data: bytes, descriptor: int, window: int) -> bytes:
    """A frame of blocks that are not compressed, for a window of that exponent and mantissa."""
    parts = [_ZSTD_MAGIC, bytes((descriptor, window))]
    blocks = [data[start : start + 1024] for start in range(0, len(data), 1024)] or [b""]
    for block in blocks:
        last = block is blocks[-1]
        parts += (struct.pack("<I", len(block) << 3 | last)[:3], block)
    return b"".join(parts)


def _wrong_zstd(of: Choices, data: bytes) -> bytes:
    kind, at = of.below(5), of.below(16)
    if kind == 0:
        return b""
    if kind == 1:
        return bytes((0x50 + at,)) + _SKIPPABLE + struct.pack("<I", 2**32 - 1 - at)
    if kind == 2:
        return _raw_zstd(data, 0x08, 0x38)  # the bit in no use
    if kind == 3:
        # A window of 128 MiB, which is the most that is read, or of more.
        return _raw_zstd(data, 0, of.one_of((0x88, 0x89, 0x90, 0xA8, 0xFF)))
    return wire.with_bit(wire.compressed("zstd", 0, data), at % 6, of.below(8))


_FRAMES: Final[dict[str, Callable[[Choices, bytes, str | None], tuple[bytes, bool]]]] = {
    "gzip": _gzip,
    "snappy": _snappy,
    "lz4": _lz4,
    "zstd": _zstd,
}


def features(data: bytes) -> Iterator[str]:
    """Which of :data:`FEATURES` the streams of some batches have."""
    at = 0
    while at + wire.OVERHEAD <= len(data):
        size, attributes = struct.unpack_from(">8xi9xh", data, at)
        end = at + wire.LOG_OVERHEAD + size
        if end < at + wire.OVERHEAD:
            return
        yield from _features(attributes & 7, data[at + wire.OVERHEAD : end])
        at = end


def _features(codec: int, stream: bytes) -> Iterator[str]:
    if codec == wire.CODEC_IDS["gzip"] and stream[:3] == b"\x1f\x8b\x08" and len(stream) > 3:
        if stream[3] & (_FEXTRA | sum(_NAMES)):
            yield "gzip header fields"
        if stream[3] & _FHCRC:
            yield "gzip header checksum"
    elif codec == wire.CODEC_IDS["lz4"] and stream[:4] == wire.LZ4_MAGIC and len(stream) > 4:
        if stream[4] & _BLOCK_CHECKSUM:
            yield "lz4 block checksums"
        if stream[4] & _CONTENT_CHECKSUM:
            yield "lz4 content checksum"
        if stream[4] & _CONTENT_SIZE:
            yield "lz4 content size"
    elif codec == wire.CODEC_IDS["snappy"] and wire.SNAPPY_HEADER[:4] in stream[4:]:
        yield "further snappy stream"
    elif codec == wire.CODEC_IDS["zstd"] and _SKIPPABLE in stream:
        yield "skippable zstd frame"

"""Record batches as they travel, true or not: what any client might send, or a disk might lose.

It writes what a case asks for, also what no builder would: numbers that lie, other writers'
compression, checksums that are right over nonsense.
"""

import gzip
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import cramjam
import google_crc32c

CODEC_IDS: Final = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
COMPRESSED: Final = tuple(codec for codec in CODEC_IDS if codec != "none")
LOG_APPEND_TIME: Final = 0x08
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40
IN_USE: Final = 0x7F
"""The bits of a batch's attributes that mean something."""
AFTER_CRC: Final = 21
OVERHEAD: Final = 61
SNAPPY_HEADER: Final = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
LZ4_MAGIC: Final = bytes.fromhex("04224d18")
_HEADER: Final = struct.Struct(">hiqqqhii")
_START: Final = struct.Struct(">qiib")
LOG_OVERHEAD: Final = 12
"""Bytes of a batch that its size does not count."""

Lie: TypeAlias = Callable[[int], bytes]
"""What stands where a number should: bytes made of the true one."""
Header: TypeAlias = tuple[bytes | None, bytes | None]


@dataclass(frozen=True, slots=True)
class WireRecord:
    """A record as it stands in a batch; a header's key may be no text, or null."""

    timestamp_delta: int
    offset_delta: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[Header] = ()
    attributes: int = 0


@dataclass(frozen=True, slots=True)
class WireBatch:
    """A batch as it is written; ``count`` and ``size`` of None are the true ones."""

    base_offset: int = 0
    leader_epoch: int = 0
    attributes: int = 0
    last_offset_delta: int = 0
    base_timestamp: int = 0
    max_timestamp: int = 0
    producer: tuple[int, int, int] = (-1, -1, -1)
    """Id, epoch, base sequence."""
    records: bytes = field(default=b"", repr=False)
    """As they are compressed."""
    count: int = 0
    size: int | None = None
    magic: int = 2

    def written(self) -> bytes:
        """Its bytes, with a checksum that is right."""
        header = _HEADER.pack(
            _int16(self.attributes),
            self.last_offset_delta,
            self.base_timestamp,
            self.max_timestamp,
            *self.producer,
            self.count,
        )
        checked = header + self.records
        size = OVERHEAD + len(self.records) - LOG_OVERHEAD if self.size is None else self.size
        start = _START.pack(self.base_offset, size, self.leader_epoch, self.magic)
        return start + struct.pack(">I", google_crc32c.value(checked)) + checked


def with_bit(data: bytes, at: int, bit: int) -> bytes:
    """With one bit the other way round, at a position modulo the length."""
    if not data:
        return data
    at %= len(data)
    return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


class Records:
    """Writes records one after the other; the number at one place may be a lie.

    Places are counted as numbers are written: those of a record first, its length last.
    """

    def __init__(self, place: int = -1, lie: Lie | None = None) -> None:
        self._place, self._lie = place, lie
        self.numbers = 0
        self._out: list[bytes] = []

    def write(self, record: WireRecord) -> None:
        """Append one."""
        parts = [bytes((record.attributes,)), self._number(record.timestamp_delta)]
        parts.append(self._number(record.offset_delta))
        self._data(parts, record.key)
        self._data(parts, record.value)
        parts.append(self._number(len(record.headers)))
        for key, value in record.headers:
            self._data(parts, key)
            self._data(parts, value)
        body = b"".join(parts)
        self._out += (self._number(len(body)), body)

    @property
    def data(self) -> bytes:
        """All that was written."""
        return b"".join(self._out)

    def _data(self, parts: list[bytes], data: bytes | None) -> None:
        parts.append(self._number(-1 if data is None else len(data)))
        if data:
            parts.append(data)

    def _number(self, value: int) -> bytes:
        self.numbers += 1
        if self.numbers - 1 == self._place and self._lie:
            return self._lie(value)
        return zig_zag(value)


def zig_zag(value: int) -> bytes:
    """A signed number as Kafka writes it, in as many bytes as it takes."""
    left = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes((*out, left))


def padded(value: int, size: int) -> bytes:
    """The same number in more bytes than it takes."""
    short = zig_zag(value)
    if len(short) >= size:
        return short
    more = bytes((short[-1] | 0x80, *b"\x80" * (size - len(short) - 1), 0))
    return short[:-1] + more


def _int16(value: int) -> int:
    return (value + 2**15) % 2**16 - 2**15


def compressed(codec: str, kind: int, data: bytes) -> bytes:
    """Records as one of several writers compresses them; ``kind`` is any number."""
    writers = _WRITERS[codec]
    return writers[kind % len(writers)](data)


def is_odd(codec: str, kind: int) -> bool:
    """Whether what :func:`compressed` writes breaks the rules of its codec, which Java overlooks or
    refuses."""
    return kind % len(_WRITERS[codec]) in _ODD_WRITERS.get(codec, ())


def _gzip(level: int) -> Callable[[bytes], bytes]:
    return lambda data: gzip.compress(data, level, mtime=level)


def _long_gzip_header(data: bytes) -> bytes:
    """With a name, an extra field, and a flag in no use, which Java overlooks."""
    whole = gzip.compress(data, mtime=0)
    return whole[:3] + b"\x8c" + whole[4:10] + b"\x02\0ab" + b"name\0" + whole[10:]


def _deflated(data: bytes) -> bytes:
    writer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS, strategy=zlib.Z_HUFFMAN_ONLY)
    return writer.compress(data) + writer.flush(zlib.Z_FULL_FLUSH) + writer.flush()


def _in_two(write: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Two streams, one after the other."""
    return lambda data: write(data[: len(data) // 2]) + write(data[len(data) // 2 :])


def _blocks(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def _snappy(size: int) -> Callable[[bytes], bytes]:
    def write(data: bytes) -> bytes:
        parts = [SNAPPY_HEADER]
        for block in _blocks(data, size):
            packed = bytes(cramjam.snappy.compress_raw(block))
            parts += (struct.pack(">i", len(packed)), packed)
        return b"".join(parts)

    return write


def _raw_snappy(data: bytes) -> bytes:
    """Without the framing of snappy-java; some clients send it so."""
    return bytes(cramjam.snappy.compress_raw(data))


def _lz4(start: str, size: int, end: bytes = b"") -> Callable[[bytes], bytes]:
    """A frame with that header (its checksum included), blocks of ``size``, and its end."""

    def write(data: bytes) -> bytes:
        parts = [LZ4_MAGIC + bytes.fromhex(start)]
        for block in _blocks(data, size):
            packed: Any = bytes(cramjam.lz4.compress_block(block, store_size=False))
            stored = len(packed) >= len(block)
            parts.append(struct.pack("<I", len(block) | 1 << 31 if stored else len(packed)))
            parts.append(block if stored else packed)
        return b"".join((*parts, bytes(4), end))

    return write


def _zstd(level: int) -> Callable[[bytes], bytes]:
    return lambda data: bytes(cramjam.zstd.compress(data, level=level))


def _zstd_stream(data: bytes) -> bytes:
    """Of no stated length, with a block after each flush, as a producer writes it."""
    writer = cramjam.zstd.Compressor()
    out = b""
    for part in (data[:100], data[100:]):
        writer.compress(part)
        out += bytes(writer.flush())
    return out + bytes(writer.finish())


def _dependent_blocks(data: bytes) -> bytes:
    """A frame as lz4's own library writes it by default."""
    return bytes(cramjam.lz4.compress(data))


_WRITERS: Final[dict[str, tuple[Callable[[bytes], bytes], ...]]] = {
    "none": (bytes,),
    "gzip": (_gzip(6), _gzip(1), _gzip(9), _deflated, _in_two(_gzip(6)), _long_gzip_header),
    "snappy": (_snappy(32768), _snappy(50), _raw_snappy, _in_two(_snappy(32768))),
    "lz4": (
        _lz4("604082", 65536),
        _lz4("604082", 60),
        _lz4("607073", 1 << 22),
        _lz4("6440a7", 65536, b"none"),  # the checksum of the contents, which Java does not read
        _lz4("6440a7", 65536),  # ... but which has to be there
        _lz4("604083", 65536),  # the header's checksum is wrong
        _lz4("6840000000000000000005", 65536),  # of a stated length, which Java skips
        _dependent_blocks,
    ),
    "zstd": (_zstd(3), _zstd_stream, _zstd(1), _zstd(-5), _in_two(_zstd(3))),
}
"""Of each codec: as Java does it, mostly, and as others do."""
_ODD_WRITERS: Final = {"gzip": (5,), "lz4": (4, 5, 6)}
"""Their places in :data:`_WRITERS`."""

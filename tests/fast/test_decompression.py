"""What decompresses, alone: what no case has, and the limit."""

import zlib

import cramjam
import pytest

from conformance.strategies.records import wire
from python_impl.errors import JavaInvalidRecordError
from python_impl.records.decompression import decompressed, records_of
from python_impl.records.xxhash32 import xxhash32

CODECS = {"gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0x02CC5D05),
        (b"abc", 0x32D153FF),
        (b"Nobody inspects the spammish repetition", 0xE2293B2F),
    ],
)
def test_xxhash32_as_its_specification_has_it(data: bytes, expected: int) -> None:
    assert xxhash32(data) == expected


@pytest.mark.parametrize("size", [*range(1, 70), 1000])
def test_xxhash32_as_another_implementation_has_it(size: int) -> None:
    """A frame of LZ4 ends with the hash of its contents."""
    data = bytes(number * 167 % 251 for number in range(size))
    writer = cramjam.lz4.Compressor(content_checksum=True)
    writer.compress(data)
    assert xxhash32(data) == int.from_bytes(bytes(writer.finish())[-4:], "little")


def test_blocks_of_lz4_with_their_checksums() -> None:
    data = b"some records " * 9000
    frame = bytearray.fromhex("04224d18 7040ad")
    for start in range(0, len(data), 1 << 16):
        block = bytes(cramjam.lz4.compress_block(data[start : start + (1 << 16)], store_size=False))
        frame += len(block).to_bytes(4, "little") + block + xxhash32(block).to_bytes(4, "little")
    frame += bytes(4)
    assert decompressed(3, bytes(frame), 1 << 20) == data
    frame[-5] ^= 1
    with pytest.raises(JavaInvalidRecordError, match="checksum of an LZ4 block"):
        decompressed(3, bytes(frame), 1 << 20)


@pytest.mark.parametrize(
    ("header", "left"),
    [("607073", 19), ("7040ad", 19), ("7040ad", 20), ("7040ad", 23)],
    ids=["cut", "cut, with checksums", "no checksum", "cut checksum"],
)
def test_a_block_of_lz4_that_is_cut_off(header: str, left: int) -> None:
    frame = wire.LZ4_MAGIC + bytes.fromhex(header) + (20 | 1 << 31).to_bytes(4, "little")
    with pytest.raises(JavaInvalidRecordError, match="LZ4 block of 20 bytes is too long"):
        decompressed(3, frame + bytes(left), 100)


def test_a_block_of_lz4_that_is_longer_than_its_frame_says() -> None:
    for size in (1 << 16, (1 << 16) + 1):
        block = bytes(cramjam.lz4.compress_block(bytes(size), store_size=False))
        frame = wire.LZ4_MAGIC + bytes.fromhex("604082") + len(block).to_bytes(4, "little") + block
        if size == 1 << 16:
            assert decompressed(3, frame + bytes(4), 1 << 20) == bytes(size)
        else:
            with pytest.raises(JavaInvalidRecordError, match="cannot be decompressed"):
                decompressed(3, frame + bytes(4), 1 << 20)


@pytest.mark.parametrize("size", range(8))
def test_sizes_of_blocks_of_lz4(size: int) -> None:
    """A frame says 4 to 7; the checksums of these headers are right."""
    header = bytes((0x60, size << 4))
    frame = wire.LZ4_MAGIC + header + bytes((xxhash32(header) >> 8 & 0xFF,)) + bytes(4)
    if size < 4:
        with pytest.raises(JavaInvalidRecordError, match="has no size of blocks"):
            decompressed(3, frame, 100)
    else:
        assert decompressed(3, frame, 100) == b""


@pytest.mark.parametrize("left", range(2, 11))
def test_a_header_of_lz4_that_is_cut_off(left: int) -> None:
    """It has a size of the contents, or a part of it."""
    header = (b"\x68\x40" + bytes(9))[:left]
    with pytest.raises(JavaInvalidRecordError, match="checksum of the LZ4 frame's header"):
        decompressed(3, wire.LZ4_MAGIC + header, 100)


def test_a_block_of_lz4_that_might_begin_with_a_length() -> None:
    """The library takes the first four bytes for one unless it is told what to expect."""
    frame = "04224d18607073 18000000 ef980100af0100086161616180010001002850 0000000000 00000000"
    data = decompressed(3, bytes.fromhex(frame), 100)
    assert data == b"\x98\x01\0\xaf\x01\0\x08aaaa\x80\x01" + bytes(65)


def test_a_gzip_header_with_all_that_it_can_have() -> None:
    whole = wire.compressed("gzip", 0, b"records")
    more = b"\x03\0abc" + b"name\0" + b"comment\0"
    header = whole[:3] + b"\x1e" + whole[4:10] + more
    checksum = (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    assert decompressed(1, header + checksum + whole[10:], 100) == b"records"
    with pytest.raises(JavaInvalidRecordError, match="checksum of a gzip stream's header"):
        decompressed(1, header + b"xx" + whole[10:], 100)
    with pytest.raises(JavaInvalidRecordError, match="has no end"):
        decompressed(1, whole[:3] + b"\x08" + whole[4:10] + b"name", 100)


@pytest.mark.parametrize(
    ("flags", "parts"),
    [
        (0x00, b""),
        (0x04, b"\3\0abc"),
        (0x04, b"\2\1" + bytes(258)),
        (0x08, b"name\0"),
        (0x0C, b"\4\0a\0bcname\0"),
        (0x10, b"comment\0"),
    ],
)
def test_parts_of_a_gzip_header(flags: int, parts: bytes) -> None:
    whole = wire.compressed("gzip", 0, b"records")
    header = whole[:3] + bytes((flags,)) + whole[4:10] + parts
    assert decompressed(1, header + whole[10:], 100) == b"records"


@pytest.mark.parametrize("left", [b"", b"\3", b"\3\0", b"\3\0ab"])
def test_a_gzip_header_that_is_cut_off_in_its_extra_field(left: bytes) -> None:
    """Of a further member that is the end; of the first one an error, also without records."""
    whole = wire.compressed("gzip", 0, b"records")
    cut = whole[:3] + b"\x04" + whole[4:10] + left
    for count in (0, 1):
        with pytest.raises(JavaInvalidRecordError, match="header of a gzip stream is cut off"):
            records_of(1, count, cut, 100)
    longer = whole[:3] + b"\x04" + whole[4:10] + b"\xff\xff" + bytes(20)
    assert decompressed(1, whole + longer, 100) == b"records"


@pytest.mark.parametrize("name", [b"a\0", b"ab\0", b"abc\0", b"abcd\0"])
def test_the_checksum_of_a_gzip_header(name: bytes) -> None:
    whole = wire.compressed("gzip", 0, b"records")
    header = whole[:3] + b"\x0a" + whole[4:10] + name
    right = zlib.crc32(header) & 0xFFFF
    assert decompressed(1, header + right.to_bytes(2, "little") + whole[10:], 100) == b"records"
    for wrong in (right - 1, right + 1, right ^ 0x8000):
        with pytest.raises(JavaInvalidRecordError, match="checksum of a gzip stream's header"):
            decompressed(1, header + wrong.to_bytes(2, "little") + whole[10:], 100)


@pytest.mark.parametrize("left", range(1, 20))
def test_the_beginning_of_a_further_gzip_member(left: int) -> None:
    """Java takes up to 18 bytes for no member; a member that begins is read."""
    whole = wire.compressed("gzip", 0, b"records")
    if left <= 18:
        assert decompressed(1, whole + whole[:left], 100) == b"records"
    else:
        with pytest.raises(JavaInvalidRecordError):
            decompressed(1, whole + whole[:left], 100)


def test_a_snappy_block_of_a_negative_size() -> None:
    stream = wire.compressed("snappy", 0, b"records")
    for size in (-1, -len(stream), -(2**31)):
        block = size.to_bytes(4, "big", signed=True)
        with pytest.raises(JavaInvalidRecordError, match=f"has 9 of {size} bytes"):
            decompressed(2, stream + block + bytes(9), 100)


def test_a_further_snappy_stream_must_be_of_a_version_that_is_read() -> None:
    stream = wire.compressed("snappy", 0, b"records")
    assert decompressed(2, stream * 2, 100) == b"records" * 2
    other = stream[:11] + b"\0" + stream[12:]
    with pytest.raises(JavaInvalidRecordError, match="version of a further snappy stream is wrong"):
        decompressed(2, stream + other, 100)
    with pytest.raises(JavaInvalidRecordError, match="cut off"):
        decompressed(2, stream + stream[:9], 100)


@pytest.mark.parametrize("at", [4, 5, 6, 7])
def test_half_a_magic_of_snappy_is_the_end(at: int) -> None:
    """snappy-java looks at four of its bytes, then at all eight, and refuses nothing there."""
    stream = wire.compressed("snappy", 0, b"records")
    assert decompressed(2, stream + wire.with_bit(stream, at, 0), 100) == b"records"


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_is_refused_at_the_limit(codec: str) -> None:
    bomb = wire.compressed(codec, 0, bytes(16 << 20))
    assert len(bomb) < 1 << 20
    for limit in (1 << 20, (16 << 20) - 1):
        with pytest.raises(JavaInvalidRecordError, match=rf"more than {limit}, which is the limit"):
            decompressed(CODECS[codec], bomb, limit)
    assert len(decompressed(CODECS[codec], bomb, 16 << 20)) == 16 << 20


def test_a_snappy_block_that_says_it_is_long_is_not_believed() -> None:
    lying = b"\xff\xff\xff\xff\x0f" + bytes(20)  # 4 GiB
    with pytest.raises(JavaInvalidRecordError):
        decompressed(2, lying, 1 << 20)


@pytest.mark.parametrize("codec", CODECS)
def test_nothing_is_no_compressed_data(codec: str) -> None:
    with pytest.raises(JavaInvalidRecordError):
        decompressed(CODECS[codec], b"", 100)

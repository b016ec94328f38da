"""The reader of batches alone: what cases do not reach, and what it says."""

import importlib
import sys
import threading
import zlib
from pathlib import Path

import cramjam
import pytest

from conformance.mutants.catalogue import MUTANTS
from conformance.strategies.records import wire
from conformance.strategies.records.wire import WireBatch, WireRecord
from python_impl import kafka_3_8_0
from python_impl.deserializers import deserialize_string
from python_impl.errors import (
    JavaCorruptRecordError,
    JavaInvalidRecordError,
    JavaUnsupportedMessageFormatError,
)
from python_impl.records import RecordHeader, read_batches, read_records, read_segment, segment
from python_impl.records.decompression import decompressed
from python_impl.records.xxhash32 import xxhash32

CODECS = {"gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def a_batch(records: int = 3, codec: str = "none", offset: int = 0) -> bytes:
    builder = kafka_3_8_0.MemoryRecordsBuilder(compression=codec, base_offset=offset)
    for number in range(records):
        headers = [RecordHeader("h", bytes(number))] * (number % 3)
        builder.append(1000 + number, b"key %d" % number, b"a value " * number, headers)
    return builder.build()


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


def test_a_further_snappy_stream_must_be_one() -> None:
    stream = wire.compressed("snappy", 0, b"records")
    assert decompressed(2, stream * 2, 100) == b"records" * 2
    for at in (5, 11):
        other = bytearray(stream)
        other[at] = 0
        with pytest.raises(JavaInvalidRecordError, match="further snappy stream is wrong"):
            decompressed(2, stream + bytes(other), 100)
    with pytest.raises(JavaInvalidRecordError, match="cut off"):
        decompressed(2, stream + stream[:9], 100)


@pytest.mark.parametrize("codec", CODECS)
def test_a_bomb_is_refused_at_the_limit(codec: str) -> None:
    bomb = wire.compressed(codec, 0, bytes(16 << 20))
    assert len(bomb) < 1 << 20
    with pytest.raises(JavaInvalidRecordError, match=r"more than 1048576, which is the limit"):
        decompressed(CODECS[codec], bomb, 1 << 20)
    assert len(decompressed(CODECS[codec], bomb, 16 << 20)) == 16 << 20


def test_a_snappy_block_that_says_it_is_long_is_not_believed() -> None:
    lying = b"\xff\xff\xff\xff\x0f" + bytes(20)  # 4 GiB
    with pytest.raises(JavaInvalidRecordError):
        decompressed(2, lying, 1 << 20)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"ab\xed\xa0\x80c", "ab\ufffdc"),
        (b"\xed\xa0", "\ufffd"),
        (b"\xed\xbf!", "\ufffd!"),
        (b"\xe2\x82!", "\ufffd!"),
        (b"\xc0\x80", "\ufffd\ufffd"),
        ("\U0001f600".encode(), "\U0001f600"),
    ],
)
def test_text_that_is_no_utf8_as_java_reads_it(data: bytes, text: str) -> None:
    assert deserialize_string(data) == text


def test_a_copy_of_the_port_reads_text_in_its_own_way() -> None:
    """Python's handlers of what cannot be decoded are global: a copy must not replace ours."""
    bug = next(mutant for mutant in MUTANTS if mutant.name == "surrogates cut off as whole")
    bug.load()
    copy = importlib.import_module(f"{bug.package}.deserializers")
    assert copy.deserialize_string(b"\xed\xa0a") == "\ufffd"
    assert deserialize_string(b"\xed\xa0a") == "\ufffda"


@pytest.mark.parametrize("compiled", [True, False])
def test_a_segment_piece_by_piece(
    compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also batches larger than a piece, and a last one that a broker is still writing."""
    codecs = ("none", "none", "gzip", "zstd", "none", "lz4", "snappy")
    batches = [a_batch(30 + n, codec, 100 * n) for n, codec in enumerate(codecs)]
    file = tmp_path / "00000000000000000000.log"
    file.write_bytes(b"".join(batches) + batches[0][:-1])
    whole = read_segment(file, compiled=compiled).read_all()
    expected = [record for batch in read_batches(b"".join(batches)) for record in batch]
    assert [(row["offset"], row["key"], row["value"]) for row in whole.to_pylist()] == [
        (record.offset, record.key, record.value) for record in expected
    ]
    assert [[header["value"] for header in row["headers"]] for row in whole.to_pylist()] == [
        [header.value for header in record.headers] for record in expected
    ]
    whole.validate(full=True)
    for size in (17, 61, 500, len(batches[0]), len(batches[0]) + 1):
        monkeypatch.setattr(segment, "CHUNK_BYTES", size)
        assert read_segment(file, compiled=compiled).read_all().equals(whole)


def test_a_segment_that_grows_is_read_as_far_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(a_batch(2))
    reader = read_segment(file)
    with file.open("ab") as more:
        more.write(a_batch(2, offset=2))
    assert reader.read_all().num_rows == 2
    assert read_segment(file).read_all().num_rows == 4


def test_a_segment_needs_no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_records(a_batch()).read_all()
    monkeypatch.setitem(sys.modules, "python_impl.records.compiled", None)
    monkeypatch.delattr("python_impl.records.compiled", raising=False)
    assert read_records(a_batch()).read_all().equals(expected)
    with pytest.raises(ImportError):
        read_records(a_batch(), compiled=True).read_all()


def test_no_records_are_no_rows(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    for data in (b"", WireBatch().written(), b"\0" * 11):
        file.write_bytes(data)
        assert read_segment(file).read_all().num_rows == 0


@pytest.mark.parametrize("name", ["0.index", "0.timeindex", "0.txnindex", "0.snapshot"])
def test_a_file_beside_a_segment_is_told_by_its_name(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(bytes(24))
    with pytest.raises(ValueError, match=r"is no log segment, but stands beside one: read the"):
        read_segment(file)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_segment(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_segment(tmp_path / "0.log")


@pytest.mark.parametrize("compiled", [True, False])
def test_errors_say_where(compiled: bool, tmp_path: Path) -> None:
    file, good = tmp_path / "0.log", a_batch()
    wrong_bit = wire.with_bit(good, 65, 3)
    lying = WireBatch(records=b"\x0c\0\0\0\1\1\0", count=2).written()
    for data, error, says in [
        (good + wrong_bit, JavaCorruptRecordError, "Record is corrupt"),
        (good + lying, JavaInvalidRecordError, "Found invalid record structure"),
        (good + bytes(40), JavaCorruptRecordError, "less than the minimum record overhead"),
    ]:
        file.write_bytes(data)
        at = rf"0\.log, batch at byte {len(good)}: .*{says}"
        with pytest.raises(error, match=at):
            read_segment(file, compiled=compiled).read_all()


@pytest.mark.parametrize("magic", [0, 1])
def test_older_formats_are_named(magic: int, tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(WireBatch(magic=magic).written())
    with pytest.raises(JavaUnsupportedMessageFormatError, match=f"A message of format {magic}"):
        read_segment(file).read_all()


def test_a_batch_beyond_the_limit_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment, "CHUNK_BYTES", 100)
    file = tmp_path / "0.log"
    file.write_bytes(a_batch(60))
    with pytest.raises(JavaCorruptRecordError, match=r"more than the limit of 500"):
        read_segment(file, max_batch_bytes=500).read_all()


def test_pieces_can_be_read_by_another_thread(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(a_batch() * 3)
    rows: list[int] = []
    thread = threading.Thread(
        target=lambda: rows.extend(piece.num_rows for piece in read_segment(file))
    )
    thread.start()
    thread.join()
    assert sum(rows) == 9


def test_a_record_is_what_was_written() -> None:
    writer = wire.Records()
    writer.write(WireRecord(5, 1, None, b"", [(b"h", None)]))
    written = WireBatch(
        base_offset=7, base_timestamp=10, producer=(3, 0, 2**31 - 1), count=1, records=writer.data
    )
    [batch] = read_batches(written.written())
    [record] = batch
    assert record == (8, 15, 0, None, b"", (RecordHeader("h", None),))

"""The reader of batches alone: what cases do not reach, and what it says."""

import importlib
import itertools
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pyarrow as pa
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
from python_impl.records import (
    RecordHeader,
    TornSegmentWarning,
    read_batches,
    read_records,
    read_segment,
    segment,
    segment_columns,
    segment_pieces,
)
from python_impl.records.reader import ensure_valid
from python_impl.records.segment_columns import SCHEMA


def a_batch(records: int = 3, codec: str = "none", offset: int = 0) -> bytes:
    builder = kafka_3_8_0.MemoryRecordsBuilder(compression=codec, base_offset=offset)
    for number in range(records):
        headers = [RecordHeader("h", bytes(number))] * (number % 3)
        builder.append(1000 + number, b"key %d" % number, b"a value " * number, headers)
    return builder.build()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"ab\xed\xa0\x80c", "ab\ufffdc"),
        (b"\xed\xa0", "\ufffd"),
        (b"\xed\xbf!", "\ufffd!"),
        (b"\xed\xa0\x7f", "\ufffd\x7f"),
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
    with pytest.warns(TornSegmentWarning):
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
        with pytest.warns(TornSegmentWarning):
            assert read_segment(file, compiled=compiled).read_all().equals(whole)
        assert read_records(file.read_bytes(), compiled=compiled).read_all().equals(whole)


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_batches_some_at_a_time(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch has its own header, and its records stay as they are while others are read."""
    good = [a_batch(40 - n, codec, 100 * n) for n in range(20)]
    lying = wire.compressed(codec, 0, b"\x0c\0\0\0\1\1\0")
    bad = WireBatch(attributes=wire.CODEC_IDS[codec], records=lying, count=2).written()
    expected = read_records(b"".join(good), compiled=False).read_all()
    at_once = []
    for enough in (1, 1 << 20):
        monkeypatch.setattr(segment_columns, "_ENOUGH", enough)
        pieces = list(read_records(b"".join(good), compiled=True))
        at_once.append(len(pieces))
        table = pa.Table.from_batches(pieces)
        table.validate(full=True)
        assert table.equals(expected)
        where = rf"batch at byte {len(b''.join(good))}: Found invalid record structure"
        with pytest.raises(JavaInvalidRecordError, match=where):
            read_records(b"".join([*good, bad, *good]), compiled=True).read_all()
    assert at_once[0] > at_once[1] == 1


@pytest.mark.parametrize("missing", [0, 1])
def test_a_segment_that_grows_is_read_as_far_as_it_was(missing: int, tmp_path: Path) -> None:
    file, batches = tmp_path / "0.log", a_batch(2) + a_batch(2, offset=2)
    there = len(a_batch(2)) if missing == 0 else len(batches) - missing
    file.write_bytes(batches[:there])
    reader = read_segment(file)
    with file.open("ab") as more:
        more.write(batches[there:])
    assert reader.read_all().num_rows == 2
    assert read_segment(file).read_all().num_rows == 4


def test_a_segment_needs_no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = read_records(a_batch()).read_all()
    monkeypatch.setitem(sys.modules, "python_impl.records.compiled", None)
    monkeypatch.delattr("python_impl.records.compiled", raising=False)
    monkeypatch.setitem(sys.modules, "python_impl.records.segment_kernel", None)
    monkeypatch.delattr("python_impl.records.segment_kernel", raising=False)
    assert read_records(a_batch()).read_all().equals(expected)
    with pytest.raises(ImportError):
        read_records(a_batch(), compiled=True).read_all()


def test_numba_keeps_what_it_compiles_of_the_port_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept bears the module's name: a copy of the port must not find it, nor leave any."""
    bug = next(mutant for mutant in MUTANTS if mutant.name == "surrogates cut off as whole")
    bug.load()
    copy = importlib.import_module(f"{bug.package}.records.reader")
    compiled = pytest.importorskip("python_impl.records.compiled")
    kept: list[bool] = []

    def njit(*, cache: bool, **_: bool) -> Callable[[Any], Any]:
        kept.append(cache)
        return lambda function: function

    monkeypatch.setattr(compiled, "njit", njit)
    for function in (ensure_valid, copy.ensure_valid):
        compiled.jit(function)
    assert kept == [True, False]


def test_columns_say_what_is_never_null() -> None:
    assert [field.name for field in SCHEMA if field.nullable] == ["key", "value"]
    header = SCHEMA.field("headers").type.value_type
    assert [field.name for field in header if field.nullable] == ["value"]


def test_no_records_are_no_rows(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    for data in (b"", WireBatch().written()):
        file.write_bytes(data)
        assert read_segment(file).read_all().num_rows == 0


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


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("codec", ["none", "lz4", "zstd"])
def test_records_before_the_damage_come_first(codec: str, compiled: bool) -> None:
    """As Java hands over one after the other: also those of the batch that the damage is in."""
    good = [a_batch(3, codec, 10 * number) for number in range(3)]
    records = a_batch(2)[61:]
    wrong = WireBatch(base_offset=30, records=records, count=3)
    gzip, cut_off = wire.CODEC_IDS["gzip"], wire.compressed("gzip", 0, records)[:-9]
    torn = WireBatch(attributes=gzip, records=cut_off, count=2)
    offsets = [10 * batch + number for batch in range(3) for number in range(3)]
    for damaged, error, before in [
        (wire.with_bit(a_batch(3, codec, 30), 65, 3), JavaCorruptRecordError, offsets),
        (bytes(40), JavaCorruptRecordError, offsets),
        (wrong.written(), JavaInvalidRecordError, [*offsets, 30, 31]),
        (torn.written(), JavaInvalidRecordError, offsets),
    ]:
        seen: list[int] = []
        pieces = read_records(b"".join([*good, damaged, *good]), compiled=compiled)
        with pytest.raises(error):
            seen.extend(offset for piece in pieces for offset in piece["offset"].to_pylist())
        assert seen == before


@pytest.mark.parametrize("compiled", [True, False])
def test_errors_say_where_in_a_later_piece(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    good = a_batch()
    monkeypatch.setattr(segment, "CHUNK_BYTES", 2 * len(good))
    with pytest.raises(JavaCorruptRecordError, match=rf"batch at byte {3 * len(good)}: "):
        read_records(good * 3 + wire.with_bit(good, 65, 3), compiled=compiled).read_all()


@pytest.mark.parametrize("before", range(4))
def test_a_batch_shorter_than_its_header_is_refused_whatever_its_checksum(before: int) -> None:
    whole = WireBatch(size=48).written()[:60]
    short = whole[:17] + google_crc32c.value(whole[21:]).to_bytes(4, "big") + whole[21:]
    good = a_batch()
    with pytest.raises(JavaCorruptRecordError, match=r"60 is smaller than the minimum allowed"):
        read_records(good * before + short + good).read_all()


def test_numbas_loop_finds_each_batch_itself() -> None:
    """What it leaves to Python's is found, too, but slowly. Each byte of the size counts."""
    sizes = [61, 62, 255, 256, 257, 65_535, 65_536, 1 << 16 | 61, (1 << 24) + 300, 100, 61]
    data = b"".join(
        WireBatch(base_offset=0x0102030405060708 * n % 2**63, records=bytes(size - 61)).written()
        for n, size in enumerate(sizes)
    )
    ends = list(itertools.accumulate(sizes))
    for there, many in [(len(data), 11), (len(data) - 1, 10), (len(data) + 60, 11)]:
        some = np.frombuffer((data + bytes(60))[:there], np.uint8)
        assert segment_pieces.plain_ends(some, 1 << 30) == ends[:many]
    whole = np.frombuffer(data, np.uint8)
    assert segment_pieces.plain_ends(whole, 65_536) == ends[:7]
    assert segment_pieces.plain_ends(whole, 65_535) == ends[:6]
    old = np.frombuffer(data[:61] + WireBatch(magic=1).written() + data, np.uint8)
    assert segment_pieces.plain_ends(old, 1 << 30) == ends[:1]


@pytest.mark.parametrize("compiled", [True, False])
def test_of_several_wrong_batches_the_first_is_told(compiled: bool) -> None:
    good, short = a_batch(), WireBatch(size=48).written()[:60]
    wrong = wire.with_bit(good, 65, 3)
    for data, told in [
        (good + wrong + good + wrong, "Record is corrupt"),
        (good + short + good + short, "60 is smaller"),
        (good + wrong + short, "Record is corrupt"),
        (good + short + wrong, "60 is smaller"),
        (good + wrong + bytes(40), "Record is corrupt"),
        (good + short + bytes(40), "60 is smaller"),
    ]:
        with pytest.raises(JavaCorruptRecordError, match=f"byte {len(good)}: .*{told}"):
            read_records(data, compiled=compiled).read_all()


def test_a_batch_beyond_the_limit_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment, "CHUNK_BYTES", 100)
    file = tmp_path / "0.log"
    file.write_bytes(a_batch(60))
    with pytest.raises(JavaCorruptRecordError, match=r"more than the limit of 500"):
        read_segment(file, max_batch_bytes=500).read_all()
    assert read_segment(file, max_batch_bytes=len(a_batch(60))).read_all().num_rows == 60


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


@pytest.mark.parametrize("magic", [0, 1])
def test_older_formats_are_named(magic: int) -> None:
    """But for a last message that is not whole, which is none."""
    message = WireBatch(magic=magic).written()
    for before in (b"", a_batch()):
        says = rf"batch at byte {len(before)}: A message of format {magic}, .*; only format 2 is"
        with pytest.raises(JavaUnsupportedMessageFormatError, match=says):
            read_records(before + message).read_all()
        rows = read_records(before + message[:-1]).read_all().num_rows
        assert rows == (3 if before else 0)


def test_whatever_holds_bytes_is_read_as_it_is_now() -> None:
    data = a_batch() + a_batch()
    for holding in (bytearray(data), memoryview(data), memoryview(bytearray(data))):
        rows, batches = read_records(holding), read_batches(holding)
        if not memoryview(holding).readonly:
            holding[:] = bytes(len(data))
        assert rows.read_all().equals(read_records(data).read_all())
        read = [*batches]
        assert [batch.data for batch in read] == [a_batch()] * 2
        assert {type(record.key) for batch in read for record in batch} == {bytes}


@pytest.mark.parametrize("wrong", ["text", [1, 2], None, 3])
def test_what_holds_no_bytes_is_refused(wrong: Any) -> None:
    for read in (read_records, read_batches):
        with pytest.raises(TypeError, match=r"data is bytes, or holds bytes, not \w+$"):
            read(wrong)

"""What small or hostile input costs a reader: work and memory are counted, not timed."""

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cramjam
import pyarrow as pa
import pytest

from conformance.strategies.records import wire
from conformance.strategies.records.wire import WireBatch, WireRecord, zig_zag
from python_impl.errors import JavaCorruptRecordError, JavaError, JavaInvalidRecordError
from python_impl.records import (
    RecordBatch,
    decompression,
    read_batches,
    read_records,
    read_segment,
    reader,
    segment_columns,
)

LEAST = b"\x0c\0\0\0\1\1\0"
"""A record that has nothing."""
WRONG = b"\x0c\0\0\0\1\1\2"
"""One that has no header, but says that it has one."""
MIB = 1 << 20
LOOPS = pytest.mark.parametrize("compiled", [True, False])
LIES: list[wire.Lie] = [
    lambda _: zig_zag(-1),
    lambda true: zig_zag(true + 1),
    lambda true: zig_zag(true - 1),
    lambda _: zig_zag(2**31 - 1),
    lambda _: b"\xff" * 5,
    lambda _: b"\xff" * 11,
    lambda _: b"",
]


def a_batch(records: bytes, count: int, codec: str = "none", **header: Any) -> bytes:
    packed = records if codec == "none" else wire.compressed(codec, 0, records)
    header = {"attributes": wire.CODEC_IDS[codec], **header}
    return WireBatch(records=packed, count=count, **header).written()


def with_headers(many: int, last: bytes = b"\0\1") -> bytes:
    """A record of so many headers, each without contents, but perhaps the last."""
    body = b"\0\0\0\1\1" + zig_zag(many) + b"\0\1" * (many - 1) + last
    return zig_zag(len(body)) + body


def refusal(read: Callable[[], object]) -> tuple[type[JavaError], str]:
    with pytest.raises(JavaError) as refused:
        read()
    return refused.type, str(refused.value)


@contextmanager
def traced() -> Iterator[Callable[[], float]]:
    """Tells by how many MiB Python's memory, NumPy's included, grew at most within."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    try:
        yield lambda: (tracemalloc.get_traced_memory()[1] - before) / MIB
    finally:
        tracemalloc.stop()


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the reader of single records makes: a record each time, or a header."""
    made: list[str] = []
    read = reader._read_record

    def read_record(*arguments: Any) -> Any:
        made.append("record")
        return read(*arguments)

    def header(*arguments: Any) -> Any:
        made.append("header")
        return arguments

    monkeypatch.setattr(reader, "_read_record", read_record)
    monkeypatch.setattr(reader, "RecordHeader", header)
    return made


def _told(batch: bytes, compiled: bool) -> str:
    """The refusal of columns, or that there is none, without the place that it names."""
    try:
        read_records(batch, compiled=compiled).read_all()
    except JavaError as error:
        return f"{type(error).__name__}: {error}".replace("the data, batch at byte 0: ", "")
    return "none"


def _told_by_records(batch: bytes) -> str:
    try:
        for _ in RecordBatch(batch):
            pass
    except JavaError as error:
        return f"{type(error).__name__}: {error}"
    return "none"


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_columns_refuse_with_the_words_of_single_records(codec: str) -> None:
    """Wherever a number lies, and however many records there are instead of those counted."""
    records = [
        WireRecord(5, 0, b"key", None, []),
        WireRecord(-3, 1, None, b"v" * 70, [(b"h", b"x"), (b"", None), (b"i", b"")]),
        WireRecord(0, 2, b"", b"", []),
    ]
    honest = wire.Records()
    for record in records:
        honest.write(record)
    damaged = [(honest.data, count) for count in (-1, -(2**31), 0, 1, 2, 4, 2**31 - 1)]
    damaged += [(honest.data[:end], 3) for end in range(len(honest.data))]
    for place in range(honest.numbers):
        for lie in LIES:
            writer = wire.Records(place, lie)
            for record in records:
                writer.write(record)
            damaged.append((writer.data, 3))
    seen = set()
    for data, count in damaged:
        batch = a_batch(data, count, codec)
        told = _told_by_records(batch)
        assert _told(batch, True) == told
        seen.add(told.partition(":")[2][:40])
    assert len(seen) >= 8  # kinds of refusal


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_only_the_record_that_is_refused_is_read_again(codec: str, readings: list[str]) -> None:
    for data, count in [
        (LEAST * 2_000 + WRONG, 2_001),
        (LEAST * 2_000, 2_001),
        (LEAST * 2_000, 2**31 - 1),
        (LEAST * 2_000, 1_999),
        (LEAST * 2_000, -1),
        (with_headers(2_000, b"\1\1"), 1),
        (with_headers(2_000, b"\0\4"), 1),
        (with_headers(2_000, b"\0\1\0"), 1),
    ]:
        batch = a_batch(data, count, codec)
        kind, text = refusal(lambda batch=batch: read_records(batch, compiled=True).read_all())
        assert len(readings) <= 1
        assert (kind, text.partition(": ")[2]) == refusal(lambda batch=batch: [*RecordBatch(batch)])
        readings.clear()


@LOOPS
def test_rows_come_in_parts(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the parts: the same rows, each with its own batch's producer."""
    batches = [
        a_batch(LEAST * count, count, codec, base_offset=at, producer=(count, at % 7, at))
        for at, (count, codec) in enumerate(
            [(40, "none"), (0, "none"), (33, "none"), (1, "zstd"), (70, "zstd"), (0, "zstd")] * 2
        )
    ]
    batches.insert(5, a_batch(with_headers(3) * 50 + with_headers(30) * 2, 52))
    data = b"".join(batches)
    whole = read_records(data, compiled=compiled).read_all()
    assert whole.num_rows == 2 * (40 + 33 + 1 + 70) + 52
    for most in (1, 2, 20, 33, 40, 73):
        for name in ("_MOST_ROWS", "_MOST_HEADERS", "_MOST_PYTHON_ROWS"):
            monkeypatch.setattr(segment_columns, name, most)
        parts = [*read_records(data, compiled=compiled)]
        table = pa.Table.from_batches(parts)
        table.validate(full=True)
        assert table.equals(whole)
        assert max(part.num_rows for part in parts) <= most
        for part in parts:
            headers = [len(row) for row in part["headers"].to_pylist()]
            # A row that has more headers than there is room for stands alone, or ends its part.
            assert sum(headers[:-1] if not compiled else headers[1:]) <= most


@LOOPS
def test_rows_before_damage_are_handed_out_in_their_parts(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_columns, "_MOST_ROWS", 40)
    monkeypatch.setattr(segment_columns, "_MOST_PYTHON_ROWS", 40)
    data = a_batch(LEAST * 50, 50) + a_batch(LEAST * 99 + WRONG, 100)
    seen = []
    with pytest.raises(JavaInvalidRecordError, match=r"batch at byte 411: Found invalid number"):
        seen += [part.num_rows for part in read_records(data, compiled=compiled)]
    parts = iter(read_records(data, compiled=compiled))
    assert [next(parts).num_rows for _ in range(3)] == [40] * 3


def test_so_many_rows_are_made_at_once() -> None:
    for compiled, rows, most in [(True, 600_000, 1 << 18), (False, 20_000, 1 << 14)]:
        batch = a_batch(LEAST * rows, rows, "zstd")
        parts = [part.num_rows for part in read_records(batch, compiled=compiled)]
        assert parts == [most] * (rows // most) + [rows % most]


def test_the_memory_for_a_bomb_is_what_it_becomes_and_a_bounded_rest() -> None:
    size = 48
    count = size * MIB // len(LEAST)
    bomb = a_batch(LEAST * count, count, "zstd")
    assert len(bomb) < 10_000
    read_records(a_batch(LEAST, 1), compiled=True).read_all()
    rows = 0
    with traced() as grown:
        for part in read_records(bomb, max_batch_bytes=size * MIB, compiled=True):
            rows += part.num_rows
            del part
        assert grown() < size + 40  # nine times as much, if all rows are made at once
    assert rows == count


def test_large_batches_stay_where_they_were_decompressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each alone, among small ones that are kept together."""
    counts = [3, 150_000, 2, 1, 150_001, 160_000, 7]
    data = b"".join(
        a_batch(LEAST * count, count, "zstd", base_offset=at) for at, count in enumerate(counts)
    )
    expected = read_records(data, compiled=True).read_all()
    monkeypatch.setattr(decompression, "_NOT_COPIED", MIB)
    parts = [*read_records(data, compiled=True)]
    assert [part.num_rows for part in parts] == [3, 150_000, 3, 150_001, 160_000, 7]
    table = pa.Table.from_batches(parts)
    table.validate(full=True)
    assert table.equals(expected)


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_single_records_take_the_memory_of_their_batch_and_one_record(codec: str) -> None:
    """One that is nearly all of it; and very many, of which only the last is kept."""
    size = 40 * MIB
    body = b"\0\0\0\1" + zig_zag(size) + bytes(size) + b"\0"
    large = zig_zag(len(body)) + body
    for data, count, most in [(large, 1, 2), (LEAST * 15_000, 15_000, 8)]:
        [batch] = read_batches(a_batch(data, count, codec), max_batch_bytes=len(data) + 100)
        with traced() as grown:
            assert sum(1 for _ in batch) == count
            assert grown() < most * len(data) / MIB + 1


@LOOPS
def test_the_limit_holds_for_every_batch(compiled: bool, tmp_path: Path) -> None:
    file, batch = tmp_path / "0.log", a_batch(LEAST * 60, 60)
    file.write_bytes(batch * 2)
    says = rf"batch of {len(batch)} bytes, more than the limit of {len(batch) - 1}"
    for read in (
        lambda limit: read_records(batch * 2, max_batch_bytes=limit, compiled=compiled).read_all(),
        lambda limit: read_segment(file, max_batch_bytes=limit, compiled=compiled).read_all(),
        lambda limit: [
            one for batch in read_batches(batch * 2, max_batch_bytes=limit) for one in batch
        ],
    ):
        assert len(read(len(batch))) == 120
        with pytest.raises(JavaCorruptRecordError, match=says):
            read(len(batch) - 1)


def test_a_limit_is_a_number_of_bytes(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(a_batch(LEAST, 1))
    for read in (read_records, read_batches, lambda _, **how: read_segment(file, **how)):
        for wrong in (True, "5", 2.5, None):
            with pytest.raises(TypeError, match="max_batch_bytes is an int, a number of bytes"):
                read(b"", max_batch_bytes=wrong)
        with pytest.raises(ValueError, match="0 or more, not -1"):
            read(b"", max_batch_bytes=-1)
        read(b"", max_batch_bytes=2**70)


@LOOPS
def test_a_record_has_few_headers_or_as_many_as_the_limit_allows(compiled: bool) -> None:
    few = 1 << 16
    batch = a_batch(with_headers(few), 1)
    [lists] = read_records(batch, max_batch_bytes=len(batch), compiled=compiled).read_all()[
        "headers"
    ]
    assert len(lists) == few
    more = a_batch(with_headers(few + 1), 1)
    says = f"A record of {few + 1} headers, more than the limit of {few}, which is max_batch_bytes"
    with pytest.raises(JavaInvalidRecordError, match=rf"at byte 0: {says}"):
        read_records(more, max_batch_bytes=64 * few + 63, compiled=compiled).read_all()
    with pytest.raises(JavaInvalidRecordError, match=says):
        next(iter(RecordBatch(more, 64 * few + 63)))
    assert read_records(more, max_batch_bytes=64 * few + 64, compiled=compiled).read_all().num_rows


def test_few_keys_of_headers_are_decoded_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those near one that is not UTF-8, and no others."""
    decoded = []

    def decode(key: bytes) -> str:
        decoded.append(key)
        return key.decode("utf-8", "replace")

    monkeypatch.setattr(segment_columns, "deserialize_string", decode)
    writer = wire.Records()
    for number in range(5000):
        key = b"\xff" if number == 3000 else b"%d" % number
        writer.write(WireRecord(0, number, None, None, [(key, None)]))
    table = read_records(a_batch(writer.data, 5000), compiled=True).read_all()
    table.validate(full=True)
    found = [headers[0]["key"] for headers in table["headers"].to_pylist()]
    assert found == ["\ufffd" if number == 3000 else str(number) for number in range(5000)]
    assert len(decoded) <= 1024


def test_members_of_gzip_are_not_copied_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """zlib copies what it leaves of its input."""
    member, many = wire.compressed("gzip", 0, b""), 5000
    handed = []

    class Counting:
        def __init__(self, **how: int) -> None:
            self._inner = zlib_decompressor(**how)

        def decompress(self, data: bytes, most: int) -> bytes:
            handed.append(len(data))
            return self._inner.decompress(data, most)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    zlib_decompressor = decompression.zlib.decompressobj
    monkeypatch.setattr(decompression.zlib, "decompressobj", Counting)
    assert decompression.decompressed(1, member * many, 100) == b""
    assert len(handed) == many
    assert sum(handed) <= many * 8192


def test_a_block_of_snappy_beyond_the_limit_is_not_decompressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    room = decompression.Scratch.room

    def counted(scratch: decompression.Scratch, size: int) -> memoryview:
        asked.append(size)
        return room(scratch, size)

    monkeypatch.setattr(decompression.Scratch, "room", counted)
    block = bytes(cramjam.snappy.compress_raw(bytes(MIB)))
    framed = wire.SNAPPY_HEADER + len(block).to_bytes(4, "big") + block
    for stream in (block, framed, framed[:16] + b"\0\0\0\1\0" + framed[16:]):
        assert decompression.decompressed(2, stream, MIB) == bytes(MIB)
        asked.clear()
        with pytest.raises(JavaInvalidRecordError, match=rf"become more than {MIB - 1}, which"):
            decompression.decompressed(2, stream, MIB - 1)
        assert sum(asked) < MIB

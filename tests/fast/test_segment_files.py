"""Files that are no log segment, or no whole one: what is refused, and what is told."""

import gc
import os
import socket
import struct
import warnings
from pathlib import Path

import pytest

from conformance.strategies.records.wire import WireBatch
from python_impl import kafka_3_8_0
from python_impl.errors import JavaCorruptRecordError, JavaUnsupportedMessageFormatError
from python_impl.records import TornSegmentWarning, read_records, read_segment, segment

LOOPS = pytest.mark.parametrize("compiled", [True, False])


def a_batch(records: int = 3) -> bytes:
    builder = kafka_3_8_0.MemoryRecordsBuilder()
    for number in range(records):
        builder.append(1000 + number, b"key %d" % number, b"a value")
    return builder.build()


def an_index(entries: int) -> bytes:
    """Of offsets: each stands for an offset beyond the first, and a position in the segment."""
    return b"".join(struct.pack(">ii", 100 * n, 4096 * n) for n in range(1, entries + 1))


OTHERS = [
    *("0.index", "0.timeindex", "0.txnindex", "0.snapshot", "0.checkpoint"),
    *("0.index.deleted", "0.index.swap", "0.index.cleaned", "0.timeindex.deleted"),
    *("0.txnindex.swap", "0.snapshot.deleted", "0.index.swap.deleted"),
    *("0.INDEX", "0.TimeIndex", "0.Index.Deleted"),
    *("leader-epoch-checkpoint", "log-start-offset-checkpoint", "partition.metadata"),
]


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_beside_a_segment_is_told_by_its_name(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(a_batch())
    with pytest.raises(ValueError, match=r"is no log segment, but stands beside one: read the"):
        read_segment(file)


@pytest.mark.parametrize(
    "name", ["0.log", "0.log.deleted", "0.log.swap", "0.log.cleaned", "0.LOG", "index", "0"]
)
def test_segments_have_many_names(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(a_batch())
    assert read_segment(file).read_all().num_rows == 3


@LOOPS
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"some text of more bytes than a start has", r"Invalid magic found in record: \d+"),
        (an_index(1) + struct.pack(">ii", 9, 4096), r"Record size 9 is less than the minimum"),
        (bytes(4096), r"Record size 0 is less than the minimum"),
        (struct.pack(">qiib", 0, 200, 0, 3), r"Invalid magic found in record: 3"),
        (
            b"\0" * 8 + b"\x7f\xff\xff\xff" + b"\0" * 4 + b"\2",
            r"Record size \d+ is more than any batch has",
        ),
    ],
)
def test_a_start_that_no_segment_has(
    data: bytes, says: str, compiled: bool, tmp_path: Path
) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(data)
    after = "this is no log segment, or its start is damaged$"
    with pytest.raises(
        JavaCorruptRecordError, match=rf"0\.log, batch at byte 0: {says}.*; {after}"
    ):
        read_segment(file, compiled=compiled).read_all()


@LOOPS
@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("left_out", [0, 1, 44])
def test_an_older_format_is_named_even_if_its_first_message_is_torn(
    magic: int, left_out: int, compiled: bool, tmp_path: Path
) -> None:
    file, message = tmp_path / "0.log", WireBatch(magic=magic).written()
    file.write_bytes(message[: len(message) - left_out])
    says = rf"0\.log, batch at byte 0: A message of format {magic}, .*, or no log segment at all"
    with pytest.raises(JavaUnsupportedMessageFormatError, match=says):
        read_segment(file, compiled=compiled).read_all()


@pytest.mark.parametrize("entries", [3, 4, 2000])
def test_what_an_index_holds_may_be_an_older_format(entries: int, tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(an_index(entries))
    with pytest.raises(JavaUnsupportedMessageFormatError, match="or no log segment at all"):
        read_segment(file).read_all()


@LOOPS
@pytest.mark.parametrize("data", [an_index(1), an_index(2), b"hello\n", b"hello, world!\n", b"\0"])
def test_what_cannot_be_told_from_a_torn_batch_is_told(
    data: bytes, compiled: bool, tmp_path: Path
) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(data)
    with pytest.warns(TornSegmentWarning, match=rf"Found {len(data)} invalid bytes at the end of"):
        assert read_segment(file, compiled=compiled).read_all().num_rows == 0


def test_an_empty_file_is_a_segment_without_batches(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.touch()
    assert read_segment(file).read_all().num_rows == 0


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    """To open a pipe waits until somebody writes to it."""
    pipe, link, name = tmp_path / "0.log", tmp_path / "1.log", tmp_path / "2.log"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(name))
        for file in (pipe, link, name, Path(os.devnull)):
            with pytest.raises(ValueError, match="nor a regular file at all"):
                read_segment(file)


@LOOPS
def test_a_size_that_hides_all_that_follows_is_told(
    compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java leaves the rest out without a word; it is not read into memory, either."""
    file, good = tmp_path / "0.log", a_batch()
    for size in (len(good) * 9, 2**30, 2**31 - 13):
        damaged = good[:8] + size.to_bytes(4, "big") + good[12:]
        file.write_bytes(good + damaged + good * 5)
        for chunk in (100, 1 << 20):
            monkeypatch.setattr(segment, "CHUNK_BYTES", chunk)
            reader = read_segment(file, compiled=compiled, max_batch_bytes=1000)
            with pytest.warns(TornSegmentWarning) as told:
                assert reader.read_all().num_rows == 3
            [only] = told
            assert str(only.message).startswith(
                f"Found {6 * len(good)} invalid bytes at the end of {file}: a batch of {size + 12} "
                f"bytes at byte {len(good)} is not whole."
            )
            assert only.filename == __file__


@pytest.mark.parametrize("left", [1, 11, 12, 17, 61])
def test_a_last_batch_that_is_not_whole_is_told(left: int, tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(a_batch() + a_batch()[:left])
    with pytest.warns(TornSegmentWarning, match=rf"Found {left} invalid bytes at the end of"):
        assert read_segment(file).read_all().num_rows == 3
    assert read_records(file.read_bytes()).read_all().num_rows == 3  # a broker cuts it off


def test_a_batch_whose_rest_comes_meanwhile_is_no_matter(tmp_path: Path) -> None:
    file, batch = tmp_path / "0.log", a_batch()
    for left in (5, 12, 50, len(batch) - 1):
        file.write_bytes(batch + batch[:left])
        early, late = read_segment(file), read_segment(file)
        with file.open("ab") as more:
            more.write(batch[left:-1])
        with pytest.warns(TornSegmentWarning, match=rf"Found {left} invalid bytes"):
            assert early.read_all().num_rows == 3
        with file.open("ab") as more:
            more.write(batch[-1:])
        assert late.read_all().num_rows == 3


def test_a_segment_that_nobody_reads_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "0.log"
    file.write_bytes(a_batch() * 2)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read_segment(file)
        next(iter(read_segment(file)))
        gc.collect()
    assert [str(one.message) for one in told] == []

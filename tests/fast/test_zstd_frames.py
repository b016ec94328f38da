"""Frames of zstd that are decompressed at once are what they are one by one."""

import random
from itertools import product

import pytest

from conformance.strategies.records import wire
from conformance.strategies.records.wire import WireBatch
from python_impl.errors import JavaInvalidRecordError
from python_impl.records import read_records
from python_impl.records.decompression import Compressed, Scratch, append_records
from python_impl.records.zstd_frames import append_group, groups

MAGIC = bytes.fromhex("28b52ffd")
MARK = b"\xff" + b"\xfe" * 63
NOISE = random.Random(1).randbytes(70_000)
LIMIT = 1 << 20
FRAMES = {
    "of a size of 1 byte": wire.compressed("zstd", 0, b"records"),
    "of a size of 2 bytes": wire.compressed("zstd", 0, b"records " * 100),
    "of a size of 4 bytes": wire.compressed("zstd", 0, b"records " * 10_000),
    "of a size of 8 bytes": MAGIC + b"\xe0" + (3).to_bytes(8, "little") + b"\x19\0\0abc",
    "of a window and a size": MAGIC
    + b"\x40\0\0\0"
    + (256 << 3 | 1).to_bytes(3, "little")
    + b"a" * 256,
    "of no size": wire.compressed("zstd", 1, b"records " * 100),
    "stored": wire.compressed("zstd", 0, NOISE),
    "one byte many times": MAGIC + b"\x20\xc8" + (200 << 3 | 3).to_bytes(3, "little") + b"a",
    "of nothing": wire.compressed("zstd", 0, b""),
    "with a checksum": MAGIC + b"\x24\0\1\0\0" + bytes.fromhex("99e9d851"),
}
ODD = {
    "two frames": wire.compressed("zstd", 0, b"records") * 2,
    "a frame to skip": bytes.fromhex("502a4d18 01000000 00") + wire.compressed("zstd", 0, b"r"),
    "a dictionary": MAGIC + b"\x21\1\1\x09\0\0a",
    "a byte more": wire.compressed("zstd", 0, b"records") + b"\0",
    "a byte less": wire.compressed("zstd", 0, b"records")[:-1],
    "no last block": MAGIC + b"\x20\3\x18\0\0abc",
    "half a block's header": MAGIC + b"\x20\3\x19\0",
    "another magic": b"\x27" + wire.compressed("zstd", 0, b"records")[1:],
    "the magic alone": MAGIC,
    "nothing": b"",
    "no checksum": MAGIC + b"\x24\0\1\0\0",
}


def _batches(*frames: bytes) -> list[Compressed]:
    return [Compressed(4, 1, frame) for frame in frames]


def _alone(batch: Compressed) -> bytes:
    records = bytearray()
    append_records(records, batch, LIMIT, Scratch())
    return bytes(records)


@pytest.mark.parametrize(("one", "other"), [*product(FRAMES, FRAMES)])
def test_two_frames_at_once(one: str, other: str) -> None:
    batches = _batches(FRAMES[one], FRAMES[other])
    [group] = groups(batches)
    assert group == batches
    records = bytearray(b"earlier ones")
    spans = append_group(records, group, LIMIT, Scratch())
    assert spans is not None
    assert [records[begin:end] for begin, end in spans] == [_alone(batch) for batch in batches]
    assert records.startswith(b"earlier ones")
    assert spans[0][0] == len(b"earlier ones")


@pytest.mark.parametrize("odd", ODD)
def test_what_is_not_one_whole_frame_is_taken_alone(odd: str) -> None:
    batches = _batches(FRAMES["of no size"], ODD[odd], FRAMES["of no size"])
    assert list(groups(batches)) == [[batch] for batch in batches]


def test_other_codecs_and_batches_without_records_are_taken_alone() -> None:
    frame = FRAMES["of no size"]
    kinds = [(4, 1), (3, 1), (4, 0), (4, -1), (4, 1), (1, 1), (1, 1)]
    batches = [Compressed(codec, records, frame) for codec, records in kinds]
    assert [len(group) for group in groups(batches)] == [1, 1, 1, 2, 1, 1]
    assert [batch for group in groups(batches) for batch in group] == batches
    assert append_group(bytearray(), batches[:1], LIMIT, Scratch()) is None


@pytest.mark.parametrize(
    ("size", "many", "expected"),
    [(10, 15, [7, 7, 1]), (300_000, 5, [2, 2, 1]), (1 << 20, 2, [1, 1]), (1 << 17, 8, [7, 1])],
)
def test_a_group_has_room_in_what_is_kept(size: int, many: int, expected: list[int]) -> None:
    batches = _batches(*[wire.compressed("zstd", 0, bytes(size))] * many)
    found = list(groups(batches))
    assert [len(group) for group in found] == expected
    for group in found:
        records = bytearray()
        spans = append_group(records, group, LIMIT, Scratch())
        assert (spans is None) == (len(group) == 1)
        for begin, end in spans or []:
            assert records[begin:end] == bytes(size)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(
    "bad",
    [
        MAGIC + b"\x24\0\1\0\0" + bytes(4),
        MAGIC + b"\x20\4\x19\0\0abc",
        wire.compressed("zstd", 0, b"records" + MARK),
        wire.compressed("zstd", 0, MARK),
        wire.compressed("zstd", 0, bytes(1001)),
    ],
    ids=["checksum", "size", "has the mark", "is the mark", "beyond the limit"],
)
def test_a_group_in_which_something_is_wrong_is_left(bad: bytes, place: int) -> None:
    frames = [wire.compressed("zstd", 0, bytes(1000))] * 2
    frames.insert(place, bad)
    [group] = groups(_batches(*frames))
    records = bytearray(b"earlier ones")
    assert append_group(records, group, 1000, Scratch()) is None
    assert records == b"earlier ones"


def _segment(*frames: bytes) -> bytes:
    """Batches of one record each."""
    return b"".join(
        WireBatch(base_offset=at, attributes=4, records=frame, count=1).written()
        for at, frame in enumerate(frames)
    )


def test_records_that_have_the_mark_are_read() -> None:
    writer = wire.Records()
    writer.write(wire.WireRecord(0, 0, None, MARK * 3, []))
    data = _segment(*[wire.compressed("zstd", 0, writer.data)] * 9)
    found = read_records(data, compiled=True).read_all()
    assert found["value"].to_pylist() == [MARK * 3] * 9
    assert found.equals(read_records(data, compiled=False).read_all())


@pytest.mark.parametrize("place", [0, 3, 8])
def test_a_frame_that_is_refused_is_told_where_it_is(place: int) -> None:
    writer = wire.Records()
    writer.write(wire.WireRecord(0, 0, None, b"a value", []))
    good = wire.compressed("zstd", 0, writer.data)
    bomb = wire.compressed("zstd", 0, bytes(5001))
    at = place * len(_segment(good))
    for bad, says in [
        (MAGIC + b"\x24\0\1\0\0" + bytes(4), "The batch cannot be decompressed: .*checksum"),
        (bomb, f"{len(bomb)} compressed bytes become more than 5000"),
    ]:
        frames = [good] * 9
        frames.insert(place, bad)
        for compiled in (True, False):
            with pytest.raises(JavaInvalidRecordError, match=rf"batch at byte {at}: .*{says}"):
                read_records(_segment(*frames), max_batch_bytes=5000, compiled=compiled).read_all()

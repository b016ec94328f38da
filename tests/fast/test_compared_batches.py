"""How batches that a testee wrote are compared: in parts, named, and safe whatever it sent."""

import struct
from dataclasses import replace
from typing import Any

import cramjam
import google_crc32c
import pytest

from conformance.behaviours.records.places import place_in_batch, place_in_reading
from conformance.behaviours.records.unpacking import unpacked
from conformance.engine.difference import difference_of
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.model.trace import Trace
from conformance.model.values import int64, mapping
from conformance.strategies.records import wire
from conformance.strategies.records.wire import WireBatch, WireRecord

RECORD_BATCH = behaviour_named("record-batch")
CONFIG = {
    **{"codec": "none", "log_append_time": None, "base_offset": "0", "control": False},
    **{"producer_id": "-1", "epoch": -1, "sequence": -1, "transactional": False},
    **{"leader_epoch": 0, "limit": 16384, "ratio": None},
}
STATE = {"records": 1, "estimated size": 100, "full": 1, "closed": 1}


def _batch(codec: str = "none", kind: int = 0) -> WireBatch:
    writer = wire.Records()
    writer.write(WireRecord(0, 0, b"k", b"v" * 50))
    records = wire.compressed(codec, kind, writer.data)
    return WireBatch(records=records, count=1, attributes=wire.CODEC_IDS[codec])


def _case(**config: Any) -> Case:
    append = {"op": "append", "times": 1, "timestamp": "0", "key": b"k", "value": b"v" * 50}
    steps = [{**append, "headers": []}, {"op": "build"}]
    return {"config": {**CONFIG, **config}, "metadata": [], "steps": steps}


def _compared(answer: Any, **config: Any) -> Any:
    trace: Trace = [{"answer": None}, {"answer": answer}]
    return RECORD_BATCH.as_compared(_case(**config), trace)[1]["answer"]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_what_two_writers_compress_otherwise_is_the_same(codec: str) -> None:
    one, other = (_compared(_batch(codec, kind).written(), codec=codec) for kind in (0, 1))
    assert one == other
    whole, right, header, framed, records = one
    assert (whole, right, framed) == (1, 1, 1)
    assert (len(header), records) == (53, _batch().records)


def test_snappy_without_the_framing_of_java_is_told_as_that() -> None:
    one, raw = (_compared(_batch("snappy", kind).written(), codec="snappy") for kind in (0, 2))
    assert place_in_batch(one, raw) == "framing"


def test_what_does_not_get_shorter_may_be_left_alone() -> None:
    compressed = _compared(_batch("gzip").written(), codec="gzip")
    alone = _compared(_batch().written(), codec="gzip")
    assert alone[4] == compressed[4]
    assert place_in_batch(compressed, alone) == "attributes"


def test_the_epoch_of_the_leader_is_the_brokers() -> None:
    one, other = (replace(_batch(), leader_epoch=epoch).written() for epoch in (0, 7))
    assert _compared(one) != _compared(other)
    assert _compared(one, leader_epoch=None) == _compared(other, leader_epoch=None)
    packed = [replace(_batch("lz4"), leader_epoch=epoch).written() for epoch in (0, 7)]
    one, other = (_compared(batch, codec="lz4", leader_epoch=None) for batch in packed)
    assert one == other


@pytest.mark.parametrize("answer", [b"", b"short", None, [1, 2], {"error": "other"}, "text"])
def test_what_is_no_batch_stays_as_it_is(answer: Any) -> None:
    assert _compared(answer, codec="gzip") == answer
    assert place_in_batch(_compared(_batch("gzip").written(), codec="gzip"), answer) == ""


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_a_bomb_is_not_decompressed(codec: str) -> None:
    bomb = wire.compressed(codec, 0, bytes(1 << 24))
    told = unpacked(wire.CODEC_IDS[codec], bomb, 1000)
    assert isinstance(told, str)
    assert told.startswith(f"not {codec}: ")
    assert unpacked(wire.CODEC_IDS[codec], bomb, 1 << 24) == bytes(1 << 24)


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("data", [b"", b"\x1f\x8b", b"\x82SNAPPY\0", b"\xff" * 99])
def test_no_codec_raises(number: int, data: bytes) -> None:
    assert isinstance(unpacked(number, data, 1000), bytes | str)


def test_a_snappy_block_beyond_the_end_is_no_error() -> None:
    data = wire.SNAPPY_HEADER + struct.pack(">I", 2**32 - 1) + bytes(3)
    assert unpacked(2, data, 1000) == "not snappy: its last block is cut off"
    raw = bytes(cramjam.snappy.compress_raw(b"x" * 9))
    assert unpacked(2, raw, 1000) == b"x" * 9


def _with(at: int, **header: Any) -> bytes:
    """A batch with one byte changed before the checksum, which is right again."""
    batch = bytearray(replace(_batch(), **header).written())
    batch[at] ^= 1
    struct.pack_into(">I", batch, 17, google_crc32c.value(bytes(batch[21:])))
    return bytes(batch)


@pytest.mark.parametrize(
    ("at", "field"),
    [
        (7, "base offset"),
        (15, "leader epoch"),
        (16, "magic"),
        (22, "attributes"),
        (26, "last offset delta"),
        (34, "base timestamp"),
        (42, "max timestamp"),
        (50, "producer id"),
        (52, "producer epoch"),
        (56, "base sequence"),
        (60, "count"),
        (61, "records"),
    ],
)
def test_the_field_that_differs_is_named(at: int, field: str) -> None:
    assert place_in_batch(_batch().written(), _with(at)) == field


def test_length_and_checksum_are_named_only_if_nothing_else_differs() -> None:
    whole = _batch().written()
    assert place_in_batch(whole, wire.with_bit(whole, 11, 0)) == "length"
    assert place_in_batch(whole, wire.with_bit(whole, 18, 0)) == "CRC"
    assert place_in_batch(whole, whole + b"\0") == "records"
    assert place_in_batch(whole, b"short") == "base offset"


def test_a_difference_has_the_name_of_its_field() -> None:
    case = _case()
    traces: list[Trace] = [
        [{"answer": None}, {"answer": answer}] for answer in (_batch().written(), _with(42))
    ]
    found = difference_of(RECORD_BATCH, case, *traces)
    assert str(found) == "build: bytes for another (max timestamp)"


def test_the_size_of_a_closed_batch_is_not_compared_if_it_is_compressed() -> None:
    trace: Trace = [{"answer": None, "state": dict(STATE)}] * 2
    plain = RECORD_BATCH.as_compared(_case(), trace)
    packed = RECORD_BATCH.as_compared(_case(codec="lz4"), trace)
    assert plain == trace
    assert [step["state"]["estimated size"] for step in packed] == [None, None]


A_ROW = [int64(0), int64(5), b"k", b"v", []]


@pytest.mark.parametrize(
    ("expected", "answered", "place"),
    [
        ([A_ROW], ["refused"], "refused"),
        (["refused"], [A_ROW], "not refused"),
        ([A_ROW, "refused"], [A_ROW], "not refused"),
        ([A_ROW], [], "number of records"),
        ([A_ROW], [[int64(1), *A_ROW[1:]]], "offset"),
        ([A_ROW], [[*A_ROW[:4], [["h", None]]]], "headers"),
        ([A_ROW], [7], "number of records"),
        ([A_ROW], 7, ""),
        ([A_ROW], [A_ROW[:2]], "key"),
    ],
)
def test_the_column_that_differs_is_named(expected: Any, answered: Any, place: str) -> None:
    assert place_in_reading("records", expected, answered) == place


def test_the_member_of_a_batch_that_differs_is_named() -> None:
    def batch(**members: Any) -> Any:
        record = [int64(0), int64(5), -1, b"k", b"v", []]
        return mapping(list({"codec": "none", "count": 1, "records": [record], **members}.items()))

    one = [batch(), "end"]
    assert place_in_reading("read", one, [batch(codec="lz4"), "end"]) == "codec"
    assert place_in_reading("read", one, ["refused", "end"]) == "refused"
    assert place_in_reading("read", ["refused", "end"], one) == "not refused"
    assert place_in_reading("read", one, [batch(), "refused"]) == "refused"
    other = batch(records=[[int64(0), int64(5), 7, b"k", b"v", []]])
    assert place_in_reading("read", one, [other, "end"]) == "sequence"
    assert place_in_reading("read", one, [batch(records=3), "end"]) == "records"
    assert place_in_reading("read", one, [{"map": []}, "end"]) == "codec"
    assert place_in_reading("read", one, [3, 4, 5]) == ""


@pytest.mark.parametrize(
    ("expected", "answered", "place"),
    [
        ([None, "CORRUPT_MESSAGE"], [None, "INVALID_RECORD"], "reason"),
        (["INVALID_RECORD", "end"], [None, "end"], "not refused"),
        ([None, "end"], ["INVALID_RECORD", "end"], "refused"),
        (["end"], [None, "end"], ""),
        ([None, "CORRUPT_MESSAGE"], [None], "not refused"),
        ([None, "end"], [3, "end"], ""),
    ],
)
def test_reasons_of_refusals_differ_by_what_is_refused(
    expected: list[Any], answered: list[Any], place: str
) -> None:
    assert place_in_reading("refusals", expected, answered) == place

"""What surprises people about reading record batches, each fact on Java and on the port."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.model.values import int64
from conformance.strategies.records import wire
from conformance.strategies.records.wire import WireBatch, WireRecord
from tests.examples.conftest import Perform, answers

VERSIONS = pytest.mark.parametrize("version", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])


def batch(*records: WireRecord, codec: str = "none", **header: Any) -> WireBatch:
    writer = wire.Records()
    for record in records:
        writer.write(record)
    data = wire.compressed(codec, 0, writer.data)
    attributes = header.pop("attributes", 0) | wire.CODEC_IDS[codec]
    return WireBatch(attributes=attributes, records=data, **{"count": len(records), **header})


def read(perform: Perform, version: str, data: bytes) -> Any:
    step = {"op": "read", "data": data, "damage": None, "codec": "none"}
    ([*batches, end],) = answers(perform("batch-reading", version, [step]))
    return [one if one == "refused" else dict(one["map"]) for one in batches], end


def records(perform: Perform, version: str, data: bytes) -> Any:
    ([only], end) = read(perform, version, data)
    assert end == "end"
    return only["records"]


A_RECORD = WireRecord(0, 0, b"k", b"v")
READ = [int64(0), int64(0), -1, b"k", b"v", []]


@VERSIONS
def test_a_batch_that_is_cut_off_is_no_batch_and_no_error(perform: Perform, version: str) -> None:
    whole = batch(A_RECORD).written()
    for cut in (1, 11, 17, 61, len(whole) - 1):
        assert read(perform, version, whole[:cut]) == ([], "end")


@VERSIONS
def test_a_wrong_bit_is_refused_unless_it_is_before_the_checksum(
    perform: Perform, version: str
) -> None:
    whole = batch(A_RECORD).written()
    ([refused], _) = read(perform, version, wire.with_bit(whole, wire.AFTER_CRC + 1, 4))
    assert refused == "refused"
    ([only], _) = read(perform, version, wire.with_bit(whole, 7, 0))  # the base offset's last byte
    assert (only["base offset"], only["records"]) == (int64(1), [[int64(1), *READ[1:]]])


@VERSIONS
def test_why_a_batch_is_refused_is_told_by_the_names_of_kafkas_error_codes(
    perform: Perform, version: str
) -> None:
    good = batch(A_RECORD)
    whole = good.written()
    too_short = replace(good, size=20).written()[: wire.LOG_OVERHEAD + 20]
    parts = [
        whole,
        wire.with_bit(whole, wire.AFTER_CRC + 1, 4),
        replace(good, attributes=7).written(),
        replace(good, count=2).written(),
        replace(good, attributes=wire.CODEC_IDS["zstd"]).written(),  # which they are not
        too_short,
        replace(good, magic=1).written(),
        whole,
    ]

    def reasons(data: bytes) -> Any:
        step = {"op": "refusals", "data": data, "damage": None, "codec": "none"}
        (answer,) = answers(perform("batch-reading", version, [step]))
        return answer

    expected = [
        *(None, "CORRUPT_MESSAGE", "UNSUPPORTED_COMPRESSION_TYPE"),
        *("INVALID_RECORD", "INVALID_RECORD", "CORRUPT_MESSAGE"),
        "UNSUPPORTED_FOR_MESSAGE_FORMAT",  # behind it nothing is looked at
    ]
    assert reasons(b"".join(parts)) == expected
    assert reasons(whole + replace(good, size=13).written()) == [None, "CORRUPT_MESSAGE"]
    assert reasons(whole + whole[:-1]) == [None, "end"]


@VERSIONS
def test_a_count_of_0_hides_the_records(perform: Perform, version: str) -> None:
    assert records(perform, version, batch(A_RECORD, count=0).written()) == []


@VERSIONS
def test_records_before_a_wrong_one_are_read(perform: Perform, version: str) -> None:
    whole = batch(A_RECORD, A_RECORD, count=3).written()
    assert records(perform, version, whole) == [READ, READ, "refused"]


@VERSIONS
def test_the_last_record_is_not_read_if_bytes_are_left(perform: Perform, version: str) -> None:
    one = batch(A_RECORD, A_RECORD)
    whole = replace(one, records=one.records + b"\0").written()
    assert records(perform, version, whole) == [READ, "refused"]


@VERSIONS
def test_any_negative_length_is_null(perform: Perform, version: str) -> None:
    # The fourth number of a record is the value's length: -2 for -1.
    writer = wire.Records(3, lambda _: wire.zig_zag(-2))
    writer.write(WireRecord(0, 0, b"k", None))
    whole = WireBatch(records=writer.data, count=1).written()
    assert records(perform, version, whole) == [[*READ[:4], None, []]]


@VERSIONS
def test_a_number_may_have_more_bytes_than_it_takes(perform: Perform, version: str) -> None:
    writer = wire.Records(2, lambda size: wire.padded(size, 5))
    writer.write(A_RECORD)
    assert len(writer.data) == 9 + 4
    whole = WireBatch(records=writer.data, count=1).written()
    assert records(perform, version, whole) == [READ]


@VERSIONS
def test_a_surrogate_in_three_bytes_is_one_replacement_character(
    perform: Perform, version: str
) -> None:
    surrogate = "\ud83d".encode("utf-8", "surrogatepass")
    whole = batch(replace(A_RECORD, headers=[(surrogate, None)])).written()
    assert records(perform, version, whole) == [[*READ[:5], [["\ufffd", None]]]]


@VERSIONS
def test_the_brokers_time_stands_for_all(perform: Perform, version: str) -> None:
    one = batch(A_RECORD, attributes=wire.LOG_APPEND_TIME, max_timestamp=5000, base_timestamp=7)
    assert records(perform, version, one.written()) == [[int64(0), int64(5000), *READ[2:]]]


@VERSIONS
def test_blocks_of_lz4_that_depend_on_each_other_are_refused(
    perform: Perform, version: str
) -> None:
    """The default of lz4's own library for frames; Kafka reads independent blocks only."""
    frame = wire.compressed("lz4", 7, batch(A_RECORD).records)
    assert not frame[4] & 0x20
    whole = WireBatch(attributes=3, records=frame, count=1).written()
    assert records(perform, version, whole) == ["refused"]


@VERSIONS
def test_an_empty_batch_without_bytes_is_read_by_two_codecs_only(
    perform: Perform, version: str
) -> None:
    """Java reads the header of a gzip, snappy or lz4 stream before it looks for a record."""
    seen = {
        codec: records(perform, version, WireBatch(attributes=number).written())
        for codec, number in wire.CODEC_IDS.items()
    }
    refused = ["refused"]
    assert seen == {"none": [], "gzip": refused, "snappy": refused, "lz4": refused, "zstd": []}


@pytest.mark.parametrize("version", ["3.2.3", "3.8.0", "4.4.0"])
def test_the_base_time_is_the_delete_horizon_if_a_bit_says_so(
    perform: Perform, version: str
) -> None:
    data = batch(A_RECORD, attributes=wire.DELETE_HORIZON, base_timestamp=9).written()
    step = {"op": "delete horizons", "data": data, "damage": None, "codec": "none"}
    assert answers(perform("batch-reading", version, [step])) == [[int64(9)]]

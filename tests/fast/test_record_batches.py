"""The port's record batches where no case goes: wrong numbers, its codecs, its edges."""

import math
import random
from collections.abc import Callable

import pytest

from conformance.behaviours.records.unpacking import unpacked
from conformance.strategies.records.wire import CODEC_IDS
from python_impl import kafka_3_8_0, records
from python_impl.errors import JavaIllegalArgumentError
from python_impl.records.compression import CODECS, codec_called
from python_impl.records.float32 import float32, int_of
from python_impl.records.record import RecordHeader, written_record


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1])
def test_a_varint_is_an_int32(number: int) -> None:
    for ask in (records.varint, records.size_of_varint):
        with pytest.raises(ValueError, match="a varint is a Java int"):
            ask(number)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_a_varlong_is_an_int64(number: int) -> None:
    for ask in (records.varlong, records.size_of_varlong):
        with pytest.raises(ValueError, match="a varlong is a Java long"):
            ask(number)


@pytest.mark.parametrize("name", [name for name in CODECS if name != "none"])
@pytest.mark.parametrize("size", [1, 32 * 1024, 32 * 1024 + 1, 65536, 65537, 200_000])
@pytest.mark.parametrize("compresses", [True, False])
def test_what_is_compressed_is_decompressed(name: str, size: int, compresses: bool) -> None:
    data = bytes(size) if compresses else random.Random(size).randbytes(size)
    compressed = CODECS[name].compress(data)
    assert unpacked(CODEC_IDS[name], compressed, size) == data
    assert (len(compressed) < size / 2) == (compresses and size > 100)


def test_gzip_names_no_operating_system_as_in_java() -> None:
    assert CODECS["gzip"].compress(b"records")[9] == 255


@pytest.mark.parametrize(
    ("codec", "data"),
    [("gzip", b"\x1f\x8bx"), ("snappy", b"\5"), ("lz4", b"\x04\x22\x4d\x18\x40"), ("zstd", b"z")],
)
def test_what_cannot_be_decompressed_is_an_answer_of_its_own(codec: str, data: bytes) -> None:
    assert str(unpacked(CODEC_IDS[codec], data, 100)).startswith(f"not {codec}: ")


@pytest.mark.parametrize(
    ("codec", "accepted", "refused"),
    [
        ("gzip", (-1, 1, 9), (-2, 0, 10)),
        ("lz4", (1, 17), (0, 18)),
        ("zstd", (-131072, 0, 22), (-131073, 23)),
    ],
)
def test_the_levels_of_codecs(
    codec: str, accepted: tuple[int, ...], refused: tuple[int, ...]
) -> None:
    for level in accepted:
        assert codec_called(codec, level).id == CODECS[codec].id
    for level in refused:
        with pytest.raises(JavaIllegalArgumentError, match=f"compression level: {level}$"):
            codec_called(codec, level)


@pytest.mark.parametrize("codec", ["none", "snappy"])
def test_a_codec_without_levels(codec: str) -> None:
    with pytest.raises(ValueError, match="has no levels"):
        codec_called(codec, 1)


def test_a_codec_that_kafka_does_not_have_is_refused() -> None:
    with pytest.raises(JavaIllegalArgumentError, match="Unknown compression name: brotli"):
        kafka_3_8_0.MemoryRecordsBuilder(compression="brotli")


def test_a_header_without_a_key_is_refused() -> None:
    for ask in (records.record_size, written_record):
        with pytest.raises(JavaIllegalArgumentError, match="Invalid null header key"):
            ask(0, 0, None, None, [RecordHeader(None, b"")])


def test_floats_end_as_javas_do() -> None:
    assert float32(1e300) == math.inf
    assert float32(-1e300) == -math.inf
    assert [int_of(value) for value in (math.nan, 1e30, -1e30, -1.9)] == [
        *(0, 2**31 - 1, -(2**31), -1)
    ]


def test_a_header_may_be_any_pair() -> None:
    pairs = [("a", b"1"), RecordHeader("b", None)]
    batch = kafka_3_8_0.MemoryRecordsBuilder()
    batch.append(0, None, b"", pairs)
    [record] = next(records.read_batches(batch.build()))
    assert record.headers == tuple(RecordHeader(*pair) for pair in pairs)
    assert records.record_size(0, 0, None, b"", pairs) == len(batch.build()) - 61
    for wrong in (("a",), ("a", b"", 1), "ab", None):
        with pytest.raises(TypeError, match="a header is a pair of key and value, not "):
            records.record_size(0, 0, None, None, [wrong])  # type: ignore[list-item]


NUMBERS = [
    *(("base_offset", 63), ("log_append_time", 63), ("delete_horizon_ms", 63)),
    *(("producer_id", 63), ("producer_epoch", 15), ("base_sequence", 31)),
    *(("partition_leader_epoch", 31), ("write_limit", 31)),
]


@pytest.mark.parametrize(("name", "bits"), NUMBERS)
def test_a_number_of_a_batch_has_its_java_type(name: str, bits: int) -> None:
    make = kafka_3_8_0.MemoryRecordsBuilder
    for fits in (-(2**bits), 2**bits - 1):
        make(**{name: fits})
    for beyond in (-(2**bits) - 1, 2**bits):
        with pytest.raises(
            ValueError, match=rf"^{name} is a Java \w+, from -2\^{bits} to .*{beyond}"
        ):
            make(**{name: beyond})
    for wrong in ("1", 1.0, None):
        with pytest.raises(TypeError, match=rf"^{name} is an int, not {wrong!r}"):
            make(**{name: wrong})


@pytest.mark.parametrize("wrong", ["LogAppendTime", 1, None])
def test_a_type_of_timestamps_is_no_name(wrong: object) -> None:
    with pytest.raises(TypeError, match=f"^timestamp_type is a TimestampType, not {wrong!r}$"):
        kafka_3_8_0.MemoryRecordsBuilder(timestamp_type=wrong)  # type: ignore[arg-type]


def test_numbers_that_are_set_later_have_their_java_types() -> None:
    batch = kafka_3_8_0.MemoryRecordsBuilder(is_control_batch=True)
    for change in (batch.set_producer_state, batch.reopen_and_rewrite_producer_state):
        for state in ((2**63, 0, 0), (0, 2**15, 0), (0, 0, 2**31)):
            with pytest.raises(ValueError, match="is a Java"):
                change(*state, True)
    batch.set_producer_state(1, 0, -1, True)
    with pytest.raises(ValueError, match="coordinator_epoch is a Java int"):
        batch.append_end_txn_marker(0, records.ControlRecordType.COMMIT, 2**31)
    with pytest.raises(ValueError, match="last_offset is a Java long"):
        batch.override_last_offset(2**63)


@pytest.mark.parametrize(
    "make",
    [
        kafka_3_8_0.MemoryRecordsBuilder,
        lambda: records.SizedRecordsBuilder(write_limit=2**31 - 1),
    ],
)
def test_a_record_of_a_time_or_offset_beyond_javas_is_not_kept(
    make: Callable[[], kafka_3_8_0.MemoryRecordsBuilder],
) -> None:
    batch = make()
    for _ in range(2):  # the first record, and a later one
        before = batch.num_records, batch.estimated_size_in_bytes
        for refused in (
            lambda: batch.append(2**63, None, None),
            lambda: batch.append_if_room(2**63, None, None, ()),
            lambda: batch.append_with_offset(2**63, 0, None, None),
        ):
            with pytest.raises(ValueError, match=r"^(timestamp|offset) is a Java long"):
                refused()
        assert (batch.num_records, batch.estimated_size_in_bytes) == before
        batch.append(2**63 - 1, None, None)


def test_after_the_last_offset_there_is_none() -> None:
    batch = kafka_3_8_0.MemoryRecordsBuilder(base_offset=2**63 - 1)
    batch.append(0, None, None)
    says = rf"^Illegal offset {-(2**63)} following previous offset {2**63 - 1} "
    with pytest.raises(JavaIllegalArgumentError, match=says):
        batch.append(0, None, None)
    [record] = next(records.read_batches(batch.build()))
    assert record.offset == 2**63 - 1

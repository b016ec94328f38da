"""The port's record batches where no case goes: wrong numbers, its codecs, its edges."""

import math
import random

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

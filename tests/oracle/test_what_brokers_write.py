"""What no producer's case asks of a batch: a broker's delete horizon, and compression levels."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.oracle.kafka_classes import COMMON, RECORDS
from python_impl.errors import JavaIllegalArgumentError
from python_impl.records import read_batches
from python_impl.records.compression import CODECS, codec_called
from tests.releases import fresh

jpype = pytest.importorskip("jpype")

MATRIX = [client.version for client in CLIENT_VERSIONS]
WITH_HORIZON = pytest.mark.parametrize("version", MATRIX[1:])  # since 3.1
WITH_LEVELS = pytest.mark.parametrize("version", MATRIX[2:])  # since 3.8
LEVELS = [
    *(("gzip", level) for level in (-2, -1, 0, 1, 6, 9, 10)),
    *(("lz4", level) for level in (0, 1, 8, 9, 10, 17, 18)),
    *(("zstd", level) for level in (-131073, -131072, -1, 0, 1, 3, 22, 23)),
]
VALUES = [b"a value " * 9_000, b"", bytes(range(256)) * 8]


@cache
def _java(version: str) -> Any:
    return fresh(client_named(version))


def _array(data: bytes) -> Any:
    return jpype.JArray(jpype.JByte)(data)


def _builder(version: str, compression: Any, horizon: int, limit: int) -> Any:
    """The real one, by the constructor that takes a horizon."""
    java = _java(version)
    stream = java.java_class(f"{COMMON}.utils.ByteBufferOutputStream")(512)
    created = java.java_class(f"{RECORDS}.TimestampType").CREATE_TIME
    return java.java_class(f"{RECORDS}.MemoryRecordsBuilder")(
        *(stream, jpype.JByte(2), compression, created, 0, -1),
        *(-1, jpype.JShort(-1), -1, False, False, -1, limit, horizon),
    )


def _uncompressed(version: str) -> Any:
    java = _java(version)
    if version < "3.8":
        return java.java_class(f"{RECORDS}.CompressionType").NONE
    return java.java_class(f"{COMMON}.compress.Compression").of("none").build()


def _bytes(records: Any) -> bytes:
    buffer = records.buffer().duplicate()
    data = jpype.JArray(jpype.JByte)(int(buffer.remaining()))
    buffer.get(data)
    return bytes(data)


TIMES = st.one_of(st.integers(-1, 2**63 - 1), st.integers(0, 200), st.just(-1))


@WITH_HORIZON
@settings(deadline=None)
@given(
    horizon=st.one_of(st.integers(-2, 2**63 - 1), st.integers(-2, 200)),
    times=st.lists(TIMES, max_size=5),
    limit=st.integers(61, 140),
)
def test_a_delete_horizon_is_the_base_timestamp(
    version: str, horizon: int, times: list[int], limit: int
) -> None:
    java = _builder(version, _uncompressed(version), horizon, limit)
    release = getattr(python_impl, client_named(version).port)
    port = release.MemoryRecordsBuilder(delete_horizon_ms=horizon, write_limit=limit)
    none = _java(version).java_class(f"{RECORDS}.Record").EMPTY_HEADERS
    for time in times:
        asked = _array(b"k"), _array(b"v"), none
        assert port.has_room_for(time, b"k", b"v", ()) == java.hasRoomFor(time, *asked)
        java.append(time, *asked)
        port.append(time, b"k", b"v")
        assert port.estimated_size_in_bytes == int(java.estimatedSizeInBytes())
    built = port.build()
    assert built == _bytes(java.build())
    for batch in read_batches(built):
        assert batch.header.delete_horizon_ms == (horizon if horizon >= 0 else None)


@WITH_LEVELS
@pytest.mark.parametrize(("codec", "level"), LEVELS)
def test_levels_are_those_of_java_and_java_reads_them(version: str, codec: str, level: int) -> None:
    maker = _java(version).java_class(f"{COMMON}.compress.Compression").of(codec)
    refusals: list[str] = []
    try:
        compression = maker.level(level).build()
    except jpype.java.lang.IllegalArgumentException as refusal:
        refusals.append(str(refusal.getMessage()))
    if refusals:
        with pytest.raises(JavaIllegalArgumentError) as refused:
            codec_called(codec, level)
        assert [str(refused.value)] == refusals
        return
    release = getattr(python_impl, client_named(version).port)
    port = release.MemoryRecordsBuilder(compression=codec, compression_level=level)
    java = _builder(version, compression, -1, 2**31 - 1)
    none = _java(version).java_class(f"{RECORDS}.Record").EMPTY_HEADERS
    for value in VALUES:
        port.append(7, None, value)
        java.append(7, jpype.JObject(None, jpype.JArray(jpype.JByte)), _array(value), none)
    built, theirs = port.build(), _bytes(java.build())
    buffer = jpype.JClass("java.nio.ByteBuffer").wrap(_array(built))
    read = _java(version).java_class(f"{RECORDS}.MemoryRecords").readableRecords(buffer)
    lengths = [int(record.valueSize()) for record in read.records()]
    assert lengths == [len(value) for value in VALUES]
    for ours in (built, theirs):
        [batch] = read_batches(ours)
        assert [record.value for record in batch] == VALUES
    # Other libraries write other bytes, of much the same length.
    assert len(built) == pytest.approx(len(theirs), rel=0.1, abs=40)


@pytest.mark.parametrize("codec", ["none", "snappy"])
def test_some_codecs_have_no_levels(codec: str) -> None:
    with pytest.raises(ValueError, match=f"{codec} has no levels, so level 1 cannot be one"):
        codec_called(codec, 1)


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_a_level_takes_effect(codec: str) -> None:
    data = b"".join(b"%d," % (number * number) for number in range(20_000))
    levels = CODECS[codec].levels
    assert levels is not None
    fast, strong = (codec_called(codec, level) for level in (1, levels.highest))
    assert len(strong.compress(data)) < len(fast.compress(data))

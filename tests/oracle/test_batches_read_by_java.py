"""What the port writes, every client reads, and the other way round: every codec, every pair."""

from functools import cache
from typing import Any

import pytest

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.model.client_version import ClientVersion
from conformance.oracle.internals import add_batch_writer
from conformance.oracle.kafka_classes import COMMON, RECORDS
from python_impl.records import ControlRecordType, RecordHeader, read_batches, read_records
from tests.releases import fresh

jpype = pytest.importorskip("jpype")

HEADERS = [RecordHeader("h", b"1"), RecordHeader("\u00e9\U0001f600", None)]
RECORDS_WRITTEN = [
    (10, 1000, b"key", b"v" * 40_000, HEADERS),
    (11, 990, None, b"", []),
    (40, -1, b"", None, []),
]
"""Offset, time, key, value, headers; snappy has two blocks of it."""


@cache
def _loaded(version: str) -> Any:
    return fresh(client_named(version))


def _read(client: ClientVersion, written: bytes) -> list[tuple[Any, ...]]:
    memory_records = _loaded(client.version).java_class(f"{RECORDS}.MemoryRecords")
    buffer = jpype.JClass("java.nio.ByteBuffer").wrap(jpype.JArray(jpype.JByte)(written))
    records = memory_records.readableRecords(buffer)
    for batch in records.batches():
        batch.ensureValid()
    return [_record(one) for one in records.records()]


def _written(client: ClientVersion, codec: str) -> bytes:
    """The records, by the real ``MemoryRecordsBuilder``."""
    java = _loaded(client.version)
    writer: Any = add_batch_writer(java)
    header = java.java_class(f"{COMMON}.header.internals.RecordHeader")
    batch = writer(codec, 0, 10, -1, -1, -1, -1, False, False, -1, 2**31 - 1)
    for offset, timestamp, key, value, headers in RECORDS_WRITTEN:
        made = jpype.java.util.ArrayList()
        for one in headers:
            made.add(header(one.key, _array(one.value)))
        batch.appendAt(offset, timestamp, _array(key), _array(value), made)
    return bytes(batch.build())


def _array(data: bytes | None) -> Any:
    kind = jpype.JArray(jpype.JByte)
    return jpype.JObject(None, kind) if data is None else kind(data)


def _record(one: Any) -> tuple[Any, ...]:
    headers = [
        RecordHeader(str(header.key()), None if header.value() is None else bytes(header.value()))
        for header in one.headers()
    ]
    return int(one.offset()), int(one.timestamp()), _bytes(one.key()), _bytes(one.value()), headers


def _bytes(buffer: Any) -> bytes | None:
    if buffer is None:
        return None
    data = jpype.JArray(jpype.JByte)(int(buffer.remaining()))
    buffer.get(data)
    return bytes(data)


CODECS = pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
CLIENTS = pytest.mark.parametrize("client", CLIENT_VERSIONS, ids=str)
PORTS = pytest.mark.parametrize("port", CLIENT_VERSIONS, ids=lambda client: f"port of {client}")


@CODECS
@PORTS
@CLIENTS
def test_java_reads_what_the_port_writes(
    client: ClientVersion, port: ClientVersion, codec: str
) -> None:
    release = getattr(python_impl, port.port)
    batch = release.MemoryRecordsBuilder(compression=codec, base_offset=10)
    for record in RECORDS_WRITTEN:
        batch.append_with_offset(*record)
    assert _read(client, batch.build()) == RECORDS_WRITTEN


@CODECS
@CLIENTS
def test_the_port_reads_what_java_writes(client: ClientVersion, codec: str) -> None:
    written = _written(client, codec)
    [batch] = read_batches(written)
    batch.ensure_valid()
    assert batch.codec == codec
    assert [
        (record.offset, record.timestamp, record.key, record.value, [*record.headers])
        for record in batch
    ] == RECORDS_WRITTEN
    rows = read_records(written).read_all().to_pylist()
    assert [row["value"] for row in rows] == [record[3] for record in RECORDS_WRITTEN]


@CLIENTS
def test_java_reads_a_marker(client: ClientVersion) -> None:
    release = getattr(python_impl, client.port)
    batch = release.MemoryRecordsBuilder(
        producer_id=7, producer_epoch=0, is_transactional=True, is_control_batch=True
    )
    batch.append_end_txn_marker(5, ControlRecordType.COMMIT, 3)
    ((offset, timestamp, key, value, headers),) = _read(client, batch.build())
    assert (offset, timestamp, headers) == (0, 5, [])
    assert (key, value) == (bytes([0, 0, 0, 1]), bytes([0, 0, 0, 0, 0, 3]))

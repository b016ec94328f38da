"""Batches and their records, read from the bytes that a client sends or a log holds.

Follows ``ByteBufferLogInputStream``, ``DefaultRecordBatch`` and ``DefaultRecord`` of
``org.apache.kafka.common.record``, and what a consumer does with them (2.3.1 to 4.4.0). It reads
magic 2 only. :mod:`.segment` does the same for millions of records.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import google_crc32c

from ..deserializers import deserialize_string
from ..errors import (
    JavaCorruptRecordError,
    JavaIllegalArgumentError,
    JavaInvalidRecordError,
    JavaUnsupportedMessageFormatError,
)
from ..int32 import INT32_MAX
from .batch import (
    LOG_OVERHEAD,
    MAGIC,
    NO_SEQUENCE,
    RECORD_BATCH_OVERHEAD,
    TimestampType,
    increment_sequence,
)
from .decompression import codec_numbered, records_of
from .header_reading import ReadHeader, read_header
from .record import RecordHeader
from .varint_reading import read_varint, read_varlong
from .varints import int64

MAX_BATCH_BYTES: Final = 256 << 20
"""Bytes that the records of a batch may have after decompression, unless a caller says more."""

_HEADER_UP_TO_MAGIC: Final = 17
_LEAST_SIZE: Final = 14
"""Bytes of a message of format 0 without contents, the least that any batch has."""
SIZE: Final = struct.Struct(">8xi")
"""Where a batch says how many bytes follow its first twelve."""
_CRC: Final = struct.Struct(">17xI")


class Record(NamedTuple):
    """A record as a consumer gets it: int64 offset and time (ms), int32 sequence or -1."""

    offset: int
    timestamp: int
    sequence: int
    key: bytes | None
    value: bytes | None
    headers: tuple[RecordHeader, ...]


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """One batch of magic 2, not checked yet: see :meth:`ensure_valid`."""

    data: bytes
    """All of its bytes."""
    max_batch_bytes: int = MAX_BATCH_BYTES

    def ensure_valid(self) -> None:
        """Raise :class:`JavaCorruptRecordError` if it is too short, or its checksum is wrong.

        The checksum covers everything after itself, so not the base offset and the leader epoch.
        """
        ensure_valid(self.data, 0, len(self.data))

    @property
    def header(self) -> ReadHeader:
        """What it says of itself; raises :class:`JavaCorruptRecordError` if it is too short."""
        return read_header(self.data)

    @property
    def codec(self) -> str:
        """The name of its codec; :class:`JavaIllegalArgumentError` for an id that has none."""
        return codec_numbered(self.header.compression)

    def uncompressed(self) -> bytes:
        """The bytes of its records; none of a compressed batch that counts none.

        Raises :class:`JavaInvalidRecordError` if they cannot be decompressed, or become more than
        ``max_batch_bytes``; :class:`JavaIllegalArgumentError` for a codec that there is not.
        """
        return self._uncompressed(self.header)

    def _uncompressed(self, header: ReadHeader) -> bytes:
        data = self.data[RECORD_BATCH_OVERHEAD:]
        return records_of(header.compression, header.records, data, self.max_batch_bytes)

    def __iter__(self) -> Iterator[Record]:
        """Its records, as a consumer reads them (``streamingIterator``).

        Raises :class:`JavaInvalidRecordError` where one is not what its lengths say, or if there
        are more or fewer than the batch counts; :class:`JavaIllegalArgumentError` for a codec that
        there is not. An end of a transaction is a record, too: see ``is_control_batch``.
        """
        header = self.header
        data = self._uncompressed(header)
        if header.records < 0:
            raise JavaInvalidRecordError(
                f"Found invalid record count {header.records} in magic v{MAGIC} batch"
            )
        at = 0
        for left in range(header.records - 1, -1, -1):
            record, at = _record(header, data, at)
            if left == 0 and at < len(data):
                raise JavaInvalidRecordError(
                    "Incorrect declared batch size, records still remaining in file"
                )
            yield record


def read_batches(data: bytes, *, max_batch_bytes: int = MAX_BATCH_BYTES) -> Iterator[RecordBatch]:
    """The batches that follow each other in ``data``, such as a fetch response's records.

    A last one that is not whole ends them without a word, as in Java: a broker may cut it off.
    ``max_batch_bytes`` bounds what the records of a compressed batch may become.
    Raises :class:`JavaCorruptRecordError` for a length or magic that no batch has, and
    :class:`JavaUnsupportedMessageFormatError` for older formats.
    """
    at = 0
    for end in batch_ends(data):
        yield RecordBatch(data[at:end], max_batch_bytes)
        at = end


def batch_ends(data: bytes) -> Iterator[int]:
    """Where each batch of :func:`read_batches` ends, in bytes; raises what that raises."""
    at = 0
    while len(data) - at >= LOG_OVERHEAD:
        (size,) = SIZE.unpack_from(data, at)
        if size < _LEAST_SIZE:
            raise JavaCorruptRecordError(
                f"Record size {size} is less than the minimum record overhead ({_LEAST_SIZE})"
            )
        if len(data) - at < _HEADER_UP_TO_MAGIC:
            return
        magic = data[at + _HEADER_UP_TO_MAGIC - 1]
        if magic > MAGIC:
            raise JavaCorruptRecordError(f"Invalid magic found in record: {magic}")
        if size > INT32_MAX - LOG_OVERHEAD:  # its sum wraps in Java
            raise JavaCorruptRecordError(f"Record size {size} is more than any batch has")
        end = at + LOG_OVERHEAD + size
        if end > len(data):
            return
        if magic != MAGIC:
            raise JavaUnsupportedMessageFormatError(
                f"A message of format {magic}, which brokers before 0.11 wrote; only format "
                f"{MAGIC} is read here"
            )
        yield end
        at = end


def ensure_valid(data: bytes, start: int, end: int) -> None:
    """See :meth:`RecordBatch.ensure_valid`, of the batch that stands there in ``data``."""
    if end - start < RECORD_BATCH_OVERHEAD:
        raise JavaCorruptRecordError(
            f"Record batch is corrupt (the size {end - start} is smaller than the minimum "
            f"allowed overhead {RECORD_BATCH_OVERHEAD})"
        )
    (stored,) = _CRC.unpack_from(data, start)
    computed = google_crc32c.value(data[start + _CRC.size : end])
    if stored != computed:
        raise JavaCorruptRecordError(
            f"Record is corrupt (stored crc = {stored}, computed crc = {computed})"
        )


def _record(batch: ReadHeader, data: bytes, at: int) -> tuple[Record, int]:
    """The record at a position, and the position after it."""
    try:
        size, start = read_varint(data, at)
        end = start + size
        if not start < end <= len(data):
            raise JavaInvalidRecordError(
                f"Invalid record size: expected {size} bytes in record payload, but instead the "
                f"buffer has only {len(data) - start} remaining bytes."
            )
        body = data[start:end]
        timestamp_delta, at = read_varlong(body, 1)  # after the attributes, which mean nothing
        offset_delta, at = read_varint(body, at)
        key, at = _bytes(body, at)
        value, at = _bytes(body, at)
        headers, at = _headers(body, at)
    except (IndexError, JavaIllegalArgumentError) as error:
        raise JavaInvalidRecordError("Found invalid record structure") from error
    if at != size:
        raise JavaInvalidRecordError(
            f"Invalid record size: expected to read {size} bytes in record payload, but instead "
            f"read {at}"
        )
    by_broker = batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    timestamp = batch.max_timestamp if by_broker else int64(batch.base_timestamp + timestamp_delta)
    sequence = NO_SEQUENCE
    if batch.base_sequence >= 0:
        sequence = increment_sequence(batch.base_sequence, offset_delta)
    offset = int64(batch.base_offset + offset_delta)
    return Record(offset, timestamp, sequence, key, value, headers), end


def _bytes(body: bytes, at: int) -> tuple[bytes | None, int]:
    size, at = read_varint(body, at)
    if size < 0:
        return None, at
    if size > len(body) - at:
        raise JavaInvalidRecordError("Found invalid record structure")
    return body[at : at + size], at + size


def _headers(body: bytes, at: int) -> tuple[tuple[RecordHeader, ...], int]:
    count, at = read_varint(body, at)
    if count < 0 or count > len(body) - at:
        raise JavaInvalidRecordError(f"Found invalid number of record headers {count}")
    headers = []
    for _ in range(count):
        key, at = _bytes(body, at)
        if key is None:
            raise JavaInvalidRecordError("Invalid negative header key size")
        value, at = _bytes(body, at)
        headers.append(RecordHeader(deserialize_string(key), value))
    return tuple(headers), at

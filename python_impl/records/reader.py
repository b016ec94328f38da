"""Batches and their records, read from the bytes that a client sends or a log holds.

Follows ``ByteBufferLogInputStream``, ``DefaultRecordBatch`` and ``DefaultRecord`` of
``org.apache.kafka.common.record``, and what a consumer does with them (2.3.1 to 4.4.0). It reads
magic 2 only. :mod:`.segment` does the same for millions of records.
"""

import operator
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

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

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

MAX_BATCH_BYTES: Final = 256 << 20
"""Bytes that a batch may have, and its records after decompression, unless a caller says more."""
_MOST_BYTES: Final = INT32_MAX - (8 << 20)
"""No limit is higher: Arrow counts the bytes of what is read at once in 31 bits."""
_HEADER_BYTES: Final = 64
"""Bytes of memory that a header counts for, where a record has very many."""
_FEW_HEADERS: Final = 1 << 16
"""So many headers of a record are always taken."""

HEADER_UP_TO_MAGIC: Final = 17
_LEAST_SIZE: Final = 14
"""Bytes of a message of format 0 without contents, the least that any batch has."""
PLACE_OF_SIZE: Final = 8
SIZE: Final = struct.Struct(f">{PLACE_OF_SIZE}xi")
"""Where a batch says how many bytes follow its first twelve."""
_LONG: Final = 1 << 20
"""Bytes of records that are not copied, though of a view they are read more slowly."""
_CRC: Final = struct.Struct(">17xI")
_NO_STRUCTURE: Final = "Found invalid record structure"
_BYTES_LEFT: Final = "Incorrect declared batch size, records still remaining in file"

Data = bytes | bytearray | memoryview
"""What holds bytes."""


class Record(NamedTuple):
    """A record as a consumer gets it: int64 offset and time (ms), int32 sequence or -1."""

    offset: int
    timestamp: int
    sequence: int
    key: bytes | None
    value: bytes | None
    headers: tuple[RecordHeader, ...]


class Failure(NamedTuple):
    """Which record of a batch cannot be read."""

    record: int
    """Its number, or the number of all if something is wrong after them."""
    at: int
    """The byte at which it begins, of the batch's records."""
    headers: int
    """How many of its headers can be read."""
    after_headers: int
    """The byte after these, of the record without its length."""


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """One batch of magic 2, not checked yet: see :meth:`ensure_valid`."""

    data: bytes
    """All of its bytes."""
    max_batch_bytes: int = MAX_BATCH_BYTES
    """Its records may become so many; see :func:`read_batches`."""

    def ensure_valid(self) -> None:
        """Raise :class:`JavaCorruptRecordError` if it is too short, or its checksum is wrong.

        The checksum covers everything after itself, so not the base offset and the leader epoch.
        """
        ensure_valid(self.data)

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
        return bytes(self._uncompressed(self.header))

    def _uncompressed(self, header: ReadHeader) -> bytes | memoryview:
        if codec_numbered(header.compression) == "none":
            records = memoryview(self.data)[RECORD_BATCH_OVERHEAD:]
        else:
            data = self.data[RECORD_BATCH_OVERHEAD:]
            limit = self.max_batch_bytes
            records = records_of(header.compression, header.records, data, limit)
        return records if len(records) > _LONG else bytes(records)

    def __iter__(self) -> Iterator[Record]:
        """Its records, as a consumer reads them (``streamingIterator``), one after the other.

        The bytes of all of them are in memory meanwhile, and no record but the last one.
        Raises :class:`JavaInvalidRecordError` where one is not what its lengths say, or if there
        are more or fewer than the batch counts; :class:`JavaIllegalArgumentError` for a codec that
        there is not. An end of a transaction is a record, too: see ``is_control_batch``.
        """
        header = self.header
        data = self._uncompressed(header)
        if header.records < 0:
            raise _wrong_count(header)
        _record = partial(_read_record, most_headers(self.max_batch_bytes))
        at = 0
        for left in range(header.records - 1, -1, -1):
            record, at = _record(header, data, at)
            if left == 0 and at < len(data):
                raise JavaInvalidRecordError(_BYTES_LEFT)
            yield record


def refuse(header: ReadHeader, data: memoryview, failure: Failure, most_headers: int) -> NoReturn:
    """Raise what reading the batch's records, ``data``, raises, where others have found a failure.

    No other record is read, nor any header that can be.
    """
    if header.records < 0:
        raise _wrong_count(header)
    if failure.record == header.records:
        raise JavaInvalidRecordError(_BYTES_LEFT)
    passed = failure.headers, failure.after_headers
    _read_record(most_headers, header, data, failure.at, passed)
    raise JavaInvalidRecordError(_NO_STRUCTURE)


def read_batches(data: Data, *, max_batch_bytes: int = MAX_BATCH_BYTES) -> Iterator[RecordBatch]:
    """The batches that follow each other in ``data``, such as a fetch response's records.

    A last one that is not whole ends them without a word, as in Java: a broker may cut it off.
    What can be written to is copied first.

    ``max_batch_bytes`` bounds a batch, before and after decompression. It also bounds what the
    headers of one record take, 64 bytes each, if there are more than 65,536.
    Raises ``TypeError`` for data without bytes and ``ValueError`` for a limit below 0; while
    batches are read, :class:`JavaCorruptRecordError` for a length or magic that no batch has, and
    for a batch beyond the limit, and :class:`JavaUnsupportedMessageFormatError` for older formats.
    """
    return _batches(bytes_of(data), checked_limit(max_batch_bytes))


def _batches(data: bytes, limit: int) -> Iterator[RecordBatch]:
    at = 0
    for end in batch_ends(data, limit):
        yield RecordBatch(data[at:end], limit)
        at = end


def bytes_of(data: Data) -> bytes:
    """The bytes themselves, or a copy of what may change; ``TypeError`` for what has none."""
    if isinstance(data, bytes):
        return data
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"data is bytes, or holds bytes, not {type(data).__name__}") from None


def checked_limit(max_batch_bytes: int) -> int:
    """The limit that holds; ``TypeError`` for what is no int, ``ValueError`` below 0."""
    if isinstance(max_batch_bytes, bool) or not hasattr(max_batch_bytes, "__index__"):
        raise TypeError(f"max_batch_bytes is an int, a number of bytes, not {max_batch_bytes!r}")
    limit = operator.index(max_batch_bytes)
    if limit < 0:
        raise ValueError(f"max_batch_bytes is a number of bytes, 0 or more, not {limit}")
    return min(limit, _MOST_BYTES)


def most_headers(limit: int) -> int:
    """How many headers a record may have under a limit of so many bytes."""
    return max(_FEW_HEADERS, limit // _HEADER_BYTES)


def batch_ends(
    data: bytes | memoryview, limit: int = MAX_BATCH_BYTES, at: int = 0
) -> Iterator[int]:
    """Where each batch of :func:`read_batches` ends, in bytes; raises what that raises.

    The first one begins ``at`` a position.
    """
    while len(data) - at >= LOG_OVERHEAD:
        (size,) = SIZE.unpack_from(data, at)
        if size < _LEAST_SIZE:
            raise JavaCorruptRecordError(
                f"Record size {size} is less than the minimum record overhead ({_LEAST_SIZE})"
            )
        if len(data) - at < HEADER_UP_TO_MAGIC:
            return
        magic = data[at + HEADER_UP_TO_MAGIC - 1]
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
        if end - at > limit:
            raise beyond_limit(end - at, limit)
        yield end
        at = end


def beyond_limit(size: int, limit: int) -> JavaCorruptRecordError:
    """The error for a batch of so many bytes."""
    return JavaCorruptRecordError(f"A batch of {size} bytes, more than the limit of {limit}")


def checksum(data: "bytes | NDArray[uint8]", start: int, end: int) -> int:
    """The checksum that the batch that stands there should have."""
    return int(google_crc32c.value(data[start + _CRC.size : end]))


def ensure_valid(data: bytes) -> None:
    """See :meth:`RecordBatch.ensure_valid`."""
    if len(data) < RECORD_BATCH_OVERHEAD:
        raise too_short(len(data))
    (stored,) = _CRC.unpack_from(data)
    computed = checksum(data, 0, len(data))
    if stored != computed:
        raise wrong_checksum(stored, computed)


def too_short(size: int) -> JavaCorruptRecordError:
    """The error for a batch of so many bytes, fewer than a header has."""
    return JavaCorruptRecordError(
        f"Record batch is corrupt (the size {size} is smaller than the minimum allowed overhead "
        f"{RECORD_BATCH_OVERHEAD})"
    )


def wrong_checksum(stored: int, computed: int) -> JavaCorruptRecordError:
    """The error for a batch with a checksum that is not its own."""
    return JavaCorruptRecordError(
        f"Record is corrupt (stored crc = {stored}, computed crc = {computed})"
    )


def _wrong_count(header: ReadHeader) -> JavaInvalidRecordError:
    return JavaInvalidRecordError(
        f"Found invalid record count {header.records} in magic v{MAGIC} batch"
    )


def _read_record(
    most_headers: int,
    batch: ReadHeader,
    data: bytes | memoryview,
    at: int,
    passed: tuple[int, int] = (0, 0),
) -> tuple[Record, int]:
    """The record at a position, and the position after it.

    So many of its headers as the first of ``passed`` says are left out; see :class:`Failure`.
    """
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
        headers, at = _headers(body, at, most_headers, passed)
    except (IndexError, JavaIllegalArgumentError) as error:
        raise JavaInvalidRecordError(_NO_STRUCTURE) from error
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


def _bytes(body: bytes | memoryview, at: int) -> tuple[bytes | None, int]:
    size, at = read_varint(body, at)
    if size < 0:
        return None, at
    if size > len(body) - at:
        raise JavaInvalidRecordError(_NO_STRUCTURE)
    part = body[at : at + size]
    return part if isinstance(part, bytes) else bytes(part), at + size


def _headers(
    body: bytes | memoryview, at: int, most: int, passed: tuple[int, int]
) -> tuple[tuple[RecordHeader, ...], int]:
    count, at = read_varint(body, at)
    if count < 0 or count > len(body) - at:
        raise JavaInvalidRecordError(f"Found invalid number of record headers {count}")
    if count > most:
        raise JavaInvalidRecordError(
            f"A record of {count} headers, more than the limit of {most}, which is max_batch_bytes "
            f"by {_HEADER_BYTES}"
        )
    left_out, after = passed
    at = after if left_out else at
    headers = []
    for _ in range(count - left_out):
        key, at = _bytes(body, at)
        if key is None:
            raise JavaInvalidRecordError("Invalid negative header key size")
        value, at = _bytes(body, at)
        headers.append(RecordHeader(deserialize_string(key), value))
    return tuple(headers), at

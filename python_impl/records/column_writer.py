"""Columns of Arrow as record batches, the way back from :mod:`.segment`.

Writes what :class:`.builder.MemoryRecordsBuilder` writes for the same records, without a Python
object for each record where Numba is installed.
"""

import itertools
import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import google_crc32c
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..errors import JavaIllegalArgumentError
from ..int32 import INT32_MAX
from .batch import (
    CRC,
    FROM_ATTRIBUTES,
    LOG_OVERHEAD,
    MAGIC,
    NO_PARTITION_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    RECORD_BATCH_OVERHEAD,
    TO_CRC,
    TRANSACTIONAL,
    check_numbers,
    increment_sequence,
)
from .builder import MemoryRecordsBuilder
from .compression import codec_called
from .loops import has_numba
from .record import MAX_RECORD_OVERHEAD, RecordHeader, record_size
from .table_types import EMPTY, header_lists, numbers, plain_bytes, plain_text, table_of
from .varints import int64

BATCH_BYTES: Final = 16384
"""``batch.size`` of a producer, by default."""
_ROWS: Final = 1 << 16
"""Rows that are written at once."""
_LENGTHS_OVERHEAD: Final = 15
"""Bytes of the lengths of a record's key and value and the number of its headers, at most."""
_HEADER_OVERHEAD: Final = 10
"""Bytes of the two lengths of a header, at most."""
_FIELDS: Final = (
    *("base_offset", "length", "leader_epoch", "magic", "crc"),
    *("attributes", "last_offset_delta", "base_timestamp", "max_timestamp"),
    *("producer_id", "producer_epoch", "base_sequence", "records"),
)
_FORMATS: Final = (TO_CRC.format + CRC.format + FROM_ATTRIBUTES.format).replace(">", "")
_HEADER: Final = np.dtype(
    [(name, ">" + form) for name, form in zip(_FIELDS, _FORMATS, strict=True)]
)
"""A batch's header, so that those of many batches are written at once."""
_LENGTH: Final = struct.Struct(">i")

_Array = npt.NDArray[Any]


class _State(NamedTuple):
    """What all batches of a call have in common."""

    compression: str
    batch_bytes: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    is_transactional: bool
    partition_leader_epoch: int

    def sequence_at(self, row: int) -> int:
        """The sequence number of a row, or -1."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment_sequence(self.base_sequence, row)

    def builder(self, base_offset: int, row: int) -> MemoryRecordsBuilder:
        """For a batch that begins with that row."""
        return MemoryRecordsBuilder(
            compression=self.compression,
            base_offset=base_offset,
            producer_id=self.producer_id,
            producer_epoch=self.producer_epoch,
            base_sequence=self.sequence_at(row),
            is_transactional=self.is_transactional,
            partition_leader_epoch=self.partition_leader_epoch,
        )


def write_records(
    columns: pa.Table | pa.RecordBatch,
    *,
    base_offset: int = 0,
    compression: str = "none",
    batch_bytes: int = BATCH_BYTES,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    is_transactional: bool = False,
    partition_leader_epoch: int = NO_PARTITION_LEADER_EPOCH,
    compiled: bool | None = None,
) -> Iterator[bytes]:
    """The batches, one after the other, that hold the records of some columns.

    ``key`` and ``value`` are of bytes or text, both may be left out; ``timestamp`` (int64, ms) is
    -1 if it is left out, ``offset`` (int64) counts from ``base_offset``; ``headers`` are lists as
    in :data:`.SCHEMA`, or maps. A batch ends before the record that would make it longer than
    ``batch_bytes`` (int32) before compression, and every 65,536 records. Sequence numbers go on
    from batch to batch. Rows that are control records by ``is_control`` (boolean) are refused, for
    they would become messages; other columns are not looked at.

    Raises :class:`JavaIllegalArgumentError` for what a producer refuses: offsets that do not
    increase, negative times other than -1, a header without key, producer state that no broker
    takes, a codec that there is not. Raises ``ValueError`` for a null among offsets or timestamps,
    a header's key that is no UTF-8, two columns of one name, control records, and a number beyond
    its Java type, ``TypeError`` for what is no number, no table, and for columns of other types.
    Offsets and timestamps are integers or Arrow's timestamps.
    """
    base_offset, batch_bytes, producer_id, producer_epoch, base_sequence, leader = check_numbers(
        "qiqhii",
        base_offset=base_offset,
        batch_bytes=batch_bytes,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        partition_leader_epoch=partition_leader_epoch,
    )
    state = _State(
        *(compression, batch_bytes, producer_id, producer_epoch, base_sequence),
        *(is_transactional, leader),
    )
    state.builder(base_offset, 0).close()  # refuses what the state of all batches must not be
    encode = _by_columns if has_numba(compiled) else _by_records
    table = table_of(columns)
    last = None
    for start in range(0, table.num_rows, _ROWS):
        rows = _Rows.of(table.slice(start, _ROWS), base_offset + start)
        _check(rows, last)
        last = int(rows.offsets[-1])
        yield from encode(rows, state)
        state = state._replace(base_sequence=state.sequence_at(len(rows.offsets)))


class _Data(NamedTuple):
    """A column of bytes, as Arrow has it."""

    at: _Array
    data: _Array
    present: _Array

    @classmethod
    def nulls(cls, count: int) -> "_Data":
        """Of so many nulls."""
        no_bytes = np.empty(0, np.uint8)
        return cls(np.zeros(count + 1, np.int64), no_bytes, np.zeros(count, np.bool_))

    @classmethod
    def of(cls, chunks: list[pa.Array]) -> "_Data":
        """Of bytes or text, whatever their layout."""
        # What is empty may lack buffers, which not all of Arrow's functions know.
        parts = [plain_bytes(chunk) for chunk in chunks if len(chunk)] or [EMPTY]
        plain = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        _, offsets, data = plain.buffers()
        at = np.frombuffer(offsets, np.int64)[plain.offset : plain.offset + len(plain) + 1]
        bytes_of = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        present = np.ones(len(plain), np.bool_)
        if plain.null_count:
            present = plain.is_valid().to_numpy(zero_copy_only=False)
        return cls(at, bytes_of, present)

    def taken(self, row: int) -> bytes | None:
        """The bytes of a row."""
        start, end = self.at[row : row + 2]
        return self.data[start:end].tobytes() if self.present[row] else None


class _Rows(NamedTuple):
    """Some rows of all columns."""

    offsets: _Array
    timestamps: _Array
    keys: _Data
    values: _Data
    headers_at: _Array
    header_keys: _Data
    header_values: _Data

    @classmethod
    def of(cls, table: pa.Table, base_offset: int) -> "_Rows":
        """Of a table; what it has not is as :func:`write_records` says."""
        count, known = table.num_rows, set(table.column_names)

        def column(name: str) -> pa.Array | None:
            return table[name].combine_chunks() if name in known else None

        offsets, timestamps = column("offset"), column("timestamp")
        keys, values = (
            _Data.of(table[name].chunks) if name in known else _Data.nulls(count)
            for name in ("key", "value")
        )
        headers = header_lists(column("headers"))
        if headers is None:
            headers_at = np.zeros(count + 1, np.int64)
            header_keys = header_values = _Data.nulls(0)
        else:
            lengths = np.nan_to_num(headers.value_lengths().to_numpy(zero_copy_only=False))
            headers_at = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            inner = headers.flatten()
            fields = dict(zip(inner.type.names, inner.flatten(), strict=True))
            header_keys, header_values = (
                _Data.of([plain_text(fields["key"])]),
                _Data.of([fields["value"]]),
            )
        return cls(
            np.arange(count) + int64(base_offset) if offsets is None else numbers(offsets),
            np.full(count, NO_TIMESTAMP) if timestamps is None else numbers(timestamps),
            keys,
            values,
            headers_at,
            header_keys,
            header_values,
        )


def _read_only(array: _Array) -> _Array:
    """The same array; some of Arrow's can be written to, and Numba would compile for each kind."""
    seen = array.view()
    seen.flags.writeable = False
    return seen


def _check(rows: _Rows, last: int | None) -> None:
    offsets = rows.offsets if last is None else np.concatenate([[last], rows.offsets])
    wrong = np.flatnonzero(offsets[1:] <= offsets[:-1])
    if len(wrong):
        raise JavaIllegalArgumentError(
            f"Illegal offset {offsets[wrong[0] + 1]} following previous offset "
            f"{offsets[wrong[0]]} (Offsets must increase monotonically)."
        )
    negative = rows.timestamps[(rows.timestamps < 0) & (rows.timestamps != NO_TIMESTAMP)]
    if len(negative):
        raise JavaIllegalArgumentError(f"Invalid negative timestamp {negative[0]}")
    if not rows.header_keys.present.all():
        raise JavaIllegalArgumentError("Invalid null header key found in headers")


def _by_records(rows: _Rows, state: _State) -> Iterator[bytes]:
    batch, first = state.builder(int(rows.offsets[0]), 0), 0
    for row in range(len(rows.offsets)):
        headers = [
            RecordHeader((rows.header_keys.taken(at) or b"").decode(), rows.header_values.taken(at))
            for at in range(rows.headers_at[row], rows.headers_at[row + 1])
        ]
        offset, timestamp = int(rows.offsets[row]), int(rows.timestamps[row])
        contents = rows.keys.taken(row), rows.values.taken(row), headers
        if row > first:
            offset_delta = offset - int(rows.offsets[first])
            timestamp_delta = int64(timestamp - int(rows.timestamps[first]))
            is_far = offset_delta > INT32_MAX
            size = 0 if is_far else record_size(offset_delta, timestamp_delta, *contents)
            if is_far or batch.uncompressed_bytes_written + size > state.batch_bytes:
                yield batch.build()
                batch, first = state.builder(offset, row), row
        batch.append_with_offset(offset, timestamp, *contents)
    yield batch.build()


def _by_columns(rows: _Rows, state: _State) -> Iterator[bytes]:
    from . import column_writer_kernel  # noqa: PLC0415 -- Numba takes long to import

    count, codec = len(rows.offsets), codec_called(state.compression)
    data = (rows.keys, rows.values, rows.header_keys, rows.header_values)
    most = sum(int(column.at[-1] - column.at[0]) for column in data)
    most += count * (MAX_RECORD_OVERHEAD + _LENGTHS_OVERHEAD)
    most += int(rows.headers_at[-1]) * _HEADER_OVERHEAD
    out, ends = np.empty(most, np.uint8), np.empty((count, 2), np.int64)
    columns: list[_Array] = [
        *(rows.offsets, rows.timestamps, *rows.keys, *rows.values, rows.headers_at),
        *(rows.header_keys.at, rows.header_keys.data, *rows.header_values),
    ]
    batches = column_writer_kernel.encode(state.batch_bytes, out, ends, *map(_read_only, columns))
    headers = _headers(rows, state, codec.id, ends[:batches, 0]).tobytes()
    bounds = itertools.pairwise([0, *ends[:batches, 1].tolist()])
    for number, (start, end) in enumerate(bounds):
        records: Any = out[start:end]
        if codec.id != 0:
            records = codec.compress(records.tobytes())
        at = number * RECORD_BATCH_OVERHEAD
        yield _with_records(headers[at : at + RECORD_BATCH_OVERHEAD], records)


def _headers(rows: _Rows, state: _State, codec: int, after: _Array) -> _Array:
    """The headers of some batches, but for length and checksum; ``after`` is the row after each."""
    first = np.concatenate([[0], after[:-1]])
    headers = np.zeros(len(after), _HEADER)
    headers["base_offset"] = rows.offsets[first]
    headers["leader_epoch"] = state.partition_leader_epoch
    headers["magic"] = MAGIC
    headers["attributes"] = codec | (TRANSACTIONAL if state.is_transactional else 0)
    headers["last_offset_delta"] = rows.offsets[after - 1] - rows.offsets[first]
    headers["base_timestamp"] = rows.timestamps[first]
    headers["max_timestamp"] = np.maximum.reduceat(rows.timestamps, first)
    headers["producer_id"] = state.producer_id
    headers["producer_epoch"] = state.producer_epoch
    headers["base_sequence"] = [state.sequence_at(row) for row in first.tolist()]
    headers["records"] = after - first
    return headers


def _with_records(header: bytes, records: Any) -> bytes:
    """A batch, in whose header length and checksum are set."""
    length = RECORD_BATCH_OVERHEAD - LOG_OVERHEAD + len(records)
    rest = header[TO_CRC.size + CRC.size :]
    crc = google_crc32c.extend(google_crc32c.value(rest), records)
    before, after = header[: LOG_OVERHEAD - _LENGTH.size], header[LOG_OVERHEAD : TO_CRC.size]
    return b"".join((before, _LENGTH.pack(length), after, CRC.pack(crc), rest, records))

"""From batches to columns: by Numba's loop, or by the reader of single records."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..deserializers import deserialize_string
from ..errors import JavaError, JavaInvalidRecordError
from .batch import CONTROL, RECORD_BATCH_OVERHEAD, TIMESTAMP_TYPE, TRANSACTIONAL
from .decompression import Compressed, Scratch, append_records
from .header_reading import CODEC
from .loops import has_numba
from .reader import RecordBatch
from .zstd_frames import append_group, groups

_HEADERS: Final = pa.list_(
    pa.struct([pa.field("key", pa.string(), nullable=False), ("value", pa.binary_view())])
)
SCHEMA: Final = pa.schema(
    [
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("timestamp", pa.int64(), nullable=False),
        pa.field("sequence", pa.int32(), nullable=False),
        ("key", pa.binary_view()),
        ("value", pa.binary_view()),
        pa.field("headers", _HEADERS, nullable=False),
        pa.field("producer_id", pa.int64(), nullable=False),
        pa.field("producer_epoch", pa.int16(), nullable=False),
        pa.field("is_transactional", pa.bool_(), nullable=False),
        pa.field("is_control", pa.bool_(), nullable=False),
    ]
)
"""Times are in ms; -1 stands for no time, sequence, producer id or epoch."""

_LEAST_RECORD: Final = 7
"""Bytes of a record that has nothing."""
_HEADER: Final = np.dtype(
    [
        ("base_offset", ">i8"),
        ("size", ">i4"),
        ("leader_epoch", ">i4"),
        ("magic", "i1"),
        ("crc", ">u4"),
        ("attributes", ">i2"),
        ("last_offset_delta", ">i4"),
        ("base_timestamp", ">i8"),
        ("max_timestamp", ">i8"),
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("base_sequence", ">i4"),
        ("records", ">i4"),
    ]
)
_Array = npt.NDArray[Any]
_Records = bytes | memoryview
_ENOUGH: Final = 4 << 20
"""Bytes of decompressed records that make a record batch, with the last batch's whole."""


class Piece(NamedTuple):
    """Whole batches that follow each other, their checksums right."""

    name: str
    """Of the file, for errors."""
    position: int
    """Where they begin in it, in bytes."""
    data: bytes
    ends: list[int]
    """Where each ends in ``data``, which may go on after the last."""

    def start(self, which: int) -> int:
        """Where one begins in ``data``; also the one after the last."""
        return self.ends[which - 1] if which else 0

    def compressed(self, which: int, codec: int, records: int) -> Compressed:
        """One of them that is compressed."""
        start = self.start(which) + RECORD_BATCH_OVERHEAD
        return Compressed(codec, records, self.data[start : self.ends[which]])

    def batch(self, which: int, limit: int) -> RecordBatch:
        """One of them."""
        return RecordBatch(self.data[self.start(which) : self.ends[which]], limit)

    def says_where(self, error: JavaError, which: int) -> JavaError:
        """The same error, which says which batch of which file it is about."""
        at = self.position + self.start(which)
        return type(error)(f"{self.name}, batch at byte {at}: {error}")


Decoder = Callable[[Piece, int], Iterator[pa.RecordBatch]]
"""Columns of a piece; the second argument bounds a batch after decompression."""


def decoder(compiled: bool | None) -> Decoder:
    """The one that is asked for; without a wish, the compiled one if Numba is installed.

    Raises ``ImportError`` if it is asked for and Numba is not.
    """
    return _by_columns if has_numba(compiled) else _by_records


def _by_records(piece: Piece, limit: int) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    for which in range(len(piece.ends)):
        batch = piece.batch(which, limit)
        header = batch.header
        of = {
            "producer_id": header.producer_id,
            "producer_epoch": header.producer_epoch,
            "is_transactional": header.is_transactional,
            "is_control": header.is_control_batch,
        }
        try:
            for record in batch:
                headers = [header._asdict() for header in record.headers]
                rows.append({**record._asdict(), "headers": headers, **of})
        except JavaError as error:
            raise piece.says_where(error, which) from error
    yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _by_columns(piece: Piece, limit: int) -> Iterator[pa.RecordBatch]:
    """Neighbours that are compressed, or are not, make a record batch each, or several."""
    starts = np.array([0, *piece.ends[:-1]], np.int64)
    data = np.frombuffer(piece.data, np.uint8)
    headers = data[starts[:, np.newaxis] + np.arange(RECORD_BATCH_OVERHEAD)].view(_HEADER)[:, 0]
    is_compressed = headers["attributes"] & CODEC != 0
    for some in np.split(np.arange(len(starts)), np.flatnonzero(np.diff(is_compressed)) + 1):
        if is_compressed[some[0]]:
            groups = _decompressed(piece, some, headers[some], limit)
        else:
            begins, ends = starts[some] + RECORD_BATCH_OVERHEAD, np.array(piece.ends)[some]
            groups = iter([(some, piece.data, begins, ends)])
        for which, records, begins, ends in groups:
            failed, batch = _decoded(records, begins, ends, headers[which])
            if failed is not None:
                _refuse(piece, int(which[failed]), limit)
            yield batch


def _refuse(piece: Piece, which: int, limit: int) -> None:
    """Raise what reading a batch record by record raises."""
    try:
        for _ in piece.batch(which, limit):
            pass
        raise JavaInvalidRecordError("Found invalid record structure")
    except JavaError as error:
        raise piece.says_where(error, which) from error


def _decompressed(
    piece: Piece, some: _Array, headers: _Array, limit: int
) -> Iterator[tuple[_Array, _Records, _Array, _Array]]:
    """Some compressed batches at a time: which, their records, where those of each begin and end.

    So many at a time are still in the processor's cache when they are looked at, and their memory
    is soon free for the next.
    """
    codecs, counts = (headers["attributes"] & CODEC).tolist(), headers["records"].tolist()
    batches = map(piece.compressed, some.tolist(), codecs, counts)
    scratch, records, first = Scratch(), bytearray(), 0
    spans: list[tuple[int, int]] = []
    for group in groups(batches):
        found = append_group(records, group, limit, scratch)
        if found is None:
            which = some[first + len(spans) :]
            found = _one_by_one(piece, which, group, records, limit, scratch)
        spans += found
        after = first + len(spans)
        if len(records) >= _ENOUGH or after == len(some):
            begins, ends = np.array(spans, np.int64).T
            # Numba compiles once more for bytes that can be changed.
            whole = memoryview(records).toreadonly()
            yield some[first:after], whole, begins, ends
            records, spans, first = bytearray(), [], after


def _one_by_one(
    piece: Piece,
    which: _Array,
    group: list[Compressed],
    to: bytearray,
    limit: int,
    scratch: Scratch,
) -> list[tuple[int, int]]:
    """Append the records of batches, and tell where those of each begin and end."""
    spans = []
    for number, batch in enumerate(group):
        begin = len(to)
        try:
            append_records(to, batch, limit, scratch)
        except JavaError as error:
            raise piece.says_where(error, int(which[number])) from error
        spans.append((begin, len(to)))
    return spans


def _decoded(
    data: _Records, begins: _Array, ends: _Array, headers: _Array
) -> tuple[int | None, pa.RecordBatch | None]:
    """The columns; or which batch is not what it says."""
    from . import segment_kernel  # noqa: PLC0415 -- Numba takes long to import

    counts = headers["records"].astype(np.int64)
    lying = np.flatnonzero((counts < 0) | (counts > (ends - begins) // _LEAST_RECORD))
    if len(lying):
        return int(lying[0]), None
    by_broker = headers["attributes"] & TIMESTAMP_TYPE != 0
    batches = np.stack(
        [
            *(begins, ends, counts, headers["base_offset"], headers["base_timestamp"]),
            *(headers["base_sequence"], by_broker, headers["max_timestamp"]),
        ],
        axis=1,
    ).astype(np.int64)
    rows = int(counts.sum())
    offsets, timestamps = np.empty(rows, np.int64), np.empty(rows, np.int64)
    sequences = np.empty(rows, np.int32)
    keys, values = _Views.of(rows), _Views.of(rows)
    inner, inner_counts = np.empty(rows, np.int64), np.empty(rows, np.int64)
    source = np.frombuffer(data, np.uint8)
    failed = segment_kernel.decode(
        *(source, batches, offsets, timestamps, sequences),
        *(*keys, *values, inner, inner_counts),
    )
    if failed >= 0:
        return failed, None
    flags = [headers["attributes"] & bit != 0 for bit in (TRANSACTIONAL, CONTROL)]
    producer_ids = headers["producer_id"].astype(np.int64)
    producer_epochs = headers["producer_epoch"].astype(np.int16)
    columns = [
        *map(pa.array, (offsets, timestamps, sequences)),
        *(column.of_bytes(data) for column in (keys, values)),
        _headers(data, inner, inner_counts),
        *(
            pa.array(np.repeat(column, counts))
            for column in (producer_ids, producer_epochs, *flags)
        ),
    ]
    return None, pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


class _Views(NamedTuple):
    """A column of bytes that lie elsewhere."""

    views: _Array
    """Two int64 each; those of nulls stay empty."""
    present: _Array

    @classmethod
    def of(cls, rows: int) -> "_Views":
        """Room for so many."""
        return cls(np.zeros(2 * rows, np.int64), np.ones(rows, np.bool_))

    def of_bytes(self, data: _Records) -> pa.Array:
        """The column of Arrow; ``data`` has the bytes."""
        valid = None
        if not self.present.all():
            valid = pa.py_buffer(np.packbits(self.present, bitorder="little"))
        buffers = [valid, pa.py_buffer(self.views), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.binary_view(), len(self.present), buffers)


def _headers(data: _Records, starts: _Array, counts: _Array) -> pa.Array:
    """The lists of headers, of which those of each record begin at ``starts``."""
    from . import segment_kernel  # noqa: PLC0415

    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    keys, values = _Views.of(int(offsets[-1])), _Views.of(int(offsets[-1]))
    if len(keys.present):
        source = np.frombuffer(data, np.uint8)
        segment_kernel.decode_headers(source, starts, counts, keys.views, *values)
    texts, contents = _text(keys.of_bytes(data)), values.of_bytes(data)
    headers = pa.StructArray.from_arrays([texts, contents], fields=list(_HEADERS.value_type))
    return pa.ListArray.from_arrays(pa.array(offsets), headers, type=_HEADERS)


def _text(keys: pa.Array) -> pa.Array:
    """Keys of headers as text; what is not UTF-8 gets replacement characters, as in Java."""
    try:
        return keys.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([deserialize_string(key) for key in keys.to_pylist()], pa.string())

"""From batches to columns: by Numba's loop, or by the reader of single records."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..deserializers import deserialize_string
from ..errors import JavaError
from ..int32 import INT32_MAX
from .batch import CONTROL, RECORD_BATCH_OVERHEAD, TIMESTAMP_TYPE, TRANSACTIONAL
from .decompression import Compressed, Scratch, append_records
from .header_reading import CODEC
from .loops import has_numba
from .reader import Failure, most_headers, refuse
from .segment_pieces import Piece
from .zstd_frames import append_group, groups


def _headers_of(data: pa.DataType) -> pa.ListType:
    return pa.list_(pa.struct([pa.field("key", pa.string(), nullable=False), ("value", data)]))


def _schema(data: pa.DataType) -> pa.Schema:
    return pa.schema(
        [
            pa.field("offset", pa.int64(), nullable=False),
            pa.field("timestamp", pa.int64(), nullable=False),
            pa.field("sequence", pa.int32(), nullable=False),
            ("key", data),
            ("value", data),
            pa.field("headers", _headers_of(data), nullable=False),
            pa.field("producer_id", pa.int64(), nullable=False),
            pa.field("producer_epoch", pa.int16(), nullable=False),
            pa.field("is_transactional", pa.bool_(), nullable=False),
            pa.field("is_control", pa.bool_(), nullable=False),
        ]
    )


_HEADERS: Final = _headers_of(pa.binary_view())
SCHEMA: Final = _schema(pa.binary_view())
"""Times are in ms; -1 stands for no time, sequence, producer id or epoch."""
PLAIN_SCHEMA: Final = _schema(pa.large_binary())
"""The same without views, which Arrow can neither filter nor sort (26), and not always write.

A reader casts its record batches as they come: ``read_segment(path).cast(PLAIN_SCHEMA)``.
"""

_LEAST_RECORD: Final = 7
"""Bytes of a record that has nothing."""
_Array = npt.NDArray[Any]
_Records = bytes | memoryview
_Spans = list[tuple[int, int]]
_ENOUGH: Final = 4 << 20
"""Bytes of decompressed records that make a record batch, with the last batch's whole."""
_MOST_ROWS: Final = 1 << 18
"""Of a record batch that Numba's loop makes."""
_MOST_HEADERS: Final = 1 << 18
"""Of all rows of one, unless a single row has more."""
_MOST_PYTHON_ROWS: Final = 1 << 14
"""Of one without Numba; and as many headers, unless the last row has more."""
_TEXTS: Final = 1 << 10
"""Keys of headers that are decoded at once, where some are not UTF-8."""


Decoder = Callable[[Piece, int], Iterator[pa.RecordBatch]]
"""Columns of a piece; the second argument bounds a batch after decompression."""


def decoder(compiled: bool | None) -> Decoder:
    """The one that is asked for; without a wish, the compiled one if Numba is installed.

    Raises ``ImportError`` if it is asked for and Numba is not.
    """
    return _by_columns if has_numba(compiled) else _by_records


def _by_records(piece: Piece, limit: int) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    headers = 0
    try:
        for row in itertools.chain.from_iterable(
            _rows(piece, which, limit) for which in range(len(piece.ends))
        ):
            rows.append(row)
            headers += len(row["headers"])
            if max(len(rows), headers) >= _MOST_PYTHON_ROWS:
                yield pa.RecordBatch.from_pylist(rows, SCHEMA)
                rows, headers = [], 0
    except JavaError:
        if rows:
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)
        raise
    if rows:
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _rows(piece: Piece, which: int, limit: int) -> Iterator[dict[str, Any]]:
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
            yield {**record._asdict(), **of}
    except JavaError as error:
        raise piece.says_where(error, which) from error


def _by_columns(piece: Piece, limit: int) -> Iterator[pa.RecordBatch]:
    """Neighbours that are compressed, or are not, make a record batch each, or several."""
    starts = np.array([0, *piece.ends[:-1]], np.int64)
    headers = piece.headers
    is_compressed = headers["attributes"] & CODEC != 0
    changes = (np.flatnonzero(np.diff(is_compressed)) + 1).tolist()
    for first, end in itertools.pairwise([0, *changes, len(starts)]):
        some = np.arange(first, end)
        if is_compressed[first]:
            groups = _decompressed(piece, some, headers[some], limit)
        else:
            begins, ends = starts[some] + RECORD_BATCH_OVERHEAD, np.array(piece.ends)[some]
            groups = iter([_Some(some, piece.data, begins, ends)])
        for group in groups:
            yield from _decoded(piece, group, headers[group.which], limit)
            del group  # and its memory, before there is another one


class _Some(NamedTuple):
    """Some batches of a piece whose records are not compressed, or no longer."""

    which: _Array
    records: _Records
    begins: _Array
    """Where the records of each begin in ``records`` ..."""
    ends: _Array
    """... and end."""

    @classmethod
    def of(cls, which: _Array, records: bytearray | memoryview, spans: _Spans) -> "_Some":
        """Of so many as there are spans: where the records of each begin and end."""
        begins, ends = np.array(spans, np.int64).T
        # Numba compiles once more for bytes that can be changed.
        return cls(which[: len(spans)], memoryview(records).toreadonly(), begins, ends)


def _decompressed(piece: Piece, some: _Array, headers: _Array, limit: int) -> Iterator[_Some]:
    """Some compressed batches at a time.

    So many at a time are still in the processor's cache when they are looked at, and their memory
    is soon free for the next. A large one comes alone, in the memory into which it was read.
    """
    codecs, counts = (headers["attributes"] & CODEC).tolist(), headers["records"].tolist()
    batches = map(piece.compressed, some.tolist(), codecs, counts)
    scratch, records = Scratch(), bytearray()
    spans: _Spans = []
    for group in groups(batches):
        own, found = None, append_group(records, group, limit, scratch)
        if found is None:
            which, found = some[len(spans) :], []
            try:
                for memory, span in _one_by_one(piece, which, group, records, limit, scratch):
                    own = memory
                    found.append(span)
            except JavaError:
                if spans + found:
                    yield _Some.of(some, records, spans + found)
                raise
        if own is not None and spans:
            yield _Some.of(some, records, spans)
            some, spans = some[len(spans) :], []
        spans += found
        if len(records) >= _ENOUGH or own is not None or len(spans) == len(some):
            yield _Some.of(some, records if own is None else own, spans)
            some, spans, records = some[len(spans) :], [], bytearray()


def _one_by_one(
    piece: Piece,
    which: _Array,
    group: list[Compressed],
    to: bytearray,
    limit: int,
    scratch: Scratch,
) -> Iterator[tuple[memoryview | None, tuple[int, int]]]:
    """Append the records of batches, and tell where those of each begin and end.

    Those of a large batch that was alone are not appended, but have memory of their own.
    """
    for number, batch in enumerate(group):
        begin = len(to)
        try:
            own = append_records(to, batch, limit, scratch)
        except JavaError as error:
            raise piece.says_where(error, int(which[number])) from error
        yield own, (begin, len(to)) if own is None else (0, len(own))


def _decoded(piece: Piece, some: _Some, headers: _Array, limit: int) -> Iterator[pa.RecordBatch]:
    """Their columns, as many rows at a time as there is room for."""
    from . import segment_kernel  # noqa: PLC0415 -- Numba takes long to import

    begins, ends = some.begins, some.ends
    counts = headers["records"].astype(np.int64)
    lying = np.flatnonzero((counts < 0) | (counts > (ends - begins) // _LEAST_RECORD))
    by_broker = headers["attributes"] & TIMESTAMP_TYPE != 0
    batches = np.stack(
        [
            *(begins, ends, counts, headers["base_offset"], headers["base_timestamp"]),
            *(headers["base_sequence"], by_broker, headers["max_timestamp"]),
        ],
        axis=1,
    ).astype(np.int64)
    producer_ids = headers["producer_id"].astype(np.int64)
    producer_epochs = headers["producer_epoch"].astype(np.int16)
    flags = [headers["attributes"] & bit != 0 for bit in (TRANSACTIONAL, CONTROL)]
    source, place = np.frombuffer(some.records, np.uint8), np.zeros(5, np.int64)
    # A sum would be wrong where one lies. That one will be refused, but not the ones before it.
    left = INT32_MAX if len(lying) else int(counts.sum())
    while True:
        part, before = _Part.of(min(left, _MOST_ROWS)), place.copy()
        limits = most_headers(limit), _MOST_HEADERS
        rows = segment_kernel.decode(source, batches, place, *limits, *part.arrays())
        is_wrong = rows < 0
        counted = _between(counts, before, place)
        rows = int(counted.sum())
        of = slice(before[0], before[0] + len(counted))
        constant = (producer_ids, producer_epochs, *flags)
        columns = [
            *part.columns(rows, some.records),
            *(_repeated(column[of], counted) for column in constant),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
        if is_wrong:
            _refuse(piece, some, place, limit)
        left -= rows
        if place[0] == len(batches):
            return


def _repeated(values: _Array, counts: _Array) -> pa.Array:
    """Each value so many times; most often all are the same."""
    column = _room(int(counts.sum()), values.dtype.type)
    column[:] = values[0] if (values == values[0]).all() else np.repeat(values, counts)
    if values.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(column), [None, _bits(column)])
    return pa.array(column)


def _bits(column: _Array) -> pa.Buffer:
    """Truth values as Arrow has them."""
    return pa.py_buffer(np.packbits(column, bitorder="little"))


def _between(counts: _Array, before: _Array, after: _Array) -> _Array:
    """How many records of each batch stand between two places, from the first one's batch on."""
    counted = counts[before[0] : after[0] + 1].copy()
    if after[0] < len(counts):
        counted[-1] = after[1]
    counted[0] -= before[1]
    return counted


def _refuse(piece: Piece, some: _Some, place: _Array, limit: int) -> NoReturn:
    """Raise what the reader of single records raises for the one at a place."""
    number, record, at, headers, after_headers = place.tolist()
    begin, end = int(some.begins[number]), int(some.ends[number])
    failure, which = Failure(record, at - begin, headers, after_headers), int(some.which[number])
    records = memoryview(some.records)[begin:end]
    try:
        refuse(piece.batch(which, limit).header, records, failure, most_headers(limit))
    except JavaError as error:
        raise piece.says_where(error, which) from error


def _room(rows: int, dtype: type[np.generic]) -> _Array:
    """Room for so many, with anything in it.

    The memory is Arrow's, which keeps it mapped when nobody needs it any longer. Pages that are
    mapped anew for each record batch cost as much as what is written to them.
    """
    return np.frombuffer(pa.allocate_buffer(rows * np.dtype(dtype).itemsize), dtype)


class _Views(NamedTuple):
    """A column of bytes that lie elsewhere."""

    views: _Array
    """Two int64 each; 0 for nulls."""
    present: _Array

    @classmethod
    def of(cls, rows: int) -> "_Views":
        """Room for so many, with anything in it."""
        return cls(_room(2 * rows, np.int64), _room(rows, np.bool_))

    def first(self, rows: int) -> "_Views":
        """So many of them."""
        return _Views(self.views[: 2 * rows], self.present[:rows])

    def of_bytes(self, data: _Records) -> pa.Array:
        """The column of Arrow; ``data`` has the bytes."""
        valid = None
        if not self.present.all():
            valid = _bits(self.present)
        buffers = [valid, pa.py_buffer(self.views), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.binary_view(), len(self.present), buffers)


class _Part(NamedTuple):
    """Room for the rows of a record batch, which :func:`.segment_kernel.decode` fills."""

    offsets: _Array
    timestamps: _Array
    sequences: _Array
    keys: _Views
    values: _Views
    headers: _Array
    header_counts: _Array

    @classmethod
    def of(cls, rows: int) -> "_Part":
        """Room for so many."""
        return cls(
            *(_room(rows, np.int64), _room(rows, np.int64), _room(rows, np.int32)),
            *(_Views.of(rows), _Views.of(rows)),
            *(_room(rows, np.int64), _room(rows, np.int64)),
        )

    def arrays(self) -> tuple[_Array, ...]:
        """All of it, in the order of the kernel's arguments."""
        numbers = self.offsets, self.timestamps, self.sequences
        return *numbers, *self.keys, *self.values, self.headers, self.header_counts

    def columns(self, rows: int, data: _Records) -> list[pa.Array]:
        """The first columns of the schema, of so many rows; ``data`` has their bytes."""
        numbers = self.offsets, self.timestamps, self.sequences
        return [
            *(pa.array(column[:rows]) for column in numbers),
            *(column.first(rows).of_bytes(data) for column in (self.keys, self.values)),
            _headers(data, self.headers[:rows], self.header_counts[:rows]),
        ]


def _headers(data: _Records, starts: _Array, counts: _Array) -> pa.Array:
    """The lists of headers, of which those of each record begin at ``starts``."""
    from . import segment_kernel  # noqa: PLC0415

    offsets = _room(len(counts) + 1, np.int32)
    if not counts.any():
        offsets[:] = 0
        return _lists(offsets, pa.array([], _HEADERS.value_type))
    offsets[0] = 0
    np.cumsum(counts, out=offsets[1:])
    keys, values = _Views.of(int(offsets[-1])), _Views.of(int(offsets[-1]))
    keys.present[:] = True
    source = np.frombuffer(data, np.uint8)
    segment_kernel.decode_headers(source, starts, counts, keys.views, *values)
    texts, contents = _text(keys.of_bytes(data)), values.of_bytes(data)
    headers = pa.StructArray.from_arrays([texts, contents], fields=list(_HEADERS.value_type))
    return _lists(offsets, headers)


def _lists(offsets: _Array, headers: pa.Array) -> pa.Array:
    """The lists of so many each, which Arrow need not look at."""
    buffers = [None, pa.py_buffer(offsets)]
    return pa.Array.from_buffers(_HEADERS, len(offsets) - 1, buffers, children=[headers])


def _text(keys: pa.Array) -> pa.Array:
    """Keys of headers as text; what is not UTF-8 gets replacement characters, as in Java."""
    try:
        return keys.cast(pa.string())
    except pa.ArrowInvalid:
        if len(keys) > _TEXTS:  # nearly all may be UTF-8
            some = range(0, len(keys), _TEXTS)
            return pa.concat_arrays([_text(keys.slice(start, _TEXTS)) for start in some])
        return pa.array([deserialize_string(key) for key in keys.to_pylist()], pa.string())

"""Records by the million: a log segment, or a fetch response, as columns of Arrow.

Reads what :mod:`.reader` reads and refuses what it refuses, without a Python object for each
record where Numba is installed. Kafka's counterpart is ``FileRecords``.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa

from ..errors import JavaCorruptRecordError, JavaError
from .batch import LOG_OVERHEAD
from .reader import MAX_BATCH_BYTES, SIZE, batch_ends, ensure_valid
from .segment_columns import SCHEMA, Piece, decoder

CHUNK_BYTES: Final = 8 << 20
"""Bytes that are read at once, unless a batch has more."""
_OTHER_FILES: Final = (".index", ".timeindex", ".txnindex", ".snapshot", ".checkpoint")

_Source = Callable[[int, int], bytes]
"""The bytes from a position on, at most so many."""


def read_segment(
    path: str | os.PathLike[str],
    *,
    max_batch_bytes: int = MAX_BATCH_BYTES,
    compiled: bool | None = None,
) -> pa.RecordBatchReader:
    """The records of a log segment, a ``.log`` file, as columns; see :data:`SCHEMA`.

    Reads the file piece by piece, as far as it is now: a broker may go on writing to it, and a
    last batch that is not whole is left out. ``read_all()`` makes a table of it.
    ``max_batch_bytes`` bounds a batch, before and after decompression, and so the memory that is
    needed. ``compiled``: True for Numba's loop, False for Python's, None for the one that is there.

    Raises ``ValueError`` for another file of a log's folder and ``OSError`` for one that cannot be
    read; while records are read, :class:`JavaCorruptRecordError` (its text says where) for damage
    and :class:`JavaUnsupportedMessageFormatError` for formats 0 and 1.
    """
    file = Path(path)
    if file.suffix in _OTHER_FILES:
        raise ValueError(f"{file} is no log segment, but stands beside one: read the .log file")
    handle = file.open("rb")
    size = handle.seek(0, os.SEEK_END)

    def read(position: int, wanted: int) -> bytes:
        handle.seek(position)
        return handle.read(min(wanted, size - position))

    def batches() -> Iterator[pa.RecordBatch]:
        with handle:
            yield from _columns(read, str(file), max_batch_bytes, compiled)

    return pa.RecordBatchReader.from_batches(SCHEMA, batches())


def read_records(
    data: bytes, *, max_batch_bytes: int = MAX_BATCH_BYTES, compiled: bool | None = None
) -> pa.RecordBatchReader:
    """The same for the records of a fetch response, or of any batches that follow each other."""

    def read(position: int, wanted: int) -> bytes:
        return data[position : position + wanted]

    batches = _columns(read, "the data", max_batch_bytes, compiled)
    return pa.RecordBatchReader.from_batches(SCHEMA, batches)


def _columns(
    read: _Source, name: str, max_batch_bytes: int, compiled: bool | None
) -> Iterator[pa.RecordBatch]:
    decode = decoder(compiled)
    for piece in _pieces(read, name, max_batch_bytes):
        yield from decode(piece, max_batch_bytes)


def _pieces(read: _Source, name: str, max_batch_bytes: int) -> Iterator[Piece]:
    """Whole batches whose checksums are right, many at once."""
    position, wanted = 0, CHUNK_BYTES
    while data := read(position, wanted):
        piece, start = Piece(name, position, data, []), 0
        try:
            for end in batch_ends(data):
                ensure_valid(data, start, end)
                piece.ends.append(end)
                start = end
        except JavaError as error:
            raise piece.says_where(error, len(piece.ends)) from error
        if piece.ends:
            yield piece
            position, wanted = position + piece.ends[-1], CHUNK_BYTES
            continue
        if len(data) < wanted:
            return  # it ends within a batch
        wanted = LOG_OVERHEAD + SIZE.unpack_from(data)[0]
        if wanted > max_batch_bytes:
            raise JavaCorruptRecordError(
                f"{name}, byte {position}: a batch of {wanted} bytes, more than the limit of "
                f"{max_batch_bytes}"
            )

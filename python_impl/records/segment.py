"""Records by the million: a log segment, or a fetch response, as columns of Arrow.

Reads what :mod:`.reader` reads and refuses what it refuses, without a Python object for each
record where Numba is installed. Kafka's counterpart is ``FileRecords``.
"""

import os
import re
import stat
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import pyarrow as pa

from ..errors import JavaError, JavaUnsupportedMessageFormatError
from .batch import LOG_OVERHEAD, MAGIC
from .reader import (
    HEADER_UP_TO_MAGIC,
    MAX_BATCH_BYTES,
    SIZE,
    Data,
    batch_ends,
    beyond_limit,
    bytes_of,
    checked_limit,
)
from .segment_columns import SCHEMA, decoder
from .segment_pieces import Piece, whole_batches

CHUNK_BYTES: Final = 8 << 20
"""Bytes that are read at once, unless a batch has more."""
_OTHER_FILES: Final = re.compile(
    r"(.*\.(index|timeindex|txnindex|snapshot|checkpoint)|.*-checkpoint|partition\.metadata)"
    r"(\.(deleted|swap|cleaned))*",
    re.IGNORECASE | re.DOTALL,
)
"""What stands beside a segment. Brokers add the last part to any name, also to a segment's."""


class TornSegmentWarning(UserWarning):
    """A segment ends with bytes that are no whole batch: they were not read.

    It is still being written to, was cut off, or is damaged.
    """


class _Source(NamedTuple):
    """Some bytes, which may be a file's."""

    name: str
    """For errors."""
    size: int
    read: Callable[[int, int], bytes | memoryview]
    """The bytes from a position on, at most so many."""
    rest: Callable[[int], None]
    """Called with the position after the last whole batch, if anything follows it."""


def read_segment(
    path: str | os.PathLike[str],
    *,
    max_batch_bytes: int = MAX_BATCH_BYTES,
    compiled: bool | None = None,
) -> pa.RecordBatchReader:
    """The records of a log segment, a ``.log`` file, as columns; see :data:`SCHEMA`.

    Reads the file piece by piece, as far as it is now: a broker may go on writing to it.
    ``read_all()`` makes a table of it. ``compiled``: True for Numba's loop, False for Python's,
    None for the one that is there.

    What follows the last whole batch is left out, as in Java, with a :class:`TornSegmentWarning`,
    unless the rest of that batch was written meanwhile. Such a batch may be one whose size is
    damaged: then others follow it that nobody can find.

    ``max_batch_bytes`` (below 2 GiB in any case) bounds a batch, before and after decompression. It
    also bounds what the headers of one record take, 64 bytes each, if there are more than 65,536.
    Rows come in record batches of at most 262,144, or 16,384 without Numba. So what is read takes,
    at once: the batch as it stands in the file, twice; room for its records after decompression,
    which grows fourfold until they fit, up to that bound (of snappy in one block: twice what they
    take; without Numba keys and values are copied besides); of one record batch, the keys of
    headers once more, as text, and its very many headers, which take three times as much without
    Numba; and some 100 MiB. What the caller keeps is not counted: each record batch keeps the
    memory in which its keys and values are.

    Damage is told as a consumer tells it, which reads ``MemoryRecords``. A broker's ``FileRecords``
    also reads batches of a magic beyond 2, and takes a tail of less than 17 bytes, or a last batch
    that says it is longer than the file, for a torn end, whatever they hold.

    Raises ``ValueError`` for another file of a log's folder, for what is no regular file, such as
    a pipe, and for a limit below 0, ``TypeError`` for a limit that is no int, and ``OSError`` for
    a file that cannot be read. Raises while records are read:
    :class:`JavaCorruptRecordError` and :class:`JavaInvalidRecordError` (their text says where) for
    damage, also at the start of a file that is no segment; and
    :class:`JavaUnsupportedMessageFormatError` for formats 0 and 1. All records before the damage
    come first; a batch that cannot be decompressed has none.
    """
    file, limit = Path(path), checked_limit(max_batch_bytes)
    handle = _opened(file)
    size = handle.seek(0, os.SEEK_END)

    def read(position: int, wanted: int) -> bytes:
        handle.seek(position)
        return handle.read(min(wanted, size - position))

    def rest(position: int) -> None:
        handle.seek(position)
        start = handle.read(LOG_OVERHEAD)  # as it is now
        if handle.seek(0, os.SEEK_END) < position + _size_said(start):
            _warn(file, position, start, size)

    def batches() -> Iterator[pa.RecordBatch]:
        with handle:
            yield None  # from here on, the file is closed whatever happens, also if nothing does
            _ensure_segment(str(file), read(0, HEADER_UP_TO_MAGIC))
            yield from _columns(_Source(str(file), size, read, rest), limit, compiled)

    begun = batches()
    next(begun)
    return pa.RecordBatchReader.from_batches(SCHEMA, begun)


def read_records(
    data: Data, *, max_batch_bytes: int = MAX_BATCH_BYTES, compiled: bool | None = None
) -> pa.RecordBatchReader:
    """The same for the records of a fetch response, or of any batches that follow each other.

    A last batch that is not whole is left out without a word: brokers cut it off. Nothing is
    copied, but what can be written to, which is first. Each record batch keeps all of ``data``.
    Raises what :func:`read_segment` does, but for what is about files, and ``TypeError`` for data
    without bytes.
    """
    whole, limit = memoryview(bytes_of(data)), checked_limit(max_batch_bytes)

    def read(position: int, wanted: int) -> memoryview:
        return whole[position : position + wanted]

    source = _Source("the data", len(whole), read, lambda *_: None)
    return pa.RecordBatchReader.from_batches(SCHEMA, _columns(source, limit, compiled))


def _opened(file: Path) -> BinaryIO:
    if _OTHER_FILES.fullmatch(file.name):
        raise ValueError(f"{file} is no log segment, but stands beside one: read the .log file")
    mode = file.stat().st_mode
    # To open a directory says so. To open a pipe waits for somebody who writes to it.
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ValueError(f"{file} is no log segment, nor a regular file at all: read a .log file")
    return file.open("rb")


def _ensure_segment(name: str, start: bytes) -> None:
    """Raise if a file that begins so is no segment of format 2."""
    try:
        next(batch_ends(start), None)
    except JavaError as error:
        raise type(error)(
            f"{name}, batch at byte 0: {error}; this is no log segment, or its start is damaged"
        ) from error
    if len(start) == HEADER_UP_TO_MAGIC and start[-1] != MAGIC:
        raise JavaUnsupportedMessageFormatError(
            f"{name}, batch at byte 0: A message of format {start[-1]}, which brokers before 0.11 "
            f"wrote, or no log segment at all; only format {MAGIC} is read here"
        )


def _size_said(data: bytes | memoryview) -> int:
    """How many bytes a batch says that it has, or how many it needs to say it."""
    return LOG_OVERHEAD + (SIZE.unpack_from(data)[0] if len(data) >= LOG_OVERHEAD else 0)


def _warn(file: Path, position: int, start: bytes, size: int) -> None:
    whole = f"of {_size_said(start)} bytes " if len(start) == LOG_OVERHEAD else ""
    warnings.warn(
        f"Found {size - position} invalid bytes at the end of {file}: a batch {whole}at byte "
        f"{position} is not whole. It is still being written, was cut off, or has a wrong size; "
        "after a wrong size, no other batch is found",
        TornSegmentWarning,
        stacklevel=6,  # whoever asked for more records
    )


def _columns(source: _Source, limit: int, compiled: bool | None) -> Iterator[pa.RecordBatch]:
    decode = decoder(compiled)
    for piece in _pieces(source, limit, compiled):
        yield from decode(piece, limit)
        del piece  # its memory, before more is read


def _pieces(source: _Source, limit: int, compiled: bool | None) -> Iterator[Piece]:
    """Whole batches whose checksums are right, many at once."""
    position, wanted = 0, CHUNK_BYTES
    while data := source.read(position, wanted):
        piece, error = whole_batches(source.name, position, data, limit, compiled)
        read = piece.start(len(piece.ends))
        if piece.ends:
            yield piece
        if error is not None:
            raise piece.says_where(error, len(piece.ends)) from error
        if piece.ends:
            position, wanted = position + read, CHUNK_BYTES
            del piece, data  # their memory, before more is read
            continue
        if len(data) < wanted:
            break  # it ends within a batch
        wanted = _size_said(data)
        if wanted > source.size - position:
            break  # or seems to: the size may be damaged
        if wanted > limit:
            raise piece.says_where(beyond_limit(wanted, limit), 0)
        del piece, data
    if position < source.size:
        source.rest(position)

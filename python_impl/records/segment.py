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

import numpy as np
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
    ensure_valid,
)
from .segment_columns import SCHEMA, Piece, decoder

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
    read: Callable[[int, int], bytes]
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
    at once: the batch as it stands in the file, twice; its records after decompression (of snappy
    in one block: twice); of one record batch, the keys of headers once more, as text, and its very
    many headers, which take three times as much without Numba; and some 100 MiB. What the caller
    keeps is not counted: each record batch keeps the memory in which its keys and values are.

    Raises ``ValueError`` for another file of a log's folder, for what is no regular file, such as
    a pipe, and for a limit below 0, ``TypeError`` for a limit that is no int, and ``OSError`` for
    a file that cannot be read. Raises while records are read, after those that stand before them:
    :class:`JavaCorruptRecordError` and :class:`JavaInvalidRecordError` (their text says where) for
    damage, also at the start of a file that is no segment; and
    :class:`JavaUnsupportedMessageFormatError` for formats 0 and 1.
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

    A last batch that is not whole is left out without a word: brokers cut it off. What can be
    written to is copied first. Raises what :func:`read_segment` does, but for what is about files,
    and ``TypeError`` for data without bytes.
    """
    whole, limit = bytes_of(data), checked_limit(max_batch_bytes)

    def read(position: int, wanted: int) -> bytes:
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


def _size_said(data: bytes) -> int:
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
    for piece in _pieces(source, limit):
        yield from decode(piece, limit)
        del piece  # its memory, before more is read


def _pieces(source: _Source, limit: int) -> Iterator[Piece]:
    """Whole batches whose checksums are right, many at once."""
    position, wanted = 0, CHUNK_BYTES
    while data := source.read(position, wanted):
        piece, start = Piece(source.name, position, data, []), 0
        contents = np.frombuffer(data, np.uint8)  # of which parts are no copies
        try:
            for end in batch_ends(data, limit):
                ensure_valid(contents, start, end)
                piece.ends.append(end)
                start = end
        except JavaError as error:
            raise piece.says_where(error, len(piece.ends)) from error
        if piece.ends:
            yield piece
            position, wanted = position + start, CHUNK_BYTES
            del piece, data, contents  # their memory, before more is read
            continue
        if len(data) < wanted:
            break  # it ends within a batch
        wanted = _size_said(data)
        if wanted > source.size - position:
            break  # or seems to: the size may be damaged
        if wanted > limit:
            raise piece.says_where(beyond_limit(wanted, limit), 0)
        del piece, data, contents
    if position < source.size:
        source.rest(position)

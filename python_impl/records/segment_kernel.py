"""The compiled loop of :mod:`.segment`: the records of many batches as columns.

It walks over records that are not compressed, or no longer, and writes where the columns of Arrow
want them: fixed-width numbers, and *views* of the keys and values, which stay where they are
(``Utf8View`` and ``BinaryView`` of Arrow's format: length and the first bytes, or all of 12).

What a record has to be is told, and held to the real client, in :mod:`.reader`; each check here is
one there. All arithmetic is of int64: Numba makes floats of signed and unsigned.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .batch import LOG_OVERHEAD, MAGIC, RECORD_BATCH_OVERHEAD
from .compiled import inline, jit, uncounted
from .reader import HEADER_UP_TO_MAGIC, PLACE_OF_SIZE

_INLINE: Final = 12
"""Bytes that a view holds itself."""
_FAILED: Final = -1
_VARINT: Final = 5
_VARLONG: Final = 10
_UINT32: Final = 0xFFFFFFFF
_INT31: Final = 1 << 31
_INT63: Final = (1 << 63) - 1
_MAX: Final = _INT31 - 1

_Bytes = npt.NDArray[np.uint8]
_Numbers = npt.NDArray[Any]


@inline
def _byte(data: _Bytes, at: int) -> int:
    # int alone makes an unsigned number. No position is negative, which Numba cannot know.
    return int(np.int64(data[np.uintp(at)]))


@inline
def _number(data: _Bytes, at: int, end: int, most: int) -> tuple[int, int]:
    """A number of at most so many bytes, and the position after it, or -1."""
    if not 0 <= at < end:  # at may be the failure of the number before
        return 0, _FAILED
    value = _byte(data, at)
    if value < 0x80:
        return value >> 1 ^ -(value & 1), at + 1
    value &= 0x7F
    at += 1
    for place in range(1, most):
        if at >= end:
            return 0, _FAILED
        byte = _byte(data, at)
        at += 1
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            if most == _VARINT:
                value &= _UINT32
            return (value >> 1 & _INT63) ^ -(value & 1), at
    return 0, _FAILED


@inline
def _word(data: _Bytes, at: int) -> int:
    """Four bytes, the least first; LLVM makes one load of it."""
    low = _byte(data, at) | _byte(data, at + 1) << 8
    return low | _byte(data, at + 2) << 16 | _byte(data, at + 3) << 24


@inline
def _view(data: _Bytes, at: int, size: int) -> tuple[int, int]:
    """The two halves of the view of bytes of ``data``, which is the column's only buffer.

    It answers them, and no function here gets an array but ``data``: Numba would count references
    to the others for each record.
    """
    if size > _INLINE:
        return size | _word(data, at) << 32, at << 32
    if at + _INLINE <= len(data):  # bytes beyond the end are read, and cut off
        first = _word(data, at) & (1 << 8 * min(size, 4)) - 1
        rest = _word(data, at + 4) | _word(data, at + 8) << 32
        if size < _INLINE:
            rest &= (1 << 8 * max(size - 4, 0)) - 1
        return size | first << 32, rest
    first, rest = 0, 0
    for place in range(size):
        if place < 4:
            first |= _byte(data, at + place) << 8 * place
        else:
            rest |= _byte(data, at + place) << 8 * (place - 4)
    return size | first << 32, rest


@inline
def _sequence(first: int, delta: int) -> int:
    """A record's sequence number, in Java's int32 arithmetic (``incrementSequence``)."""
    if first < 0:
        return -1
    if first > ((_MAX - delta + _INT31) & _UINT32) - _INT31:
        return ((delta - (_MAX - first) - 1 + _INT31) & _UINT32) - _INT31
    return ((first + delta + _INT31) & _UINT32) - _INT31


@inline
def _length(data: _Bytes, at: int, end: int) -> tuple[int, int]:
    """A length, negative for null, and where its bytes begin; -1 if they go beyond the end."""
    size, at = _number(data, at, end, _VARINT)
    return size, _FAILED if size > end - at else at


@inline
def _whole_headers(data: _Bytes, at: int, end: int, many: int) -> tuple[int, int]:
    """How many of so many headers can be read, and the position after these."""
    for passed in range(many):
        size, key = _length(data, at, end)
        if key < 0 or size < 0:
            return passed, at
        size, value = _length(data, key + size, end)
        if value < 0:
            return passed, at
        at = value + max(size, 0)
    return many, at


@jit
def plain_ends(data: _Bytes, limit: int, ends: _Numbers) -> int:
    """Where batches end that follow each other, of at most ``limit`` bytes; answers how many.

    It stops where a batch is not whole, where anything is wrong with one, and where ``ends`` is
    full: what is to be said of that is left to :func:`.reader.batch_ends`.
    """
    data = uncounted(data)
    many, at = 0, 0
    while many < len(ends) and at + RECORD_BATCH_OVERHEAD <= len(data):
        size = LOG_OVERHEAD
        for place in range(4):
            size += _byte(data, at + PLACE_OF_SIZE + place) << 8 * (3 - place)
        is_plain = _byte(data, at + HEADER_UP_TO_MAGIC - 1) == MAGIC
        if not is_plain or not RECORD_BATCH_OVERHEAD <= size <= min(limit, len(data) - at):
            break
        at += size
        ends[many] = at
        many += 1
    return many


@jit
def decode(  # noqa: PLR0911 -- Numba would count references to arrays that are handed on
    data: _Bytes,
    batches: _Numbers,
    place: _Numbers,
    most_headers: int,
    room_for_headers: int,
    offsets: _Numbers,
    timestamps: _Numbers,
    sequences: _Numbers,
    keys: _Numbers,
    has_key: npt.NDArray[np.bool_],
    values: _Numbers,
    has_value: npt.NDArray[np.bool_],
    headers: _Numbers,
    header_counts: _Numbers,
) -> int:
    """The records of ``batches`` from a place on; answers how many there is room for, or -1.

    ``batches`` has a row for each: where its records begin and end in ``data``, how many there
    are, base offset, base time, base sequence, 1 if the broker's time counts, and that time.
    ``place`` is moved on: the batch, how many of its records were read, the byte after these. It
    is the end if all were read. Columns are also full where there would be more headers than there
    is room for, but one record's always have room. ``headers`` gets where those of a record begin,
    and ``header_counts`` how many there are.

    After -1, ``place`` is that of the record that is not what it says, or has more than
    ``most_headers``; it is the end of a batch with bytes after its last record. Then follow how
    many of the record's headers can be read, and the byte after them, of the record alone.
    """
    data = uncounted(data)
    row, in_all = 0, 0
    while place[0] < len(batches):
        which, done = place[0], place[1]
        end, count = batches[which, 1], batches[which, 2]
        at = place[2] if done > 0 else batches[which, 0]
        base_offset, base_time = batches[which, 3], batches[which, 4]
        first_sequence = batches[which, 5]
        by_broker, broker_time = batches[which, 6] != 0, batches[which, 7]
        if count < 0:
            return _FAILED
        for number in range(done, count):
            place[1], place[2], place[3] = number, at, 0
            if row == len(offsets):
                return row
            size, at = _length(data, at, end)
            if at < 0 or size <= 0:
                return _FAILED
            start, stop = at, at + size
            here, view, rest = np.uintp(row), np.uintp(2 * row), np.uintp(2 * row + 1)
            time_delta, at = _number(data, at + 1, stop, _VARLONG)
            offset_delta, at = _number(data, at, stop, _VARINT)
            size, at = _length(data, at, stop)
            has_key[here] = size >= 0
            keys[view], keys[rest] = 0, 0
            if at >= 0 and size >= 0:
                keys[view], keys[rest] = _view(data, at, size)
                at += size
            size, at = _length(data, at, stop)
            has_value[here] = size >= 0
            values[view], values[rest] = 0, 0
            if at >= 0 and size >= 0:
                values[view], values[rest] = _view(data, at, size)
                at += size
            many, at = _length(data, at, stop)
            if at < 0 or not 0 <= many <= most_headers:
                return _FAILED
            in_all += many
            if row > 0 and in_all > room_for_headers:
                return row
            headers[here], header_counts[here] = at, many
            passed, at = _whole_headers(data, at, stop, many)
            place[3], place[4] = passed, at - start
            if passed < many:
                return _FAILED
            if at != stop:
                return _FAILED
            offsets[here] = base_offset + offset_delta
            timestamps[here] = broker_time if by_broker else base_time + time_delta
            sequences[here] = _sequence(first_sequence, offset_delta)
            row += 1
        if count > 0 and at != end:
            place[1] = count
            return _FAILED
        place[0], place[1] = which + 1, 0
    return row


@jit
def decode_headers(
    data: _Bytes,
    headers: _Numbers,
    header_counts: _Numbers,
    keys: _Numbers,
    values: _Numbers,
    has_value: npt.NDArray[np.bool_],
) -> None:
    """Views of the keys and values of headers that :func:`decode` has found to be whole."""
    data = uncounted(data)
    to = 0
    for row in range(len(headers)):
        at = headers[row]
        for _ in range(header_counts[row]):
            size, at = _number(data, at, len(data), _VARINT)
            keys[2 * to], keys[2 * to + 1] = _view(data, at, size)
            at += size
            size, at = _number(data, at, len(data), _VARINT)
            has_value[to] = size >= 0
            values[2 * to], values[2 * to + 1] = 0, 0
            if size >= 0:
                values[2 * to], values[2 * to + 1] = _view(data, at, size)
                at += size
            to += 1

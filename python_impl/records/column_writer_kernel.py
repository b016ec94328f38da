"""The compiled loop of :mod:`.column_writer`: columns as the records of batches.

What is written, and when a batch is full, is told in :mod:`.record` and :mod:`.builder`. As in
:mod:`.segment_kernel` all arithmetic is of int64, and no array is handed on where it can be helped.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from .compiled import inline, jit

_OVERHEAD: Final = 61
_INT32_MAX: Final = (1 << 31) - 1
_INT57: Final = (1 << 57) - 1

_Bytes = npt.NDArray[np.uint8]
_Numbers = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]


@inline
def _size_of(value: int) -> int:
    """Bytes of a number, zig-zag."""
    left, size = (value << 1) ^ (value >> 63), 1
    while left & ~0x7F:
        left = left >> 7 & _INT57
        size += 1
    return size


@inline
def _put(out: _Bytes, at: int, value: int) -> int:
    """Write a number; answers the position after it."""
    left = (value << 1) ^ (value >> 63)
    while left & ~0x7F:
        out[at] = left & 0x7F | 0x80
        left = left >> 7 & _INT57
        at += 1
    out[at] = left
    return at + 1


@inline
def _size_of_data(length: int, there: bool) -> int:
    return _size_of(length) + length if there else 1


@inline
def _put_data(out: _Bytes, at: int, data: _Bytes, start: int, end: int, there: bool) -> int:
    """Write bytes after their length, or null; answers the position after them."""
    if not there:
        return _put(out, at, -1)
    at = _put(out, at, end - start)
    out[at : at + end - start] = data[start:end]
    return at + end - start


@jit
def encode(
    limit: int,
    out: _Bytes,
    ends: _Numbers,
    offsets: _Numbers,
    timestamps: _Numbers,
    key_at: _Numbers,
    key_data: _Bytes,
    has_key: _Flags,
    value_at: _Numbers,
    value_data: _Bytes,
    has_value: _Flags,
    headers_at: _Numbers,
    header_key_at: _Numbers,
    header_key_data: _Bytes,
    header_value_at: _Numbers,
    header_value_data: _Bytes,
    has_header_value: _Flags,
) -> int:
    """Write all records to ``out``; answers how many batches they are.

    ``ends`` gets the row and the byte after each batch. Where the bytes of a row begin and end is
    said as by Arrow's offsets: a column of n rows has n + 1.
    """
    batch, first, start, at = 0, 0, 0, 0
    for row in range(len(offsets)):
        contents = _size_of_data(key_at[row + 1] - key_at[row], has_key[row])
        contents += _size_of_data(value_at[row + 1] - value_at[row], has_value[row])
        contents += 1 + _size_of(headers_at[row + 1] - headers_at[row])  # 1 for the attributes
        for header in range(headers_at[row], headers_at[row + 1]):
            contents += _size_of_data(header_key_at[header + 1] - header_key_at[header], True)
            length = header_value_at[header + 1] - header_value_at[header]
            contents += _size_of_data(length, has_header_value[header])
        offset_delta = offsets[row] - offsets[first]
        time_delta = timestamps[row] - timestamps[first]
        body = contents + _size_of(time_delta) + _size_of(offset_delta)
        size = _size_of(body) + body
        is_full = _OVERHEAD + at - start + size > limit
        is_far = offset_delta > _INT32_MAX or offset_delta < 0  # int64 wraps, and offsets increase
        if row > first and (is_full or is_far):
            ends[batch, 0], ends[batch, 1] = row, at
            batch, first, start = batch + 1, row, at
            offset_delta, time_delta = 0, 0
            body = contents + 2
        at = _put(out, at, body)
        out[at] = 0
        at = _put(out, at + 1, time_delta)
        at = _put(out, at, offset_delta)
        at = _put_data(out, at, key_data, key_at[row], key_at[row + 1], has_key[row])
        at = _put_data(out, at, value_data, value_at[row], value_at[row + 1], has_value[row])
        at = _put(out, at, headers_at[row + 1] - headers_at[row])
        for header in range(headers_at[row], headers_at[row + 1]):
            start_at, end_at = header_key_at[header], header_key_at[header + 1]
            at = _put_data(out, at, header_key_data, start_at, end_at, True)
            start_at, end_at = header_value_at[header], header_value_at[header + 1]
            there = has_header_value[header]
            at = _put_data(out, at, header_value_data, start_at, end_at, there)
    ends[batch, 0], ends[batch, 1] = len(offsets), at
    return batch + 1

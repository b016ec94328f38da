"""murmur2 and partitions of whole columns of keys, from Arrow, NumPy or plain sequences.

The same answers as :func:`.murmur2.murmur2` and ``partition_for_key``, key by key; null keys
stay null, because the client hashes no null key. The loop itself is in :mod:`.murmur2_kernel`,
compiled on first use, or in :mod:`.murmur2_numpy` where there is no Numba; :mod:`.column_loop`
chooses.

Memory: 4 bytes per key for the result (and a bit per key if there are nulls), about 100 KB
for the compiled loop, 600 KB for NumPy's. Arrow columns of binary or string, large or not, are
read where they are. Other inputs are copied ``_ROWS`` keys at a time. A result of several pieces,
from a chunked or copied input, is joined at the end: another 4 bytes per key until then.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .column_loop import loop_for
from .errors import JavaArithmeticError
from .int32 import check_int32

Keys: TypeAlias = pa.Array | pa.ChunkedArray | Sequence[bytes | None] | npt.NDArray[np.object_]
"""A column of n keys: what :func:`murmur2_column` accepts."""

_Hashes: TypeAlias = npt.NDArray[np.int32]
_Offsets: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]
_Work: TypeAlias = Callable[[npt.NDArray[np.uint8], _Offsets], _Hashes]
"""What is done with each piece of a column: its data and offsets to its numbers."""

_ROWS: Final = 8192
"""Keys copied at a time where a copy is needed: about 300 KB of usual keys."""

_BLOCK: Final = 32768
"""Hashes reduced to partitions at a time, so that the temporaries stay in the CPU's cache."""

_ACCEPTED: Final = (
    "a pyarrow Array or ChunkedArray of binary or string (also large, view, fixed-size or"
    " dictionary-encoded), a sequence of bytes and None, or a NumPy object array of them"
)


def murmur2_column(keys: Keys, *, compiled: bool | None = None) -> pa.Int32Array:
    """The hash of each key: an Arrow int32 array (n), signed, null where the key is null.

    ``keys`` (n) hold serialized keys: a pyarrow ``Array`` or ``ChunkedArray``, sliced or not,
    of binary, large_binary, binary_view, fixed_size_binary, string, large_string or
    string_view (text is hashed as its UTF-8 bytes, as Java's ``StringSerializer`` encodes it),
    of nulls only, or dictionary-encoded ones of these; a sequence of ``bytes`` and None; a
    NumPy object array of the same. Follows ``Utils.murmur2``.

    ``compiled`` chooses the loop: None for the faster one that works here, True for Numba's,
    False for NumPy's, which is slower and starts at once. The answers are the same.

    Raises ``TypeError`` for any other input, ``ValueError`` for a NumPy array that is not
    one-dimensional and ``ImportError`` if Numba's loop is asked for and Numba is not there.
    Warns with ``RuntimeWarning``, once, if Numba is there and its loop does not work.
    """
    return _map_keys(keys, partial(murmur2_buffer, compiled=compiled))


def partitions_for_keys(
    keys: Keys, num_partitions: int, *, compiled: bool | None = None
) -> pa.Int32Array:
    """The partition of each key: an Arrow int32 array (n), null where the key is null.

    ``keys`` (n) and ``compiled`` as for :func:`murmur2_column`; ``num_partitions`` is an int32.
    Follows ``BuiltInPartitioner.partitionForKey``: ``toPositive(murmur2(key)) % num_partitions``
    in Java's arithmetic, so a negative count acts as its absolute value.

    Raises :class:`JavaArithmeticError` for zero partitions if there is a key that is not null,
    ``ValueError`` for a count outside int32, and what :func:`murmur2_column` raises.
    """
    divisor = check_int32("num_partitions", num_partitions)
    if divisor == 0:
        hashes = murmur2_column(keys, compiled=compiled)
        if hashes.null_count < len(hashes):
            raise JavaArithmeticError("/ by zero")
        return hashes

    def partitions(data: npt.NDArray[np.uint8], offsets: _Offsets) -> _Hashes:
        hashes = murmur2_buffer(data, offsets, compiled=compiled)
        _reduce_to_partitions(hashes, divisor)
        return hashes

    return _map_keys(keys, partitions)


def murmur2_buffer(
    data: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int32] | npt.NDArray[np.int64],
    *,
    compiled: bool | None = None,
) -> npt.NDArray[np.int32]:
    """The hash of each key ``data[offsets[i]:offsets[i + 1]]``: int32 (n).

    ``data``: uint8 (any size, in bytes), contiguous. ``offsets``: int32 or int64 (n + 1),
    contiguous, ascending, in bytes from the start of ``data``; Arrow's layout. Follows
    ``Utils.murmur2``. Neither array is written to. ``compiled`` as for :func:`murmur2_column`.

    Raises ``TypeError`` for other dtypes and ``ValueError`` for another shape or layout or
    for offsets that descend or lie outside ``data``.
    """
    if data.dtype != np.uint8 or offsets.dtype not in (np.int32, np.int64):
        raise TypeError(
            f"data must be uint8 and offsets int32 or int64, not {data.dtype} and {offsets.dtype}"
        )
    for name, array in (("data", data), ("offsets", offsets)):
        if array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be one-dimensional and contiguous")
    if len(offsets) == 0:
        raise ValueError("offsets must have one entry more than there are keys, so at least one")
    hashes = np.empty(len(offsets) - 1, np.uint32)
    hash_keys = loop_for(offsets.dtype, compiled)
    if not hash_keys(_read_only(data), _read_only(offsets), hashes):
        raise ValueError(f"offsets must ascend, from 0 or more to {len(data)} (len(data)) or less")
    return hashes.view(np.int32)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view that cannot be written: Numba compiles writable and read-only arrays apart."""
    view = array.view()
    view.flags.writeable = False
    return view


def _reduce_to_partitions(hashes: _Hashes, divisor: int) -> None:
    """Replace each hash by ``toPositive(hash) % divisor``, for any int32 divisor but 0."""
    count = np.uint32(abs(divisor))  # unsigned, because 2**31 does not fit Java's int
    unsigned = hashes.view(np.uint32)
    for first in range(0, len(unsigned), _BLOCK):
        block = unsigned[first : first + _BLOCK]
        block &= np.uint32(0x7FFFFFFF)
        block -= block // count * count  # NumPy vectorises //, and is 3 times slower with %


# --- From each kind of input to data and offsets ---------------------------------------------


def _map_keys(keys: Keys, work: _Work) -> pa.Int32Array:
    """What ``work`` makes of the pieces of ``keys``, joined."""
    if isinstance(keys, pa.ChunkedArray):
        _require_bytes(keys.type)
        return _join(_hash_arrow(chunk, work) for chunk in keys.chunks)
    if isinstance(keys, pa.Array):
        _require_bytes(keys.type)
        return _hash_arrow(keys, work)
    if isinstance(keys, np.ndarray):
        _require_objects(keys)
    elif not isinstance(keys, Sequence) or isinstance(keys, str | bytes | bytearray | memoryview):
        raise TypeError(f"keys are {type(keys).__name__}; accepted are {_ACCEPTED}")
    return _join(
        _hash_arrow(_checked_array(keys[first : first + _ROWS], first), work)
        for first in range(0, len(keys), _ROWS)
    )


def _join(parts: Iterable[pa.Int32Array]) -> pa.Int32Array:
    joined = list(parts)
    return joined[0] if len(joined) == 1 else pa.concat_arrays([pa.array([], pa.int32()), *joined])


def _require_bytes(kind: pa.DataType) -> None:
    """Raise ``TypeError`` unless Arrow arrays of ``kind`` hold bytes or text."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (
        pa.types.is_null,
        pa.types.is_binary,
        pa.types.is_string,
        pa.types.is_large_binary,
        pa.types.is_large_string,
        pa.types.is_fixed_size_binary,
        pa.types.is_binary_view,
        pa.types.is_string_view,
    )
    if not any(test(value) for test in tests):
        raise TypeError(f"keys are an Arrow column of {kind}; accepted are {_ACCEPTED}")


def _require_objects(keys: npt.NDArray[Any]) -> None:
    """Raise unless ``keys`` is a one-dimensional NumPy array of objects."""
    if keys.dtype.kind == "S":
        raise TypeError(
            f"keys have NumPy dtype {keys.dtype}, which drops trailing NUL bytes, so keys that"
            f" end in one would hash as other keys; accepted are {_ACCEPTED}"
        )
    if keys.dtype.kind in "UT":
        raise TypeError(
            f"keys have NumPy dtype {keys.dtype}: text, not bytes. For the hashes of its UTF-8"
            " bytes pass a pyarrow string array, pa.array(keys.tolist(), pa.string())"
        )
    if keys.dtype.kind != "O":
        raise TypeError(f"keys have NumPy dtype {keys.dtype}; accepted are {_ACCEPTED}")
    if keys.ndim != 1:
        raise ValueError(f"keys have {keys.ndim} dimensions; a column has one")


def _checked_array(keys: Sequence[bytes | None] | npt.NDArray[np.object_], first: int) -> pa.Array:
    """``keys``, the rows of a column from ``first`` on, as Arrow; bytes and None only.

    Exactly ``bytes``: Arrow would encode text, and ``numpy.bytes_`` has lost trailing NULs.
    """
    if not set(map(type, keys)) <= {bytes, type(None)}:
        row, key = next(
            (row, key)
            for row, key in enumerate(keys, first)
            if type(key) is not bytes and key is not None
        )
        raise TypeError(f"keys[{row}] is {type(key).__name__}; keys must be bytes or None")
    return pa.array(keys, pa.large_binary())


def _hash_arrow(keys: pa.Array, work: _Work) -> pa.Int32Array:
    """As :func:`_map_keys`, for one Arrow array of an accepted type."""
    kind = keys.type
    if pa.types.is_null(kind):
        return pa.nulls(len(keys), pa.int32())
    if pa.types.is_dictionary(kind):
        return _hash_arrow(keys.dictionary, work).take(keys.indices)
    if pa.types.is_binary_view(kind) or pa.types.is_string_view(kind):
        parts = (keys.slice(first, _ROWS) for first in range(0, len(keys), _ROWS))
        return _join(_hash_arrow(part.cast(pa.large_binary()), work) for part in parts)
    if pa.types.is_fixed_size_binary(kind):
        hashes = _hash_fixed_size(keys, work)
    else:
        wide = pa.types.is_large_binary(kind) or pa.types.is_large_string(kind)
        hashes = _hash_variable_size(keys, np.int64 if wide else np.int32, work)
    validity = keys.is_valid().buffers()[1] if keys.null_count else None
    return pa.Array.from_buffers(pa.int32(), len(keys), [validity, pa.py_buffer(hashes)])


def _hash_variable_size(
    keys: pa.Array, offset_type: type[np.int32] | type[np.int64], work: _Work
) -> _Hashes:
    if len(keys) == 0:
        return np.empty(0, np.int32)  # Arrow may leave the offsets out
    _, offset_buffer, data_buffer = keys.buffers()
    first = keys.offset * np.dtype(offset_type).itemsize
    offsets: Any = np.frombuffer(offset_buffer, offset_type, len(keys) + 1, first)
    return work(_bytes_of(data_buffer), offsets)


def _hash_fixed_size(keys: pa.Array, work: _Work) -> _Hashes:
    hashes = np.empty(len(keys), np.int32)
    data = _bytes_of(keys.buffers()[1])
    for first in range(0, len(keys), _ROWS):
        rows = np.arange(first, min(first + _ROWS, len(keys)) + 1, dtype=np.int64)
        offsets = (keys.offset + rows) * keys.type.byte_width
        hashes[first : first + _ROWS] = work(data, offsets)
    return hashes


def _bytes_of(buffer: pa.Buffer | None) -> npt.NDArray[np.uint8]:
    """An Arrow data buffer, which Arrow may leave out if it is empty, without a copy."""
    return np.empty(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)

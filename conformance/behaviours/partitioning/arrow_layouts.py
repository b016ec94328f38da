"""The same keys as each kind of column that a caller may have."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from conformance.model.trace import Answer

Keys = list[bytes | None]


def arrange(keys: Keys, layout: str) -> Any:
    """The keys as a column: a layout below, an Arrow type, or ``sliced`` and an Arrow type.

    A layout that cannot hold these keys (text that is not UTF-8, sizes that differ) becomes
    ``binary``.
    """
    name, _, kind = layout.rpartition(" ")
    if layout in _OTHERS:
        return _OTHERS[layout](keys)
    try:
        if name == "sliced":
            filler = next((key for key in keys if key is not None), b"x")
            return _array([filler, None, *keys, filler], kind).slice(2, len(keys))
        return _array(keys, kind)
    except (pa.ArrowInvalid, ValueError):
        return pa.array(keys, type=pa.binary())


def one_repetition(column: Any, length: int, repeat: int) -> Answer:
    """The first ``length`` values of an int32 column, or an error if it does not repeat them."""
    if column.type != pa.int32():
        raise TypeError(f"a column of {column.type}, not of int32")
    if len(column) != length * repeat:
        raise ValueError(f"{len(column)} rows, not {length * repeat}")
    first = column.slice(0, length)
    for start in range(length, len(column), max(1, length)):
        if not column.slice(start, length).equals(first):
            raise ValueError(f"row {start} and following differ from the first {length}")
    values: list[int | None] = first.to_pylist()
    return values


def _array(keys: Keys, kind: str) -> pa.Array:
    if kind == "fixed_size_binary":
        sizes = {len(key) for key in keys if key is not None}
        if len(sizes) > 1:
            raise ValueError("keys of different sizes")
        return _bare(pa.array(keys, type=pa.binary(sizes.pop() if sizes else 4)))
    if "string" in kind:
        texts = [None if key is None else key.decode("utf-8") for key in keys]
        return _bare(pa.array(texts, type=getattr(pa, kind)()))
    return _bare(pa.array(keys, type=getattr(pa, kind)()))


def _bare(array: pa.Array) -> pa.Array:
    """The same, but an empty column without the buffers that Arrow may leave out of it."""
    if len(array):
        return array
    if pa.types.is_fixed_size_binary(array.type):
        return pa.Array.from_buffers(array.type, 0, [None, None])
    if pa.types.is_binary_view(array.type) or pa.types.is_string_view(array.type):
        return array  # it may leave out none
    return pa.Array.from_buffers(array.type, 0, [None, None, pa.py_buffer(b"")])


def _chunked(keys: Keys) -> pa.ChunkedArray:
    half = len(keys) // 2
    return pa.chunked_array([keys[:half], keys[half:]], type=pa.binary())


def _objects(keys: Keys) -> Any:
    objects = np.empty(len(keys), dtype=object)
    objects[:] = keys
    return objects


_OTHERS: dict[str, Callable[[Keys], Any]] = {
    "list": lambda keys: keys,
    "chunked": _chunked,
    "objects": _objects,
    "dictionary": lambda keys: pa.array(keys, type=pa.binary()).dictionary_encode(),
    "sliced dictionary": lambda keys: (
        pa.array([b"other", *keys], type=pa.binary()).dictionary_encode().slice(1)
    ),
}

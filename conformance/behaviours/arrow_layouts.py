"""A step's keys as each kind of column that a caller may have, and what is told of its answer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from conformance.model.case import Operation
from conformance.model.trace import Answer
from conformance.model.values import mapping

_Keys = list[bytes | None]
_Picks = npt.NDArray[np.int64]
"""For each row of a column, the position of its key."""


def picks_of(operation: Operation) -> _Picks:
    """Which of the step's keys each row of its column holds: all in order, then without a period.

    Further rows hold a key for ``run`` rows each. No shift of the column by a few rows or by a
    block of them has the same keys.
    """
    keys, rows, run = len(operation["keys"]), operation["rows"], operation["run"]
    further = _scattered(np.arange(keys, rows) // run) % max(1, keys)
    return np.concatenate((np.arange(keys), further))


def arrange(operation: Operation, picks: _Picks) -> Any:
    """The step's keys as a column, in its layout.

    A layout that cannot hold these keys (text that is not UTF-8, sizes that differ) becomes
    ``binary``: so does one whose keys were cut to shorten a counterexample.
    """
    keys, layout = operation["keys"], operation["layout"]
    if layout["type"] in _SEQUENCES:
        return _SEQUENCES[layout["type"]](_objects(keys)[picks].tolist())
    if "chunks" not in layout:
        return _piece(keys, picks, layout, 0)
    ends = np.cumsum(layout["chunks"], dtype=np.int64)
    pieces = np.split(picks, ends[:-1]) if layout["chunks"] else []
    chunks = [_piece(keys, piece, layout, number) for number, piece in enumerate(pieces)]
    one = chunks[0] if chunks else _piece(keys, picks, layout, 0)
    return pa.chunked_array(chunks, type=one.type)


def told(column: Any, operation: Operation, picks: _Picks) -> Answer:
    """The answer for each of the step's keys, if ``column`` is as promised.

    Else what is wrong: another type, an invalid array, another number of rows; or the first row
    that answers otherwise than an earlier row with the same key.
    """
    if type(column) is not pa.Int32Array:
        kind = getattr(column, "type", "")
        return mapping([("an Int32Array is promised, not", f"{type(column).__name__} {kind}")])
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        return mapping([("invalid array", str(error))])
    if len(column) != len(picks):
        return mapping([("rows", len(column)), ("rows asked", len(picks))])
    each = column.slice(0, len(operation["keys"]))
    expected = each.take(pa.array(picks))
    answers: list[int | None] = each.to_pylist()
    if column.equals(expected):
        return answers
    pairs = zip(column.to_pylist(), expected.to_pylist(), strict=True)
    row, answer = next((row, one) for row, (one, other) in enumerate(pairs) if one != other)
    return mapping([("first answers", answers), ("but in row", row), ("answer", answer)])


def _scattered(numbers: _Picks) -> _Picks:
    """Numbers of 24 bits that follow no order; the same for the same number."""
    mixed = (numbers + 1) * 0x9E3779B1 & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 0x85EBCA6B & 0xFFFFFFFF
    return mixed >> 8


def _piece(keys: _Keys, picks: _Picks, layout: dict[str, Any], number: int) -> pa.Array:
    """Rows as an array, one of several (or the only one, 0), between rows of other keys."""
    another = b"x" * next((len(key) for key in keys if key is not None), 1)
    pool = [*keys, None] if layout["type"] == "null" else [*keys, None, another]
    if "index" in layout:
        return _dictionary(pool, picks, layout, number)
    return _between(pool, picks, layout)


def _between(pool: _Keys, picks: _Picks, layout: dict[str, Any]) -> pa.Array:
    """Rows as a slice: ``before`` and ``after`` it are any keys and nulls of the pool."""
    before, after, rows = layout.get("before", 0), layout.get("after", 0), len(picks)
    around = _scattered(np.arange(before + after)) % len(pool)
    whole = np.concatenate((around[:before], picks, around[before:]))
    values, kind = _fitting(pool, layout["type"])
    array = pa.array(_objects(values)[whole], kind)
    return array.slice(before, rows) if before + after else _bare(array)


def _dictionary(pool: _Keys, picks: _Picks, layout: dict[str, Any], number: int) -> pa.Array:
    """Rows that are dictionary-encoded, between others.

    The dictionary has ``entries``, or as many as there are keys if these are more: some twice,
    some unused, in another order in each chunk; it is a slice as the column is. A null row has
    a null index or points at a null entry.
    """
    before, after, rows = layout.get("before", 0), layout.get("after", 0), len(picks)
    entries = np.arange(max(layout["entries"], len(pool)))
    held = np.where(entries < len(pool), entries, _scattered(entries)) % len(pool)
    held = np.roll(held, number)
    holders = np.argsort(held, kind="stable")
    counts = np.bincount(held)
    around = _scattered(np.arange(before + after)) % len(pool)
    whole = np.concatenate((around[:before], picks, around[before:]))
    chosen = _scattered(np.arange(len(whole))) % counts[whole]
    index = holders[(np.cumsum(counts) - counts)[whole] + chosen]
    empty = np.array([key is None for key in pool])[whole] & (np.arange(len(whole)) % 2 == 0)
    indices = pa.array(index.astype(layout["index"]), mask=empty)
    array = pa.DictionaryArray.from_arrays(indices, _between(pool, held, layout))
    return array.slice(before, rows)


def _fitting(keys: _Keys, kind: str) -> tuple[list[Any], pa.DataType]:
    """The keys as values of an Arrow type, and the type; ``binary`` if it cannot hold them."""
    present = [key for key in keys if key is not None]
    if kind == "null":
        return keys, pa.binary() if present else pa.null()
    if kind == "fixed_size_binary":
        size, *others = {len(key) for key in present}
        return keys, pa.binary() if others else pa.binary(size)
    if "string" in kind:
        try:
            texts = [None if key is None else key.decode() for key in keys]
        except UnicodeDecodeError:
            return keys, pa.binary()
        return texts, getattr(pa, kind)()
    return keys, getattr(pa, kind)()


def _bare(array: pa.Array) -> pa.Array:
    """The same, but an empty column without the buffers that Arrow may leave out of it."""
    if len(array) or pa.types.is_null(array.type):
        return array
    if pa.types.is_fixed_size_binary(array.type):
        return pa.Array.from_buffers(array.type, 0, [None, None])
    if pa.types.is_binary_view(array.type) or pa.types.is_string_view(array.type):
        return array  # it may leave out none
    return pa.Array.from_buffers(array.type, 0, [None, None, pa.py_buffer(b"")])


def _objects(keys: list[Any]) -> Any:
    objects = np.empty(len(keys), dtype=object)
    objects[:] = keys
    return objects


def _strided_objects(keys: _Keys) -> Any:
    """Every other object, from the end on."""
    strided = _objects([b"between", None] * len(keys))[::-2]
    strided[:] = keys
    return strided


_SEQUENCES: dict[str, Callable[[_Keys], Any]] = {
    "list": list,
    "tuple": tuple,
    "objects": _objects,
    "strided objects": _strided_objects,
}

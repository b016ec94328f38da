"""The rows of a case as an Arrow table, each column in the layout that the case says."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from conformance.behaviours.arrow_layouts import arrange
from conformance.model.case import Case, Operation
from conformance.strategies.integers import INT32_MAX, INT32_MIN

_HIDDEN: Final = [("under a null", b"x")]
"""Headers that a list which is null still has in its buffers."""

_BELOW: Final = b"under a null"
"""Bytes that a null key or value still has in its buffers."""
_HIDING: Final = ("binary", "large_binary", "string", "large_string")
"""Types of which a null can have bytes."""

_Numbers = npt.NDArray[np.int64]


class _Rows(NamedTuple):
    """What the rows of a table are made of."""

    steps: list[Operation]
    picks: _Numbers
    """For each row, the position of its step."""
    stride: int
    """How much further the offsets are whenever the steps come again."""
    restart: int | None
    """The row from which on offsets are those of the first rows again."""


def table_of(case: Case, write: Operation) -> pa.Table | pa.RecordBatch:
    """All rows of a case, as often as they are written; a record batch if no column has chunks."""
    steps = [step for step in case["steps"] if step["op"] == "row"]
    picks = np.tile(np.arange(len(steps)), write["times"])
    rows = _Rows(steps, picks, int(write["stride"]), write["restart"])
    layouts = {name: of for name, of in case["config"]["columns"].items() if of is not None}
    columns = {name: _COLUMNS[name](rows, layout) for name, layout in layouts.items()}
    if not columns:
        return pa.table({"of no use": np.zeros(len(rows.picks), np.int8)})
    whole = not any("chunks" in layout for layout in layouts.values())
    return pa.record_batch(columns) if whole else pa.table(columns)


def _data(name: str) -> Callable[[_Rows, dict[str, Any]], Any]:
    def column(rows: _Rows, layout: dict[str, Any]) -> Any:
        data = [row[name] for row in rows.steps]
        hides = "hidden" in layout and "chunks" not in layout and layout["type"] in _HIDING
        if not hides or "index" in layout:
            return arrange({"keys": data, "layout": layout}, rows.picks)
        below = [_BELOW if one is None else one for one in data]
        present = np.array([one is not None for one in data], np.bool_)[rows.picks]
        return _with_nulls(arrange({"keys": below, "layout": layout}, rows.picks), present)

    return column


def _with_nulls(array: pa.Array, present: npt.NDArray[np.bool_]) -> pa.Array:
    """The same array, with nulls that lie over what is not theirs."""
    whole = np.concatenate((np.ones(array.offset, np.bool_), present))
    bits = pa.py_buffer(np.packbits(whole, bitorder="little").tobytes())
    buffers = [bits, *array.buffers()[1:]]
    return pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)


def _offsets(rows: _Rows, layout: dict[str, Any]) -> Any:
    own = np.array([int(row["offset"]) for row in rows.steps], np.int64)
    offsets = own[rows.picks] + rows.stride * (np.arange(len(rows.picks)) // max(1, len(own)))
    if rows.restart is not None:
        offsets[rows.restart :] = offsets[: max(0, len(offsets) - rows.restart)]
    return _numbers(offsets, layout)


def _timestamps(rows: _Rows, layout: dict[str, Any]) -> Any:
    own = np.array([int(row["timestamp"]) for row in rows.steps], np.int64)
    return _numbers(own[rows.picks], layout)


def _headers(rows: _Rows, layout: dict[str, Any]) -> Any:
    own = [row["headers"] for row in rows.steps]
    return _in_chunks(len(rows.picks), layout, lambda at: _lists(own, rows.picks[at], layout))


def _numbers(numbers: _Numbers, layout: dict[str, Any]) -> Any:
    """Numbers between others; of another type than int64 only if it can hold them all."""
    before, after = np.full(layout.get("before", 0), 7), np.full(layout.get("after", 0), 9)
    least, most = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    ranges = {"int32": (INT32_MIN, INT32_MAX), "uint64": (0, most)}
    first, last = ranges.get(layout["type"], (least, most))
    kind = _NUMBERS[layout["type"]] if first <= least and most <= last else pa.int64()

    def piece(at: slice) -> pa.Array:
        whole = pa.array(np.concatenate((before, numbers[at], after))).cast(kind)
        return whole.slice(len(before), len(numbers[at]))

    return _in_chunks(len(numbers), layout, piece)


_NUMBERS: Final = {
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "timestamp": pa.timestamp("ms"),
}


def _lists(headers: list[Any], picks: _Numbers, layout: dict[str, Any]) -> pa.Array:
    """The picked headers between others; with ``hidden``, nulls lie over what is not theirs."""
    around: list[Any] = [_HIDDEN, None, []]
    pool = [*headers, *around]
    before, after = (
        len(headers) + np.arange(layout.get(where, 0)) % len(around)
        for where in ("before", "after")
    )
    whole = np.concatenate((before, picks, after))
    below = [_HIDDEN if one is None and layout["hidden"] else one or [] for one in pool]
    lists = _taken(below, whole, layout)
    null = np.array([one is None for one in pool], np.bool_)[whole]
    masked = type(lists).from_arrays(lists.offsets, lists.values, mask=pa.array(null))
    return masked.slice(len(before), len(picks))


def _taken(pool: list[Any], picks: _Numbers, layout: dict[str, Any]) -> pa.Array:
    """Lists of pairs, none of them null; each is one of the pool."""
    pair = pa.struct([("key", getattr(pa, layout["text"])()), ("value", pa.binary())])
    kind = getattr(pa, layout["type"])(pair)
    pairs = [[{"key": key, "value": value} for key, value in one] for one in pool]
    if layout["text"] == "string_view":  # of which Arrow takes none
        return pa.array([pairs[pick] for pick in picks], kind)
    return pa.array(pairs, kind).take(pa.array(picks))


def _in_chunks(count: int, layout: dict[str, Any], piece: Callable[[slice], pa.Array]) -> Any:
    """All rows in one piece, or in chunks of the layout's lengths, the last with all the rest."""
    if "chunks" not in layout:
        return piece(slice(0, count))
    ends = [0, *np.cumsum(layout["chunks"], dtype=np.int64)[:-1].tolist(), count]
    return pa.chunked_array([piece(slice(*at)) for at in pairwise(ends)])


_COLUMNS: Final = {
    "offset": _offsets,
    "timestamp": _timestamps,
    "key": _data("key"),
    "value": _data("value"),
    "headers": _headers,
}
"""By the name of the column."""

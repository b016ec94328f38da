"""Cases of columns that are written as batches; see ``record_columns.py`` for their words."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.model.case import Case, Operation
from conformance.strategies.packed import Choices, packed
from conformance.strategies.partitioning.column_cases import ENTRIES, TYPES, lengths_of_chunks
from conformance.strategies.records import wire
from conformance.strategies.records.batch_cases import producer_state, timestamp_of
from conformance.strategies.records.contents import (
    DATA_BYTES,
    HEADERS_BYTES,
    Header,
    data_of,
    headers_of,
    int64_of,
)
from conformance.strategies.records.ratio_cases import CODECS
from conformance.utf16 import has_lone_surrogate, joined

NUMBERS: Final = ("int64", "int64", "int32", "uint64", "timestamp")
LISTS: Final = ("list_", "large_list")
TEXTS: Final = ("string", "large_string", "binary", "string_view")
"""Types of a header's key."""
PIECE: Final = 1 << 16
"""Rows that the port writes at once."""
_LIMITS: Final = (16384, 16384, 2**31 - 1, 1000, 300, 200, 61, 0, -1, 100, 140)
_TIMES: Final = (*(1,) * 24, *(2, 3, 9) * 2, 65, 130)
_PIECES: Final = (PIECE, PIECE + 1, PIECE + 1, PIECE + 9)
_MOST_BYTES: Final = 1 << 18
"""Of rows that are written more than once."""
_MOST_PACKED: Final = 130
"""Compressed batches of rows that are written more than once: each takes as long as 50 rows."""
_MOST_ROWS: Final = 14
_FAR: Final = (2**31 - 1, 2**31, 2**31 - 2, 2**33)
_OFFSETS: Final = (0, 1, 3, 7, 8, 9, 31, 64, 65)
_SHORT: Final[dict[str, Any]] = {"key": b"k", "value": None, "headers": []}
_ROW_BYTES: Final = 32 + 2 * DATA_BYTES + HEADERS_BYTES
_LAYOUT_BYTES: Final = 14
_CONFIG_BYTES: Final = 64 + 5 * _LAYOUT_BYTES


@cache
@st.composite
def record_column_cases(draw: DrawFn) -> Case:
    """Some rows, then their batches, whose limit is near what some of the rows take."""
    config, write = draw(packed(_CONFIG_BYTES, _config))
    rows = draw(st.lists(packed(_ROW_BYTES, _row), max_size=_MOST_ROWS))
    if write["pieces"]:
        _for_pieces(config, restart=write["restart"])
        rows = [{**row, **_SHORT} for row in rows[:6]] or [_row(Choices(bytes(_ROW_BYTES)))]
    placed = _placed(rows, config)
    if write["refused"] is not None and placed and not write["pieces"]:
        _refuse(placed, config, *write["refused"])
    step = _write(write, placed, config)
    return {"config": config, "metadata": [], "steps": [*placed, step]}


def _row(of: Choices) -> Operation:
    gap, rare, time = of.below(32), of.below(128) == 127, int(timestamp_of(of.part(10)))
    headers = headers_of(of.part(HEADERS_BYTES), rare=rare)
    return {
        "op": "row",
        # To the row before, if the case has a column of offsets.
        "offset": of.one_of((2, 40, 100, 8192))
        if gap > 26
        else of.one_of(_FAR)
        if gap == 26
        else 1,
        "timestamp": str(max(-1, time)),
        "key": data_of(of.part(DATA_BYTES), rare=rare),
        "value": data_of(of.part(DATA_BYTES), rare=rare),
        "headers": headers and _in_utf8(headers),
    }


def _in_utf8(headers: list[Header]) -> list[Header]:
    """Those that Arrow's texts can hold, which have no halves of characters."""
    return [[joined(key), value] for key, value in headers if not has_lone_surrogate(key)]


def _placed(rows: list[Operation], config: dict[str, Any]) -> list[Operation]:
    """Rows with the offsets that they have, and with nothing in columns that are left out."""
    layouts, at, placed = config["columns"], int(config["base_offset"]), []
    left_out: dict[str, Any] = {name: None for name in ("key", "value") if layouts[name] is None}
    if layouts["headers"] is None:
        left_out["headers"] = None
    if layouts["timestamp"] is None:
        left_out["timestamp"] = "-1"
    for number, row in enumerate(rows):
        at += (1 if layouts["offset"] is None else row["offset"]) if number else 0
        placed.append({**row, "offset": str(at), **left_out})
    return placed


def _for_pieces(config: dict[str, Any], *, restart: bool) -> None:
    """What shows how pieces go on: sequences, and offsets if they restart.

    Not compressed, which takes longest and has nothing to do with pieces.
    """
    of_producer = {"producer_id": "1", "epoch": 0, "sequence": max(0, config["sequence"])}
    config |= {"codec": "none", **of_producer}
    if restart and config["columns"]["offset"] is None:
        config["columns"]["offset"] = {"type": "int64"}


def _refuse(rows: list[Operation], config: dict[str, Any], which: int, at: int) -> None:
    """Make a row one that is refused: by its time, or by its offset, if it has one of its own."""
    row, before = rows[at % len(rows)], rows[at % len(rows) - 1]
    if which == 0 and config["columns"]["timestamp"] is not None:
        row["timestamp"] = "-2"
    elif config["columns"]["offset"] is not None:
        row["offset"] = str(int(before["offset"]) - which + 1)


def _write(write: dict[str, Any], rows: list[Operation], config: dict[str, Any]) -> Operation:
    """The last step; sets the limit, and the lengths of chunks."""
    sizes = _sizes(rows)
    near, by, count = write["near"]
    if near and sizes:
        config["limit"] = wire.OVERHEAD + sum(sizes[: count % len(sizes) + 1]) + by
    times = write["times"]
    if write["pieces"]:
        times = -(-write["pieces"] // len(rows))
        config["limit"] = max(config["limit"], 16384)
    elif sum(sizes) * times > _MOST_BYTES or _packs(config, sizes) * times > _MOST_PACKED:
        times = 1
    for layout in config["columns"].values():
        if layout is not None and "chunks" in layout:
            layout["chunks"] = lengths_of_chunks(len(rows) * times, *layout["chunks"])
    stride = int(rows[-1]["offset"]) - int(rows[0]["offset"]) + write["gap"] if rows else 0
    restart = PIECE if write["pieces"] and write["restart"] else None
    return {"op": "write", "times": times, "stride": str(stride), "restart": restart}


def _packs(config: dict[str, Any], sizes: list[int]) -> int:
    """How many batches are compressed for rows of these sizes, or a few more."""
    if config["codec"] == "none":
        return 0
    room: int = max(1, config["limit"] - wire.OVERHEAD)
    return min(len(sizes), 1 + sum(sizes) // room)


def _sizes(rows: list[Operation]) -> list[int]:
    """The bytes of each row as a record of a batch that begins with the first one."""
    sizes = []
    for row in rows:
        since, beyond = (int(row[of]) - int(rows[0][of]) for of in ("timestamp", "offset"))
        headers = [(key.encode(), value) for key, value in row["headers"] or []]
        record = wire.Records()
        record.write(wire.WireRecord(since, beyond, row["key"], row["value"], headers))
        sizes.append(len(record.data))
    return sizes


def _config(of: Choices) -> tuple[dict[str, Any], dict[str, Any]]:
    """What all batches have in common, and what the last step is made of."""
    idempotent, base, rare = of.below(2) == 1, of.below(4), of.below(128)
    far = str(abs(int64_of(of.part(8))) // 2)
    layouts = {
        "offset": _layout(of.part(_LAYOUT_BYTES), NUMBERS, left_out=4),
        "timestamp": _layout(of.part(_LAYOUT_BYTES), NUMBERS, left_out=2),
        "key": _layout(of.part(_LAYOUT_BYTES), TYPES, left_out=1),
        "value": _layout(of.part(_LAYOUT_BYTES), TYPES, left_out=1),
        "headers": _headers_layout(of.part(_LAYOUT_BYTES)),
    }
    config = {
        "codec": of.one_of(("none", "none", "none", "none", *CODECS)),
        "base_offset": far if base == 3 else ("0", "1", str(2**31 - 1))[base],
        "leader_epoch": of.one_of((-1, 0, 1, 255, 2**31 - 1)),
        "limit": of.one_of(_LIMITS),
        "columns": layouts,
        **producer_state(of.part(20), valid=idempotent),
    }
    write = {
        "times": of.one_of(_TIMES),
        "gap": of.one_of((1, 1, 1, 2, 0)),
        "pieces": of.one_of(_PIECES) if rare > 124 else 0,
        "refused": (of.below(3), of.below(_MOST_ROWS)) if of.below(12) == 11 else None,
        "restart": of.below(4) > 0,
        "near": (of.below(2), of.between(-1, 1), of.below(_MOST_ROWS)),
    }
    return config, write


def _layout(of: Choices, types: tuple[str, ...], *, left_out: int) -> dict[str, Any] | None:
    """How a column is laid out, or None: it is left out, in so many of twelve cases."""
    absent, kind, encoded = of.below(12) < left_out, of.one_of(types), of.below(6)
    index, sliced, before = of.one_of(tuple(ENTRIES)), of.below(2), of.one_of(_OFFSETS)
    after, chunked, chunks = of.below(3), of.below(5), of.one_of((1, 2, 3, 5, 17))
    seed, hidden = of.below(2**16, size=2), of.below(2) == 1
    layout: dict[str, Any] = {"type": kind}
    if absent:
        return None
    if types is TYPES and encoded == 5:
        layout |= {"index": index, "entries": 0}
    if sliced:
        layout |= {"before": before, "after": after}
    if chunked == 4:
        layout["chunks"] = (chunks, seed)
    if types is TYPES and hidden:
        layout["hidden"] = True
    return layout


def _headers_layout(of: Choices) -> dict[str, Any] | None:
    hidden, text = of.below(2) == 1, of.one_of(TEXTS)
    layout = _layout(of, LISTS, left_out=4)
    return None if layout is None else {**layout, "hidden": hidden, "text": text}

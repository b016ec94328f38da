"""What varies in the columns of cases: keys, rows, layouts and what is asked."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from conformance.model.case import Case, Operation
from conformance.model.dimension import Dimension, numbers
from conformance.strategies.partitioning.column_cases import ENTRIES, SEQUENCES, TYPES

_ROWS: Final = (
    *(0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257),
    *(8191, 8192, 8193, 8194, 16383, 16384, 16385, 32767, 32768, 32769, 65537),
)
_PARTS: Final = {"dictionary": "index", "chunked": "chunks", "sliced": "before"}
_OFFSETS: Final = (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 8193)


def _of_steps(values: Callable[[Operation], Iterable[Any]]) -> Callable[[Case], Iterator[Any]]:
    return lambda case: (value for step in case["steps"] for value in values(step))


def _laid_out(part: str) -> Callable[[Case], Iterator[Any]]:
    """That part of the layouts that have it."""
    return _of_steps(lambda step: [step["layout"][part]] if part in step["layout"] else [])


def _present(step: Operation) -> list[bytes]:
    return [key for key in step["keys"] if key is not None]


def _layouts(step: Operation) -> Iterator[str]:
    """How a column is laid out: each part of it with its type, and its parts together."""
    layout = step["layout"]
    parts = [word for word, part in _PARTS.items() if part in layout]
    if layout["type"] not in SEQUENCES:
        yield from (f"{word} {layout['type']}" for word in parts or ["plain"])
    if len(parts) > 1:
        yield " ".join(parts)


def _sizes(step: Operation) -> Iterator[str]:
    """How alike the keys' lengths are: the port hashes those of equally many words together."""
    lengths = {len(key) for key in _present(step)}
    if len(lengths) > 1:
        words = {length // 4 for length in lengths}
        alike = "equally many words" if len(words) == 1 else "different numbers of words"
        yield f"{alike}, {'many' if step['rows'] >= 64 else 'few'} rows"
    elif len(step["keys"]) > 1 and lengths:
        yield "one length"


def _nulls(step: Operation) -> Iterator[str]:
    if step["keys"]:
        present = len(_present(step))
        name = "all" if not present else "none" if present == len(step["keys"]) else "some"
        yield f"{name}, more than 8,192 rows" if present and step["rows"] > 8192 else name


COLUMNS: Final = (
    numbers("rows", "rows of a column", _ROWS, _of_steps(lambda step: [step["rows"]])),
    Dimension(
        "many rows of a type",
        "the type of a column of more than 8,192 rows",
        tuple(kind for kind in (*TYPES, *SEQUENCES) if kind != "null"),
        _of_steps(lambda step: [step["layout"]["type"]] if step["rows"] > 8192 else []),
    ),
    Dimension(
        "Arrow layout",
        "how an Arrow column is laid out",
        (
            *(f"{word} {kind}" for kind in TYPES for word in ("plain", *_PARTS)),
            *("dictionary chunked", "dictionary sliced", "chunked sliced"),
            "dictionary chunked sliced",
        ),
        _of_steps(_layouts),
    ),
    numbers(
        "rows before",
        "rows before the slice that a column or a chunk is",
        _OFFSETS,
        _of_steps(lambda step: [step["layout"].get("before", 0)]),
    ),
    numbers(
        "chunks",
        "chunks of a chunked column",
        (0, 1, 2, 3, 17, 40),
        lambda case: map(len, _laid_out("chunks")(case)),
    ),
    numbers(
        "chunk rows",
        "rows of a chunk",
        (0, 1, 2, 16, 64, 8193),
        _of_steps(lambda step: step["layout"].get("chunks", ())),
    ),
    Dimension("index", "the type of a dictionary's indices", tuple(ENTRIES), _laid_out("index")),
    numbers(
        "entries",
        "entries of a dictionary",
        (0, 127, 128, 129, 255, 256, 257, 32768, 65536),
        _laid_out("entries"),
    ),
    numbers(
        "key length",
        "bytes of a column's longest key",
        (0, 1, 2, 3, 4, 5, 8, 16, 64, 256, 1020, 1024, 1028, 16384, 16388, 32768),
        _of_steps(lambda step: [max(map(len, _present(step)))] if _present(step) else []),
    ),
    Dimension(
        "lengths",
        "how alike the lengths of a column's keys are",
        (
            "one length",
            *(f"equally many words, {rows} rows" for rows in ("few", "many")),
            *(f"different numbers of words, {rows} rows" for rows in ("few", "many")),
        ),
        _of_steps(_sizes),
    ),
    Dimension(
        "nulls",
        "which keys of a column are null",
        ("none", "some", "all", *(f"{name}, more than 8,192 rows" for name in ("none", "some"))),
        _of_steps(_nulls),
    ),
    numbers(
        "run", "rows that repeat a key", (1, 16, 20, 100), _of_steps(lambda step: [step["run"]])
    ),
    numbers(
        "partitions",
        "partitions that a column is placed among, or the absolute value of that number",
        (0, 1, 2, 3, 13, 127, 130, 255, 258),
        _of_steps(lambda step: [abs(step["partitions"])] if "partitions" in step else []),
    ),
)

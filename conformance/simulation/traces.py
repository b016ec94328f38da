"""Records from a file: CSV or Parquet with the columns ``time`` (ms), ``key`` and ``size``.

``time`` may have decimals, and may count from 1970: simulated time begins with the first record.
``key`` is text, empty or missing, and ``size`` is the value's bytes. A file is read block by block,
and refused at the first row that cannot be.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from conformance.errors import UsageError
from conformance.simulation.arrivals import BLOCK, Block
from conformance.simulation.quantities import LONGEST, MILLISECOND, Micros, exact_text

_COLUMNS: Final = ("time", "key", "size")
_LARGEST: Final = 1 << 30
_LATEST_MS: Final = 8.7e12
"""In the year 2245, if they count from 1970: of later ones a float does not tell microseconds."""
_WANTED: Final = "Columns: time (ms), key (text, may be empty or missing), size (bytes of a value)."

Row = tuple[str, Any, Any, Any]
"""Where it stands, its time, key and size."""
_Places = tuple[int | None, ...]
"""Which columns these are."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A file of records, those that came first at its beginning."""

    path: Path

    def described(self) -> dict[str, object]:
        """See :class:`.arrivals.Arrivals`."""
        return {"trace": self.path.name}

    def blocks(self, random: np.random.Generator) -> Iterator[Block]:
        """See :class:`.arrivals.Arrivals`; raises :class:`UsageError` for what cannot be read."""
        del random
        rows = self._rows()
        first_us: Micros | None = None
        last_us: Micros = 0
        while block := [*islice(rows, BLOCK)]:
            taken = Block([], [], [])
            for where, time, key, size in block:
                last_us = _time(where, time, first_us, last_us)
                first_us = last_us if first_us is None else first_us
                taken.times.append(last_us - first_us)
                taken.keys.append(_key(where, key))
                taken.sizes.append(_size(where, size))
            yield taken
        if first_us is None:
            raise UsageError(f"{self.path} has no records.", _WANTED)

    def _rows(self) -> Iterator[Row]:
        if not self.path.is_file():
            raise UsageError(f"{self.path} is no file that can be read.", "Name a trace (--trace).")
        return self._of_parquet() if self.path.suffix.lower() == ".parquet" else self._of_csv()

    def _of_csv(self) -> Iterator[Row]:
        try:
            # With a byte order mark or without: spreadsheets write one.
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                reader = csv.reader(file, strict=True)
                rows = (row for row in reader if not _is_blank(row))
                names = next(rows, [])
                at = self._places(names)
                for row in rows:
                    where = f"{self.path}, line {reader.line_num}"
                    if len(row) != len(names):
                        told = f"{where}: {len(row)} columns, not {len(names)}."
                        raise UsageError(told, "Each line has as many fields as the first one.")
                    yield _row(where, row, at)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise UsageError(f"{self.path} cannot be read: {error}.", _WANTED) from error

    def _of_parquet(self) -> Iterator[Row]:
        # Imported here because Arrow takes long, and few traces are Parquet.
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.parquet as pq  # noqa: PLC0415

        try:
            with pq.ParquetFile(self.path) as file:
                names = [name for name in file.schema_arrow.names if name in _COLUMNS]
                at = self._places(names)
                for name in names:
                    kind = file.schema_arrow.field(name).type
                    if pa.types.is_temporal(kind):
                        raise UsageError(f"{self.path}: {name} is of the type {kind}.", _WANTED)
                number = 0
                for batch in file.iter_batches(BLOCK, columns=names):
                    columns = [column.to_pylist() for column in batch.columns]
                    for row in zip(*columns, strict=True):
                        number += 1
                        where = f"{self.path}, row {number}"
                        yield _row(where, row, at)
        except (OSError, ValueError, pa.ArrowException) as error:  # such as no UTF-8
            told = str(error).splitlines()[0].rstrip(".")
            raise UsageError(f"{self.path} cannot be read: {told}.", _WANTED) from error

    def _places(self, names: Iterable[str]) -> _Places:
        there = [name.strip() for name in names]
        for name in ("time", "size"):
            if name not in there:
                told = f"it has {', '.join(there)}" if there else "it has none"
                raise UsageError(f"{self.path}: no column {name}; {told}.", _WANTED)
        for name in _COLUMNS:
            if there.count(name) > 1:
                told = f"{self.path}: {name} is a column twice."
                raise UsageError(told, "Leave out one of them.")
        return tuple(there.index(name) if name in there else None for name in _COLUMNS)


def _is_blank(row: Sequence[str]) -> bool:
    """Whether a line has nothing but blanks."""
    return len(row) <= 1 and not "".join(row).strip()


def _row(where: str, row: Sequence[Any], at: _Places) -> Row:
    time, key, size = (None if place is None else row[place] for place in at)
    return where, time, key, size


def _time(where: str, value: Any, first_us: Micros | None, last_us: Micros) -> Micros:
    """A time as the file counts them, in microseconds; after the first and the last one so far."""
    try:
        time_ms = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        time_ms = math.nan
    if not 0 <= time_ms <= _LATEST_MS:
        raise UsageError(
            f"{where}: time is {value!r}.",
            f"It is a number of ms (not microseconds), such as 12.5, from 0 to {_LATEST_MS:.2g}.",
        )
    time_us = round(time_ms * MILLISECOND)
    if time_us < last_us:
        this, last = exact_text(time_us, MILLISECOND), exact_text(last_us, MILLISECOND)
        raise UsageError(f"{where}: time {this} comes after {last}.", "Sort the file by time.")
    if first_us is not None and time_us - first_us > LONGEST:
        this, first = exact_text(time_us, MILLISECOND), exact_text(first_us, MILLISECOND)
        raise UsageError(
            f"{where}: time {this} is more than a year after {first}, the first one.",
            "Times are ms. Leave out what lies so far apart, or simulate it on its own.",
        )
    return time_us


def _key(where: str, value: Any) -> bytes | None:
    if value is None or value in ("", b""):
        return None
    if isinstance(value, bytes):
        return value
    if isinstance(value, str | int):
        return str(value).encode()
    raise UsageError(f"{where}: key is {value!r}.", "It is text, bytes or a whole number.")


def _size(where: str, value: Any) -> int:
    try:
        size = int(value)
        whole = isinstance(value, str) or (size == value and not isinstance(value, bool))
    except (TypeError, ValueError, OverflowError):
        size, whole = -1, False
    if not whole or not 0 <= size <= _LARGEST:
        raise UsageError(
            f"{where}: size is {value!r}.", f"It is a whole number of bytes, 0 to {_LARGEST:,}."
        )
    return size

"""Keys of the user's own, from Parquet: do they go where Java sends them, and how evenly?"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any, Final

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from conformance.distributions.key_families import KeyFamily
from conformance.distributions.keyed import PARTITIONS, Keyed
from conformance.errors import SuiteError, UsageError
from conformance.model.distribution import Block, Measures
from conformance.model.outcome import Kind, Outcome
from conformance.statistics.tests import exact_test

_KINDS: Final = (
    *("binary", "large_binary", "fixed_size_binary", "binary_view"),
    *("string", "large_string", "string_view"),
)
"""The types of columns that can be keys."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of a Parquet file: a file, its number in it, and how many rows it has."""

    path: str
    number: int
    rows: int


class KeyFile(Keyed):
    """The keys in a column of one Parquet file or of all in a folder, on any Arrow file system.

    Executors read the file themselves, row group by row group: Parquet to Arrow to the hash
    without a detour through Spark's rows, which would take longer than all the rest. So the
    path must mean the same on every executor.
    """

    block_records = 65_536
    least = 1
    cost = 0.1
    leaves_out = True

    def __init__(
        self, uri: str, column: str, groups: Sequence[RowGroup], *, partitions: int
    ) -> None:
        super().__init__(KeyFamily("file", f"{uri}#{column}", self._keys), partitions=partitions)
        self._uri = uri
        self._column = column
        self._groups = tuple(groups)
        self._starts = [0, *accumulate(group.rows for group in groups)]
        self._latest: tuple[int, pa.ChunkedArray] | None = None
        self.records = self.most = self._starts[-1]

    @classmethod
    def of(cls, uri: str, column: str | None, *, partitions: int | None = None) -> "KeyFile":
        """The keys of a file or folder; ``column`` may be left out if there is only one.

        Raises :class:`UsageError` for what cannot be read or holds no keys.
        """
        try:
            system, path = _file_system(uri)
            files = _files(system, path)
            groups = []
            for file in files:
                parquet = pq.ParquetFile(system.open_input_file(file))
                column = _column(uri, parquet.schema_arrow, column)
                groups += [
                    RowGroup(file, number, rows)
                    for number, rows in enumerate(_rows_of_groups(parquet))
                ]
        except (OSError, pa.ArrowException) as error:
            raise UsageError(
                f"The keys in {uri} cannot be read: {error}.",
                "Name a Parquet file or a folder of them, FILE#COLUMN if it has several columns.",
            ) from error
        if column is None or not any(group.rows for group in groups):
            raise UsageError(f"There are no keys in {uri}.", "Name a file that has rows.")
        return cls(uri, column, groups, partitions=partitions or PARTITIONS)

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Not judged, only told: keys that come again are no fault of the hash."""
        counts, name = totals.counts["partition"], "share of records"
        if totals.records == 0:
            return [Outcome(name, Kind.EXACT, 0, not_run="there is no key in it")]
        fullest = counts.max() * len(counts) / totals.records
        detail = (
            f"partition {counts.argmax()} is the fullest of {len(counts)}, with {fullest:.3f} "
            f"times its share of {totals.records:,} records"
        )
        return [replace(exact_test(name, totals.records, failures=0, detail=detail), told=True)]

    def _keys(self, block: Block) -> pa.Array:
        parts = []
        first, left = block.first, block.records
        while left:
            number = bisect_right(self._starts, first) - 1
            part = self._group(number).slice(first - self._starts[number], left)
            # Block by block, because a whole row group may be too large for 32-bit offsets.
            parts += part.cast(pa.binary()).chunks
            first, left = first + len(part), left - len(part)
        column = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        return column.drop_null() if column.null_count else column

    def _group(self, number: int) -> pa.ChunkedArray:
        """The keys of a row group; the latest is kept, for the blocks that share it."""
        if self._latest is None or self._latest[0] != number:
            group = self._groups[number]
            try:
                system, _ = _file_system(self._uri)
                with pq.ParquetFile(system.open_input_file(group.path)) as file:
                    rows = _rows_of_groups(file)
                    if rows[group.number : group.number + 1] != [group.rows]:
                        raise SuiteError(
                            f"{group.path} has changed since the run began: its row group "
                            f"{group.number} had {group.rows:,} rows, now its groups have "
                            f"{', '.join(f'{count:,}' for count in rows)}.",
                            "Run it again, and let nobody write the file meanwhile.",
                        )
                    # By its name, which may also be that of a part of another column.
                    table = file.read_row_group(group.number, columns=[self._column])
            except (OSError, pa.ArrowException) as error:
                raise SuiteError(
                    f"{group.path} cannot be read here: {error}.",
                    "The path of --keys must mean the same file on every executor.",
                ) from error
            self._latest = (number, table.column(self._column))
        return self._latest[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_latest": None}


def _file_system(uri: str) -> tuple[pa.fs.FileSystem, str]:
    if "://" in uri:
        return pa.fs.FileSystem.from_uri(uri)  # type: ignore[no-any-return]
    return pa.fs.LocalFileSystem(), uri


def _rows_of_groups(file: pq.ParquetFile) -> list[int]:
    return [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]


def _files(system: pa.fs.FileSystem, path: str) -> list[str]:
    """The file, or those below a folder that Spark would read, too."""
    if system.get_file_info(path).type != pa.fs.FileType.Directory:
        return [path]
    found = system.get_file_info(pa.fs.FileSelector(path, recursive=True))
    return sorted(
        info.path
        for info in found
        if info.is_file and info.path.endswith(".parquet") and not _hidden(info.path, path)
    )


def _hidden(file: str, folder: str) -> bool:
    """Whether Spark passes it over, as what a job has not finished (``_temporary``)."""
    below = PurePosixPath(file).relative_to(folder).parts
    return any(part.startswith((".", "_")) and "=" not in part for part in below)


def _column(uri: str, schema: pa.Schema, wanted: str | None) -> str:
    names = schema.names
    if wanted is None:
        if len(names) > 1:
            raise UsageError(
                f"{uri} has several columns: {', '.join(names)}.", f"Name one: {uri}#{names[0]}"
            )
        wanted = names[0]
    if names.count(wanted) != 1:
        raise UsageError(
            f"{uri} has {'several columns' if wanted in names else 'no column'} {wanted!r}.",
            f"It has {', '.join(names)}.",
        )
    kind = schema.field(wanted).type
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not any(getattr(pa.types, f"is_{test}")(value) for test in _KINDS):
        raise UsageError(
            f"Column {wanted!r} of {uri} is of {kind}, not of bytes or text.",
            "Keys are hashed as serialized; convert numbers with the serializer that you use.",
        )
    return wanted

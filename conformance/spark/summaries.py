"""Tables of experiments summed up on Spark, a part of a file to a task: the same on any master."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.errors import SuiteError, UsageError
from conformance.experiments.summary import (
    DamagedTableError,
    Sums,
    merged,
    summed_batches,
    summed_partitions,
    summed_records,
)
from conformance.experiments.tables import TABLES
from conformance.spark.master import is_local
from conformance.spark.session import spark_session
from conformance.spark.watching import watched

if TYPE_CHECKING:
    from pyspark import SparkContext

_SUMMED: Final[dict[str, Callable[[pa.Table, int], Sums]]] = {
    "records": summed_records,
    "batches": summed_batches,
    "partitions": summed_partitions,
}
_STALL_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class Part:
    """A row group of a table; ``data`` has it where the executors do not have the file."""

    folder: int
    table: str
    path: str
    group: int
    data: bytes = b""

    def read(self) -> pa.Table:
        """Its rows."""
        if self.data:
            return pa.ipc.open_stream(self.data).read_all()
        with pq.ParquetFile(self.path) as file:
            return file.read_row_group(self.group)

    def shipped(self) -> "Part":
        """The same with its rows."""
        table = self.read()
        sink = pa.BufferOutputStream()
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table)
        return Part(self.folder, self.table, self.path, self.group, sink.getvalue().to_pybytes())


def parts_of(folders: Sequence[Path]) -> list[Part]:
    """All row groups of these folders' tables; raises :class:`UsageError` for what is none.

    A folder's runs count once.
    """
    found = []
    seen: set[Path] = set()
    for number, folder in enumerate(folders):
        real = folder.resolve()
        if real in seen:
            raise UsageError(f"{folder} is named twice.", "Name each folder once.")
        seen.add(real)
        for table, schema in TABLES.items():
            path = folder / f"{table}.parquet"
            groups = _row_groups(path, schema)
            found += [Part(number, table, str(path.resolve()), group) for group in range(groups)]
    if not found:
        raise UsageError("These tables have no rows: no run was measured.", "Name other folders.")
    return found


def _row_groups(path: Path, schema: pa.Schema) -> int:
    try:
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(schema):
                raise UsageError(
                    f"{path} has other columns than those of an experiment.",
                    "Name a folder that kafka-conformance experiment --parquet wrote.",
                )
            groups: int = file.num_row_groups
            return groups
    except FileNotFoundError as error:
        raise UsageError(
            f"There is no {path}.",
            "Name a folder that kafka-conformance experiment --parquet wrote.",
        ) from error
    except (OSError, pa.ArrowException) as error:
        raise _unread(path, error) from error


def _unread(path: Path | str, error: Exception) -> UsageError:
    return UsageError(f"{path} cannot be read: {error}.", "It may be damaged: write it anew.")


def summed_on(master: str | None, parts: Sequence[Part]) -> Sums:
    """The sums of all parts; see :func:`spark_session` for the master.

    The driver reads the files for the workers of another machine. Raises :class:`SuiteError` for a
    file that cannot be read, and if Spark fails.
    """
    with spark_session(master, ()) as context:
        if not is_local(str(context.master)):
            parts = [_read_here(part) for part in parts]
        found = watched(
            context,
            "summing up experiments",
            partial(_collected, context, parts),
            stall_seconds=_STALL_SECONDS,
            otherwise="name fewer folders",
        )
    if isinstance(found, SuiteError):
        raise found
    return found


def _read_here(part: Part) -> Part:
    try:
        return part.shipped()
    except (OSError, pa.ArrowException) as error:
        raise _unread(part.path, error) from error


def _collected(context: "SparkContext", parts: Sequence[Part]) -> Sums | SuiteError:
    tasks = context.parallelize(parts, len(parts)).map(_summed)
    found: Sums | SuiteError = tasks.treeReduce(_merged)
    return found


def _summed(part: Part) -> Sums | SuiteError:
    """An error is an answer: Spark would try it three times again."""
    try:
        return _SUMMED[part.table](part.read(), part.folder)
    except (OSError, pa.ArrowException, DamagedTableError) as error:
        return _unread(part.path, error)


def _merged(one: Sums | SuiteError, other: Sums | SuiteError) -> Sums | SuiteError:
    for either in (one, other):
        if isinstance(either, SuiteError):
            return either
    assert not isinstance(one, SuiteError)
    assert not isinstance(other, SuiteError)
    return merged(one, other)

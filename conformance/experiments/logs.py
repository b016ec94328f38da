"""What the brokers have: batches and records from their log segments, read by the port."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from conformance.experiments.told import Ints, Longs, ReadRecord, number_of
from python_impl.records import read_batches, read_segment


@dataclass(frozen=True, slots=True)
class LogBatch:
    """A batch as a broker keeps it; ``appended_ms`` is its own time, of a LogAppendTime topic."""

    partition: int
    base_offset: int
    count: int
    size: int
    """Bytes."""
    appended_ms: int
    first: int
    """The number of its first record; -1 for a record of another run."""


@dataclass(frozen=True, slots=True)
class Found:
    """Records by where they were found, each with the number in its value; -1: not of this run."""

    partition: Ints
    offset: Longs
    timestamp: Longs
    number: Longs

    def __len__(self) -> int:
        return len(self.number)

    def of_this_run(self) -> "Found":
        """Without the records of others, who may write to the same topic."""
        ours = self.number >= 0
        return Found(
            self.partition[ours], self.offset[ours], self.timestamp[ours], self.number[ours]
        )


def found_records(rows: Iterable[ReadRecord], run: str) -> Found:
    """Records of a consumer, with their numbers."""
    kept = [(one.partition, one.offset, one.timestamp, number_of(one.value, run)) for one in rows]
    partition, offset, timestamp, number = np.array(kept, np.int64).reshape(-1, 4).T
    return Found(partition.astype(np.int32), offset, timestamp, number)


def read_log_batches(folders: Mapping[int, Path], run: str) -> list[LogBatch]:
    """The batches of a topic's partitions, by the folder of each one's segments.

    Raises :class:`OSError` where there is none, and what ``read_batches`` raises for damage.
    """
    found = []
    for partition, folder in folders.items():
        for segment in _segments(folder):
            for batch in read_batches(segment.read_bytes()):
                header = batch.header
                value = next(iter(batch)).value if header.records > 0 else None
                found.append(
                    LogBatch(
                        partition,
                        header.base_offset,
                        header.records,
                        len(batch.data),
                        header.max_timestamp,
                        number_of(value, run),
                    )
                )
    return found


def read_log_records(folders: Mapping[int, Path], run: str) -> Found:
    """Their records; raises the same, and what ``read_segment`` raises."""
    rows = []
    for partition, folder in folders.items():
        for segment in _segments(folder):
            table = read_segment(segment).read_all()
            columns = (table[name].to_pylist() for name in ("offset", "timestamp", "value"))
            rows += [ReadRecord(partition, *row) for row in zip(*columns, strict=True)]
    return found_records(rows, run)


def _segments(folder: Path) -> Sequence[Path]:
    segments = sorted(folder.glob("*.log"))
    if not segments:
        raise FileNotFoundError(f"there is no log segment in {folder}")
    return segments

"""What a client says of its run: each record's end, each request with its batches, its metrics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from python_impl.records import read_batches

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]

_ENTRY: Final = np.dtype(
    [("at_ns", ">i8"), ("node", ">i4"), ("request", ">i4"), ("partition", ">i4"), ("size", ">i4")]
)
_READ: Final = np.dtype(
    [("partition", ">i4"), ("offset", ">i8"), ("timestamp", ">i8"), ("size", ">i4")]
)

_WAITED: Final = ("io-wait-time-ns-total", "io-waittime-total")
"""Of the sender's waits, in ns: the names since KIP-773 (3.0), and before."""


@dataclass(frozen=True, slots=True)
class Records:
    """Of each record, by its number; times are nanoseconds from the start of the run.

    ``called``: when ``send()`` was called; ``returned``: when that returned; ``ended``: when the
    callback came. Partition and offset as the callback told them, -1 without; ``timestamp`` is the
    broker's (ms of its clock); ``error`` is a place in ``errors``, -1 without.
    """

    called: Longs
    returned: Longs
    ended: Longs
    offset: Longs
    timestamp: Longs
    partition: Ints
    error: Ints
    errors: Sequence[str]

    @property
    def delivered(self) -> npt.NDArray[np.bool_]:
        """Which ones have an offset and no error."""
        return (self.error < 0) & (self.offset >= 0)

    @property
    def latency_ns(self) -> Longs:
        """From the call of ``send()`` to the callback, of those that were delivered."""
        return (self.ended - self.called)[self.delivered]


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch in a produce request, as it left the client; ``at_ns`` from the start of the run."""

    at_ns: int
    node: int
    request: int
    partition: int
    size: int
    """Bytes."""
    first: int
    """The number of its first record."""
    count: int


class ReadRecord(NamedTuple):
    """A record as a consumer got it."""

    partition: int
    offset: int
    timestamp: int
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Told:
    """All that a client's process has left."""

    records: Records
    batches: Sequence[SentBatch]
    """In the order in which they left; one that was sent again is there again."""
    leaders: Mapping[int, int]
    """The broker of each partition before the run; -1 without."""
    sender_ns: float
    """How long the producer's sender worked in the run: it did not wait in ``select()``."""
    start_wall_us: int
    """When the run began by the machine's clock."""


def read_told(folder: Path) -> Told:
    """What a run has left in its folder; raises :class:`OSError` or ``ValueError``."""
    lines = _pairs(folder / "told.txt")
    start_ns = int(lines["start_ns"])
    records = _records(folder / "records.bin", start_ns)
    return Told(
        records,
        [*_sent_batches((folder / "requests.bin").read_bytes(), start_ns)],
        {int(one): int(leader) for one, leader in _pairs(folder / "leaders.txt").items()},
        max(0.0, float(records.ended.max()) - _waited_ns(lines)),
        int(lines["start_wall_us"]),
    )


def _waited_ns(lines: Mapping[str, str]) -> float:
    """How long the sender waited in a run, by the producer's own metric."""
    for name in _WAITED:
        if f"after.{name}" in lines:
            return float(lines[f"after.{name}"]) - float(lines[f"before.{name}"])
    raise ValueError(f"the producer has none of the metrics {', '.join(_WAITED)}")


def _pairs(path: Path) -> dict[str, str]:
    lines = path.read_text("utf-8").splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def _records(path: Path, start_ns: int) -> Records:
    names, _, data = path.read_bytes().partition(b"\n")
    count = len(data) // (5 * 8 + 2 * 4)
    longs = np.frombuffer(data, ">i8", 5 * count).reshape(5, count).astype(np.int64)
    ints = np.frombuffer(data, ">i4", 2 * count, 5 * 8 * count).reshape(2, count).astype(np.int32)
    called, returned, ended, offset, timestamp = longs
    partition, error = ints
    errors = names.decode("utf-8").split(",") if names else []
    return Records(
        called=called - start_ns,
        returned=returned - start_ns,
        ended=ended - start_ns,
        offset=offset,
        timestamp=timestamp,
        partition=partition,
        error=error,
        errors=errors,
    )


def _sent_batches(data: bytes, start_ns: int) -> Iterator[SentBatch]:
    at = 0
    while at < len(data):
        entry = np.frombuffer(data, _ENTRY, 1, at)[0]
        at += _ENTRY.itemsize
        size = int(entry["size"])
        for batch in read_batches(data[at : at + size]):
            first = number_of(next(iter(batch)).value)
            yield SentBatch(
                int(entry["at_ns"]) - start_ns,
                int(entry["node"]),
                int(entry["request"]),
                int(entry["partition"]),
                len(batch.data),
                first,
                batch.header.records,
            )
        at += size


def read_consumed(path: Path) -> list[ReadRecord]:
    """What a consumer read back."""
    data = path.read_bytes()
    found, at = [], 0
    while at < len(data):
        entry = np.frombuffer(data, _READ, 1, at)[0]
        at += _READ.itemsize
        size = int(entry["size"])
        value = data[at : at + size] if size >= 0 else None
        at += max(size, 0)
        partition, offset, timestamp, _ = entry.tolist()
        found.append(ReadRecord(partition, offset, timestamp, value))
    return found


def number_of(value: bytes | None, run: str = "") -> int:
    """The number in a record's value; -1 for a value of nobody's, or of another run."""
    if value is None or len(value) < 21 or value[8:9] != b"-" or not value[9:21].isdigit():
        return -1
    if run and value[:8] != run.encode():
        return -1
    return int(value[9:21])

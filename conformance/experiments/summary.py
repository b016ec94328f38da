"""Tables of experiments summed up: for each producer of each experiment, over all its runs.

What is added up are whole numbers, so that neither the order nor the place of the work changes
a figure. Times become whole microseconds.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from conformance.errors import SuiteError
from conformance.experiments.judgement import Interval, mean_interval
from conformance.simulation.histogram import Histogram

SLICE_MS: Final = 100
"""How long a slice of a run's course is."""
LONGEST_MS: Final = 86_400_000
"""No run takes a day; a time beyond it is no time."""
_US: Final = 1000.0

Longs = npt.NDArray[np.int64]


class DamagedTableError(ValueError):
    """A number in a table of an experiment that no run can have led to."""


class Producer(NamedTuple):
    """Whose runs are summed up, by the names in the tables."""

    experiment: str
    variant: str


RunKey = tuple[int, int]
"""A run of a producer: the number of its folder, and its round."""


@dataclass(slots=True)
class RunSum:
    """What is known of one run."""

    records: int = 0
    delivered: Counter[int] = field(default_factory=Counter)
    """By partition."""
    leaders: dict[int, int] = field(default_factory=dict)
    """The broker of each partition."""
    slow: set[int] = field(default_factory=set)
    """The partitions of those brokers that could be slow."""
    last_us: int = 0
    """When its last record ended."""

    def merge(self, other: "RunSum") -> None:
        """Add what another table, or another part of it, knows of the same run."""
        self.records += other.records
        self.delivered += other.delivered
        self.leaders |= other.leaders
        self.slow |= other.slow
        self.last_us = max(self.last_us, other.last_us)

    def ratio(self, partitions: Collection[int]) -> float | None:
        """The share of some partitions, over the fair one; None where there is none."""
        total = self.delivered.total()
        if not total or not partitions:
            return None
        share = sum(self.delivered[one] for one in partitions) / total
        return share * len(self.leaders) / len(partitions)


@dataclass(slots=True)
class Summed:
    """All runs of a producer."""

    runs: dict[RunKey, RunSum] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    latency_us: Histogram = field(default_factory=Histogram)
    batch_records: Histogram = field(default_factory=Histogram)
    batch_bytes: Histogram = field(default_factory=Histogram)
    waited_us: Histogram = field(default_factory=Histogram)
    sent: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Delivered records by partition and slice of the time at which they were sent."""

    def merge(self, other: "Summed") -> None:
        """Add all that another part of the tables knows of the same producer."""
        for key, run in other.runs.items():
            self.runs.setdefault(key, RunSum()).merge(run)
        self.errors += other.errors
        self.sent += other.sent
        self.latency_us.merge(other.latency_us)
        self.batch_records.merge(other.batch_records)
        self.batch_bytes.merge(other.batch_bytes)
        self.waited_us.merge(other.waited_us)


Sums = dict[Producer, Summed]


def merged(one: Sums, other: Sums) -> Sums:
    """Both together; the first of them changes."""
    for producer, summed in other.items():
        one.setdefault(producer, Summed()).merge(summed)
    return one


def summed_records(table: pa.Table, folder: int) -> Sums:
    """A part of ``records.parquet``; ``folder`` is the number of the folder that it is in.

    Raises :class:`DamagedTableError`, like the other two.
    """
    sums: Sums = {}
    for producer, number, rows in _by_run(table):
        summed = sums.setdefault(producer, Summed())
        partition = _counts(rows, "partition")
        ended_us = _micros(rows, "ended_ms")
        called_us = _micros(rows, "called_ms")
        failed = rows["error"].is_valid().to_numpy()
        came = ~failed & rows["partition"].is_valid().to_numpy()
        if (came & rows["ended_ms"].is_null().to_numpy()).any():
            raise DamagedTableError("a record was delivered, but never ended")
        run = summed.runs.setdefault((folder, number), RunSum())
        run.records += len(rows)
        run.last_us = max(run.last_us, int(ended_us.max(initial=0)))
        run.delivered += Counter(partition[came].tolist())
        summed.errors += Counter(one for one in rows["error"].to_pylist() if one is not None)
        summed.latency_us.extend(np.maximum(0, ended_us - called_us)[came].tolist())
        slices = called_us[came] // (SLICE_MS * 1000)
        summed.sent += Counter(zip(partition[came].tolist(), slices.tolist(), strict=True))
    return sums


def summed_batches(table: pa.Table, folder: int) -> Sums:
    """A part of ``batches.parquet``."""
    sums: Sums = {}
    for producer, number, rows in _by_run(table):
        summed = sums.setdefault(producer, Summed())
        summed.runs.setdefault((folder, number), RunSum())
        waited_us = _micros(rows, "left_ms") - _micros(rows, "opened_ms")
        summed.batch_records.extend(_counts(rows, "records").tolist())
        summed.batch_bytes.extend(_counts(rows, "bytes").tolist())
        summed.waited_us.extend(np.maximum(0, waited_us).tolist())
    return sums


def summed_partitions(table: pa.Table, folder: int) -> Sums:
    """A part of ``partitions.parquet``."""
    sums: Sums = {}
    for producer, number, rows in _by_run(table):
        runs = sums.setdefault(producer, Summed()).runs
        run = runs.setdefault((folder, number), RunSum())
        partitions = _counts(rows, "partition").tolist()
        run.leaders.update(zip(partitions, _counts(rows, "broker").tolist(), strict=True))
        slow = zip(partitions, rows["slow"].to_pylist(), strict=True)
        run.slow.update(one for one, is_slow in slow if is_slow)
    return sums


def _by_run(table: pa.Table) -> Iterator[tuple[Producer, int, pa.Table]]:
    """The rows of each run; a table may have several, or a part of one."""
    names = ("experiment", "variant", "round")
    keys = table.select(names)
    plain = [keys["experiment"].cast(pa.string()), keys["variant"].cast(pa.string())]
    keys = pa.table([*plain, keys["round"]], names=names)
    for row in keys.group_by(list(names)).aggregate([]).to_pylist():
        mine = pc.and_(pc.equal(plain[0], row["experiment"]), pc.equal(plain[1], row["variant"]))
        mine = pc.and_(mine, pc.equal(keys["round"], row["round"]))
        yield Producer(row["experiment"], row["variant"]), row["round"], table.filter(mine)


def _micros(rows: pa.Table, name: str) -> Longs:
    """Times of a run; 0 where there is none."""
    found = rows[name].fill_null(0.0).to_numpy()
    _check(name, found, ~((found >= 0) & (found <= LONGEST_MS)))  # also of what is no number
    micros: Longs = np.rint(found * _US).astype(np.int64)
    return micros


def _counts(rows: pa.Table, name: str) -> Longs:
    """What is never below 0; 0 where there is none."""
    found: Longs = rows[name].fill_null(0).to_numpy()
    _check(name, found, found < 0)
    return found


def _check(name: str, found: npt.NDArray[Any], wrong: npt.NDArray[np.bool_]) -> None:
    if wrong.any():
        raise DamagedTableError(f"{name} of a row is {found[wrong][0]}")


# What the sums say.


@dataclass(frozen=True, slots=True)
class Share:
    """What a broker, or a partition, got of all that was delivered.

    ``ratio`` is its share over the fair one, that of its partitions, as a mean over runs.
    """

    broker: int
    partitions: Sequence[int]
    """In the first of the runs."""
    records: int
    slow: bool
    """Whether the broker was one that could be slow."""
    ratio: Interval


@dataclass(frozen=True, slots=True)
class Summary:
    """A producer's runs in figures; times are ms."""

    producer: Producer
    runs: int
    records: int
    errors: Mapping[str, int]
    seconds: Interval
    """Until the last record of a run had ended."""
    slow_ratio: Interval
    """The share of the brokers that could be slow, over the fair one."""
    brokers: Sequence[Share]
    partitions: Sequence[Share]
    latency_ms: Mapping[str, float]
    batch_records: Mapping[str, float]
    batch_bytes: Mapping[str, float]
    waited_ms: Mapping[str, float]
    """Of batches: from ``send()`` of the first record until it left."""
    sent: Mapping[int, Sequence[float]]
    """Of each partition: how many records a run had sent to it at the end of each slice."""

    @property
    def delivered(self) -> int:
        """Records without an error."""
        return sum(one.records for one in self.partitions)


def summaries(sums: Sums) -> list[Summary]:
    """In the order of names; raises :class:`SuiteError` for tables that do not fit together."""
    return [_summary(producer, sums[producer]) for producer in sorted(sums)]


def _summary(producer: Producer, of: Summed) -> Summary:
    # By their keys: the sums came in any order, and a mean of floats depends on it.
    runs = [of.runs[key] for key in sorted(of.runs)]
    if any(not set(run.leaders).issuperset(run.delivered) for run in runs):
        raise SuiteError(
            f"{producer.experiment}, {producer.variant}: records went to partitions that "
            "partitions.parquet does not know.",
            "Give the three files of one experiment, as --parquet wrote them.",
        )
    brokers = sorted({broker for run in runs for broker in run.leaders.values()})
    partitions = sorted({one for run in runs for one in run.leaders})
    return Summary(
        producer,
        len(runs),
        sum(run.records for run in runs),
        dict(sorted(of.errors.items())),
        mean_interval([run.last_us / 1e6 for run in runs]),
        _ratio(runs, [run.slow for run in runs]),
        [_broker(runs, one) for one in brokers],
        [_partition(runs, one) for one in partitions],
        _figures(of.latency_us, _US),
        _figures(of.batch_records),
        _figures(of.batch_bytes),
        _figures(of.waited_us, _US),
        _course(of, partitions, len(runs)),
    )


def _broker(runs: Sequence[RunSum], broker: int) -> Share:
    led = [[one for one in run.leaders if run.leaders[one] == broker] for run in runs]
    got = sum(run.delivered[one] for run, mine in zip(runs, led, strict=True) for one in mine)
    slow = any(run.slow.intersection(mine) for run, mine in zip(runs, led, strict=True))
    return Share(broker, sorted(led[0]), got, slow, _ratio(runs, led))


def _partition(runs: Sequence[RunSum], partition: int) -> Share:
    broker = runs[0].leaders.get(partition, -1)
    got = sum(run.delivered[partition] for run in runs)
    slow = any(partition in run.slow for run in runs)
    return Share(broker, [partition], got, slow, _ratio(runs, [[partition]] * len(runs)))


def _ratio(runs: Sequence[RunSum], partitions: Sequence[Collection[int]]) -> Interval:
    """Of some partitions in each run."""
    ratios = [run.ratio(mine) for run, mine in zip(runs, partitions, strict=True)]
    return mean_interval([one for one in ratios if one is not None])


def _figures(of: Histogram, unit: float = 1.0) -> dict[str, float]:
    percentiles: dict[str, Any] = {
        f"p{percent:g}": of.percentile(percent) / unit for percent in (50, 95, 99, 99.9)
    }
    return {"mean": of.mean / unit, **percentiles, "max": of.highest / unit}


def _course(of: Summed, partitions: Sequence[int], runs: int) -> dict[int, list[float]]:
    slices = max((one for _, one in of.sent), default=-1) + 1
    counts = {partition: np.zeros(slices, np.int64) for partition in partitions}
    for (partition, which), count in of.sent.items():
        counts[partition][which] = count
    return {one: (np.cumsum(count) / runs).tolist() for one, count in counts.items()}

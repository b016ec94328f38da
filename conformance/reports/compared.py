"""What was counted beside what was expected, cell by cell, for plots and for messages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt
import scipy.stats

from conformance.distributions.adaptive import Adaptive, LoadVector
from conformance.distributions.built_in import stay_shares
from conformance.distributions.rack_aware import RackAware
from conformance.model.distribution import Measures

STAY_BIN = 50
"""Bytes of a stay are shown in classes of so many."""
CHANCE = 0.999
"""The probability with which chance alone leaves all cells of a sample in their bands."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Compared:
    """A table of counts, and what would have been counted without any chance.

    ``counts`` and ``expected`` have one shape; ``names`` are of their cells, row after row.
    """

    counts: Floats
    expected: Floats
    names: tuple[str, ...]
    unit: str
    """What was counted: records, batches, bytes."""

    @property
    def percent(self) -> Floats:
        """How much more was counted than expected, in percent; NaN where nothing was expected."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = 100 * (self.counts / self.expected - 1)
        return np.where(self.expected > 0, ratio, np.nan)

    @property
    def band(self) -> Floats:
        """How far from 0 :attr:`percent` can be by chance: all cells are, with CHANCE."""
        rows = self.expected.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            deviation = 100 * np.sqrt((1 - self.expected / rows) / self.expected)
        return np.where(self.expected > 0, strictness(self.expected.size) * deviation, np.nan)

    def most_conspicuous(self) -> int | None:
        """The cell that is farthest from what was expected, as chance goes; None if none is.

        Not one of those where nothing is expected: they are for exact tests.
        """
        counts, expected = self.counts.ravel(), self.expected.ravel()
        gap = np.where(expected > 0, np.abs(counts - expected), 0.0)
        if not gap.any():
            return None
        return int((gap / np.sqrt(np.where(expected > 0, expected, 1.0))).argmax())


def strictness(cells: int) -> float:
    """So many standard deviations none of the cells is off by chance, with CHANCE."""
    return float(scipy.stats.norm.isf((1 - CHANCE) / 2 / max(cells, 1)))


def compare(distribution: str, test: str, measures: Measures) -> Compared | None:
    """What a test saw beside what it expected; None for a test that has no such table."""
    if distribution.startswith("keyed/"):
        return keys_per_partition(measures) if test == "distinct keys" else None
    try:
        table = _TABLES[distribution](measures, test)
    except (KeyError, ValueError):  # of a distribution or test that is newer than this module
        return None
    return table


def keys_per_partition(measures: Measures) -> Compared:
    """Different keys in each partition; where keys come again the bitmaps know how many."""
    if "keys" in measures.seen:
        bits = np.unpackbits(measures.seen["keys"].view(np.uint8), axis=1)
        return _equal(bits.sum(axis=1, dtype=np.int64), "different keys")
    return _equal(measures.counts["partition"], "keys")


def _equal(counts: npt.NDArray[np.int64] | Floats, unit: str) -> Compared:
    """Counts of which each partition should have as many."""
    names = tuple(f"partition {partition}" for partition in range(len(counts)))
    expected = np.full(len(counts), counts.sum() / len(counts))
    return Compared(counts.astype(np.float64), expected, names, unit)


def _transitions(pairs: npt.NDArray[np.int64], *, stays: bool, unit: str) -> Compared:
    """Which partition follows which: all alike, the present one among them only if ``stays``."""
    shares = np.ones(pairs.shape) if stays else 1 - np.eye(len(pairs))
    shares /= shares.sum(axis=1, keepdims=True)
    # As in the test: what should never be does not add to what the other cells should have.
    totals = np.where(shares > 0, pairs, 0).sum(axis=1, keepdims=True)
    names = tuple(
        f"partition {after} after partition {before}"
        for before, after in product(range(len(pairs)), repeat=2)
    )
    return Compared(pairs.astype(np.float64), totals * shares, names, unit)


def _memory(triples: npt.NDArray[np.int64], unit: str) -> Compared:
    """What follows the present partition, whatever came before it."""
    totals = triples.sum(axis=(0, 2), keepdims=True)
    both = triples.sum(axis=2, keepdims=True) * triples.sum(axis=0, keepdims=True)
    names = tuple(
        f"partition {after} after partitions {before} and {present}"
        for before, present, after in product(range(len(triples)), repeat=3)
    )
    return Compared(triples.astype(np.float64), both / np.maximum(totals, 1), names, unit)


def _stays(lengths: npt.NDArray[np.int64]) -> Compared:
    """The bytes of stays, in classes of :data:`STAY_BIN`."""
    starts = np.arange(0, len(lengths), STAY_BIN)
    expected = stay_shares() * lengths.sum()
    return Compared(
        np.add.reduceat(lengths, starts).astype(np.float64),
        np.add.reduceat(expected, starts),
        tuple(f"stays of {start} to {start + STAY_BIN - 1} bytes" for start in starts),
        "stays",
    )


def _sticky(measures: Measures, test: str) -> Compared:
    tables: Mapping[str, Callable[[], Compared]] = {
        "transitions": lambda: _transitions(measures.counts["pairs"], stays=False, unit="batches"),
        "no memory": lambda: _memory(measures.counts["triples"], "batches"),
        "batches": lambda: _equal(measures.table("batches").sum(axis=0), "batches"),
        "records": lambda: _equal(measures.table("records").sum(axis=0), "records"),
    }
    return tables[test]()


def _built_in(measures: Measures, test: str) -> Compared:
    tables: Mapping[str, Callable[[], Compared]] = {
        "partitions": lambda: _equal(measures.counts["stays"], "stays"),
        "transitions": lambda: _transitions(measures.counts["pairs"], stays=True, unit="stays"),
        "no memory": lambda: _memory(measures.counts["triples"], "stays"),
        "bytes of a stay": lambda: _stays(measures.counts["bytes of a stay"]),
        "bytes": lambda: _equal(measures.table("bytes").sum(axis=0), "bytes"),
    }
    return tables[test]()


def _adaptive(of: type[Adaptive], measures: Measures, test: str) -> Compared:
    choices = measures.counts["choices"]
    shares = np.array([vector.shares for vector in of.vectors])
    expected = choices.sum(axis=1, keepdims=True) * shares
    names = [
        f"partition {partition} under {load_name(vector)}"
        for vector in of.vectors
        for partition in range(choices.shape[1])
    ]
    table = Compared(choices.astype(np.float64), expected, tuple(names), "choices")
    if test == "weights":
        return table
    if test == "partitions":
        partitions = tuple(f"partition {number}" for number in range(choices.shape[1]))
        return Compared(
            table.counts.sum(axis=0), table.expected.sum(axis=0), partitions, table.unit
        )
    row = list(map(str, of.worked)).index(test)
    width = choices.shape[1]
    mine = slice(row * width, (row + 1) * width)
    return Compared(table.counts[[row]], table.expected[[row]], table.names[mine], table.unit)


def load_name(vector: LoadVector) -> str:
    """Load stats in words: the queues that count, each with its partition."""
    used = zip(vector.ids[: vector.length], vector.queues, strict=False)
    return "queues " + ", ".join(f"{partition}: {queue}" for partition, queue in used)


_TABLES: Mapping[str, Callable[[Measures, str], Compared]] = {
    "sticky": _sticky,
    "built-in": _built_in,
    "adaptive": partial(_adaptive, Adaptive),
    "rack-aware": partial(_adaptive, RackAware),
}

"""The counts for the plots of a sampled cell, of the real client and of the subject."""

from collections.abc import Iterator, Sequence

import numpy as np

from conformance.distributions.adaptive import Adaptive
from conformance.distributions.without_key import WithoutKey
from conformance.model.distribution import Distribution, IntArray, Measures
from conformance.model.results import Picture, Shows
from conformance.sampling.blocks import CRASH

_Table = tuple[Shows, tuple[str, ...], tuple[str, ...], IntArray]
"""What it shows, the names of its rows and columns, the counts."""


def pictures_of(
    distribution: Distribution, java: Measures, subject: Measures
) -> tuple[Picture, ...]:
    """The tables of counts that both have; empty for a subject that crashed."""
    if CRASH in java.first or CRASH in subject.first:
        return ()
    return tuple(
        Picture(distribution.name, shows, rows, columns, _plain(expected), _plain(counted))
        for (shows, rows, columns, expected), (_, _, _, counted) in zip(
            _tables(distribution, java), _tables(distribution, subject), strict=False
        )
    )


def _plain(counts: IntArray) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, counts.tolist()))


def _tables(distribution: Distribution, measures: Measures) -> Iterator[_Table]:
    counts = measures.counts
    if isinstance(distribution, WithoutKey) and "pairs" in counts:
        names = _numbers(distribution.topics[0].available)
        choices = measures.table("choices").sum(axis=0).astype(np.int64)
        in_a_row = np.array([[measures.records, int(counts["stays"][0])]])
        yield Shows.TRANSITIONS, names, names, counts["pairs"]
        yield Shows.PARTITIONS, ("all",), names, choices[np.newaxis]
        yield Shows.IN_A_ROW, ("all",), ("records", "times in a row"), in_a_row
    elif "partition" in counts:
        names = _numbers(range(len(counts["partition"])))
        yield Shows.PARTITIONS, ("all",), names, counts["partition"][np.newaxis]
    elif isinstance(distribution, Adaptive):
        loads = tuple(" ".join(map(str, load.queues)) for load in distribution.worked)
        width = 1 + max(number for load in distribution.worked for number in load.ids)
        table = counts["choices"][: len(loads), :width]
        yield Shows.LOADS, loads, _numbers(range(table.shape[1])), table


def _numbers(partitions: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(partition) for partition in partitions)

"""Runs that never were: what a client might have told, for tests without brokers."""

import numpy as np

from conformance.experiments.logs import Found
from conformance.experiments.told import Records, SentBatch, Told

MS = 1_000_000
"""Nanoseconds."""
SENDER_NS = 6.0 * MS
"""How long the sender of a run has worked."""


def records(
    partitions: list[int],
    *,
    offsets: list[int] | None = None,
    every_ms: float = 1.0,
    latency_ms: float = 5.0,
    errors: dict[int, str] | None = None,
) -> Records:
    """Records that went to these partitions, at the next offset of each if nothing else is said.

    ``errors`` has the exception of each record that failed: it has no partition and no offset.
    """
    errors = errors or {}
    count = len(partitions)
    names = [*dict.fromkeys(errors.values())]
    if offsets is None:
        offsets = [partitions[:one].count(partitions[one]) for one in range(count)]
    called = (np.arange(count) * every_ms * MS).astype(np.int64)
    failed = [one in errors for one in range(count)]
    return Records(
        called=called,
        returned=called + 1000,
        ended=called + int(latency_ms * MS),
        offset=np.where(failed, -1, offsets).astype(np.int64),
        timestamp=np.zeros(count, np.int64),
        partition=np.where(failed, -1, partitions).astype(np.int32),
        error=np.array(
            [names.index(errors[one]) if one in errors else -1 for one in range(count)], np.int32
        ),
        errors=names,
    )


def found(of: Records, *, without: tuple[int, ...] = (), again: tuple[int, ...] = ()) -> Found:
    """These records on the brokers, but for some that are lost, and some that are there twice."""
    numbers = [one for one in range(len(of.called)) if of.offset[one] >= 0 and one not in without]
    return _found(of, numbers, again)


def _found(of: Records, numbers: list[int], again: tuple[int, ...]) -> Found:
    copies = [(of.partition[one], of.offset[one], one) for one in numbers]
    copies += [(of.partition[one], of.offset[one] + 1000, one) for one in again]
    partition, offset, number = np.array(copies, np.int64).reshape(-1, 3).T
    return Found(partition.astype(np.int32), offset, np.zeros(len(number), np.int64), number)


def told(of: Records, batches: list[SentBatch], leaders: dict[int, int]) -> Told:
    """All that a client's process tells."""
    return Told(of, batches, leaders, SENDER_NS, 1_700_000_000_000_000)


def batch(
    partition: int, node: int, first: int, count: int, *, at_ms: float, request: int
) -> SentBatch:
    """A batch that left at some time."""
    return SentBatch(int(at_ms * MS), node, request, partition, 61 + 45 * count, first, count)

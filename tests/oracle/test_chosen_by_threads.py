"""Partitions that one real accumulator chose for many threads at once: the port allows them.

Which record came first in a partition can be read from its batches; which partition came first
cannot. A thread appends its records one after the other, though, and the partitioner stays on one
partition for some bytes. So there must be an order of all records in which the port, if its draws
are those that Java must have made, chooses the same partitions and writes the same batches.

All records are of one size, and none names its partition. Else a thread that finds no room closes a
batch, and goes elsewhere: what it ended there, nobody could tell from the batches.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.model.port import release_of
from tests.oracle.races import BATCH_SIZE, EACH, PARTITIONS, THREADS, Raced, race, raced

VERSIONS = pytest.mark.parametrize(
    "version", [client.version for client in CLIENT_VERSIONS if client.shows("built-in")]
)
_TOPIC = "t"
Queues = dict[int, list[Raced]]
"""The records of each partition, in its order."""
Stays = dict[int, list[list[Raced]]]
"""The same, apart: those of each stay of the partitioner."""
Ordered = list[tuple[int, list[Raced]]]
"""All stays, one after the other: the partition of each, and its records."""


def _queues(version: str, seed: int) -> tuple[Queues, Counter[tuple[int, bytes]]]:
    """The records of a race, and its batches."""
    batches = race(version, seed, size=1 + 40 * seed)
    queues = {
        partition: [record for batch in some for record in raced(batch)]
        for partition, some in batches.items()
    }
    return queues, Counter((at, batch) for at, some in batches.items() for batch in some)


class _Ported:
    """The port's accumulator, whose partitioner draws what it is told."""

    def __init__(self, version: str, draw: Callable[[], int]) -> None:
        release = release_of(python_impl, client_named(version))
        self._cluster = python_impl.Cluster(
            [python_impl.PartitionInfo(_TOPIC, at, leader=0) for at in range(PARTITIONS)]
        )
        self._accumulator: Any = release.RecordAccumulator(
            release.BufferPool(256 << 20, BATCH_SIZE),
            batch_size=BATCH_SIZE,
            adaptive=False,
            random=draw,
        )

    def append(self, record: Raced, told: Callable[[int], None] | None = None) -> int:
        """The partition that it chooses; ``told`` is told just before the record is appended."""
        appended = self._accumulator.append(
            *(_TOPIC, None, 0, None, record.value),
            **{"cluster": self._cluster, "now_ms": 0, "set_partition": told},
        )
        return int(appended.partition)

    def batches(self) -> Iterator[tuple[int, bytes]]:
        """All of them, each with its partition."""
        while drained := self._accumulator.drain(self._cluster, (0,), 2**31 - 1, 0)[0]:
            yield from ((batch.partition, batch.records()) for batch in drained)


def _stays(version: str, partition: int, records: list[Raced]) -> list[list[Raced]]:
    """A partition's records by stays: the port draws where one ends."""
    draws: list[int] = []
    stays: dict[int, list[Raced]] = {}
    at: list[int] = [0]

    def draw() -> int:
        draws.append(partition)
        return partition

    def told(_: int) -> None:
        at[0] = len(draws)

    ported = _Ported(version, draw)
    for record in records:
        assert ported.append(record, told) == partition
        stays.setdefault(at[0], []).append(record)
    return [*stays.values()]


def _in_order(stays: Stays) -> Ordered | None:
    """An order of all stays that their threads allow; None if there is none.

    One that can come next can also come after another one that can, so no choice is taken back.
    """
    following = dict.fromkeys(range(THREADS), 0)
    left = {partition: [*reversed(some)] for partition, some in stays.items()}
    ordered: Ordered = []
    while any(left.values()):
        for partition, some in left.items():
            after = _after(following, some[-1]) if some else None
            if after is not None:
                following = after
                ordered.append((partition, some.pop()))
                break
        else:
            return None
    return ordered


def _after(following: dict[int, int], stay: list[Raced]) -> dict[int, int] | None:
    """What each thread appends after a stay; None if one has something else to append before."""
    following = dict(following)
    for record in stay:
        if following[record.thread] != record.number:
            return None
        following[record.thread] += 1
    return following


def _replayed(version: str, ordered: Ordered) -> tuple[list[int], Iterable[tuple[int, bytes]]]:
    """The partitions that the port chooses in that order, and its batches."""
    draws = iter([*(partition for partition, _ in ordered), 0])  # the last stay may end, too
    ported = _Ported(version, lambda: next(draws))
    chosen = [ported.append(record) for _, stay in ordered for record in stay]
    return chosen, ported.batches()


@VERSIONS
@pytest.mark.parametrize("seed", range(3))
def test_what_was_chosen_is_what_the_port_chooses_in_some_order(version: str, seed: int) -> None:
    queues, batches = _queues(version, seed)
    stays = {partition: _stays(version, partition, some) for partition, some in queues.items()}
    ordered = _in_order(stays)
    assert ordered is not None, "no order of the threads' records explains these partitions"
    chosen, written = _replayed(version, ordered)
    assert chosen == [partition for partition, stay in ordered for _ in stay]
    assert len(chosen) == THREADS * EACH
    assert Counter(written) == batches


@pytest.mark.parametrize("seed", range(3))
def test_no_order_explains_stays_of_other_lengths(seed: int) -> None:
    """Else the test above would say nothing."""
    queues, _ = _queues("3.8.0", seed)
    stays = {partition: _stays("3.8.0", partition, some) for partition, some in queues.items()}
    assert all(len(some) > 10 for some in stays.values())
    longer = {
        partition: [one + other for one, other in zip(some[::2], some[1::2], strict=False)]
        for partition, some in stays.items()
    }
    assert _in_order(longer) is None

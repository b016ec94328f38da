"""Partitions that one real accumulator chose for many threads at once: the port chooses the same.

Each record tells when it was written, and at which stay of the partitioner, so the order is known.
The port appends in that order, and its draws are those that Java must have made.

One thing it must be told. A thread that finds no room waits for memory, unlocked. If others then
open a batch and fill it, the thread opens the next one without another look at the partitioner,
which may have stayed too long by then. So a record that opens a batch, of a thread that has none in
the batch before it, is appended by the port as if it had waited all that time.
"""

from collections import Counter
from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.model.port import release_of
from tests.oracle.races import (
    BATCH_SIZE,
    EACH,
    HEADERS,
    PARTITIONS,
    THREADS,
    Raced,
    Written,
    race_of_records_alike,
    raced,
)

VERSIONS = pytest.mark.parametrize(
    "version", [client.version for client in CLIENT_VERSIONS if client.shows("built-in")]
)
_TOPIC = "t"


class _Race:
    """What Java wrote: each record in its order, with its partition and its batch."""

    def __init__(self, version: str, seed: int) -> None:
        self.version = version
        batches, self.written = race_of_records_alike(version, seed, size=1 + 40 * seed)
        self.batches = [(at, batch) for at, some in batches.items() for batch in some]
        self.records: dict[tuple[int, int], Raced] = {}
        self._batch_of: dict[tuple[int, int], int] = {}
        self._holds = [raced(batch) for _, batch in self.batches]
        for number, records in enumerate(self._holds):
            self.records |= {(record.thread, record.number): record for record in records}
            self._batch_of |= {(record.thread, record.number): number for record in records}
        self.partitions = [self.batches[self._batch(one)][0] for one in self.written]

    def _batch(self, record: Written) -> int:
        return self._batch_of[record.thread, record.number]

    def stays(self) -> list[set[int]]:
        """The partitions that were written to at each stay, one after the other."""
        pairs = zip(self.written, self.partitions, strict=True)
        by_stay = groupby(pairs, lambda pair: pair[0].stay)
        return [{partition for _, partition in some} for _, some in by_stay]

    def waited(self) -> dict[int, int]:
        """Records that may have waited while a batch was filled: from which on, by their places."""
        opened: dict[int, int] = {}  # which record opened each batch
        last: dict[int, int] = {}  # the last batch of each partition
        since: dict[int, int] = {}
        for place, one in enumerate(self.written):
            batch, partition = self._batch(one), self.partitions[place]
            if batch in opened:
                continue
            opened[batch] = place
            before, last[partition] = last.get(partition), batch
            if before is None or self.written[opened[before]].stay != one.stay:
                continue
            if all(record.thread != one.thread for record in self._holds[before]):
                since.pop(opened[before], None)  # no batch alone keeps a stay too long
                since[place] = opened[before]
        return since


class _Ported:
    """The port's accumulator, to which the same records were appended."""

    def __init__(self, race: _Race, batch_size: int = BATCH_SIZE) -> None:
        release = release_of(python_impl, client_named(race.version))
        self._race = race
        self._stays = [partition for [partition] in race.stays()]
        self._meanwhile = range(0)
        self._cluster = python_impl.Cluster(
            [python_impl.PartitionInfo(_TOPIC, at, leader=0) for at in range(PARTITIONS)]
        )
        self._accumulator: Any = release.RecordAccumulator(
            _pool(release.BufferPool, self._append_meanwhile),
            batch_size=batch_size,
            adaptive=False,
            random=self._draw,
        )
        self.draws = 0
        self.chosen: list[int] = []
        """By the order of Java's records."""
        self._append_all()

    def _draw(self) -> int:
        self.draws += 1
        return self._stays[self.draws - 1] if self.draws <= len(self._stays) else 0

    def _append_all(self) -> None:
        waited = {since: place for place, since in self._race.waited().items()}
        while (place := len(self.chosen)) < len(self._race.written):
            last = waited.get(place, place)
            self._meanwhile = range(place, last)
            chosen = self._append(last)
            self._append_meanwhile()  # if it did not wait
            self.chosen.append(chosen)

    def _append_meanwhile(self) -> None:
        """What others append while a thread waits for memory."""
        places, self._meanwhile = self._meanwhile, range(0)
        for place in places:
            self.chosen.append(self._append(place))

    def _append(self, place: int) -> int:
        one = self._race.written[place]
        value = self._race.records[one.thread, one.number].value
        appended = self._accumulator.append(
            _TOPIC, None, 0, None, value, HEADERS, cluster=self._cluster, now_ms=0
        )
        return int(appended.partition)

    def batches(self) -> Counter[tuple[int, bytes]]:
        """All of them, each with its partition."""
        written: Counter[tuple[int, bytes]] = Counter()
        while drained := self._accumulator.drain(self._cluster, (0,), 2**31 - 1, 0)[0]:
            written.update((batch.partition, batch.records()) for batch in drained)
        return written


def _pool(kind: type[Any], meanwhile: Callable[[], None]) -> Any:
    """A pool that lets others in once it has given memory away."""

    class Pool(kind):  # type: ignore[misc]
        def allocate(self, size: int) -> int:
            buffer = int(super().allocate(size))
            meanwhile()
            return buffer

    return Pool(256 << 20, BATCH_SIZE)


@VERSIONS
@pytest.mark.parametrize("seed", range(3))
def test_the_port_chooses_what_was_chosen_for_threads_at_once(version: str, seed: int) -> None:
    race = _Race(version, seed)
    assert all(len(partitions) == 1 for partitions in race.stays())
    ported = _Ported(race)
    assert ported.chosen == race.partitions
    assert len(ported.chosen) == THREADS * EACH
    assert ported.batches() == Counter(race.batches)
    assert ported.draws - len(race.stays()) in (0, 1)  # the last stay may have ended, too


def test_stays_of_another_length_are_not_what_the_port_chooses() -> None:
    """Else the test above would say nothing."""
    race = _Race("3.8.0", 1)
    assert _Ported(race, batch_size=2 * BATCH_SIZE).chosen != race.partitions

"""Races of threads that append to one real accumulator, and the records that they leave."""

import struct
from collections import defaultdict
from functools import cache
from typing import Any, NamedTuple

from conformance.clients.versions import client_named
from conformance.oracle.internals import ACCUMULATOR_THREADS, add_accumulator_threads
from conformance.oracle.objects import java_cluster
from python_impl.records import RecordHeader, read_batches
from tests.releases import fresh

PARTITIONS = 3
BATCH_SIZE = 500
THREADS, EACH = 8, 400
DRAINED = 1500
"""Records of each thread where another one drains meanwhile."""
LARGEST = 200
"""Bytes of a value beyond what it begins with, below this."""
HEADERS = (RecordHeader("", None),)
"""Those of a record that is like all others, which tell when it is written."""
_BEGINNING = struct.Struct(">ii")


class Raced(NamedTuple):
    """A record: its thread, its number there, and its value."""

    thread: int
    number: int
    value: bytes


@cache
def _threads(version: str) -> Any:
    client = fresh(client_named(version))
    add_accumulator_threads(client)
    cluster = java_cluster(client, {"t": range(PARTITIONS)})
    return client.java_class(ACCUMULATOR_THREADS), cluster


def race(
    version: str, seed: int, *, chooses: bool = False, drains: bool = False
) -> dict[int, list[bytes]]:
    """The batches of each partition in the order in which they left."""
    batches, _ = _raced(version, seed, (LARGEST, False), chooses, drains)
    return batches


class Written(NamedTuple):
    """A record that was written: its thread, its number there, and the partitioner's stay."""

    thread: int
    number: int
    stay: int


def race_of_records_alike(
    version: str, seed: int, size: int
) -> tuple[dict[int, list[bytes]], list[Written]]:
    """The batches of each partition, and all records in the order in which they were written.

    Each record has so many bytes beyond what its value begins with, and :data:`HEADERS`; none names
    its partition.
    """
    batches, written = _raced(version, seed, (size, True), False, False)
    return batches, [Written(*map(int, one)) for one in written]


def _raced(
    version: str, seed: int, sizes: tuple[int, bool], chooses: bool, drains: bool
) -> tuple[dict[int, list[bytes]], Any]:
    threads, cluster = _threads(version)
    each = DRAINED if drains else EACH
    taken, opened, free, written = threads.race(
        *(THREADS, each, BATCH_SIZE, *sizes, seed, chooses, drains, cluster)
    )
    assert free, "memory or batches are left"
    assert opened == len(taken)
    batches: dict[int, list[bytes]] = defaultdict(list)
    for partition, data in taken:
        batches[int(partition)].append(bytes(data))
    _check_records(batches, each)
    return batches, written


def raced(batch: bytes) -> list[Raced]:
    """The records of a batch."""
    [read] = read_batches(batch)
    values = [record.value or b"" for record in read]
    return [Raced(*_BEGINNING.unpack_from(value), value) for value in values]


def _check_records(batches: dict[int, list[bytes]], each: int) -> None:
    """All are there, once, and those of a thread are in order in each partition."""
    seen = set()
    for partition, some in batches.items():
        assert partition in range(PARTITIONS)
        last = dict.fromkeys(range(THREADS), -1)
        for batch in some:
            for record in raced(batch):
                assert record.number > last[record.thread]
                last[record.thread] = record.number
                seen.add((record.thread, record.number))
    assert len(seen) == THREADS * each

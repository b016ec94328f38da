"""Threads that append to one real accumulator at once: what they leave is what the port allows.

Which record comes first is left to the machine, so nothing here is repeated exactly. Whatever the
order was, it can be read from the batches. The port writes the same batches for it, to the byte,
and each has ended for a reason: the next record has no room in it, or another thread's record had
none, whose thread then waited for memory while a smaller one opened the next batch.
"""

import struct
from collections import defaultdict
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.model.port import release_of
from conformance.oracle.internals import ACCUMULATOR_THREADS, add_accumulator_threads
from conformance.oracle.objects import java_cluster
from python_impl.records import read_batches
from tests.releases import fresh

VERSIONS = pytest.mark.parametrize("version", [client.version for client in CLIENT_VERSIONS])
PARTITIONS = 3
BATCH_SIZE = 500
THREADS, EACH = 8, 400
DRAINED = 1500
"""Records of each thread where another one drains meanwhile."""
LARGEST = 200
"""Bytes of a value beyond its two numbers, below this."""
_NUMBERS = struct.Struct(">ii")


@cache
def _threads(version: str) -> Any:
    client = fresh(client_named(version))
    add_accumulator_threads(client)
    cluster = java_cluster(client, {"t": range(PARTITIONS)})
    return client.java_class(ACCUMULATOR_THREADS), cluster


def _race(
    version: str, seed: int, *, chooses: bool = False, drains: bool = False
) -> dict[int, list[bytes]]:
    """The batches of each partition in the order in which they left."""
    threads, cluster = _threads(version)
    each = DRAINED if drains else EACH
    taken, opened, free = threads.race(
        *(THREADS, each, BATCH_SIZE, LARGEST, seed, chooses, drains, cluster)
    )
    assert free, "memory or batches are left"
    assert opened == len(taken)
    batches: dict[int, list[bytes]] = defaultdict(list)
    for partition, data in taken:
        batches[int(partition)].append(bytes(data))
    _check_records(batches, each)
    return batches


def _values(batch: bytes) -> list[bytes]:
    [read] = read_batches(batch)
    return [record.value or b"" for record in read]


def _check_records(batches: dict[int, list[bytes]], each: int) -> None:
    """All are there, once, and those of a thread are in order in each partition."""
    seen = set()
    for partition, some in batches.items():
        assert partition in range(PARTITIONS)
        last = dict.fromkeys(range(THREADS), -1)
        for batch in some:
            for value in _values(batch):
                thread, number = _NUMBERS.unpack_from(value)
                assert number > last[thread]
                last[thread] = number
                seen.add((thread, number))
    assert len(seen) == THREADS * each


def _written(version: str, values: list[bytes]) -> Any:
    """The port's open batch of these records, for each of which it has room."""
    release = release_of(python_impl, client_named(version))
    builder = release.MemoryRecordsBuilder(write_limit=BATCH_SIZE)
    for value in values:
        assert builder.append_if_room(_number(value), None, value, ())
    return builder


def _thread(value: bytes) -> int:
    return int(_NUMBERS.unpack_from(value)[0])


def _number(value: bytes) -> int:
    return int(_NUMBERS.unpack_from(value)[1])


@VERSIONS
@pytest.mark.parametrize("seed", range(3))
def test_a_batch_ends_where_a_record_has_no_room(version: str, seed: int) -> None:
    for some in _race(version, seed).values():
        values = [_values(batch) for batch in some]
        for at, batch in enumerate(some):
            written = _written(version, values[at])
            if at + 1 < len(some):
                # What each thread appends next here; one of them has been turned away.
                following = (value for later in values[at + 1 :] for value in later)
                turns = {_thread(value): value for value in reversed([*following])}
                assert any(
                    not written.has_room_for(_number(value), None, value, ())
                    for value in turns.values()
                )
            assert written.build() == batch


@VERSIONS
def test_batches_that_leave_meanwhile_hold_what_the_port_has_room_for(version: str) -> None:
    chooses = client_named(version).shows("built-in")
    batches = _race(version, 7, chooses=chooses, drains=True)
    for some in batches.values():
        for batch in some:
            assert _written(version, _values(batch)).build() == batch


def test_the_threads_of_a_race_do_meet() -> None:
    """Else the tests above would say nothing: neighbours in a batch are of several threads."""
    batches = _race("3.8.0", 11)
    threads = [
        _thread(value) for some in batches.values() for batch in some for value in _values(batch)
    ]
    assert sum(one != other for one, other in pairwise(threads)) > THREADS * PARTITIONS

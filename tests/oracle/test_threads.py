"""Threads that append to one real accumulator at once: what they leave is what the port allows.

Which record comes first is left to the machine, so nothing here is repeated exactly. Whatever the
order was, it can be read from the batches. The port writes the same batches for it, to the byte,
and each has ended for a reason: the next record has no room in it, or another thread's record had
none, whose thread then waited for memory while a smaller one opened the next batch.
"""

from itertools import pairwise
from typing import Any

import pytest

import python_impl
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.model.port import release_of
from tests.oracle.races import BATCH_SIZE, PARTITIONS, THREADS, Raced, race, raced

VERSIONS = pytest.mark.parametrize("version", [client.version for client in CLIENT_VERSIONS])


def _written(version: str, records: list[Raced]) -> Any:
    """The port's open batch of these records, for each of which it has room."""
    release = release_of(python_impl, client_named(version))
    builder = release.MemoryRecordsBuilder(write_limit=BATCH_SIZE)
    for record in records:
        assert builder.append_if_room(record.number, None, record.value, ())
    return builder


@VERSIONS
@pytest.mark.parametrize("seed", range(3))
def test_a_batch_ends_where_a_record_has_no_room(version: str, seed: int) -> None:
    for some in race(version, seed).values():
        records = [raced(batch) for batch in some]
        for at, batch in enumerate(some):
            written = _written(version, records[at])
            if at + 1 < len(some):
                # What each thread appends next here; one of them has been turned away.
                following = (record for later in records[at + 1 :] for record in later)
                turns = {record.thread: record for record in reversed([*following])}
                assert any(
                    not written.has_room_for(record.number, None, record.value, ())
                    for record in turns.values()
                )
            assert written.build() == batch


@VERSIONS
def test_batches_that_leave_meanwhile_hold_what_the_port_has_room_for(version: str) -> None:
    chooses = client_named(version).shows("built-in")
    batches = race(version, 7, chooses=chooses, drains=True)
    for some in batches.values():
        for batch in some:
            assert _written(version, raced(batch)).build() == batch


def test_the_threads_of_a_race_do_meet() -> None:
    """Else the tests above would say nothing: neighbours in a batch are of several threads.

    A machine that is busy may run one thread after the other, but not each time.
    """
    assert any(_meetings(race("3.8.0", seed)) > THREADS * PARTITIONS for seed in range(11, 41))


def _meetings(batches: dict[int, list[bytes]]) -> int:
    threads = [
        record.thread for some in batches.values() for batch in some for record in raced(batch)
    ]
    return sum(one != other for one, other in pairwise(threads))

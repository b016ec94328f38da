"""Threads that wait for a real pool's memory, and the port's pool: who has it after each step.

A thread that goes away is interrupted in Java, because no step can say when its time has passed;
it leaves as it does then. The time-out itself has an example of its own.
"""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.oracle.internals import POOL_THREADS, add_pool_threads
from python_impl.errors import JavaKafkaError
from python_impl.producer.buffer_pool import BufferPool, TimingOutBufferPool
from python_impl.producer.waiting_pool import Waiter, WaitingPool
from tests.releases import fresh

VERSIONS = pytest.mark.parametrize("version", [client.version for client in CLIENT_VERSIONS])
TOTAL, POOLABLE = 1000, 300
WAITS, HAS_MEMORY, GAVE_UP, REFUSED, TOO_LATE = range(5)
SIZES = (*(POOLABLE,) * 3, 1, 100, 299, 301, 450, 600, 999, TOTAL)

_STEPS = st.lists(
    st.tuples(
        st.sampled_from(("allocate",) * 5 + ("deallocate",) * 4 + ("give up",) * 2 + ("close",)),
        st.integers(0, 2**16 - 1),
    ),
    min_size=4,
    max_size=40,
)


class _Closing(WaitingPool):
    """The pool of 2.4 and later."""


class _NeverClosed(WaitingPool, TimingOutBufferPool):
    """The pool of 2.3."""


class _Port:
    """The port's pool beside a real one, with the same state."""

    def __init__(self, pool: WaitingPool) -> None:
        self.pool = pool
        self.waiters: list[Waiter] = []
        self.outcomes: list[int | None] = []
        self.returned: set[int] = set()

    def allocate(self, size: int) -> None:
        try:
            self.waiters.append(self.pool.request(size))
            self.outcomes.append(None)
        except JavaKafkaError:
            self.waiters.append(Waiter(size))
            self.outcomes.append(REFUSED)

    def outcome(self, number: int) -> int:
        known, waiter = self.outcomes[number], self.waiters[number]
        if known is not None:
            return known
        if waiter.refused:
            return REFUSED
        return HAS_MEMORY if waiter.has_memory else WAITS

    def state(self) -> list[int]:
        pool = self.pool
        outcomes = map(self.outcome, range(len(self.waiters)))
        return [pool.available_memory, pool.unallocated_memory, pool.queued, *outcomes]


@cache
def _threads(version: str) -> Any:
    client = fresh(client_named(version))
    add_pool_threads(client)
    return client.java_class(POOL_THREADS)


def _port(version: str) -> _Port:
    return _Port((_NeverClosed if version == "2.3.1" else _Closing)(TOTAL, POOLABLE))


def _allocate(java: Any, port: _Port, size: int) -> None:
    java.allocate(size, -1)
    port.allocate(size)


def _deallocate(java: Any, port: _Port, at: int) -> None:
    java.deallocate(at)
    port.pool.deallocate(port.waiters[at].size)
    port.returned.add(at)


def _do(java: Any, port: _Port, kind: str, number: int) -> None:
    """One step, on those that can take it."""
    outcomes = [*map(port.outcome, range(len(port.waiters)))]
    had = {at for at, one in enumerate(outcomes) if one == HAS_MEMORY}
    holding = sorted(had - port.returned)
    waiting = [at for at, one in enumerate(outcomes) if one == WAITS]
    if kind == "allocate":
        _allocate(java, port, SIZES[number % len(SIZES)])
    elif kind == "deallocate" and holding:
        _deallocate(java, port, holding[number % len(holding)])
    elif kind == "give up" and waiting:
        at = waiting[number % len(waiting)]
        java.giveUp(at)
        port.pool.give_up(port.waiters[at])
        port.outcomes[at] = GAVE_UP
    elif kind == "close" and number % 8 == 0:
        java.close()
        port.pool.close()


@VERSIONS
@settings(max_examples=150, deadline=None)
@given(steps=_STEPS)
def test_threads_wait_alike(version: str, steps: list[tuple[str, int]]) -> None:
    java, port = _threads(version)(TOTAL, POOLABLE), _port(version)
    try:
        for kind, number in steps:
            _do(java, port, kind, number)
            assert [*java.state()] == port.state(), (kind, number)
    finally:
        for at in range(len(port.waiters)):
            if java.state()[3 + at] == WAITS:
                java.giveUp(at)


@VERSIONS
def test_the_first_takes_piece_by_piece_and_others_overtake_it_with_nothing(version: str) -> None:
    java, port = _threads(version)(TOTAL, POOLABLE), _port(version)
    for size in (600, 300, 999, 50):
        _allocate(java, port, size)
    # 100 are free, but who waits takes nothing before something is returned; so 50 are there.
    expected = [50, 50, 1, HAS_MEMORY, HAS_MEMORY, WAITS, HAS_MEMORY]
    # That thread then woke the one that waits, which took the other 50.
    expected[:2] = [0, 0]
    assert [*java.state()] == port.state() == expected
    _deallocate(java, port, 1)
    assert [*java.state()] == port.state() == [0, 0, 1, *expected[3:]]
    java.giveUp(2)
    port.pool.give_up(port.waiters[2])
    port.outcomes[2] = GAVE_UP
    assert [*java.state()] == port.state() == [350, 350, 0, 1, 1, GAVE_UP, 1]


_FULL = [("allocate", 300)] * 3 + [("allocate", 100)]
"""Of the 1000 bytes nothing is left."""
_BY_HAND: dict[str, tuple[list[tuple[str, int]], list[int]]] = {
    "a buffer goes on as it is": ([*_FULL, ("allocate", 300), ("deallocate", 0)], [0, 0, 0]),
    "of a buffer less is wanted": ([*_FULL, ("allocate", 100), ("deallocate", 0)], [200, 200, 0]),
    "of a buffer the rest is wanted": (
        [*_FULL, ("allocate", 300), ("deallocate", 3), ("deallocate", 0)],
        [100, 100, 0],
    ),
    "a buffer is kept where other memory will do": (
        [
            *[("allocate", size) for size in (300, 400, 200)],
            *[("deallocate", 0), ("allocate", 500), ("deallocate", 1)],
        ],
        [300, 0, 0],
    ),
}
"""Steps, then the bytes that are free, those that are in no buffer, and who waits still."""


@VERSIONS
@pytest.mark.parametrize("example", _BY_HAND)
def test_the_first_who_waits_gets_what_comes_back(version: str, example: str) -> None:
    steps, expected = _BY_HAND[example]
    java, port = _threads(version)(TOTAL, POOLABLE), _port(version)
    for kind, number in steps:
        step = _allocate if kind == "allocate" else _deallocate
        step(java, port, number)
        assert [*java.state()] == port.state()
    assert port.state() == expected + [HAS_MEMORY] * len(port.waiters)


def test_who_goes_away_has_nothing() -> None:
    pool = _Closing(TOTAL, POOLABLE)
    pool.request(TOTAL - 1)
    one, other = pool.request(1), pool.request(1)
    assert (one.has_memory, other.has_memory) == (True, False)
    pool.give_up(other)
    assert (other.has_memory, other.taken, pool.queued) == (False, 0, 0)
    last = pool.request(TOTAL)
    pool.deallocate(1)
    assert (last.taken, pool.available_memory) == (1, 0)
    pool.close()
    assert (last.refused, last.taken, pool.available_memory, pool.queued) == (True, 0, 1, 0)


@VERSIONS
def test_a_thread_whose_time_has_passed_leaves_nothing_taken(version: str) -> None:
    java = _threads(version)(TOTAL, POOLABLE)
    java.allocate(800, -1)
    java.allocate(150, -1)
    java.allocate(500, 50)
    java.deallocate(1)
    java.join(2)
    assert [*java.state()] == [200, 200, 0, HAS_MEMORY, HAS_MEMORY, TOO_LATE]


def test_a_pool_without_waiters_is_the_plain_one() -> None:
    waiting, plain = _Closing(TOTAL, POOLABLE), BufferPool(TOTAL, POOLABLE)
    for size in (POOLABLE, 100, 600):
        assert waiting.request(size).has_memory
        plain.allocate(size)
    for size in (100, POOLABLE):
        waiting.deallocate(size)
        plain.deallocate(size)
        assert waiting.available_memory == plain.available_memory
        assert waiting.unallocated_memory == plain.unallocated_memory

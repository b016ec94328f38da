"""The yardstick: a fixed amount of work whose time says how fast a machine is today.

Work of the kind that the commands do most: pure Python on two processes at once, which builds
cases, hashes keys and writes JSON. It says nothing of the network, the disk or the JVM.
"""

import json
import multiprocessing
import statistics
import time
import zlib
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Final

from conformance.errors import SuiteError

PROCESSES: Final = 2
"""As many as the commands use (``--jobs``, ``pytest -n 2``): on one core they take longer, too."""
ROUNDS: Final = 5
_CASES: Final = 4500
_STEPS: Final = 24
_PATIENCE_SECONDS: Final = 300.0
_MASK: Final = 0xFFFFFFFF


def work() -> int:
    """One round of one process, some 0.4 s; always answers the same number."""
    draw = 1
    answer = 0
    for _ in range(_CASES):
        steps = []
        for step in range(_STEPS):
            # A generator of its own: what Python's random makes of a seed may change.
            draw = (draw * 1664525 + 1013904223) & _MASK
            key = f"key-{draw % 9973}"
            steps.append({"op": "partition", "key": key, "hash": _hash(key), "step": step})
        steps.sort(key=lambda one: (one["hash"], one["step"]))
        text = json.dumps({"config": {}, "steps": steps}, sort_keys=True)
        again = json.loads(text)["steps"]
        answer = zlib.crc32(text.encode(), answer ^ again[0]["step"])
    return answer


def _hash(key: str) -> int:
    value = len(key)
    for byte in key.encode():
        value = ((value ^ byte) * 0x5BD1E995) & _MASK
        value ^= value >> 24
    return value


@dataclass(frozen=True)
class Measured:
    """One measurement."""

    seconds: tuple[float, ...]
    """Of each round, until the slower one of both processes was through."""
    answers: frozenset[int]
    """What :func:`work` answered: one number, or something is wrong."""

    @property
    def median(self) -> float:
        """What counts of several rounds: one that was disturbed does not."""
        return statistics.median(self.seconds)


def measure(rounds: int = ROUNDS) -> Measured:
    """Do the work some times; raises :class:`SuiteError` if a process does not come through."""
    # Spawned, as they would be on every machine: a forked one is not the same work everywhere.
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(PROCESSES)
    pipes = [context.Pipe(duplex=False) for _ in range(PROCESSES)]
    processes = [
        context.Process(target=_work_in_rounds, args=(rounds, barrier, sender), daemon=True)
        for _, sender in pipes
    ]
    for process in processes:
        process.start()
    for _, sender in pipes:
        sender.close()  # so that a process that dies is the end of its pipe
    try:
        told: list[tuple[list[float], int]] = [receiver.recv() for receiver, _ in pipes]
    except EOFError as error:
        raise SuiteError(
            "A process of the yardstick died.", "Check free memory and try again."
        ) from error
    seconds = zip(*(taken for taken, _ in told), strict=True)
    return Measured(tuple(map(max, seconds)), frozenset(answer for _, answer in told))


def _work_in_rounds(rounds: int, barrier: Barrier, sender: Connection) -> None:
    answer = work()  # The first one also imports, and warms caches.
    taken = []
    for _ in range(rounds):
        # Each round begins on both at once; else the slower one would end alone.
        barrier.wait(_PATIENCE_SECONDS)
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    sender.send((taken, answer))

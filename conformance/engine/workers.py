"""Run cells in worker processes, each with a JVM of its own, and outlive their deaths.

A JVM that crashes takes its process with it, and one that hangs never answers; both would end
the whole run if it ran here. So the parent only hands out cells and listens.
"""

import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Final, Protocol

from conformance.engine.events import CellFinished, CellStarted, Event, Listener
from conformance.model.results import Cell, CellResult, Verdict
from conformance.processes.endings import how_it_ended
from conformance.processes.worker import Worker

RunCell = Callable[[Cell, Listener], CellResult]
"""Runs one cell, telling the listener what happens on the way. Must be picklable."""

_POLL_SECONDS = 0.5
HUNG_SECONDS: Final = 15.0
"""A case that takes so long hangs, once another one was waited for in vain."""
_REMEDY = (
    "Check the memory that is free (each worker's JVM takes up to 1 GiB) and whether this Java "
    "runs well; --jobs 1 needs half as much."
)


class Autopsy(Protocol):
    """What a worker, by the number of its process, was about when it ended or stalled."""

    def result(self, cell: Cell, process: int, how: str) -> CellResult | None:
        """What its end says of the cell; None: nothing."""

    def seconds(self, process: int) -> float:
        """For how long it has been about one case; 0 if it is about none."""


@dataclass
class _Busy:
    worker: Worker
    cell: Cell
    heard: float


def run_in_workers(
    cells: Iterable[Cell],
    run_cell: RunCell,
    *,
    jobs: int,
    stall_seconds: float,
    autopsy: Autopsy | None = None,
) -> Generator[Event, None, None]:
    """Run cells on ``jobs`` processes, yielding events; one CellFinished for each cell.

    A worker that dies, or says nothing for ``stall_seconds``, leaves its cell not run, with the
    reason, and is replaced; unless ``autopsy`` knows better. It is so long waited for once: what
    hangs in the same way thereafter is noticed sooner. Closing the iterator stops the workers.
    """
    waiting = deque(cells)
    busy: list[_Busy] = []
    idle: list[Worker] = []
    stalled = False

    def hand_out(cell: Cell) -> Worker:
        while idle:
            worker = idle.pop()
            try:
                worker.connection.send(cell)
            except OSError:  # it died of its own accord after its last cell
                worker.end()
            else:
                return worker
        worker = Worker(_work, run_cell)
        with suppress(OSError):  # it died at once, which is noticed when it is listened to
            worker.connection.send(cell)
        return worker

    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                cell = waiting.popleft()
                try:
                    worker = hand_out(cell)
                except OSError as error:
                    reason = f"No worker process could be started: {error}.\n  {_REMEDY}"
                    yield _not_run(cell, reason)
                    continue
                busy.append(_Busy(worker, cell, time.monotonic()))
            ready = wait([one.worker.connection for one in busy], timeout=_POLL_SECONDS)
            for one in list(busy):
                event = _hear(one, one.worker.connection in ready)
                if event is None:
                    hung = autopsy.seconds(one.worker.number) if autopsy and stalled else 0.0
                    event = _unless_stalled(one, hung, stall_seconds)
                if isinstance(event, _End):
                    stalled |= event.stalled
                    event = _of_end(one, event, autopsy)
                if event is not None:
                    yield event
                if isinstance(event, CellFinished):
                    busy.remove(one)
                    if one.worker.is_running:
                        idle.append(one.worker)
    finally:
        for worker in [*(one.worker for one in busy), *idle]:
            worker.end()


@dataclass(frozen=True)
class _End:
    """Of a worker, in the middle of a cell."""

    how: str
    told: str
    """The same as the reason why the cell was not run."""
    stalled: bool = False


def _hear(one: _Busy, ready: bool) -> Event | _End | None:
    """The worker's next event, or its end if it died."""
    if not ready:
        return None
    try:
        event: Event = one.worker.connection.recv()
    except (EOFError, OSError):
        end = _death(one.worker.exit_code())
        one.worker.end()
        return end
    one.heard = time.monotonic()
    return event


def _unless_stalled(one: _Busy, hung: float, stall_seconds: float) -> _End | None:
    """The worker's end if it says nothing; ``hung``: how long it has been about one case."""
    if hung > HUNG_SECONDS:
        stall_seconds = min(stall_seconds, HUNG_SECONDS)
    elif time.monotonic() - one.heard <= stall_seconds:
        return None
    one.worker.end()
    return _End(
        f"no answer for {stall_seconds:g} s",
        f"No case finished for {stall_seconds:g} s: a subject hangs.\n"
        "  Allow more time with --stall-seconds, or find the case with --jobs 0.",
        stalled=True,
    )


def _of_end(one: _Busy, end: _End, autopsy: Autopsy | None) -> CellFinished:
    """What comes of a cell whose worker has ended."""
    known = None if autopsy is None else autopsy.result(one.cell, one.worker.number, end.how)
    return _not_run(one.cell, end.told) if known is None else CellFinished(known)


def _not_run(cell: Cell, reason: str) -> CellFinished:
    return CellFinished(CellResult(cell, Verdict.NOT_RUN, reason=reason))


def _death(exit_code: int | None) -> _End:
    how = "stopped answering" if exit_code is None else how_it_ended(exit_code)
    return _End(f"its process {how}", f"The worker process, with its JVM, {how}.\n  {_REMEDY}")


def _work(connection: Any, run_cell: RunCell) -> None:
    """A worker's life: cells in, events out, until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business.
    try:
        while True:
            cell = connection.recv()
            connection.send(CellStarted(cell))
            connection.send(CellFinished(run_cell(cell, connection.send)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return

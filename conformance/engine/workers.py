"""Run cells in worker processes, each with a JVM of its own, and outlive their deaths.

A JVM that crashes takes its process with it, and one that hangs never answers; both would end
the whole run if it ran here. So the parent only hands out cells and listens.
"""

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from conformance.ctrl_c import ctrl_c_kept_from_children
from conformance.engine.events import CellFinished, CellStarted, Event, Listener
from conformance.model.results import Cell, CellResult, Verdict
from conformance.processes.endings import how_it_ended

RunCell = Callable[[Cell, Listener], CellResult]
"""Runs one cell, telling the listener what happens on the way. Must be picklable."""

_POLL_SECONDS = 0.5
_STOP_SECONDS = 5.0
_REMEDY = (
    "Check the memory that is free (each worker's JVM takes up to 1 GiB) and whether this Java "
    "runs well; --jobs 1 needs half as much."
)


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    cell: Cell
    heard: float


def run_in_workers(
    cells: Iterable[Cell], run_cell: RunCell, *, jobs: int, stall_seconds: float
) -> Generator[Event, None, None]:
    """Run cells on ``jobs`` processes, yielding events; one CellFinished for each cell.

    A worker that dies, or says nothing for ``stall_seconds``, leaves its cell not run, with the
    reason, and is replaced. Closing the iterator stops the workers.
    """
    context = multiprocessing.get_context("spawn")
    waiting = deque(cells)
    workers: list[_Worker] = []
    idle: list[tuple[BaseProcess, Connection]] = []

    def start() -> tuple[BaseProcess, Connection]:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, run_cell), daemon=True)
        with ctrl_c_kept_from_children():
            process.start()
        theirs.close()
        return process, ours

    def hand_out(cell: Cell) -> tuple[BaseProcess, Connection]:
        while idle:
            process, connection = idle.pop()
            try:
                connection.send(cell)
            except OSError:  # it died of its own accord after its last cell
                _stop(process, connection)
            else:
                return process, connection
        process, connection = start()
        with suppress(OSError):  # it died at once, which is noticed when it is listened to
            connection.send(cell)
        return process, connection

    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                cell = waiting.popleft()
                try:
                    process, connection = hand_out(cell)
                except OSError as error:
                    reason = f"No worker process could be started: {error}.\n  {_REMEDY}"
                    yield _not_run(cell, reason)
                    continue
                workers.append(_Worker(process, connection, cell, time.monotonic()))
            ready = wait([worker.connection for worker in workers], timeout=_POLL_SECONDS)
            for worker in list(workers):
                event = _hear(worker, worker.connection in ready, stall_seconds)
                if event is not None:
                    yield event
                if isinstance(event, CellFinished):
                    workers.remove(worker)
                    if worker.process.is_alive():
                        idle.append((worker.process, worker.connection))
    finally:
        for process, connection in [(w.process, w.connection) for w in workers] + idle:
            _stop(process, connection)


def _hear(worker: _Worker, ready: bool, stall_seconds: float) -> Event | None:
    """The worker's next event, or the end of its cell if it died or stalled."""
    if ready:
        try:
            event: Event = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join(_STOP_SECONDS)
            cause = _cause_of_death(worker.process.exitcode)
            _stop(worker.process, worker.connection)
            return _not_run(worker.cell, cause)
        worker.heard = time.monotonic()
        return event
    if time.monotonic() - worker.heard > stall_seconds:
        _stop(worker.process, worker.connection)
        reason = (
            f"No case was finished for {stall_seconds:g} s: a subject hangs.\n"
            "  Give it longer with --stall-seconds, or see which case it is with --jobs 0."
        )
        return _not_run(worker.cell, reason)
    return None


def _not_run(cell: Cell, reason: str) -> CellFinished:
    return CellFinished(CellResult(cell, Verdict.NOT_RUN, reason=reason))


def _cause_of_death(exit_code: int | None) -> str:
    how = "stopped answering" if exit_code is None else how_it_ended(exit_code)
    return f"The worker process, with its JVM, {how}.\n  {_REMEDY}"


def _stop(process: BaseProcess, connection: Connection) -> None:
    connection.close()
    process.terminate()
    process.join(_STOP_SECONDS)
    if process.is_alive():
        process.kill()
        process.join(_STOP_SECONDS)


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

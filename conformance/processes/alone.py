"""Work that may hang, or end its process: in a process of its own, one item after the other."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

import psutil

from conformance.processes.endings import how_it_ended
from conformance.processes.worker import Worker

_Made = TypeVar("_Made")
_Item = TypeVar("_Item")

SILENT_SECONDS: Final = 60.0
"""How long the process may neither answer nor say that it is about something else.

Of the time in which it would run, only that counts in which it does: it may hardly get to.
"""
_LOOK_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Ended:
    """In the place of an answer: how the process ended, in words, and what it was about."""

    how: str
    about: str
    """What :func:`about` was told last; empty if nothing."""


@dataclass(frozen=True)
class _About:
    what: str


_listener: Connection | None = None
"""In a process that works: who hears what it is about."""
_said = ""


def about(what: str) -> None:
    """Say what this process is about, in case it does not survive it."""
    global _said  # noqa: PLW0603 -- of this process, like its connection
    if _listener is not None and what != _said:
        _said = what
        _listener.send(_About(what))


def in_fresh_process(
    work: Callable[[_Item], _Made], items: Sequence[_Item]
) -> "list[_Made | Ended]":
    """What ``work`` makes of each item, in one process that has nothing else to do.

    An item that ends it, or on which it says nothing for :data:`SILENT_SECONDS`, costs no other:
    a new process goes on with the next one. Whatever a process started is ended with it.
    """
    found: list[_Made | Ended] = []
    while len(found) < len(items):
        left = items[len(found) :]
        worker = Worker(_work, work, left)
        try:
            found += _heard(worker, len(left))
        finally:
            worker.end()
    return found


def _heard(worker: Worker, wanted: int) -> list[Any]:
    """Its answers, until it has given all, or the first that it does not give."""
    found: list[Any] = []
    doing = ""
    while len(found) < wanted:
        try:
            if _is_silent(worker):
                return [*found, Ended(f"no answer for {SILENT_SECONDS:g} s", doing)]
            heard = worker.connection.recv()
        except (EOFError, OSError):
            code = worker.exit_code()
            how = "stopped answering" if code is None else how_it_ended(code)
            return [*found, Ended(f"its process {how}", doing)]
        if isinstance(heard, _About):
            doing = heard.what
        else:
            found.append(heard)
            doing = ""
    # It may have temporary folders to remove; threads that a client left running keep it.
    worker.exit_code()
    return found


def _is_silent(worker: Worker) -> bool:
    """Wait for its next word; whether that never comes."""
    silent = spent = 0.0
    while silent < SILENT_SECONDS:
        if worker.connection.poll(_LOOK_SECONDS):
            return False
        would_run, ran = _time_of(worker.number)
        silent += min(_LOOK_SECONDS, ran - spent) if would_run else _LOOK_SECONDS
        spent = ran
    return True


def _time_of(process: int) -> tuple[bool, float]:
    """Whether a process waits for nothing but a processor, and the seconds it has had of one."""
    with suppress(psutil.Error):
        found = psutil.Process(process)
        return found.status() == psutil.STATUS_RUNNING, sum(found.cpu_times()[:2])
    return False, 0.0


def _work(connection: Connection, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
    global _listener, _said  # noqa: PLW0603 -- as above
    _listener = connection
    for item in items:
        _said = ""
        connection.send(work(item))

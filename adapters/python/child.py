"""Work that may crash or never end: a child process does it, whose end is no one else's."""

import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Protocol

from testee import CouldNotTry

# A copy of this process has the libraries loaded. There must be no threads in it when it is copied.
_FORK = multiprocessing.get_context("fork")
_WAITING_SECONDS = 60
_ENDING_SECONDS = 15


class Died(Exception):  # noqa: N818 - what the library did, not what we did
    """The child came to no answer."""


class Companion(Protocol):
    """What a child needs beside it, and its parent ends: a dead child could not."""

    def close(self) -> None:
        """End it."""


class Child:
    """A copy of this process, which is made anew after it has died."""

    def __init__(self, companion: Callable[[], Companion]) -> None:
        """``companion`` starts one; each child has its own, to which nobody else has spoken."""
        self._new_companion = companion
        self._companion: Companion | None = None
        self._process: Any = None
        self._pipe: Any = None

    def ask(self, cpu_seconds: int, work: Callable[..., Any], *arguments: Any) -> Any:
        """What the work answers, which is handed the companion first.

        Time is the processor's, of which a busy machine takes none.
        """
        if self._process is None:
            self._start()
        try:
            self._pipe.send((cpu_seconds, work, arguments))
            if not self._pipe.poll(_WAITING_SECONDS):
                raise Died(f"it waited for {_WAITING_SECONDS} s")
            kind, answer = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self._end()
            raise Died(_told(code)) from None
        except Died:
            self._end()
            raise
        if kind is not None:
            raise kind(answer)
        return answer

    def _start(self) -> None:
        self._companion = self._new_companion()
        self._pipe, theirs = _FORK.Pipe()
        arguments = (theirs, self._pipe, self._companion)
        self._process = _FORK.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def end(self) -> None:
        """Let it end by itself: nothing may outlive the testee."""
        if self._process is not None:
            self._pipe.close()
            self._process.join(_ENDING_SECONDS)
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._process = None
        if self._companion is not None:
            self._companion.close()
            self._companion = None


def _told(code: int) -> str:
    """What a child died of, in words."""
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name
    return "it was busy without end" if name == "SIGXCPU" else f"it crashed ({name})"


def _serve(pipe: Connection, other_end: Connection, companion: Companion) -> None:
    """In the child: one work after the other, until the parent is no more."""
    other_end.close()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            cpu_seconds, work, arguments = pipe.recv()
        except EOFError:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            pipe.send((None, work(companion, *arguments)))
        except CouldNotTry as reason:
            pipe.send((CouldNotTry, str(reason)))
        except SystemExit as reason:  # not the library's doing: it ends the testee
            pipe.send((SystemExit, str(reason)))
        except Exception as error:
            pipe.send((RuntimeError, f"{type(error).__name__}: {error}"))

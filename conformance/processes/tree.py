"""A command and all that comes of it: started, marked, watched, and ended as a whole.

Whatever the suite runs that is not its own Python goes through here: testees, adapters and their
builds. What others start for it, :mod:`multiprocessing` its workers (:mod:`.worker`) and PySpark
its JVM, is marked here and ended here. Nothing that they start outlives them, wherever it hides.
"""

import os
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import psutil

from conformance.processes.orphans import adopt_orphans, adopted, end_adopted

MARK_VARIABLE: Final = "KAFKA_CONFORMANCE_PROCESS"
"""Marks every process of a tree, wherever it hides: they inherit it in their environment."""

_LOOK_SECONDS: Final = 1.0
_GONE_SECONDS: Final = 5.0

Stream = int | IO[str] | IO[bytes] | None
_running: set[int] = set()
"""The trees that this process runs, by the ids of their first processes."""
_running_lock = threading.Lock()


class ProcessTree:
    """One running command, without a shell, in a session of its own.

    So it is signalled as a group, and Ctrl-C at the terminal is not its business. ``run`` is what
    its mark begins with: :func:`end_run` ends all trees of a run. ``variables`` are added to its
    environment. Raises :class:`OSError` or :class:`ValueError` if it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        run: str = "",
        folder: Path | None = None,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = None,
        stderr: Stream = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._mark = _nested(f"{run}:{uuid.uuid4().hex}")
        adopt_orphans()
        with _running_lock:  # or another thread could take it for an orphan
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                list(command),
                bufsize=0,
                cwd=folder,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, **(variables or {}), MARK_VARIABLE: self._mark},
                start_new_session=True,
            )
            _running.add(self.process.pid)

    @property
    def is_running(self) -> bool:
        """Whether its first process runs; what that has started may go on when it has ended."""
        return self.process.poll() is None

    def wait(self, seconds: float | None = None) -> int:
        """The first process's exit code; raises :class:`subprocess.TimeoutExpired`."""
        return self.process.wait(seconds)

    def memory_bytes(self) -> int:
        """What it and all that comes of it hold in memory (resident sets, shared pages twice)."""
        used = 0
        counted: set[int] = set()
        with suppress(psutil.Error):
            for root in (psutil.Process(self.process.pid), *self._orphans()):
                with suppress(psutil.Error):
                    for one in (root, *root.children(recursive=True)):
                        if one.pid not in counted:
                            counted.add(one.pid)
                            with suppress(psutil.Error):
                                used += one.memory_info().rss
        return used

    def left_behind(self) -> list[psutil.Process]:
        """What it has started, and has not ended.

        What forks, ends, and goes on as its child, again and again, is never met alive. So it is
        looked for as long as there are new remains of such processes, and these are the answer.
        """
        end = time.monotonic() + _LOOK_SECONDS
        known: set[psutil.Process] = set()
        while True:
            orphans = self._orphans()
            remains = {process for process in orphans if not _lives(process)}
            found = [process for process in _marked(self._mark) if process not in orphans]
            found += [process for process in orphans if process not in remains]
            if found or remains <= known:
                return found
            if time.monotonic() > end:
                return list(remains - known)
            known |= remains

    def _orphans(self) -> list[psutil.Process]:
        """What this process has inherited of it; of several trees, as far as the mark tells."""
        return [
            process
            for process in adopted(_running)
            if len(_running) == 1 or _bears(process, self._mark)
        ]

    def end(self, ask: signal.Signals = signal.SIGTERM, seconds: float = 1.0) -> None:
        """Ask it to end, give it ``seconds``, and kill whatever is left of it."""
        end_all([self], ask, seconds)

    def send(self, which: signal.Signals) -> None:
        """A signal to its group, of which its first process need not be there any more."""
        with suppress(OSError):
            os.killpg(self.process.pid, which)

    def _kill(self) -> None:
        self.send(signal.SIGKILL)
        # Only when it has ended are its children orphans.
        self.process.wait()
        with _running_lock:
            _running.discard(self.process.pid)
        _end_with_orphans(self._mark)


def end_all(
    trees: Iterable[ProcessTree], ask: signal.Signals = signal.SIGTERM, seconds: float = 1.0
) -> None:
    """End several at once: ask those that run, give each ``seconds``, kill what is left."""
    trees = list(trees)
    asked = [tree for tree in trees if tree.is_running]
    for tree in asked:
        tree.send(ask)
    for tree in asked:
        with suppress(subprocess.TimeoutExpired):
            tree.wait(seconds)
    for tree in trees:
        tree._kill()


@contextmanager
def marked() -> Iterator[str]:
    """What is started in here, by whomever, bears this mark; see :func:`end_marked`."""
    before = os.environ.get(MARK_VARIABLE)
    mark = os.environ[MARK_VARIABLE] = _nested(uuid.uuid4().hex)
    try:
        yield mark
    finally:
        if before is None:
            del os.environ[MARK_VARIABLE]
        else:
            os.environ[MARK_VARIABLE] = before


def end_marked(mark: str) -> None:
    """Kill every process that bears a mark, and what such ones have started."""
    for process in _marked(mark):
        with suppress(psutil.Error):
            process.kill()


def end_run(run: str) -> None:
    """Kill every process of the trees of a run, also of those that its workers have started."""
    _end_with_orphans(_nested(f"{run}:"))


def end_orphans(run: str) -> None:
    """Kill every process of the trees of a run, whoever had started it, and wait for their end.

    For a run of a process that is gone. ``run`` must be unique, such as a folder's name.
    """
    found = [
        process
        for process in psutil.process_iter()
        if process.pid != os.getpid() and f"/{run}:" in _mark_of(process)
    ]
    for process in found:
        with suppress(psutil.Error):
            process.kill()
    end = time.monotonic() + _GONE_SECONDS
    # They are not ours: nobody need collect their remains, so it is their life that counts.
    while any(map(_lives, found)) and time.monotonic() < end:
        time.sleep(0.01)


def name_of(process: psutil.Process) -> str:
    """What a process is called; a question mark for one that is gone."""
    with suppress(psutil.Error):
        return str(process.name())
    return "?"


def _nested(mark: str) -> str:
    """A mark within that of this process: who ends this one ends what it has started, too."""
    return f"{os.environ.get(MARK_VARIABLE, '')}/{mark}"


def _end_with_orphans(mark: str) -> None:
    end_marked(mark)
    with _running_lock:
        if not _running:  # otherwise nobody could tell whose they are
            end_adopted(_running)


def _marked(mark: str) -> list[psutil.Process]:
    own = os.getpid()
    return [
        process
        for process in psutil.process_iter()
        if process.pid != own and _lives(process) and _bears(process, mark)
    ]


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def _bears(process: psutil.Process, mark: str) -> bool:
    return _mark_of(process).startswith(mark)


def _mark_of(process: psutil.Process) -> str:
    """Empty if it bears none, or is gone or somebody else's."""
    with suppress(psutil.Error, OSError):
        return str(process.environ().get(MARK_VARIABLE, ""))
    return ""

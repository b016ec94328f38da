"""Commands in sessions of their own, so that each can be ended with its children."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

STOP_SECONDS = 15.0
"""For the suite to stop its testees, which are in sessions of their own, before it is killed."""


class Processes:
    """Runs commands, each in a session of its own, so that it can be ended with its children."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(
        self, words: Sequence[str], seconds: float, out: IO[str], cwd: Path | None = None
    ) -> int:
        """The exit code; after so many seconds it is ended, and ``TimeoutExpired`` raised.

        So it is if nothing is to start any more.
        """
        with self._lock:
            if self._stopped:
                raise subprocess.TimeoutExpired(words, 0)
            process = subprocess.Popen(
                words,
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            return process.wait(seconds)
        finally:
            self._end([process])
            with self._lock:
                self._running.discard(process)

    def stop(self) -> None:
        """End all that run, and let none start any more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        self._end(running)

    def _end(self, processes: Sequence["subprocess.Popen[bytes]"]) -> None:
        """Ask whatever still runs to end, and kill their groups, whatever is left in them."""
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            _signal(process, signal.SIGINT)
        for process in alive:
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
        for process in processes:
            _signal(process, signal.SIGKILL)
            process.wait()


def _signal(process: "subprocess.Popen[bytes]", which: signal.Signals) -> None:
    """To its group, which has its number, and of which it need not be there any more."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, which)

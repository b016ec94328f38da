"""Commands that several threads run, all of which can be ended at once."""

import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from conformance.processes.tree import ProcessTree, end_all

STOP_SECONDS = 15.0
"""For the suite to stop its testees, before it is killed with them."""


class Processes:
    """Runs commands, each of which is ended with everything that it started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[ProcessTree] = set()
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
            tree = ProcessTree(words, folder=cwd, stdout=out, stderr=subprocess.STDOUT)
            self._running.add(tree)
        try:
            return tree.wait(seconds)
        finally:
            tree.end(signal.SIGINT, STOP_SECONDS)
            with self._lock:
                self._running.discard(tree)

    def stop(self) -> None:
        """End all that run, and let none start any more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        end_all(running, signal.SIGINT, STOP_SECONDS)

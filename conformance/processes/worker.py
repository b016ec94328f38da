"""A process of our own Python that works for this one; it ends with all that it has started."""

import multiprocessing
from collections.abc import Callable
from multiprocessing import resource_tracker
from typing import Any

from conformance.processes.ctrl_c import ctrl_c_kept_from_children
from conformance.processes.tree import end_marked, marked

_STOP_SECONDS = 5.0


class Worker:
    """Runs ``work(connection, *arguments)`` in a fresh process; :attr:`connection` is our end.

    Ctrl-C is this process's business. Raises :class:`OSError` if it cannot be started.
    """

    def __init__(self, work: Callable[..., None], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, *arguments), daemon=True)
        # Before, for it serves all workers, and must not bear the mark of one.
        resource_tracker.ensure_running()
        with marked() as self._mark, ctrl_c_kept_from_children():
            self._process.start()
        theirs.close()
        self.number = self._process.pid or 0
        """Of its process, also after its end."""

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.is_alive()

    def exit_code(self) -> int | None:
        """How it ended, for which it gets some seconds; None if it goes on."""
        self._process.join(_STOP_SECONDS)
        return self._process.exitcode

    def end(self) -> None:
        """End it, in any case, and whatever it has started."""
        self.connection.close()
        self._process.terminate()
        self._process.join(_STOP_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(_STOP_SECONDS)
        end_marked(self._mark)

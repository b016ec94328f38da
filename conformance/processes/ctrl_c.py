"""Ctrl-C, what is treated like it, and the processes that this one starts."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")

_ENDINGS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


def end_as_at_ctrl_c() -> None:
    """From now on SIGTERM (a CI's cancel) and SIGHUP (a closed terminal) are like Ctrl-C.

    A command then ends what it started, removes its temporary folders and reports what it knows.
    A signal that this process was started to ignore, as by ``nohup``, stays ignored.
    """
    for number in _ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def ctrl_c_kept_from_children() -> Iterator[None]:
    """Processes started in here never see SIGINT, not even while they still import.

    The terminal sends it to them as well; each would end with a traceback of its own. This
    process gets what arrives meanwhile when the block ends. Does nothing on Windows, and in a
    thread, which gets no signals.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started first, because starting it opens the mask again.
    resource_tracker.ensure_running()
    arrived: list[int] = []
    # The mask, for the children, is this thread's alone: a thread of a library may still take the
    # signal, and this one then run its handler in the middle of handing a child its orders. Only
    # SIGINT is masked, for children are ended by SIGTERM.
    handlers = {
        number: signal.signal(number, lambda number, _frame: arrived.append(number))
        for number in _ENDINGS
    }
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


class FreshProcesses(ProcessPoolExecutor):
    """Processes that share nothing with this one, and end at Ctrl-C without a word.

    Not forked: a JVM that this process may have started does not survive that. It is this process
    that says what there is to say of Ctrl-C.
    """

    def __init__(self, processes: int) -> None:
        super().__init__(processes, get_context("spawn"), _end_at_ctrl_c)

    def submit(
        self, fn: Callable[_Given, _Made], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> Future[_Made]:
        """See :class:`concurrent.futures.Executor`; a process may be started here."""
        with ctrl_c_kept_from_children():
            return super().submit(fn, *args, **kwargs)


def _end_at_ctrl_c() -> None:
    """In a child, as soon as it is there: also at the one that came while it was starting."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

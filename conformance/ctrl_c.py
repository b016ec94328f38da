"""Ctrl-C and the processes that this one starts."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


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
    # signal, and this one then run its handler in the middle of handing a child its orders.
    handler = signal.signal(signal.SIGINT, lambda number, _frame: arrived.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if arrived:
            signal.raise_signal(signal.SIGINT)

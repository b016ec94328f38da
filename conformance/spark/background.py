"""Calls into Spark's JVM that another thread makes, so that the main one can always be stopped.

A call that Ctrl-C breaks off leaves its answer on the connection, where the next call would take
it for its own. Every thread has a connection of its own, and the main thread only waits.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_background(work: Callable[[], T]) -> "Future[T]":
    """Have a thread of its own do some work; it does not keep the process from ending."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome

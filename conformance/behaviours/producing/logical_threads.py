"""Threads of a port of which one goes on at a time: whose turn it is, a case tells."""

from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import Final

from conformance.model.trace import Answer, answer_of
from conformance.model.values import is_error

AT_PARTITION: Final = "partition"
"""Where a thread pauses: its record's partition has been chosen, and its queue not looked at."""
AT_WAIT: Final = "wait for memory"
AT_MEMORY: Final = "have memory"
END: Final = "end"


class LogicalThreads:
    """Calls that take turns, each in a thread of its own; ``LogicalThreads.java`` in Python.

    At each pause, and at each end, the next number of ``order`` goes on that has not ended; once
    they are used up, the lowest.
    """

    def __init__(self, calls: Sequence[Callable[[], Answer]], order: Sequence[int]) -> None:
        self._calls = calls
        self._order = iter(order)
        self._turns = [_closed() for _ in calls]
        self._over = _closed()
        self._answers: list[Answer] = [None] * len(calls)
        self._going_on = list(range(len(calls)))
        self._running = -1
        self._seen: list[Answer] = []

    def run(self) -> list[Answer]:
        """What each call answered, or the Java class of an error; and who paused, and where."""
        for number in range(len(self._calls)):
            # One that is left behind, because a key was pressed, must not keep the process.
            Thread(target=self._perform, args=(number,), daemon=True).start()
        self._hand_on()
        self._over.acquire()
        return [self._answers, self._seen]

    def pause(self, where: str) -> None:
        """Let others go on, as the order wants it."""
        own = self._running
        self._seen.append([own, where])
        if self._hand_on() != own:
            self._turns[own].acquire()

    def _perform(self, own: int) -> None:
        self._turns[own].acquire()
        try:
            answer = answer_of(self._calls[own])
            self._answers[own] = answer["error"] if is_error(answer) else answer
        finally:
            self._seen.append([own, END])
            self._going_on.remove(own)
            self._hand_on()

    def _hand_on(self) -> int | None:
        """Give the turn to the next one, if that is another one; answers which it is."""
        before = self._running
        following = (number for number in self._order if number in self._going_on)
        number = next(following, next(iter(self._going_on), None))
        if number is None:
            self._over.release()
        elif number != before:
            self._running = number
            self._turns[number].release()
        return number


def _closed() -> Lock:
    """A lock that opens when it is somebody's turn."""
    lock = Lock()
    lock.acquire()
    return lock

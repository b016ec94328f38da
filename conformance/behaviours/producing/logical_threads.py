"""Threads of a port of which one goes on at a time: whose turn it is, a case tells."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from greenlet import getcurrent, greenlet

from conformance.model.trace import Answer, answer_of
from conformance.model.values import is_error

AT_PARTITION: Final = "partition"
"""Where a thread pauses: its record's partition has been chosen, and its queue not looked at."""
AT_WAIT: Final = "wait for memory"
AT_MEMORY: Final = "have memory"
END: Final = "end"


class LogicalThreads:
    """Calls that take turns: ``LogicalThreads.java`` in Python, with greenlets as threads.

    At each pause, and at each end, the next number of ``order`` goes on that has not ended; once
    they are used up, the lowest.
    """

    def __init__(self, calls: Sequence[Callable[[], Answer]], order: Sequence[int]) -> None:
        self._order = order
        self._threads = [greenlet(partial(answer_of, call)) for call in calls]
        self._seen: list[Answer] = []
        self._running = -1

    def run(self) -> list[Answer]:
        """What each call answered, or the Java class of an error; and who paused, and where."""
        answers: list[Answer] = [None] * len(self._threads)
        for number in self._turns():
            self._running = number
            answer = self._threads[number].switch()
            if self._threads[number].dead:
                self._seen.append([number, END])
                answers[number] = answer["error"] if is_error(answer) else answer
        return [answers, self._seen]

    def pause(self, where: str) -> None:
        """Let others go on, as the order wants it."""
        self._seen.append([self._running, where])
        hub = getcurrent().parent
        assert hub is not None  # where run() decides who is next
        hub.switch()

    def _turns(self) -> Iterator[int]:
        """Who goes on, one after the other, until all have ended."""
        for number in self._order:
            if not self._threads[number].dead:
                yield number
        for number, thread in enumerate(self._threads):
            while not thread.dead:
                yield number

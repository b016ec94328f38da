"""Classes of threads that append together, from their pauses: where they were at the same time."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, Final

from conformance.behaviours.producing.logical_threads import AT_MEMORY, AT_PARTITION, AT_WAIT, END
from conformance.model.case import Operation
from conformance.model.trace import Answer

OF_THREADS: Final = {
    "race": "while a record waited for memory, or had it, another thread opened the batch",
    "held": "no memory for a batch while another thread has some that it has not used",
    "three threads": "two other records are appended in the middle of one",
    "crossed": "of two records at the same time, the one that began first ends first",
}
LATE_PEEK: Final = "late peek"
"""The class of versions that choose partitions."""


class _Thread:
    """One of them: its record, its answer, and when it was where."""

    def __init__(self, record: Operation, answer: Answer, at: Sequence[tuple[int, str]]) -> None:
        self.record = record
        self.answer: list[Any] = answer if isinstance(answer, list) else []
        """Empty if it failed."""
        self._at = at
        self.began, self.ended = at[0][0], at[-1][0]

    def times(self, where: str) -> list[int]:
        """When it was there."""
        return [time for time, place in self._at if place == where]

    @property
    def queue(self) -> tuple[str, int]:
        """Topic and partition of what was appended."""
        return self.record["topic"], self.answer[0]


def labels_of_threads(
    records: Sequence[Operation], answers: Sequence[Answer], pauses: Sequence[Any]
) -> Iterator[str]:
    """The classes of some threads' records, from their answers and pauses."""
    at: list[list[tuple[int, str]]] = [[] for _ in records]
    for time, (number, where) in enumerate(pauses):
        at[number].append((time, where))
    threads = [_Thread(*of) for of in zip(records, answers, at, strict=True)]
    for one, other in permutations(threads, 2):
        yield from _labels_of_two(one, other)
    for one in threads:
        if sum(one.began < other.ended < one.ended for other in threads) > 1:
            yield "three threads"


def _labels_of_two(one: _Thread, other: _Thread) -> Iterator[str]:
    """What the other does to this one."""
    if one.began < other.began < one.ended < other.ended:
        yield "crossed"
    waits = one.times(AT_WAIT)
    fails = waits[-1] if waits and not one.answer else None
    if fails and other.ended > fails and any(time < fails for time in other.times(AT_MEMORY)):
        yield "held"
    if not one.answer or not other.answer:
        return
    opened = other.answer[2] and not one.answer[2] and other.queue == one.queue
    if opened and any(time < other.ended < one.ended for time in waits):
        yield "race"
    peeks = one.times(AT_PARTITION)
    alike = one.record["topic"] == other.record["topic"]
    if alike and peeks and peeks[0] < other.ended < peeks[-1]:
        yield LATE_PEEK


def ended_in_order(pauses: Sequence[Any]) -> list[int]:
    """The threads in the order in which they ended."""
    return [number for number, where in pauses if where == END]

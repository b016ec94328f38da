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
_EXHAUSTED: Final = ("BufferExhaustedException", "TimeoutException")
"""What an accumulator without memory says since 2.6, and what it said before."""
LATE_PEEK: Final = "late peek"
"""The class of versions that choose partitions."""


class _Thread:
    """One of them: its record, its answer, and when it was where."""

    def __init__(self, record: Operation, answer: Answer, at: Sequence[tuple[int, str]]) -> None:
        self.record = record
        self.error = answer.rpartition(".")[2] if isinstance(answer, str) else None
        self.answer: list[Any] = answer if isinstance(answer, list) else []
        """Empty if it failed."""
        self._at = at
        self.began, self.ended = at[0][0], at[-1][0]

    @property
    def was_appended(self) -> bool:
        """Whether its record is in a batch."""
        return bool(self.answer) and not self.answer[3]

    @property
    def queue(self) -> tuple[str, int]:
        """Topic and partition of what was appended."""
        return self.record["topic"], self.answer[0]

    def times(self, where: str) -> list[int]:
        """When it was there."""
        return [time for time, place in self._at if place == where]

    def goes_on_between(self, first: int, last: int) -> bool:
        """Whether it was anywhere between two times."""
        return any(first < time < last for time, _ in self._at)


def labels_of_threads(
    records: Sequence[Operation], answers: Sequence[Answer], pauses: Sequence[Any]
) -> Iterator[str]:
    """The classes of some threads' records, from their answers and pauses."""
    at: list[list[tuple[int, str]]] = [[] for _ in records]
    for time, (number, where) in enumerate(pauses):
        at[number].append((time, where))
    threads = [_Thread(*of) for of in zip(records, answers, at, strict=True)]
    for one, other in permutations(threads, 2):
        if one.began < other.began < one.ended < other.ended:
            yield "crossed"
        if _is_kept_from_memory(one, other):
            yield "held"
        if one.was_appended and other.was_appended:
            yield from _labels_of_two(one, other)
    for one in threads:
        ends = [other.ended for other in threads if other.was_appended]
        if sum(one.began < end < one.ended for end in ends) > 1:
            yield "three threads"


def _is_kept_from_memory(one: _Thread, other: _Thread) -> bool:
    """Whether one gets no memory while the other has some and has not gone on."""
    has_some = any(time < one.ended for time in other.times(AT_MEMORY))
    return one.error in _EXHAUSTED and has_some and one.ended < other.ended


def _labels_of_two(one: _Thread, other: _Thread) -> Iterator[str]:
    """What the other does to this one; both are appended."""
    opened = other.answer[2] and not one.answer[2] and other.queue == one.queue
    if opened and any(time < other.ended < one.ended for time in one.times(AT_WAIT)):
        yield "race"
    peeks = one.times(AT_PARTITION)
    alike = one.record["topic"] == other.record["topic"] and other.record["partition"] is None
    if alike and peeks and other.goes_on_between(peeks[0], peeks[-1]):
        yield LATE_PEEK


def ended_in_order(pauses: Sequence[Any]) -> list[int]:
    """The threads in the order in which they ended."""
    return [number for number, where in pauses if where == END]

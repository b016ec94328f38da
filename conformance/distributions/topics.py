"""The topics to which records without key go: how many partitions, and how often each is asked.

A partitioner may be right for one number of partitions and wrong for the next: ``rand() % n`` of a
generator whose low bits are bad goes round if n is a power of two, and a number from 0 to 99,
modulo n, favours the first ones unless n divides 100.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conformance.model.case import Partition
from conformance.model.distribution import Answers, IntArray

WIDE = 200
"""Partitions of the widest topic."""
_MOST = 12
"""With more partitions, how often each follows each is not counted one by one."""
_MOST_OF_THREE = 8
"""Nor, with more of them, each after each after each."""


@dataclass(frozen=True)
class Topic:
    """Its partitions in metadata order, and its part of a round of blocks."""

    partitions: tuple[Partition, ...]
    blocks: int = 1
    conversations: int = 1
    """Into how many a block of it is cut, each of which starts afresh."""

    @property
    def name(self) -> str:
        """How many partitions it has."""
        return str(len(self.partitions))

    @property
    def available(self) -> list[int]:
        """The ids of the partitions that have a leader."""
        return [number for number, leader in self.partitions if leader is not None]

    @property
    def leaderless(self) -> list[int]:
        """The ids of the others."""
        return [number for number, leader in self.partitions if leader is None]

    @property
    def wide(self) -> bool:
        """Whether there are too many partitions to count how often each follows each."""
        return len(self.available) > _MOST

    @property
    def remembered(self) -> bool:
        """Whether it is counted what came before the one before."""
        return len(self.available) <= _MOST_OF_THREE

    def places(self, answers: Answers) -> Answers:
        """Answers as positions among the available partitions, and one past them for others."""
        available = np.array(self.available)
        order = np.argsort(available)
        ids = available[order]
        at = np.searchsorted(ids, answers).clip(max=len(ids) - 1)
        return np.where(ids[at] == answers, order[at], len(ids)).astype(np.int32)

    def tally(self, places: Answers) -> IntArray:
        """How many are at each position of an available partition."""
        return np.bincount(places, minlength=len(self.available) + 1)[:-1]


def led(count: int) -> tuple[Partition, ...]:
    """So many partitions, each with a leader."""
    return tuple([number, number % 3] for number in range(count))


SOME_LED: tuple[Partition, ...] = tuple(
    [number, leader]
    for number, leader in ((4, 0), (0, 1), (9, None), (1, 2), (7, None), (2, 0), (3, 1))
)
"""Ids out of order and with gaps; two without a leader."""
ALL_LED = (
    Topic(led(5), blocks=25, conversations=16),
    *(
        Topic(led(count), blocks)
        for count, blocks in ((1, 1), (2, 3), (3, 5), (4, 8), (8, 8), (12, 9), (WIDE, 5))
    ),
)
"""The first one finds the smallest bias; of the others there are as many as their tests need."""


def round_of(topics: Sequence[Topic]) -> list[int]:
    """Which topic each block of a round is about, by its number; each comes evenly."""
    places = [
        ((at + 0.5) / topic.blocks, number)
        for number, topic in enumerate(topics)
        for at in range(topic.blocks)
    ]
    return [number for _, number in sorted(places)]

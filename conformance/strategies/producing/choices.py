"""What histories of an accumulator and of a producer choose alike."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from itertools import count, islice
from typing import Any, ClassVar, Final

from hypothesis.strategies import SearchStrategy

from conformance.model.case import Metadata, Operation
from conformance.strategies.histories import histories
from conformance.strategies.packed import DRAW_BYTES, Choices

OVERHEAD: Final = 61 + 7
"""Bytes of a batch with one short record beside its key and value."""


@cache
def choices_of_steps(
    kinds: Sequence[str], pauses: Sequence[int]
) -> SearchStrategy[list[Operation]]:
    """Kinds of steps, the time before each (ms), and numbers from which the rest is chosen."""

    def operation(of: Choices) -> Operation:
        return {
            "op": of.one_of(kinds),
            "where": of.below(2**16, size=2),
            "how": of.below(2**16, size=2),
            "pause": of.one_of(pauses),
            "size": of.below(256),
            "draw": of.draw(),
        }

    return histories(7 + DRAW_BYTES, operation)


def _size_of_value(batch_size: int, how: int) -> int | None:
    """Bytes of a value: none, few, some part of a batch, all of it, or more."""
    room = max(0, batch_size - OVERHEAD)
    kind, more = divmod(how, 16)
    # The first is the simplest: of empty ones, an example may need dozens to fill a batch.
    options = (36, 1, 10, 10, 0, 36, room // 2, room // 3, room, room - 1, room + 1, room // 2)
    if kind < len(options):
        return max(0, options[kind] + (more - 8 if kind == 11 else 0))
    return (None, 2 * room + more, room // 4, 5)[kind - len(options)]


def with_moved_leaders(metadata: list[Metadata]) -> list[Metadata]:
    """The same, and at the end the first of them once more, with other leaders."""
    first = metadata[0] or []
    nodes = sorted({leader for _, parts in first for _, leader in parts} - {None})
    others = dict(zip(nodes, [*nodes[1:], *nodes[:1]], strict=True))
    if len(nodes) == 1:
        others = {nodes[0]: nodes[0] ^ 1}
    moved = [(topic, [[at, others.get(leader)] for at, leader in parts]) for topic, parts in first]
    return [*metadata, moved]


def with_more_partitions(metadata: Metadata, more: int) -> Metadata:
    """The same, but each topic has so many more, with the leader of its first."""
    grown = []
    for topic, parts in metadata or []:
        known = {at for at, _ in parts}
        new = islice((at for at in count() if at not in known), more)
        grown.append((topic, [*parts, *([at, parts[0][1] if parts else 0] for at in new)]))
    return grown


def with_nodes_in_one_bucket(metadata: list[Metadata]) -> list[Metadata]:
    """The same, but the ids of all nodes share a bucket of a Java map, which shows their order."""
    return [
        [
            (topic, [[at, None if leader is None else leader % 2**27 * 16] for at, leader in parts])
            for topic, parts in known or []
        ]
        for known in metadata
    ]


class StepsOnOneClock(ABC):
    """Turns choices into the steps of a history, whose clock (ms) goes on in between.

    ``most_steps`` is how many a case has, about: those of longer histories cost more than they
    find.
    """

    most_steps: ClassVar[int]

    def __init__(
        self, config: dict[str, Any], names: tuple[str, ...], metadata: list[Metadata]
    ) -> None:
        self._config = config
        self._names = names
        self._metadata = metadata
        self._known = 0
        self._now = 0
        self._epoch = -1
        self._steps: list[Operation] = []

    def steps(self, operations: list[Operation]) -> list[Operation]:
        """The steps; one at least."""
        for chosen in operations:
            if len(self._steps) >= self.most_steps:
                break
            self._pass_time(chosen["pause"])
            if chosen["op"] == "metadata":
                moves = self._known == 0 and chosen["where"] // 64 % 2
                self._known = -1 if moves else chosen["where"]
                self._known %= len(self._metadata)
                self._epoch += chosen["where"] // 16 % 3
            else:
                self._operation(chosen["op"], chosen)
        return self._steps or [self._only(operations[0])]

    def _pass_time(self, ms: int) -> None:
        self._now = min(self._now + ms, 2**31 - 1)

    def _size(self, how: int) -> int | None:
        return _size_of_value(self._config["batch_size"], how)

    def _along(self, chosen: Operation, number: int) -> int:
        """The ``where`` of a record for the partition that stands so many places after one.

        A ``where`` is the topic's place, then whether a partition is named (0), then its place.
        """
        where: int = chosen["where"]
        step = 4 * len(self._names)
        return where % len(self._names) + (where // step + number) * step

    @abstractmethod
    def _operation(self, kind: str, chosen: Operation) -> None:
        """Write down what a kind of choice stands for."""

    @abstractmethod
    def _only(self, chosen: Operation) -> Operation:
        """The step of a case that would have none."""

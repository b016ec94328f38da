"""What histories of an accumulator and of a producer choose alike."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from hypothesis.strategies import SearchStrategy

from conformance.model.case import Operation
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


def size_of_value(batch_size: int, how: int) -> int | None:
    """Bytes of a value: none, few, some part of a batch, all of it, or more."""
    room = max(0, batch_size - OVERHEAD)
    kind, more = divmod(how, 16)
    options = (0, 1, 10, 10, 36, 36, room // 2, room // 3, room, room - 1, room + 1, room // 2)
    if kind < len(options):
        return max(0, options[kind] + (more - 8 if kind == 11 else 0))
    return (None, 2 * room + more, room // 4, 5)[kind - len(options)]

"""Many small choices in one draw.

Hypothesis takes some 30 microseconds for each draw, whatever is drawn, and a history has hundreds
of small choices. So a few bytes are drawn at once, and the choices are read from them. Each byte
shrinks towards 0: the choice that stands first, the number that is smallest.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

INT32_BYTES: Final = 5
"""What :meth:`Choices.int32` reads."""
_INT32_EDGES: Final = (
    *(0, -1, 1, 2**31 - 1, -(2**31), 2**31 - 2, -(2**31) + 1),
    *(2**30, -(2**30)),
)
_WIDTHS: Final = (4, 4, 1, 2)
"""Bytes of an int32 that is no edge: as long as they come, mostly; small ones are reached, too."""
_WIDTHS_OF_NUMBERS: Final = (7, 8, 15, 16, 31, 32, 53, 63)
"""Bits at which numbers of real code end."""


class Choices:
    """Reads choices from bytes, one after the other."""

    def __init__(self, drawn: bytes) -> None:
        self._drawn = drawn
        self._at = 0

    def below(self, bound: int, *, size: int = 1) -> int:
        """A number from 0 to ``bound`` - 1, from the next ``size`` bytes."""
        return self._number(size) % bound

    def one_of(self, options: Sequence[T]) -> T:
        """One of up to 256 options, from a byte."""
        return options[self._number(1) % len(options)]

    def between(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``, which differ by less than 256, from a byte."""
        return least + self._number(1) % (most - least + 1)

    def part(self, size: int) -> "Choices":
        """The next ``size`` bytes by themselves: what follows stays where it is, however many of
        them are read."""
        return Choices(self.take(size))

    def take(self, size: int) -> bytes:
        """The next ``size`` bytes as they are."""
        self._at += size
        return self._drawn[self._at - size : self._at]

    def int32(self) -> int:
        """Any int32, an edge in a third of the cases: sign errors and wraps live there."""
        kind = self.below(6)
        of = self.part(INT32_BYTES - 1)
        if kind >= len(_WIDTHS):
            return of.one_of(_INT32_EDGES)
        bits = 8 * _WIDTHS[kind]
        number = of.below(2**bits, size=_WIDTHS[kind])
        return number if number < 2 ** (bits - 1) else number - 2**bits

    def near_power(self, most: int = 31) -> int:
        """A power of two up to 2**``most``, one less or more, or its negative: in two's complement
        with ``most`` + 1 bits, so that 2**``most`` itself wraps. From three bytes."""
        wide = [power for power in _WIDTHS_OF_NUMBERS if power <= most]
        power: int = self.one_of((*wide * 6, *range(most + 1)))
        number: int = self.one_of((1, -1)) * (1 << power) + self.between(-1, 1)
        return (number + (1 << most)) % (2 << most) - (1 << most)

    def draw(self) -> list[int]:
        """What one step may draw, as ``[first, tail]``, from :data:`DRAW_BYTES`."""
        return [self.int32(), self.below(1024, size=2)]

    def _number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")


DRAW_BYTES: Final = INT32_BYTES + 2
"""What :meth:`Choices.draw` reads."""


def packed(size: int, decode: Callable[[Choices], T]) -> SearchStrategy[T]:
    """What ``decode`` makes of so many bytes, drawn at once."""
    return _bytes(size).map(lambda drawn: decode(Choices(drawn)))


@cache
def _bytes(size: int) -> SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)

"""Randomness as data: the draws that a case hands to every subject.

A *draw* is one int32 taken from a client's source of randomness. A step of a case carries one
:class:`Draw`: its first int32, and a ``tail`` that fixes all further ones, should the step draw
again. The sequence is the one that ``java.util.concurrent.ThreadLocalRandom`` produces, so a
real client that draws from it can be given exactly these values by writing its thread's seed;
everybody else takes them from :meth:`Draw.sequence`.

The mathematics is that of Java 17's ``ThreadLocalRandom``: each draw adds
``0x9e3779b97f4a7c15 + 2 * threadId`` to the seed and returns the upper half of a 64-bit mix.
The mix can be inverted, so a seed is *computed* that makes the first draw any int32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

MAIN_THREAD_ID: Final = 1
"""Draws are those of the JVM's main thread, wherever a case is replayed."""

_MASK: Final = 2**64 - 1
GAMMA: Final = (0x9E3779B97F4A7C15 + 2 * MAIN_THREAD_ID) & _MASK
GAMMA_INVERSE: Final = pow(GAMMA, -1, 2**64)
_MIX_1: Final = 0xFF51AFD7ED558CCD
_MIX_2: Final = 0xC4CEB9FE1A85EC53
UNMIX_1: Final = pow(_MIX_1, -1, 2**64)
UNMIX_2: Final = pow(_MIX_2, -1, 2**64)


def mix32(seed: int) -> int:
    """``ThreadLocalRandom.mix32``: the int32 that an (already advanced) 64-bit seed gives."""
    z = seed & _MASK
    z = ((z ^ (z >> 33)) * _MIX_1) & _MASK
    z = ((z ^ (z >> 33)) * _MIX_2) & _MASK
    upper = z >> 32
    return upper - 2**32 if upper >= 2**31 else upper


def seed_for(first: int, tail: int) -> int:
    """The 64-bit seed from which the main thread draws ``first`` (int32) next.

    ``tail`` (0 to 2**32 - 1) chooses among the 2**32 seeds that do.
    """
    z = ((first & 0xFFFFFFFF) << 32) | tail
    z = (z * UNMIX_2) & _MASK
    z ^= z >> 33
    z = (z * UNMIX_1) & _MASK
    z ^= z >> 33
    return (z - GAMMA) & _MASK


@dataclass(frozen=True, slots=True)
class Draw:
    """What one step draws: ``first`` (int32), then what ``tail`` (32 bits) determines."""

    first: int
    tail: int = 0

    @property
    def seed(self) -> int:
        """The thread seed that produces this sequence on the JVM's main thread."""
        return seed_for(self.first, self.tail)

    def sequence(self) -> Iterator[int]:
        """The int32 values drawn, without end."""
        yield self.first
        seed = (self.seed + GAMMA) & _MASK
        while True:
            seed = (seed + GAMMA) & _MASK
            yield mix32(seed)


EQUAL_DRAWS: Final = {
    (2, 0): (-2018613220, 3349594827),
    (2, 1): (817681243, 3605132688),
    (3, 0): (-1270480172, 3240943060),
    (3, 1): (-390691738, 3976192842),
    (3, 2): (1629366809, 3764132350),
    (4, 0): (-1117936112, 2896353618),
    (4, 1): (1520167433, 4215349918),
    (4, 2): (1343345358, 1535756897),
    (4, 3): (1919361131, 3865867810),
    (5, 0): (1208023710, 4107166916),
    (5, 1): (932770241, 2044991684),
    (5, 2): (502369207, 1221279477),
    (5, 3): (-2127213410, 2705004590),
    (5, 4): (-1314761349, 3661755500),
}
"""By count and index: first int32 and tail of draws that choose that index of so many again and
again; 31 times or more of two, 18 of three, 14 of four, 12 of five. Found by search."""


class DrawSource:
    """A source of random values for a Python subject: each step gets its own sequence.

    Counts what a step draws. A step that draws :data:`MAX_DRAWS` values is cut off with
    :class:`DrawsExhaustedError`: no correct partitioner needs as many, an endless loop does.
    """

    def __init__(self) -> None:
        self._draw: Sequence[int] | None = None
        self._sequence: Iterator[int] | None = None
        self.count = 0

    def begin(self, draw: Sequence[int] | None) -> None:
        """Start a step with its ``[first, tail]``, or with one that must not draw (None)."""
        self._draw, self._sequence, self.count = draw, None, 0

    def unit_double(self) -> float:
        """The next number from 0 to 1, 1 excluded: ``Random.nextDouble``, of two draws."""
        high, low = (self() & 0xFFFFFFFF) >> 6, (self() & 0xFFFFFFFF) >> 5
        return ((high << 27) + low) * 2.0**-53

    def __call__(self) -> int:
        self.count += 1
        if self.count > MAX_DRAWS:
            raise DrawsExhaustedError(f"one step drew more than {MAX_DRAWS} values")
        if self._draw is None:
            raise DrawsExhaustedError("this step has nothing to draw")
        if self._sequence is None:  # most steps draw nothing, so it is made for those that do
            self._sequence = Draw(*self._draw).sequence()
        return next(self._sequence)


MAX_DRAWS: Final = 1000


class DrawsExhaustedError(Exception):
    """A subject drew more than a step can give it."""

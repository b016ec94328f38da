"""What Hypothesis asks for, chosen case by case.

Hypothesis' own generator spends most of a run on variations of what it generated before: five of
six cases are one of the others with a part of it copied, and up to a quarter are the same case
once more. Here every case is chosen by itself, by a seed of its own, so that any of them can be
generated again without those before it. Hypothesis still shrinks what is found.

This is a backend for Hypothesis, by its documented interface (*alternative backends*).
"""

import math
import struct
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Any, ClassVar, Final

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, PrimitiveProvider

BACKEND: Final = "kafka-conformance"
_EVENLY: Final = 256
"""Ranges of at most so many numbers, or lengths, are drawn from evenly."""
_LONGER: Final = 5
"""How much longer than necessary a text without a limit is, on average."""
_LARGEST: Final = 2**128
"""How far from 0 a number without bounds is, at most."""
_FLOATS: Final = (
    *(0.0, 1.0, 0.5, 1.1, 1.5, 1 / 3, 2.0**53, 2.0**53 + 2, 1e10, 1e-10, 1e300),
    *(5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308),
    *(1.192092896e-07, 2.220446049250313e-16, math.inf, math.nan),
)


class IndependentChoices(PrimitiveProvider):
    """The choices of one case after the other, each case's from a seed of its own."""

    lifetime = "test_function"
    seed: ClassVar[int] = 0
    first: ClassVar[int] = 1
    """The number of the first case that is generated."""

    def __init__(self, conjecturedata: Any = None, /) -> None:
        super().__init__(conjecturedata)
        self._random = Random(self.seed)
        type(self).number = self.first - 1

    number: ClassVar[int] = 0
    """The number of the case that is generated."""

    def per_test_case_context_manager(self) -> AbstractContextManager[None]:
        """Called by Hypothesis before each case."""
        type(self).number += 1
        self._random.seed(f"{self.seed} {self.number}")
        return nullcontext()

    def draw_boolean(self, p: float = 0.5) -> bool:
        """See :class:`PrimitiveProvider`."""
        return self._random.random() < p

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """See :class:`PrimitiveProvider`. Of a wide range also its ends and small numbers."""
        del shrink_towards
        random = self._random
        low, high = _bounds(min_value, max_value)
        if weights:
            by_weight = random.random()
            for number, weight in weights.items():
                by_weight -= weight
                if by_weight < 0:
                    return number
        if high - low < _EVENLY:
            return random.randint(low, high)
        way = random.randrange(4)
        if way == 0:
            edges = (low, low + 1, high - 1, high, 0, 1, -1)
            return min(high, max(low, random.choice(edges)))
        if way == 1:
            size = random.randint(1, max(low.bit_length(), high.bit_length()))
            number = random.getrandbits(size) * random.choice((1, -1))
            return number if low <= number <= high else random.randint(low, high)
        return random.randint(low, high)

    def draw_float(
        self,
        *,
        min_value: float = -math.inf,
        max_value: float = math.inf,
        allow_nan: bool = True,
        smallest_nonzero_magnitude: float = 0.0,
    ) -> float:
        """See :class:`PrimitiveProvider`: any bits, edges, ordinary numbers."""
        random = self._random

        def fits(number: float) -> bool:
            if math.isnan(number):
                return allow_nan
            # -0.0 is below 0.0, where that is a bound.
            signed = (
                math.copysign(1, number),
                math.copysign(1, min_value),
                math.copysign(1, max_value),
            )
            if number == 0:
                low = min_value < 0 or (min_value == 0 and signed[0] >= signed[1])
                return low and (max_value > 0 or (max_value == 0 and signed[0] <= signed[2]))
            return min_value <= number <= max_value and abs(number) >= smallest_nonzero_magnitude

        way = random.randrange(3)
        if way == 0:
            edges = (*_FLOATS, min_value, max_value)
            number = random.choice(edges) * random.choice((1, -1))
        elif way == 1:
            number = struct.unpack(">d", random.randbytes(8))[0]
        else:
            number = random.randint(-1000, 1000) / random.choice((1, 2, 10, 1024))
        if fits(number):
            return number
        within = random.random()
        low, high = max(min_value, -1.7e308), min(max_value, 1.7e308)
        number = low * (1 - within) + high * within
        ends = (
            number,
            min_value,
            max_value,
            smallest_nonzero_magnitude,
            -smallest_nonzero_magnitude,
        )
        return next(filter(fits, (*ends, 0.0, -0.0)))

    def draw_string(self, intervals: Any, *, min_size: int = 0, max_size: int = 10**10) -> str:
        """See :class:`PrimitiveProvider`. Half of the characters are among the simplest 256."""
        random = self._random
        if not len(intervals):
            return ""
        simple = min(_EVENLY, len(intervals))
        return "".join(
            intervals.char_in_shrink_order(
                random.randrange(simple if random.random() < 0.5 else len(intervals))
            )
            for _ in range(self._length(min_size, max_size))
        )

    def draw_bytes(self, min_size: int = 0, max_size: int = 10**10) -> bytes:
        """See :class:`PrimitiveProvider`."""
        return self._random.randbytes(self._length(min_size, max_size))

    def _length(self, least: int, most: int) -> int:
        if most - least < _EVENLY:
            return self._random.randint(least, most)
        return min(most, least + int(self._random.expovariate(1 / max(least, _LONGER))))


def _bounds(least: int | None, most: int | None) -> tuple[int, int]:
    """Bounds in any case: far from 0, and from the other one."""
    low = min(-_LARGEST, 2 * (most or 0)) if least is None else least
    return low, max(_LARGEST, 2 * (least or 0)) if most is None else most


def choices_from(seed: int, first: int) -> type[IndependentChoices]:
    """Let the next run of Hypothesis with :data:`BACKEND` choose by a seed, from a case on.

    Answers the class that counts its cases.
    """
    chosen = type("Chosen", (IndependentChoices,), {"seed": seed, "first": first})
    AVAILABLE_PROVIDERS[BACKEND] = chosen
    return chosen

"""Records that come at a rate: when, how large, with which keys.

The load is open: records come when they come, however slow the producer is, and a record's latency
counts from there. Everything is made block by block, so memory does not depend on how many come.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from conformance.errors import UsageError
from conformance.simulation.quantities import Micros, duration_of, rate_of, size_of

BLOCK: Final = 4096
"""How many records are made at once."""
MOST_RECORDS: Final = 10**9
MOST_KEYS: Final = 10_000_000
_KEYS_WANTED: Final = "Write none, uniform:1000 or zipf:1000: how keys are drawn, and from how many"


class Block(NamedTuple):
    """Records in the order in which they come: times (microseconds), keys, bytes of values."""

    times: list[Micros]
    keys: list[bytes | None]
    sizes: list[int]


class Arrivals(Protocol):
    """Records that come, each time the same."""

    def blocks(self, random: np.random.Generator) -> Iterator[Block]:
        """All records, block by block."""

    def described(self) -> dict[str, object]:
        """For reports: what was asked for."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often records come: ``per_us`` a microsecond, evenly or as a Poisson process."""

    per_us: float
    poisson: bool = False

    def __str__(self) -> str:
        return f"{'poisson:' if self.poisson else ''}{self.per_us * 1e6:.10g}/s"


@dataclass(frozen=True, slots=True)
class Keys:
    """``none``, ``uniform`` or ``zipf`` keys; with zipf key n comes 1/n times as often as key 1."""

    kind: str = "none"
    count: int = 0

    def __str__(self) -> str:
        return f"{self.kind}:{self.count}" if self.count else self.kind


@dataclass(frozen=True, slots=True)
class Load:
    """So many records; the first one comes after the time between two.

    A value has ``smallest`` to ``largest`` bytes, each size as often as any other.
    """

    records: int
    pace: Pace
    smallest: int = 100
    largest: int = 100
    keys: Keys = Keys()

    def __post_init__(self) -> None:
        if not 1 <= self.records <= MOST_RECORDS:
            raise UsageError(
                f"--records is {self.records:,}.", f"There can be 1 to {MOST_RECORDS:,}."
            )

    def described(self) -> dict[str, object]:
        """See :class:`Arrivals`."""
        return {
            "records": self.records,
            "rate": str(self.pace),
            "value_bytes": [self.smallest, self.largest],
            "keys": str(self.keys),
        }

    def blocks(self, random: np.random.Generator) -> Iterator[Block]:
        """See :class:`Arrivals`."""
        names = [b"key-%d" % one for one in range(self.keys.count)]
        weights = self._cumulated_weights()
        last_us = 0.0
        for first in range(0, self.records, BLOCK):
            count = min(BLOCK, self.records - first)
            if self.pace.poisson:
                times = last_us + np.cumsum(random.exponential(1 / self.pace.per_us, count))
                last_us = float(times[-1])
            else:
                times = np.arange(first + 1, first + count + 1) / self.pace.per_us
            sizes = random.integers(self.smallest, self.largest, count, endpoint=True)
            keys: list[bytes | None] = [None] * count
            if weights is not None:
                drawn = np.searchsorted(weights, random.random(count) * weights[-1], side="right")
                keys = [names[one] for one in drawn.tolist()]
            yield Block(np.rint(times).astype(np.int64).tolist(), keys, sizes.tolist())

    def _cumulated_weights(self) -> npt.NDArray[np.float64] | None:
        if not self.keys.count:
            return None
        places = np.arange(1, self.keys.count + 1, dtype=np.float64)
        return np.cumsum(1 / places if self.keys.kind == "zipf" else np.ones(self.keys.count))


def pace_of(rate: str | None, every: str | None) -> Pace:
    """``--rate`` or ``--every``; raises :class:`UsageError`, also for both."""
    if rate is not None and every is not None:
        raise UsageError("--rate and --every exclude each other.", "Give only one.")
    if every is not None:
        return Pace(1 / duration_of("--every", every, least=1))
    text = "1000/s" if rate is None else rate
    plain = text.removeprefix("poisson:")
    return Pace(rate_of("--rate", plain), poisson=plain != text)


def sizes_of(text: str) -> tuple[int, int]:
    """``100`` or ``50..500`` bytes; raises :class:`UsageError`."""
    first, dots, last = text.partition("..")
    smallest = size_of("--size", first)
    largest = size_of("--size", last) if dots else smallest
    if largest < smallest:
        raise UsageError(f"--size {text} goes down.", "Write the smaller number first: 50..500.")
    return smallest, largest


def keys_of(text: str) -> Keys:
    """``none``, ``uniform:1000``, ``zipf:1000``; raises :class:`UsageError`."""
    if text == "none":
        return Keys()
    match = re.fullmatch(r"(uniform|zipf):(\d[\d_]*)", text)
    if match is None:
        raise UsageError(f"--keys: {text!r} is unknown.", f"{_KEYS_WANTED}.")
    count = int(match[2].replace("_", ""))
    if not 1 <= count <= MOST_KEYS:
        raise UsageError(f"--keys: {count:,} keys.", f"There can be 1 to {MOST_KEYS:,}.")
    return Keys(match[1], count)

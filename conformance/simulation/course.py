"""What happened over time, in little memory however long it lasts."""

from collections.abc import Sequence
from typing import Final

BINS: Final = 400
"""The most stretches; an even number."""
_FIRST_WIDTH_US: Final = 1000


class Course:
    """Quantities by stretches of time, which become longer so that :data:`BINS` are enough.

    ``sums`` are added up, of ``tops`` a stretch keeps the largest number, and ``gauges`` keep their
    value until another one is seen: of them the largest one, too.
    """

    def __init__(self, *, sums: Sequence[str], tops: Sequence[str], gauges: Sequence[str]) -> None:
        self.width_us = _FIRST_WIDTH_US
        """The length of a stretch."""
        self._sums = {name: [0] * BINS for name in sums}
        self._tops = {name: [0] * BINS for name in (*tops, *gauges)}
        self._last = dict.fromkeys(gauges, (0, 0))
        self._used = 0

    def add(self, at_us: int, name: str, number: int) -> None:
        """Add a number to a sum."""
        self._sums[name][self._bin(at_us)] += number

    def top(self, at_us: int, name: str, number: int) -> None:
        """A number that may be the largest one."""
        place = self._bin(at_us)
        column = self._tops[name]
        column[place] = max(column[place], number)

    def see(self, at_us: int, name: str, number: int) -> None:
        """A gauge has a value, from now on."""
        place = self._bin(at_us)
        column = self._tops[name]
        before, value = self._last[name]
        for between in range(before + 1, place + 1):
            column[between] = max(column[between], value)
        column[place] = max(column[place], number)
        self._last[name] = place, number

    def column(self, name: str) -> list[int]:
        """The numbers of a quantity, stretch by stretch, as far as anything happened."""
        return (self._sums.get(name) or self._tops[name])[: self._used]

    def _bin(self, at_us: int) -> int:
        place = at_us // self.width_us
        while place >= BINS:
            self._join_neighbours()
            place = at_us // self.width_us
        if place >= self._used:
            self._used = place + 1
        return place

    def _join_neighbours(self) -> None:
        self.width_us *= 2
        self._used = -(-self._used // 2)
        self._last = {name: (place // 2, value) for name, (place, value) in self._last.items()}
        for columns, joined in ((self._sums, sum), (self._tops, max)):
            for column in columns.values():
                pairs = zip(column[::2], column[1::2], strict=True)
                column[:] = [joined(pair) for pair in pairs] + [0] * (BINS // 2)

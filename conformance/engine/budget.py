"""A time budget for a whole run, spread over its cells."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.model.results import Cell

MINIMUM_CASES: Final = 100
"""With fewer (and fewer than planned) nothing is said of a cell that shows no difference."""


@dataclass(frozen=True)
class Budget:
    """When a run has to be over, and who is to have how much of the time until then."""

    end: float
    """A moment of :func:`time.monotonic`, which all processes of a machine share."""
    weights: Sequence[tuple[Cell, int]]
    """The cells in the order in which they are begun, with what each is to have of the time."""
    jobs: int

    def deadline(self, cell: Cell) -> float:
        """When a cell that begins now has to be over.

        What the cells before it left over is for those that follow. One for each other worker
        is taken to be still running.
        """
        now = time.monotonic()
        place = next(at for at, (one, _) in enumerate(self.weights) if one == cell)
        running = self.weights[max(0, place - self.jobs + 1) :]
        share = dict(self.weights)[cell] * self.jobs / sum(weight for _, weight in running)
        return now + (self.end - now) * min(1.0, share)

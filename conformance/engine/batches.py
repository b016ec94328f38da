"""Cases in batches: each side performs several in a row before the other one does.

A case that Java performs between two of Python's leaves the processor's caches to Java's code and
data, and the other way round: in turns, `accumulator` and `producer` took a fifth longer.
"""

from collections.abc import Callable, Sequence
from typing import Final

from conformance.engine.comparing import Abort, Asked

LARGEST: Final = 64
"""How many cases a batch has at most."""


class Batches:
    """Collects cases, and hands each batch on once it is full.

    ``first`` is how many the first one has; each has twice as many as the one before, up to
    :data:`LARGEST`. A small first batch is for a search that ends at the first difference, which
    mostly comes soon. An error of ``use`` leaves as :class:`Abort`, past Hypothesis.
    """

    def __init__(self, use: Callable[[Sequence[Asked]], None], *, first: int = LARGEST) -> None:
        self._use = use
        self._size = first
        self._collected: list[Asked] = []

    def take(self, asked: Asked) -> None:
        """One more case, for :func:`.generation.generate_cases`."""
        self._collected.append(asked)
        if len(self._collected) == self._size:
            self.flush()

    def flush(self) -> None:
        """Hand on what there is."""
        batch, self._collected = self._collected, []
        self._size = min(2 * self._size, LARGEST)
        try:
            self._use(batch)
        except Exception as error:
            raise Abort(error) from error

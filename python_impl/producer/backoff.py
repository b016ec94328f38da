"""How long a producer waits before it tries again.

Follows ``org.apache.kafka.common.utils.ExponentialBackoff`` (3.8.0).
"""

import math
from collections.abc import Callable
from random import Random
from typing import Final

JITTER: Final = 0.2
"""``CommonClientConfigs.RETRY_BACKOFF_JITTER``."""
_MULTIPLIER: Final = 2


class ExponentialBackoff:
    """``initial_ms``, doubled for each attempt, give or take a fifth, up to ``max_ms``.

    Both are attributes, the first at most the second. ``random`` answers a number from 0 to 1 (1
    excluded); it is not asked where both are equal.
    """

    def __init__(
        self, initial_ms: int, max_ms: int, *, random: Callable[[], float] | None = None
    ) -> None:
        self.initial_ms = min(initial_ms, max_ms)
        self.max_ms = max_ms
        self._random = Random().random if random is None else random
        self._most_doublings = 0.0
        if max_ms > initial_ms:
            self._most_doublings = math.log(max_ms / max(initial_ms, 1)) / math.log(_MULTIPLIER)

    def backoff(self, attempts: int) -> int:
        """Milliseconds to wait after so many attempts beyond the first."""
        if self._most_doublings == 0:
            return self.initial_ms
        exponent = min(float(attempts), self._most_doublings)
        term = self.initial_ms * math.pow(_MULTIPLIER, exponent)
        lowest, highest = 1 - JITTER, 1 + JITTER
        factor = self._random() * (highest - lowest) + lowest
        if factor >= highest:
            factor = math.nextafter(highest, -math.inf)
        return min(int(factor * term), self.max_ms)

"""How well the batches of a topic have been compressed so far, as the producer estimates it.

Follows ``org.apache.kafka.common.record.CompressionRatioEstimator``. A producer asks it how large
an open batch will be. In Java the estimates are static; here each object has its own.
"""

import math
from typing import ClassVar, Final

from .compression import codec_called
from .float32 import float32

INITIAL: Final = 1.0
"""``CompressionType.rate`` of every codec."""
IMPROVING_STEP: Final = float32(0.005)
DETERIORATE_STEP: Final = float32(0.05)


class CompressionRatioEstimator:
    """Estimates by topic and codec, from 2.5 on: none falls below what was observed."""

    stops_at_observed: ClassVar[bool] = True

    def __init__(self) -> None:
        self._estimates: dict[tuple[str, str], float] = {}

    def estimation(self, topic: str, compression: str) -> float:
        """The estimate (a float32): compressed bytes for each byte of records; 1.0 at first."""
        codec_called(compression)
        return self._estimates.get((topic, compression), INITIAL)

    def update_estimation(self, topic: str, compression: str, observed: float) -> float:
        """Learn the ratio (a float32) of a batch; answers the new estimate."""
        current = self.estimation(topic, compression)
        if observed > current:
            self._estimates[topic, compression] = max(float32(current + DETERIORATE_STEP), observed)
        elif observed < current:
            least = observed if self.stops_at_observed else -math.inf
            self._estimates[topic, compression] = max(float32(current - IMPROVING_STEP), least)
        return self.estimation(topic, compression)

    def set_estimation(self, topic: str, compression: str, ratio: float) -> None:
        """Set an estimate (a float32), as ``RecordAccumulator.splitAndReenqueue`` does."""
        codec_called(compression)
        self._estimates[topic, compression] = ratio

    def reset_estimation(self, topic: str) -> None:
        """Forget what was learnt of a topic, as after a batch that was too large."""
        for known in [key for key in self._estimates if key[0] == topic]:
            del self._estimates[known]


class SteppingRatioEstimator(CompressionRatioEstimator):
    """The same up to 2.4: it takes a step down whatever was observed, also below 0."""

    stops_at_observed = False

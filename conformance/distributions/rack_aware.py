"""The built-in partitioner among racks: does a choice stay in the rack, and is it even there?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from conformance.distributions.adaptive import (
    PARTITIONS,
    RACKS,
    WORKED_EXAMPLES,
    Adaptive,
    LoadVector,
    load_vectors,
)
from conformance.distributions.built_in import BuiltInDriver
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Ask, Sampler
from conformance.model.distribution import Distribution as _Distribution
from conformance.model.port import BuiltIn, Port, RackAwareRelease, RandomInts, release_of
from conformance.model.program import LoadedClient

_TOPIC = "t"
_RACK = "a"
_MINE = np.array([rack == _RACK for rack in RACKS])


@dataclass(frozen=True)
class RackVector(LoadVector):
    """The same, looked at by a producer in rack a."""

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The probability of each partition by KIP-1123.

        Without load, every partition led in the rack is as likely; with load, by max + 1 - queue
        among the rack's queues; where none of them is in the rack, as without racks.
        """
        counted = np.array(self.queues[: self.length])
        if self.length == len(self.queues) and (counted == counted[0]).all():
            even: npt.NDArray[np.float64] = _MINE / _MINE.sum()
            return even
        ids = np.array(self.ids[: self.length])
        mine = _MINE[ids]
        if not mine.any():
            return super().shares
        weights: npt.NDArray[np.float64] = np.zeros(PARTITIONS)
        weights[ids[mine]] = counted[mine].max() + 1 - counted[mine]
        weights /= weights.sum()
        return weights

    @property
    def racks(self) -> list[str | None]:
        """The racks of the queues' leaders."""
        return [RACKS[number] for number in self.ids]


VECTORS = tuple(RackVector(one.queues, one.ids, one.length) for one in load_vectors())


class RackAware(Adaptive):
    """A rack-aware ``BuiltInPartitioner`` while its load stats change every few choices."""

    name = "rack-aware"
    summary = "the same among racks: three of five leaders are in the producer's own"
    behaviour = "rack-aware"
    records = 2_000_000
    vectors: ClassVar[Sequence[LoadVector]] = VECTORS
    worked: ClassVar[Sequence[LoadVector]] = VECTORS[: len(WORKED_EXAMPLES)]

    def driver(self, java: LoadedClient) -> BuiltInDriver:
        """See :class:`Adaptive`; the partitioner prefers rack a."""
        return BuiltInDriver(java, 1, PARTITIONS, RACKS, rack=_RACK)

    def new_on_port(
        self, client: ClientVersion, implementation: Port
    ) -> Callable[[RandomInts], BuiltIn]:
        release: RackAwareRelease = release_of(implementation, client)
        new = release.BuiltInPartitioner
        return lambda random: new(_TOPIC, 1, rack_aware=True, rack=_RACK, random=random)

    def load_on_port(self, built_in: Any, vector: LoadVector) -> None:
        queues = list(vector.queues)
        built_in.update_partition_load_stats(queues, vector.ids, vector.length, vector.racks)

    def testee(self, client: ClientVersion, ask: Ask) -> Sampler:
        """See :class:`Distribution`: the protocol has no question for racks by the million."""
        return _Distribution.testee(self, client, ask)

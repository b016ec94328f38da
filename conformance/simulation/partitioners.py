"""``partitioner.class``: Kafka's own classes, each in the versions that have it."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from conformance.errors import UsageError
from conformance.names import closest
from python_impl.cluster import Cluster
from python_impl.randomness import RandomInts

PARTITIONER_CLASS: Final = "partitioner.class"
_OF_PRODUCER: Final = "org.apache.kafka.clients.producer"
_DEFAULT: Final = f"{_OF_PRODUCER}.internals.DefaultPartitioner"
_CLASSES: Final = (
    f"{_OF_PRODUCER}.RoundRobinPartitioner",
    f"{_OF_PRODUCER}.UniformStickyPartitioner",
    _DEFAULT,
)


class PatientPartitioner:
    """A partitioner for which a send that is tried again is the same send.

    A real producer waits for memory after it has asked its partitioner, and does not ask again.
    """

    def __init__(self, partitioner: Any) -> None:
        self.trying_again = False
        self.partition = partitioner.partition
        self._moves_on = getattr(partitioner, "on_new_batch", None)

    def on_new_batch(self, topic: str | None, cluster: Cluster | None, previous: int) -> None:
        """A batch is about to be opened, because ``previous`` has none with room."""
        if self._moves_on is not None and not self.trying_again:
            self._moves_on(topic, cluster, previous)


def partitioner_classes(release: ModuleType) -> list[str]:
    """The classes that a version has."""
    return [name for name in _CLASSES if _simple(name) in vars(release)]


def check_partitioner(release: ModuleType, settings: Mapping[str, str]) -> None:
    """Raise :class:`UsageError` for a class that the version does not have."""
    name, there = settings.get(PARTITIONER_CLASS), partitioner_classes(release)
    if name is not None and name not in there:
        raise UsageError(
            f"Settings of client {release.VERSION}: there is no {PARTITIONER_CLASS} {name}.",
            f"{closest(name, there)} Or leave it out.",
        )


def partitioner_class(release: ModuleType, settings: Mapping[str, str]) -> str | None:
    """The class that a producer asks for partitions; None if its accumulator chooses, since 3.3."""
    has_default = not hasattr(release, "BuiltInPartitioner")
    return settings.get(PARTITIONER_CLASS, _DEFAULT if has_default else None)


def partitioner_of(
    release: ModuleType, settings: Mapping[str, str], random: RandomInts
) -> PatientPartitioner | None:
    """What a producer asks for partitions; None from 3.3 on, where its accumulator chooses."""
    name = partitioner_class(release, settings)
    if name is None:
        return None
    made = getattr(release, _simple(name))
    partitioner: Any = made() if "RoundRobin" in name else made(random=random)
    return PatientPartitioner(partitioner)


def _simple(name: str) -> str:
    return name.rpartition(".")[2]

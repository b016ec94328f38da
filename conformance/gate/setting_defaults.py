"""The producer's settings that bear on where records go, and when their defaults changed."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

from conformance.gate.history import History

SETTINGS: Final = (
    # Which partition.
    "partitioner.class",
    "partitioner.ignore.keys",
    "partitioner.adaptive.partitioning.enable",
    "partitioner.availability.timeout.ms",
    "partitioner.rack.aware",
    # When a batch is full or is sent, and so when the next partition is chosen.
    "batch.size",
    "linger.ms",
    "buffer.memory",
    "max.request.size",
    "compression.type",
    "max.in.flight.requests.per.connection",
    # What happens to a batch that is not delivered at once.
    "acks",
    "enable.idempotence",
    "retries",
    "delivery.timeout.ms",
    # How old the partitions may be that are chosen from.
    "metadata.max.age.ms",
    "metadata.max.idle.ms",
    "metadata.recovery.strategy",
)
"""Shown in this order; the JSON report has all settings."""


class Default(NamedTuple):
    """A setting's default in a stretch of versions."""

    first: str
    last: str
    value: str | None
    """None: the setting does not exist."""


def defaults_over_time(history: History, setting: str) -> list[Default]:
    """The stretches of a setting, oldest first, without versions whose settings are unknown."""
    values = [
        (release.version, history.defaults[release.version].get(setting))
        for release in history.releases
        if release.version in history.defaults
    ]
    found = []
    for value, group in groupby(values, key=lambda one: one[1]):
        versions = [version for version, _ in group]
        found.append(Default(versions[0], versions[-1], value))
    return found


def changed_settings(history: History) -> Sequence[str]:
    """All settings that came, went or got another default, in alphabetical order."""
    names = {name for settings in history.defaults.values() for name in settings}
    return sorted(name for name in names if len(defaults_over_time(history, name)) > 1)

"""The client versions of the matrix. What each shows follows from what the behaviours declare."""

from typing import Final

from conformance.behaviours.registry import BEHAVIOURS
from conformance.jars.lock import LockedJar, jars_of_clients
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.ways import way_in
from conformance.names import named


def release(version: str, port: str) -> ClientVersion:
    """A release that the suite knows, and the module of :mod:`python_impl` that ports it."""
    shown: dict[str, str] = {}
    absent: dict[str, str] = {}
    for behaviour in BEHAVIOURS:
        way = way_in(behaviour.ways, version)
        if way is None:
            absent[behaviour.name] = why_absent(behaviour, version)
        else:
            shown[behaviour.name] = way.shown_by
    return ClientVersion(version, port, realised_by=shown, absent=absent)


def why_absent(behaviour: Behaviour, version: str) -> str:
    """Why a release does not have a behaviour: too old for it, or too new."""
    too_old = all(way.is_later_than(version) for way in behaviour.ways)
    return behaviour.arrived if too_old else behaviour.gone


CLIENT_VERSIONS: Final = (
    release("2.3.1", "kafka_2_3_1"),  # hash for keys, round robin without
    release("3.2.3", "kafka_3_2_3"),  # hash for keys, sticky by batch without
    release("3.8.0", "kafka_3_8_0"),  # sticky by bytes without key, adaptive to queue sizes
    release("4.4.0", "kafka_4_4_0"),  # the same, with racks; round robin that skips none
)
"""In the order of the matrix. Their jars are in the lock."""


def jars_of_matrix() -> list[LockedJar]:
    """What all of them are driven with, each jar once."""
    return jars_of_clients(client.version for client in CLIENT_VERSIONS)


def client_named(version: str) -> ClientVersion:
    """A client by its version; raises :class:`UsageError` for one that is not known."""
    return named("client version", version, {one.version: one for one in CLIENT_VERSIONS})

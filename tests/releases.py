"""Published versions of kafka-clients, beside those of the matrix."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.clients.versions import jars_of_matrix
from conformance.errors import JarError
from conformance.jars.lock import LockedJar, jars_beside, jars_of_client, release_jars
from conformance.jars.store import JarStore
from conformance.model.client_version import ClientVersion
from conformance.oracle.client import JavaClient
from tests.landing import later


def version_of(jar: LockedJar) -> tuple[int, ...]:
    """To be compared: (3, 9, 2)."""
    return tuple(map(int, jar.version.split(".")))


def releases(*since: int) -> list[LockedJar]:
    """All from a version on."""
    return [jar for jar in release_jars() if version_of(jar) >= since]


def sampled_releases(*since: int) -> list[Any]:
    """All from a version on, for a test's parameters: at each landing the matrix's and the newest.

    So a landing fetches one jar more than the main job does, a night all.
    """
    *_, newest = release_jars()
    sample = {*jars_of_matrix(), newest}
    return [jar if jar in sample else later(jar) for jar in releases(*since)]


_not_had: list[str] = []
"""Why jars could not be had, once they could not: a network that is not there takes its time."""


def release_paths(jars: Sequence[LockedJar]) -> list[Path]:
    """Where these are, fetched if need be; skips the test if they cannot be had."""
    store = JarStore()
    missing = store.missing(jars)
    if missing and not _not_had:
        try:
            store.ensure(missing)
        except JarError as error:
            _not_had.append(error.what)
    if missing and _not_had:
        names = ", ".join(jar.name for jar in missing)
        pytest.skip(f"{names} cannot be had: {_not_had[0]}")
    return store.ensure(jars)


def fresh(client: ClientVersion) -> JavaClient:
    """A version of the matrix in a loader of its own, in which helpers can be defined anew."""
    return JavaClient(client.version, JarStore().ensure(jars_of_client(client.version)))


def loaded(jar: LockedJar, *, assertions: bool = False) -> JavaClient:
    """The client in a loader of its own; skips the test if the jar cannot be had."""
    paths = release_paths([jar, *jars_beside()])
    return JavaClient(jar.version, paths, assertions=assertions)

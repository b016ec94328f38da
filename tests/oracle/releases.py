"""Published versions of kafka-clients, beside those of the matrix."""

import pytest

from conformance.jars.lock import LockedJar, release_jars, slf4j_jars
from conformance.jars.store import JarStore
from conformance.oracle.client import JavaClient


def version_of(jar: LockedJar) -> tuple[int, ...]:
    """To be compared: (3, 9, 2)."""
    return tuple(map(int, jar.version.split(".")))


def releases(*since: int) -> list[LockedJar]:
    """All from a version on."""
    return [jar for jar in release_jars() if version_of(jar) >= since]


def loaded(jar: LockedJar) -> JavaClient:
    """The client in a loader of its own; skips the test if the jar is not here."""
    if JarStore().missing([jar]):
        pytest.skip(f"{jar.version} is not among the jars of this machine")
    return JavaClient(jar.version, JarStore().ensure([jar, *slf4j_jars()]))

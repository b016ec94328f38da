"""The lock of jars: releases as sets of artifacts, and what is wrong with a file that is none."""

from pathlib import Path

import pytest

from conformance.clients.versions import CLIENT_VERSIONS, jars_of_matrix
from conformance.errors import JarError, UsageError
from conformance.jars.lock import (
    Artifact,
    LockedJar,
    jars_beside,
    jars_of_client,
    lock_text,
    locked,
    locked_release,
    parse_lock,
    release_jars,
)

_JAR = 'size = 1\nsha256 = "00"\n'
_LIBRARY = (
    f'[[library]]\ncoordinates = "org:log:1.0"\n{_JAR}'
    f'[compiler]\ncoordinates = "org:ecj:1.0"\n{_JAR}'
)


def _release(version: str, **artifacts: str) -> str:
    """A release of the lock, whose artifacts have these coordinates."""
    tables = (
        f'[release.{name.replace("_", "-")}]\ncoordinates = "{coordinates}"\n{_JAR}'
        for name, coordinates in artifacts.items()
    )
    return f'[[release]]\nversion = "{version}"\n' + "".join(tables)


def _lock(*releases: str) -> str:
    return "format = 2\n" + _LIBRARY + "".join(releases)


def test_a_release_is_a_set_of_artifacts() -> None:
    text = _lock(
        _release("10.0.0", clients="org:kafka-clients:10.0.0"),
        _release("9.0.0", clients="org:kafka-clients:9.0.0", clients_test="org:k:9.0.0:test"),
    )
    lock = parse_lock(text, Path("lock.toml"))
    assert [release.version for release in lock.releases] == ["9.0.0", "10.0.0"]
    older, newer = lock.releases
    assert older.jar(Artifact.CLIENTS_TEST) == LockedJar("org:k:9.0.0:test", 1, "00")
    assert older.clients.name == "kafka-clients-9.0.0.jar"
    with pytest.raises(UsageError, match=r"no clients-test of 10\.0\.0") as raised:
        newer.jar(Artifact.CLIENTS_TEST)
    assert "It has: clients." in str(raised.value)


@pytest.mark.parametrize(
    ("coordinates", "name", "classifier"),
    [
        ("org.apache.kafka:kafka-clients:3.8.0", "kafka-clients-3.8.0.jar", ""),
        ("org.apache.kafka:kafka-clients:3.8.0:test", "kafka-clients-3.8.0-test.jar", "test"),
    ],
)
def test_a_file_is_named_as_maven_names_it(coordinates: str, name: str, classifier: str) -> None:
    jar = LockedJar(coordinates, 1, "00")
    assert (jar.name, jar.classifier, jar.version) == (name, classifier, "3.8.0")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("format = 2", "KeyError('release')"),
        (_lock().replace("format = 2", "format = 1"), "its format is 1, not 2"),
        (_lock(_release("9.0.0")), "9.0.0 has no clients"),
        (_lock(_release("9.0.0", clients="org:kafka-clients:8.0.0")), "has org:kafka-clients:8"),
        (_lock(_release("9.0.0", cleints="org:k:9.0.0")), "'cleints' is not a valid Artifact"),
        (_lock(_release("nine", clients="org:k:nine")), "invalid literal"),
        (_lock() + "[[release]]\nversion = 9.0\nclients = 1", "9.0 has no clients"),
        ("format =", "TOMLDecodeError"),
    ],
)
def test_what_is_no_lock_is_said_to_be_none(text: str, why: str) -> None:
    with pytest.raises(JarError, match=r"some\.toml is not a readable lock") as raised:
        parse_lock(text, Path("some.toml"))
    assert why in str(raised.value)


def test_each_jar_of_the_lock_is_there_once_with_its_licence() -> None:
    lock = locked()
    jars = [
        *lock.libraries,
        lock.compiler,
        *(jar for one in lock.releases for jar in one.artifacts.values()),
    ]
    assert len({jar.coordinates for jar in jars}) == len({jar.sha256 for jar in jars}) == len(jars)
    assert lock_text().count("licence = ") == len(jars)


def test_every_version_of_the_matrix_is_a_release_of_the_lock() -> None:
    for client in CLIENT_VERSIONS:
        release = locked_release(client.version)
        assert release.clients in release_jars()
        assert jars_of_client(client.version)[0] == release.clients
        # What the next behaviours are driven with; 4.4.0 was published without.
        if client.version != "4.4.0":
            assert release.jar(Artifact.CLIENTS_TEST).classifier == "test"
    assert len(jars_of_matrix()) == len(CLIENT_VERSIONS) + len(jars_beside())
    with pytest.raises(UsageError, match=r"Version 3\.2\.2 of kafka-clients is not in the lock"):
        locked_release("3.2.2")

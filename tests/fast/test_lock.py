"""The lock of jars: releases as sets of artifacts, and what is wrong with a file that is none."""

from pathlib import Path

import pytest

from conformance.clients.versions import CLIENT_VERSIONS, jars_of_matrix
from conformance.errors import JarError, UsageError
from conformance.jars.lock import (
    Artifact,
    LockedJar,
    broker_version,
    jars_beside,
    jars_of_broker,
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
_BROKER = f'[[broker]]\ncoordinates = "org:kafka_2.13:9.0.0"\n{_JAR}'


def _release(version: str, **artifacts: str) -> str:
    """A release of the lock, whose artifacts have these coordinates."""
    tables = (
        f'[release.{name.replace("_", "-")}]\ncoordinates = "{coordinates}"\n{_JAR}'
        for name, coordinates in artifacts.items()
    )
    return f'[[release]]\nversion = "{version}"\n' + "".join(tables)


def _lock(*releases: str) -> str:
    return "format = 3\n" + _LIBRARY + _BROKER + "".join(releases)


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
        ("format = 3", "KeyError('release')"),
        (_lock().replace("format = 3", "format = 2"), "its format is 2, not 3"),
        (_lock(_release("9.0.0", clients="org:k:9.0.0")).replace(_BROKER, ""), "'broker'"),
        (
            _lock(_release("9.0.0", clients="org:k:9.0.0")).replace("kafka_2.13", "kafka"),
            "the first jar of the broker is not kafka_2.13",
        ),
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
        *lock.broker,
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


def test_a_broker_s_class_path_is_whole_and_nothing_else_asks_for_it() -> None:
    jars = jars_of_broker()
    assert jars[0].coordinates == f"org.apache.kafka:kafka_2.13:{broker_version()}"
    by_name = {jar.name for jar in jars}
    # Of two artifacts that are both called metrics-core, one must not overwrite the other.
    assert len(by_name) == len(jars)
    assert {f"kafka-clients-{broker_version()}.jar", "slf4j-api-1.7.36.jar"} < by_name
    # With two bindings slf4j would choose one, and perhaps the silent one.
    assert [name for name in by_name if "slf4j-" in name and "api" not in name] == [
        "slf4j-simple-1.7.36.jar"
    ]
    assert not set(jars[:-2]) & {*jars_of_matrix(), *release_jars()}

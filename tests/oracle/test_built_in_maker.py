"""A BuiltInPartitioner of every version is made and loaded; one of another shape is refused."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.engine.plan import behaviour_named
from conformance.errors import OracleError
from conformance.jars.lock import LockedJar, jars_beside
from conformance.java.sources import java_source
from conformance.oracle.client import JavaClient
from conformance.oracle.internals import BUILT_IN_MAKER
from conformance.oracle.kafka_classes import BUILT_IN
from conformance.oracle.moved import MOVED
from tests.cli.spoilt_jars import spoilt, without
from tests.releases import fresh, loaded, release_paths, releases, sampled_releases

SINCE = (3, 3)
TABLE = {"table": [3, 4, 6], "ids": [4, 0, 7], "length": 3}
"""Of queues 0, 2 and 1: each partition weighs 2 + 1 less its queue, added up."""


def _case(*, assertions: bool) -> Any:
    created = {"op": "create", "topic": "t", "batch_size": 1}
    loading = {"op": "load", "topic": "t", "ids": [4, 0, 7], "length": 3}
    return {
        "config": {"assertions": assertions, "source": "thread"},
        "metadata": [],
        "steps": [created, {**loading, "queues": [0, 2, 1]}, {**loading, "queues": None}],
    }


def _trace(java: JavaClient, *, assertions: bool) -> Any:
    performer = behaviour_named("load-stats").java(client_named("3.8.0"), java)
    case = _case(assertions=assertions)
    return performer.trace(case, java.run(performer.program(case)))


@pytest.mark.parametrize("jar", sampled_releases(*SINCE), ids=lambda jar: jar.version)
def test_every_published_version_is_made_and_loaded(jar: LockedJar) -> None:
    created, with_queues, without_queues = _trace(loaded(jar), assertions=False)
    assert created["answer"] is None
    assert (with_queues["answer"], with_queues["state"]) == ([3, 4, 6], TABLE)
    assert without_queues["state"] == dict.fromkeys(TABLE)


def test_assertions_hold_of_what_the_newest_is_given() -> None:
    [*_, jar] = releases(*SINCE)
    java = loaded(jar, assertions=True)
    assert _trace(java, assertions=True)[1]["state"] == TABLE


@pytest.mark.parametrize(
    ("version", "known", "otherwise", "told"),
    [
        ("3.8.0", "types[i] == int.class) {", "types[i] == byte.class) {", "takes a int"),
        ("4.4.0", "types[i] == boolean.class", "types[i] == byte.class", "takes a boolean"),
        ("4.4.0", "String[].class", "Object[].class", r"LoadStats takes a \[Ljava"),
        ("4.4.0", '"total"', '"sum"', "Holder.* has no field total"),
        ("4.4.0", "constructors.length == 1", "constructors.length == 2", "it has 1 constructors"),
        ("4.4.0", '"updatePartitionLoadStats"', '"renamed"', "has no method updatePartitionLoad"),
    ],
)
def test_a_partitioner_of_another_shape_is_refused(
    version: str, known: str, otherwise: str, told: str
) -> None:
    source = java_source("BuiltInMaker")
    assert source.count(known) == 1
    [jar] = [jar for jar in releases(*SINCE) if jar.version == version]
    java = loaded(jar)
    java.neighbour(source.replace(known, otherwise), BUILT_IN_MAKER, BUILT_IN)
    with pytest.raises(OracleError, match=told):
        _trace(java, assertions=False)


@cache
def _matrix() -> list[JavaClient]:
    """The clients of the matrix, oldest first."""
    return [fresh(client) for client in CLIENT_VERSIONS]


@pytest.mark.parametrize(("first", "now"), MOVED.items())
def test_what_has_moved_is_found_by_its_first_name(first: str, now: str) -> None:
    having = [client for client in _matrix() if client.has(first)]
    names = [str(client.java_class(first).class_.getName()) for client in having]
    assert names[0] == first
    assert names[-1] == MOVED.get(now, now)
    assert not having[0].has(now)


def test_what_has_moved_is_a_type_by_its_first_name_too() -> None:
    [jar] = [jar for jar in releases(*SINCE) if jar.version == "4.4.0"]
    log, text = "org.apache.kafka.common.utils.LogContext", "java.lang.String"
    java = loaded(jar)
    assert log in MOVED
    java.constructor(BUILT_IN, log, text, "int", "boolean", text)
    with pytest.raises(OracleError, match="has no constructor"):
        java.constructor(BUILT_IN, text)


def test_a_jar_that_does_not_tell_its_version_is_loaded(tmp_path: Path) -> None:
    jars = release_paths([releases(3, 8)[0], *jars_beside()])
    untold = spoilt(jars[0], tmp_path / "own.jar", without("kafka-version.properties"))
    assert JavaClient(None, [untold, *jars[1:]]).version == "unknown"
    with pytest.raises(OracleError, match=r"has no class .*ProducerRecord"):
        JavaClient(None, [Path(shutil.copy(jars[1], tmp_path / "slf4j.jar")), *jars[1:]])

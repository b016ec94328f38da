"""Fetching jars: with a network, without one, into a read-only project, and interrupted.

Ivy looks into its local repository before it asks the network, so a folder with jars plays the
network here; the proxies that Java is told to use do not exist.
"""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from conformance.jars.fetch import fetch_jars
from conformance.jars.lock import Artifact, LockedJar, jars_of_client, locked_release
from conformance.jars.pyspark import ivy_jar
from conformance.java_home import find_java
from tests.cli.running import ONE_CELL, Suite, interrupt, needs_permissions, wait_until
from tests.landing import nightly

_WANTED = jars_of_client("3.8.0")
_NO_NETWORK = " ".join(
    f"-D{scheme}.proxy{part}"
    for scheme in ("http", "https")
    for part in ("Host=127.0.0.1", "Port=9")
)


def _connect(suite: Suite, jars: Sequence[LockedJar] = (), contents: Path | None = None) -> None:
    """Let Java reach a network that has these jars, with the contents of those in a folder."""
    ivy = suite.place / "ivy"
    shutil.rmtree(ivy, ignore_errors=True)
    for jar in jars:
        folder = ivy / "local" / jar.group / jar.artifact / jar.version / "jars"
        folder.mkdir(parents=True)
        shutil.copy((contents or suite.jars) / jar.name, folder / f"{jar.artifact}.jar")
    options = f"{_NO_NETWORK} -Divy.default.ivy.user.dir={ivy}"
    suite.environment["JAVA_TOOL_OPTIONS"] = options


def _names(folder: Path) -> list[str]:
    """Everything in a folder, hidden or not."""
    return sorted(path.name for path in folder.iterdir())


def _of(jars: Sequence[LockedJar], *more: str) -> list[str]:
    return sorted([*more, *(jar.name for jar in jars)])


@pytest.fixture
def closed_clone(clone: Suite) -> Iterator[Suite]:
    """A clone that may be read only."""
    paths = [clone.project, *clone.project.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    clone.as_user = True
    yield clone
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("command", [["run", *ONE_CELL], ["jars"]], ids=["run", "jars"])
def test_no_network_and_no_jars(clone: Suite, command: list[str]) -> None:
    _connect(clone)
    outcome = clone.run(*command)
    first = "3.8.0" if command[0] == "run" else "2.3.1"
    outcome.expect(
        3,
        f"Fetching org.apache.kafka:kafka-clients:{first} (",
        f"org.apache.kafka:kafka-clients:{first} is not here and could not be fetched",
        "Connection refused",
        "Connect to the network and run: kafka-conformance jars.",
        f"put kafka-clients-{first}.jar (SHA-256 in jars/lock.toml) into a folder",
        "--jars",
    )
    assert _names(clone.project / "jars") == ["lock.toml"]
    assert clone.files() == []


@pytest.mark.network
@nightly
def test_fresh_clone_fetches_what_it_needs(clone: Suite) -> None:
    # The smallest of the clients.
    outcome = clone.run("run", "--profile", "quick", "--client", "2.3.1", "--behaviour", "keyed")
    outcome.expect(0, "1 of 4", "2 of 4", "3 of 4", "4 of 4", "1 conform")
    assert _names(clone.project / "jars") == _of(jars_of_client("2.3.1"), "lock.toml")


@pytest.mark.network
@nightly
def test_a_jar_with_a_classifier_is_fetched_as_itself(tmp_path: Path) -> None:
    jar = locked_release("2.3.1").jar(Artifact.CLIENTS_TEST)
    fetch_jars([jar], tmp_path, ivy=ivy_jar(), progress=lambda *_: None)
    assert _names(tmp_path) == ["kafka-clients-2.3.1-test.jar"]


def test_fetched_once_used_offline(clone: Suite) -> None:
    _connect(clone, _WANTED)
    outcome = clone.run("run", *ONE_CELL, "--jobs", "0")
    outcome.expect(
        0, "Fetching org.slf4j:slf4j-nop:1.7.36 (3.9 kB), 3 of 4", "ecj:3.43.0 (3.3 MB), 4 of 4"
    )
    assert _names(clone.project / "jars") == _of(_WANTED, "lock.toml")
    assert not (clone.home / "cache" / "kafka-conformance" / "jars").exists()
    _connect(clone)
    assert "Fetching" not in clone.run("run", *ONE_CELL, "--jobs", "0").expect(0).out


@nightly
def test_network_that_fails_half_way(clone: Suite) -> None:
    _connect(clone, _WANTED[:1])
    outcome = clone.run("run", *ONE_CELL)
    outcome.expect(3, f"{_WANTED[1].coordinates} is not here and could not be fetched")
    # What arrived is whole, verified and need not be fetched again.
    assert _names(clone.project / "jars") == _of(_WANTED[:1], "lock.toml")
    _connect(clone, _WANTED[1:2])
    outcome = clone.run("run", *ONE_CELL)
    outcome.expect(3, "1 of 3", "2 of 3", f"{_WANTED[2].coordinates} is not here")


@nightly
def test_network_that_delivers_something_else(clone: Suite, own_jars: Path) -> None:
    shutil.copy(clone.jars / "kafka-clients-3.2.3.jar", own_jars / _WANTED[0].name)
    _connect(clone, _WANTED, own_jars)
    outcome = clone.run("run", *ONE_CELL)
    outcome.expect(3, "it is kafka-clients 3.2.3, not 3.8.0.", "it was not kept", "a proxy")
    assert _names(clone.project / "jars") == ["lock.toml"]


@needs_permissions
@nightly
def test_read_only_project(closed_clone: Suite) -> None:
    suite = closed_clone
    suite.bug = "wrong_port"
    before = sorted(suite.project.rglob("*"))
    _connect(suite, _WANTED)
    # From within the project, as one does; results have to go elsewhere as well.
    (suite.place / "cwd").symlink_to(suite.project)
    results = suite.home / "state" / "kafka-conformance"
    outcome = suite.run("run", *ONE_CELL)
    outcome.expect(1, "1 of 4", "4 of 4", "cannot be written", f"divergences go to {results}.")
    cache = suite.home / "cache" / "kafka-conformance" / "jars"
    assert _names(cache) == _of(_WANTED)
    assert _names(results) == ["sticky-3.8.0.json"]
    assert sorted(suite.project.rglob("*")) == before
    # Offline from now on, the bug being fixed.
    _connect(suite)
    suite.bug = ""
    suite.run("replay", results / "sticky-3.8.0.json").expect(0, "fixed")


@needs_permissions
@nightly
def test_no_place_for_jars(closed_clone: Suite) -> None:
    _connect(closed_clone, _WANTED)
    closed_clone.home.mkdir(mode=0o500)
    outcome = closed_clone.run("run", *ONE_CELL)
    cache = closed_clone.home / "cache" / "kafka-conformance" / "jars"
    outcome.expect(
        3,
        f"The jars cannot be written anywhere ({closed_clone.project / 'jars'}: Permission denied; "
        f"{cache}: Permission denied)",
        "Make one of these folders writable",
    )


@nightly
def test_interrupted_fetch_leaves_nothing(clone: Suite) -> None:
    fake = clone.place / "jdk" / "bin" / "java"
    fake.parent.mkdir(parents=True)
    mark = clone.place / "waiting"
    fake.write_text(
        f"#!/bin/sh\ncase \"$*\" in *ivy*) touch '{mark}'; exec sleep 60;; esac\n"
        f"exec '{find_java().executable}' \"$@\"\n"
    )
    fake.chmod(0o755)
    clone.environment["JAVA_HOME"] = str(fake.parents[1])
    process = clone.start("jars")
    wait_until(lambda: clone.marked("waiting"), "fetching")
    outcome = interrupt(process).expect(3, "Fetching", "Interrupted.")
    assert outcome.err == "Interrupted.\n"
    assert _names(clone.project / "jars") == ["lock.toml"]

"""Jars that are not what the lock says: exit code 3 and a diagnosis, before anything is run."""

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.jars.lock import jars_of_client
from tests.cli.running import ONE_CELL, Suite, check_schema, needs_permissions
from tests.landing import nightly

CLIENT = "kafka-clients-3.8.0.jar"
_SIZE = jars_of_client("3.8.0")[0].size


def _truncate(jar: Path) -> None:
    with jar.open("r+b") as file:
        file.truncate(_SIZE // 2)


def _change_byte(jar: Path, at: int) -> None:
    with jar.open("r+b") as file:
        file.seek(at)
        old = file.read(1)[0]
        file.seek(at)
        file.write(bytes([old ^ 0xFF]))


def _change_last_class(jar: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        last = [info for info in archive.infolist() if info.filename.endswith(".class")][-1]
    _change_byte(jar, last.header_offset + 200)


def _change_version_file(jar: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        info = archive.getinfo("kafka/kafka-version.properties")
    _change_byte(jar, info.header_offset + 30 + len(info.filename))


def _change_directory(jar: Path) -> None:
    _change_byte(jar, _SIZE - 6)  # in the end record: where the list of entries starts


def _make_fifo(jar: Path) -> None:
    jar.unlink()
    os.mkfifo(jar)


def _make_folder(jar: Path) -> None:
    jar.unlink()
    jar.mkdir()


@pytest.mark.parametrize(
    ("spoil", "diagnosis"),
    [
        (_truncate, f"a truncated download (it has {_SIZE // 2} bytes, {_SIZE} were expected)"),
        (
            _change_last_class,
            "its metadata says 3.8.0, but its bytes were changed: SHA-256 differs",
        ),
        (_change_version_file, "its contents are damaged"),
        (_change_directory, "its contents are damaged"),
        (lambda jar: jar.write_bytes(b""), "it is no jar at all (it has 0 bytes"),
        (lambda jar: jar.write_text("<html>Sign in</html>"), "it is no jar at all"),
        (_make_folder, "cannot be read: Is a directory"),
        (_make_fifo, "cannot be read: it is a FIFO, a socket or a device, not a file"),
    ],
    ids=["truncated", "class", "version", "directory", "empty", "html", "folder", "fifo"],
)
def test_spoilt_client(
    suite: Suite, own_jars: Path, spoil: Callable[[Path], object], diagnosis: str
) -> None:
    spoil(own_jars / CLIENT)
    outcome = suite.run("run", *ONE_CELL, "--jars", own_jars, "--json", "r.json")
    outcome.expect(3, f"{own_jars / CLIENT} ", diagnosis)
    assert "--jars" in outcome.err.splitlines()[-1]
    assert suite.files() == ["r.json"]
    assert diagnosis in check_schema(suite.cwd / "r.json", "unfinished")["reason"]
    assert sorted(path.name for path in own_jars.iterdir()) == sorted(
        jar.name for jar in jars_of_client("3.8.0")
    )


@pytest.mark.parametrize(
    ("other", "diagnosis"),
    [
        ("kafka-clients-3.2.3.jar", "it is kafka-clients 3.2.3, not 3.8.0."),
        ("slf4j-api-1.7.36.jar", "it is some other library, not kafka-clients"),
    ],
)
def test_other_jar_under_the_name_of_the_client(
    suite: Suite, own_jars: Path, good_jars: Path, other: str, diagnosis: str
) -> None:
    shutil.copy(good_jars / other, own_jars / CLIENT)
    outcome = suite.run("run", *ONE_CELL, "--jars", own_jars)
    outcome.expect(3, "is not org.apache.kafka:kafka-clients:3.8.0 as locked", diagnosis)


@needs_permissions
def test_jar_that_may_not_be_read(suite: Suite, own_jars: Path) -> None:
    suite.as_user = True
    (own_jars / CLIENT).chmod(0)
    outcome = suite.run("run", *ONE_CELL, "--jars", own_jars)
    outcome.expect(3, f"{own_jars / CLIENT} cannot be read: Permission denied", "permissions")


def test_spoilt_companion(suite: Suite, own_jars: Path) -> None:
    jar = own_jars / "slf4j-api-1.7.36.jar"
    _change_byte(jar, 2000)
    suite.run("run", *ONE_CELL, "--jars", own_jars).expect(3, f"{jar} is not org.slf4j:slf4j-api")


def test_missing_jar_is_not_fetched_into_a_named_folder(suite: Suite, own_jars: Path) -> None:
    (own_jars / CLIENT).unlink()
    for command in (["run", *ONE_CELL], ["jars"]):
        outcome = suite.run(*command, "--jars", own_jars)
        outcome.expect(3, f"{CLIENT}", f"not in {own_jars}", "jars/lock.toml", "--jars")
        assert not (own_jars / CLIENT).exists()


def test_option_wins_over_variable(suite: Suite, own_jars: Path, good_jars: Path) -> None:
    _truncate(own_jars / CLIENT)
    suite.environment = {"KAFKA_CONFORMANCE_JARS": str(own_jars)}
    suite.run("run", *ONE_CELL).expect(3, str(own_jars / CLIENT))
    suite.run("jars", "--jars", good_jars).expect(0, str(good_jars / CLIENT))


@nightly
def test_replay_verifies_jars_too(suite: Suite, own_jars: Path) -> None:
    suite.bug = "wrong_port"
    suite.run("run", *ONE_CELL, "--jobs", "0", "--output", ".").expect(1)
    _truncate(own_jars / CLIENT)
    suite.run("replay", "sticky-3.8.0.json", "--jars", own_jars).expect(3, "a truncated download")

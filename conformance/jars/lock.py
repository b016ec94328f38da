"""The lock: coordinates, size and SHA-256 of every jar that the suite may load."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from conformance.errors import JarError, UsageError

_PACKAGE = Path(__file__).parent
PROJECT_JARS = _PACKAGE.parents[1] / "jars"
"""``jars/`` of a clone; does not exist for an installed wheel, which carries the lock itself."""


@dataclass(frozen=True)
class LockedJar:
    """One jar: its file name, Maven coordinates, size in bytes and SHA-256 (hex)."""

    name: str
    coordinates: str
    size: int
    sha256: str

    @property
    def group(self) -> str:
        """The Maven group, such as ``org.apache.kafka``."""
        return self.coordinates.split(":")[0]

    @property
    def artifact(self) -> str:
        """The Maven artifact, such as ``kafka-clients``."""
        return self.coordinates.split(":")[1]

    @property
    def version(self) -> str:
        """The Maven version, such as ``3.8.0``."""
        return self.coordinates.split(":")[2]


@cache
def locked_jars() -> tuple[LockedJar, ...]:
    """What the suite's own versions need, in the lock's order.

    Raises :class:`JarError` if the lock is unreadable.
    """
    path, text = _lock()
    return parse_lock(text, path)


@cache
def release_jars() -> tuple[LockedJar, ...]:
    """kafka-clients of every release line, oldest first, for comparing jars with each other."""
    path, text = _lock()
    jars = [*parse_lock(text, path), *parse_lock(text, path, table="release")]
    clients = [jar for jar in jars if jar.artifact == "kafka-clients"]
    return tuple(sorted(clients, key=lambda jar: [int(part) for part in jar.version.split(".")]))


def slf4j_jars() -> list[LockedJar]:
    """What every client needs beside it."""
    return [jar for jar in locked_jars() if jar.group == "org.slf4j"]


def lock_text() -> str:
    """The lock as it is written, for whoever takes the suite elsewhere."""
    return _lock()[1]


def _lock() -> tuple[Path, str]:
    """The lock file of the clone, or the one inside the package, which may be an archive."""
    inside = resources.files("conformance.jars") / "lock.toml"
    for path, file in ((PROJECT_JARS / "lock.toml",) * 2, (_PACKAGE / "lock.toml", inside)):
        if file.is_file():
            try:
                return path, file.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise JarError(
                    f"{path} cannot be read: {error}.", "Restore it from version control."
                ) from error
    raise JarError(
        f"There is no lock.toml in {PROJECT_JARS} or {_PACKAGE}.", "Reinstall the suite."
    )


def parse_lock(text: str, path: Path, *, table: str = "jar") -> tuple[LockedJar, ...]:
    """The jars that a lock file's text names in one of its tables; ``path`` is for messages."""
    try:
        return tuple(
            LockedJar(jar["name"], jar["coordinates"], jar["size"], jar["sha256"])
            for jar in tomllib.loads(text)[table]
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise JarError(
            f"{path} is not a readable lock: {error!r}.", "Restore it from version control."
        ) from error


def client_versions() -> list[str]:
    """The versions of kafka-clients in the lock, in its order."""
    return [jar.version for jar in locked_jars() if jar.artifact == "kafka-clients"]


def jars_of_clients(versions: Iterable[str]) -> list[LockedJar]:
    """What the class loaders of several clients hold, each jar once."""
    return list(dict.fromkeys(jar for version in versions for jar in jars_of_client(version)))


def jars_of_client(version: str) -> list[LockedJar]:
    """What a client's class loader holds: its own jar first, then slf4j.

    Raises :class:`UsageError` for a version that the lock does not have.
    """
    jars = [jar for jar in locked_jars() if jar.artifact == "kafka-clients"]
    own = [jar for jar in jars if jar.version == version]
    if not own:
        raise UsageError(
            f"Client version {version} is unknown.",
            f"Known versions: {', '.join(client_versions())}.",
        )
    return own + slf4j_jars()

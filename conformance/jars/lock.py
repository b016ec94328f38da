"""The lock: coordinates, size and SHA-256 of every jar that the suite may load."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from conformance.errors import JarError, UsageError

_PACKAGE = Path(__file__).parent
PROJECT_JARS = _PACKAGE.parents[1] / "jars"
"""``jars/`` of a clone; does not exist for an installed wheel, which carries the lock itself."""
_FORMAT: Final = 3


class Artifact(StrEnum):
    """What a release is made of, as far as the suite may need it."""

    CLIENTS = "clients"
    """The client library, ``kafka-clients``."""
    CLIENTS_TEST = "clients-test"
    """What Kafka's own tests of it stand on: its time and its network of make-believe."""


@dataclass(frozen=True)
class LockedJar:
    """One jar: its Maven coordinates, size in bytes and SHA-256 (hex).

    Coordinates are ``group:artifact:version``, or ``group:artifact:version:classifier``.
    """

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

    @property
    def classifier(self) -> str:
        """The Maven classifier, such as ``test``; empty for the jar that has none."""
        return ":".join(self.coordinates.split(":")[3:])

    @property
    def name(self) -> str:
        """The file's name in Maven's manner, such as ``kafka-clients-3.8.0-test.jar``."""
        return "-".join(self.coordinates.split(":")[1:]) + ".jar"


@dataclass(frozen=True)
class LockedRelease:
    """One release of Kafka and its artifacts in the lock."""

    version: str
    artifacts: Mapping[Artifact, LockedJar]

    @property
    def clients(self) -> LockedJar:
        """The client library, which every release has."""
        return self.artifacts[Artifact.CLIENTS]

    def jar(self, artifact: Artifact) -> LockedJar:
        """Raises :class:`UsageError` if the lock does not have this artifact of the release."""
        if artifact not in self.artifacts:
            raise UsageError(
                f"The lock has no {artifact} of {self.version}.",
                f"It has: {', '.join(self.artifacts)}. docs/adding.md describes how to add one.",
            )
        return self.artifacts[artifact]


@dataclass(frozen=True)
class Lock:
    """All that a lock file names."""

    libraries: tuple[LockedJar, ...]
    """What every client needs beside it, in its class loader."""
    compiler: LockedJar
    """What compiles the suite's own Java, in a class loader of its own."""
    broker: tuple[LockedJar, ...]
    """``kafka_2.13`` first, and what else of a broker's class path is nowhere else in the lock."""
    releases: tuple[LockedRelease, ...]
    """Oldest first."""


@cache
def locked() -> Lock:
    """The lock of this project; raises :class:`JarError` if it is unreadable."""
    path, text = _lock()
    return parse_lock(text, path)


def release_jars() -> tuple[LockedJar, ...]:
    """kafka-clients of every release of the lock, oldest first."""
    return tuple(release.clients for release in locked().releases)


def jars_beside() -> list[LockedJar]:
    """What driving any client takes beside its own jar."""
    return [*locked().libraries, locked().compiler]


def jars_of_broker() -> list[LockedJar]:
    """The class path of a real broker: the lock's jars for it, its release's clients, slf4j.

    Raises :class:`UsageError` if the lock lacks the clients of the broker's release.
    """
    lock = locked()
    log = [jar for jar in lock.libraries if jar.artifact == "slf4j-api"]
    return [*lock.broker, locked_release(broker_version()).clients, *log]


def broker_version() -> str:
    """The release of Kafka that the lock's broker is of."""
    return locked().broker[0].version


def compiler_among(jars: Sequence[Path]) -> tuple[list[Path], Path]:
    """Jars for driving a client: what its class loader gets, and the compiler, told by its name.

    Raises :class:`JarError` if the compiler is not among them.
    """
    name = locked().compiler.name
    found = [jar for jar in jars if jar.name == name]
    if not found:
        raise JarError(
            f"{name} is not one of the jars used to drive a client: "
            f"{', '.join(jar.name for jar in jars)}.",
            "This is a bug in the suite; please report it.",
        )
    return [jar for jar in jars if jar.name != name], found[0]


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


def parse_lock(text: str, path: Path) -> Lock:
    """What a lock file's text names; ``path`` is for messages.

    Raises :class:`JarError` if it is of another format, a release has no client, or there is no
    broker.
    """
    try:
        document = tomllib.loads(text)
        if document["format"] != _FORMAT:
            raise ValueError(f"its format is {document['format']!r}, not {_FORMAT}")
        releases = tuple(_release(table) for table in document["release"])
        libraries = tuple(_jar(table) for table in document["library"])
        broker = _broker(document["broker"])
        return Lock(libraries, _jar(document["compiler"]), broker, _oldest_first(releases))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise JarError(
            f"{path} is not a readable lock: {error!r}.", "Restore it from version control."
        ) from error


def _jar(table: Mapping[str, Any]) -> LockedJar:
    return LockedJar(table["coordinates"], table["size"], table["sha256"])


def _broker(tables: Sequence[Mapping[str, Any]]) -> tuple[LockedJar, ...]:
    jars = tuple(_jar(table) for table in tables)
    if not jars or not jars[0].artifact.startswith("kafka_"):
        raise ValueError("the first jar of the broker is not kafka_2.13")
    return jars


def _release(table: Mapping[str, Any]) -> LockedRelease:
    artifacts = {
        Artifact(name): _jar(jar) for name, jar in table.items() if isinstance(jar, Mapping)
    }
    release = LockedRelease(table["version"], artifacts)
    if Artifact.CLIENTS not in artifacts:
        raise ValueError(f"{release.version} has no {Artifact.CLIENTS}")
    other = [jar.coordinates for jar in artifacts.values() if jar.version != release.version]
    if other:
        raise ValueError(f"{release.version} has {', '.join(other)}")
    return release


def _oldest_first(releases: tuple[LockedRelease, ...]) -> tuple[LockedRelease, ...]:
    def numbers(release: LockedRelease) -> list[int]:
        return [int(part) for part in release.version.split(".")]

    return tuple(sorted(releases, key=numbers))


def locked_release(version: str) -> LockedRelease:
    """A release by its version; raises :class:`UsageError` for one that the lock does not have."""
    known = {release.version: release for release in locked().releases}
    if version not in known:
        raise UsageError(
            f"Version {version} of kafka-clients is not in the lock.",
            f"Known: {', '.join(known)}. For any other version, give the path of its jar.",
        )
    return known[version]


def jars_of_clients(versions: Iterable[str]) -> list[LockedJar]:
    """What several clients are driven with, each jar once."""
    return list(dict.fromkeys(jar for version in versions for jar in jars_of_client(version)))


def jars_of_client(version: str) -> list[LockedJar]:
    """What a client is driven with: its own jar first.

    Raises :class:`UsageError` for a version that the lock does not have.
    """
    return [locked_release(version).clients, *jars_beside()]

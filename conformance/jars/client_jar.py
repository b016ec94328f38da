"""A kafka-clients jar that somebody names, by its version or by its path."""

import hashlib
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.errors import JarError, UsageError
from conformance.files import read_regular
from conformance.jars.fetch import Progress
from conformance.jars.lock import jars_beside, locked_release
from conformance.jars.store import JarStore
from conformance.jars.verify import version_in
from conformance.text import inert

_PRODUCER: Final = "org/apache/kafka/clients/producer/KafkaProducer.class"
_LONGEST_VERSION: Final = 100
_VERSION: Final = re.compile(r"\d+\.\d+(\.\d+)*")
_UNREADABLE: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, ValueError, EOFError),
    RuntimeError,  # an entry is encrypted, or compressed in a way that no jar is
)


@dataclass(frozen=True)
class ClientJar:
    """One jar: what it calls itself, where it lies, its SHA-256 (hex), and what it needs beside."""

    version: str
    path: Path
    sha256: str
    beside: tuple[Path, ...]
    """slf4j, and the compiler of the suite's own Java."""

    @property
    def all(self) -> list[Path]:
        """What it is driven with."""
        return [self.path, *self.beside]

    def check_unchanged(self) -> None:
        """Raises :class:`JarError` if the file is not what it was."""
        try:
            digest = hashlib.sha256(read_regular(self.path)).hexdigest()
        except OSError as error:
            raise JarError(
                f"{self.path} can no longer be read: {error}.", "Run it again."
            ) from error
        if digest != self.sha256:
            raise JarError(
                f"{self.path} has SHA-256 {digest}, not {self.sha256} as at the start of the run.",
                "Run it again, and do not change the file during the run.",
            )


def client_jar(named: str, store: JarStore, progress: Progress) -> ClientJar:
    """The jar of a version in the lock (fetched if need be), or the one at a path.

    Raises :class:`UsageError` for a version that is not in the lock and for a file that is no
    kafka-clients jar, :class:`~conformance.errors.JarError` for one that cannot be fetched.
    """
    beside = tuple(store.ensure(jars_beside(), progress))
    path = Path(named)
    if _VERSION.fullmatch(named) and not path.is_file():
        locked = locked_release(named).clients
        [path] = store.ensure([locked], progress)
        return ClientJar(locked.version, path, locked.sha256, beside)
    content = _content(path)
    return ClientJar(
        _version(path, content), path.absolute(), hashlib.sha256(content).hexdigest(), beside
    )


def _content(path: Path) -> bytes:
    remedy = "Name a version, such as 3.8.0, or the path of a kafka-clients jar."
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not a jar.", remedy)
    try:
        return read_regular(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.", remedy) from error


def _version(path: Path, content: bytes) -> str:
    """What a jar calls itself; raises :class:`UsageError` if it is none, or of something else."""
    if not content.startswith(b"PK"):
        raise UsageError(
            f"{path} is not a jar: it does not begin like a zip archive ({len(content)} bytes).",
            "Name the jar itself, not a page about it or its signature.",
        )
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            if damaged is not None:
                raise zipfile.BadZipFile(f"{damaged} in it is damaged")
            names = set(archive.namelist())
            version = version_in(archive)
    except _UNREADABLE as error:
        raise UsageError(
            f"{path} is not a complete jar: {error} ({len(content)} bytes). "
            "An incomplete download?",
            "Fetch or build it again.",
        ) from error
    if _PRODUCER not in names:
        raise UsageError(
            f"{path} is a jar, but not of kafka-clients: it has no KafkaProducer.",
            "Name the jar of the client library (in Kafka's own build: clients/build/libs).",
        )
    return inert(version or path.stem)[:_LONGEST_VERSION]

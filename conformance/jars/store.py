"""Where the jars are, and making sure that they are there."""

import os
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from conformance.errors import JarError, UsageError
from conformance.files import first_writable
from conformance.jars.fetch import Progress, fetch_jars
from conformance.jars.lock import PROJECT_JARS, LockedJar
from conformance.jars.pyspark import ivy_jar
from conformance.jars.verify import verify_jar
from conformance.text import listed

JARS_VARIABLE = "KAFKA_CONFORMANCE_JARS"
"""Environment variable that names a folder of jars; the option ``--jars`` wins over it."""


def _quiet(_jar: LockedJar, _position: int, _total: int) -> None:
    """The progress of a caller who does not want any."""


class JarStore:
    """Finds, fetches and verifies jars.

    With ``folder`` (or the environment variable) jars are only ever looked for there and the
    network is never touched: the air-gapped set-up. Otherwise they are looked for in the
    project's ``jars/`` and the user's cache directory, and fetched into the first of the two
    that can be written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        given = folder if folder is not None else os.environ.get(JARS_VARIABLE) or None
        self.only = None if given is None else Path(given)
        # os.access first, because Path.is_dir raises for what lies in a folder that is closed.
        if self.only is not None and not (
            os.access(self.only, os.R_OK | os.X_OK) and self.only.is_dir()
        ):
            raise UsageError(
                f"The folder of jars {self.only} does not exist or cannot be read.",
                f"Correct --jars or {JARS_VARIABLE}, or leave it out to fetch the jars.",
            )

    def folders(self) -> list[Path]:
        """The folders in which jars are looked for, in order."""
        if self.only is not None:
            return [self.only]
        cache = platformdirs.user_cache_path("kafka-conformance") / "jars"
        return [PROJECT_JARS, cache] if PROJECT_JARS.is_dir() else [cache]

    def find(self, jar: LockedJar) -> Path | None:
        """Where a jar lies, unverified, or None."""
        for folder in self.folders():
            if os.access(folder / jar.name, os.F_OK):
                return folder / jar.name
        return None

    def missing(self, jars: Sequence[LockedJar]) -> list[LockedJar]:
        """Those of the jars that are nowhere."""
        return [jar for jar in jars if self.find(jar) is None]

    def ensure(self, jars: Sequence[LockedJar], progress: Progress = _quiet) -> list[Path]:
        """The verified paths of jars, fetched first where missing; raises :class:`JarError`."""
        missing = self.missing(jars)
        if missing:
            if self.only is not None:
                raise JarError(
                    f"{listed([jar.name for jar in missing])} not in {self.only}, "
                    "and the suite fetches no jars when a folder of jars is named.",
                    "Put them there (SHA-256 in jars/lock.toml), or drop --jars / "
                    f"{JARS_VARIABLE} to fetch them.",
                )
            remedy = f"Name a folder of jars with {JARS_VARIABLE}."
            folder = first_writable("The jars", self.folders(), remedy)
            fetch_jars(missing, folder, ivy=ivy_jar(), progress=progress)
        return [self.verified(jar) for jar in jars]

    def verified(self, jar: LockedJar) -> Path:
        """The path of a jar whose bytes were just compared with the lock."""
        path = self.find(jar)
        if path is None:
            raise JarError(f"{jar.name} is missing.", "Run: kafka-conformance jars")
        verify_jar(path, jar)
        return path

"""Which version of the suite this is, and what exactly it is made of."""

import hashlib
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from conformance.jars.lock import lock_text

DISTRIBUTION = "kafka-partitioner-conformance"
_ROOT = Path(__file__).parents[1]
_PROJECT = _ROOT / "pyproject.toml"


def suite_version() -> str:
    """The version of the clone that runs, or of the installed suite; 'unknown' if neither says."""
    return _version_of_clone() or _version_installed()


def digest_of_sources(files: Iterable[Path], root: Path) -> str:
    """A hash of these files below a folder, their names and content, in whatever order they come.

    Raises :class:`OSError` for one that cannot be read.
    """
    digest = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@cache
def digest_of_project() -> str:
    """A hash of the suite, the ports and the lock of the jars: what decides how a run ends.

    Raises :class:`OSError` for a source that cannot be read, :class:`JarError` for the lock.
    """
    files = [
        path
        for folder in ("conformance", "python_impl")
        for path in (_ROOT / folder).rglob("*")
        if path.suffix in (".py", ".java")
    ]
    parts = digest_of_sources(files, _ROOT) + lock_text()
    return hashlib.sha256(parts.encode()).hexdigest()


def _version_of_clone() -> str | None:
    """What the pyproject.toml beside the package says; an installed wheel has none."""
    try:
        project = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]
    except (OSError, ValueError, KeyError):
        return None
    return str(project["version"]) if project.get("name") == DISTRIBUTION else None


def _version_installed() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"

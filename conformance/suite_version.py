"""Which version of the suite this is."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTION = "kafka-partitioner-conformance"
_PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def suite_version() -> str:
    """The version of the clone that runs, or of the installed suite; 'unknown' if neither says."""
    return _version_of_clone() or _version_installed()


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

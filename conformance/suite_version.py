"""Which version of the suite this is."""

from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "kafka-partitioner-conformance"


def suite_version() -> str:
    """The version of the installed suite; 'unknown' if it runs uninstalled."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"

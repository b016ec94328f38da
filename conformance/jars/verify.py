"""Is this file the jar that the lock means? If not, say what it is instead."""

import hashlib
import zipfile
import zlib
from pathlib import Path

from conformance.errors import JarError
from conformance.jars.lock import LockedJar

_RIGHT_ONE = (
    "Delete it and run: kafka-conformance jars (it fetches into the project's jars folder or, "
    "if that is read-only, the user's cache). A folder that --jars or KAFKA_CONFORMANCE_JARS names "
    "has to be filled by hand."
)
_VERSION_FILE = "kafka/kafka-version.properties"


def verify_jar(path: Path, jar: LockedJar, *, remedy: str = _RIGHT_ONE) -> None:
    """Raise :class:`JarError`, with a diagnosis, unless the file has the locked bytes.

    ``remedy`` is what the user can do about a file that is there but is another one.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JarError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Check its permissions, or name another folder with --jars.",
        ) from error
    if len(content) == jar.size and hashlib.sha256(content).hexdigest() == jar.sha256:
        return
    raise JarError(
        f"{path} is not {jar.coordinates} as locked: {_diagnose(path, jar, len(content))}", remedy
    )


def _diagnose(path: Path, jar: LockedJar, size: int) -> str:
    sizes = f"it has {size} bytes, {jar.size} were expected"
    if not zipfile.is_zipfile(path):
        kind = "a truncated download" if 0 < size < jar.size else "no jar at all"
        return f"it is {kind} ({sizes})."
    try:
        with zipfile.ZipFile(path) as archive:
            if jar.artifact == "kafka-clients":
                return _diagnose_client(archive, jar, sizes)
    # What zipfile raises depends on which byte of the archive is wrong.
    except (
        *(zipfile.BadZipFile, zlib.error, OSError, EOFError),
        *(ValueError, NotImplementedError, RuntimeError),
    ) as error:
        return f"its contents are damaged ({error}; {sizes})."
    return f"its SHA-256 differs from the lock's ({sizes})."


def _diagnose_client(archive: zipfile.ZipFile, jar: LockedJar, sizes: str) -> str:
    if _VERSION_FILE not in archive.namelist():
        return f"it is some other library, not kafka-clients ({sizes})."
    lines = archive.read(_VERSION_FILE).decode("utf-8").splitlines()
    version = next((line[8:] for line in lines if line.startswith("version=")), "unknown")
    if version != jar.version:
        return f"it is kafka-clients {version}, not {jar.version}."
    return f"it calls itself {version}, but its bytes were changed: SHA-256 differs ({sizes})."

"""Is this file the jar that the lock means? If not, say what it is instead."""

import hashlib
import io
import zipfile
from pathlib import Path

from conformance.errors import JarError
from conformance.files import read_regular
from conformance.jars.lock import LockedJar

_REPLACE_IT = (
    "Delete it and run: kafka-conformance jars. In a folder that --jars or KAFKA_CONFORMANCE_JARS "
    "names, put the right file there yourself: nothing is fetched into it."
)
_VERSION_FILE = "kafka/kafka-version.properties"


def verify_jar(path: Path, jar: LockedJar, *, remedy: str = _REPLACE_IT) -> None:
    """Raise :class:`JarError`, with a diagnosis, unless the file has the locked bytes.

    ``remedy`` is what the user can do about a file that is there but is another one.
    """
    try:
        content = read_regular(path)
    except OSError as error:
        raise JarError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Check its permissions, or name another folder with --jars.",
        ) from error
    if len(content) == jar.size and hashlib.sha256(content).hexdigest() == jar.sha256:
        return
    raise JarError(f"{path} is not {jar.coordinates} as locked: {_diagnose(content, jar)}", remedy)


def _diagnose(content: bytes, jar: LockedJar) -> str:
    sizes = f"it has {len(content)} bytes, {jar.size} were expected"
    if not zipfile.is_zipfile(io.BytesIO(content)):
        truncated = content.startswith(b"PK") and len(content) < jar.size
        return f"it is {'a truncated download' if truncated else 'no jar at all'} ({sizes})."
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if jar.artifact == "kafka-clients" and not jar.classifier:
                return _diagnose_client(archive, jar, sizes)
    except Exception as error:  # what zipfile raises depends on which byte is wrong
        return f"its contents are damaged ({error}; {sizes})."
    return f"its SHA-256 differs from the lock's ({sizes})."


def version_in(archive: zipfile.ZipFile) -> str | None:
    """What a kafka-clients jar calls itself; empty if its file does not say, None without one.

    Raises what ``zipfile`` raises for a damaged archive.
    """
    if _VERSION_FILE not in archive.namelist():
        return None
    lines = archive.read(_VERSION_FILE).decode("utf-8", "replace").splitlines()
    return next((line[8:].strip() for line in lines if line.startswith("version=")), "")


def _diagnose_client(archive: zipfile.ZipFile, jar: LockedJar, sizes: str) -> str:
    version = version_in(archive)
    if version is None:
        return f"it is some other library, not kafka-clients ({sizes})."
    version = version or "unknown"
    if version != jar.version:
        return f"it is kafka-clients {version}, not {jar.version}."
    return f"its metadata says {version}, but its bytes were changed: SHA-256 differs ({sizes})."

"""Jars of kafka-clients with something wrong inside."""

import zipfile
from collections.abc import Callable
from pathlib import Path

PACKAGE = "org/apache/kafka/"
_MAJOR = slice(6, 8)
"""Where a class file says for which Java it was compiled."""
JAVA_99 = (44 + 99).to_bytes(2, "big")

Change = Callable[[str, bytes], bytes | None]
"""The new content of an entry, by name and content; None: leave it out."""


def spoilt(jar: Path, to: Path, change: Change) -> Path:
    """A copy with changed entries."""
    with zipfile.ZipFile(jar) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return to


def for_java_99(name: str, content: bytes) -> bytes:
    """All classes as if a Java of tomorrow had compiled them."""
    if not name.endswith(".class"):
        return content
    return content[: _MAJOR.start] + JAVA_99 + content[_MAJOR.stop :]


def only_of(part: str, change: Change) -> Change:
    """The change, for entries whose name has that part."""
    return lambda name, content: change(name, content) if part in name else content


def without(part: str) -> Change:
    """Entries whose name has that part are gone."""
    return only_of(part, lambda _name, _content: None)


def calling_itself(version: str) -> Change:
    """The version file says something else."""
    text = f"version={version}\ncommitId=0\n".encode()
    return only_of("kafka-version.properties", lambda _name, _content: text)

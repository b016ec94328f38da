"""Writing files so that none is ever half there."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance.errors import SuiteError, UsageError


def check_writable(path: Path) -> None:
    """Raise :class:`UsageError` for a file that could not be written; creates nothing.

    Asked before a run, which must not end, minutes later, with "no such folder".
    """
    # os.access, because Path.exists raises for what lies in a folder that may not be entered.
    existing = path
    while not os.access(existing, os.F_OK) and existing != existing.parent:
        existing = existing.parent
    if existing == path and path.is_dir():
        reason = "it is a folder"
    elif existing != path and not existing.is_dir():
        reason = f"{existing} is not a folder"
    else:
        replaced = existing == path and not _is_written_through(path)
        place = path.parent if replaced else existing
        if os.access(place, os.W_OK):
            return
        reason = f"no permission to write to {place}"
    raise UsageError(f"{path} cannot be written: {reason}.", "Name another place for this file.")


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; raises :class:`SuiteError` if it cannot be."""
    temporary: str | None = None
    try:
        if _is_written_through(path):
            path.write_text(text, "utf-8")
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp makes files that only their owner can read; reports are for sharing.
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        raise SuiteError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Name another place (--output, --json, --junit) or make this one writable.",
        ) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _is_written_through(path: Path) -> bool:
    """Whether it is a link or a device, such as /dev/stdout, which no file may replace."""
    return path.is_symlink() or (path.exists() and not path.is_file())


def first_writable(what: str, folders: Sequence[Path], remedy: str) -> Path:
    """The first of some folders into which files can be written; SuiteError if none is."""
    reasons = []
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror or error}")
    raise SuiteError(
        f"{what} have nowhere to go ({'; '.join(reasons)}).",
        f"Make one of these folders writable. {remedy}",
    )

"""Reading files that end, and writing files so that none is ever half there."""

import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from conformance.errors import ExitCode, NotWrittenError, SuiteError, UsageError


def read_regular(path: Path) -> bytes:
    """All of a file; raises :class:`OSError` also for a FIFO, a socket or a device.

    One of these may never say a word, and be waited for, or never end.
    """
    if is_irregular(path) and not path.is_dir():
        raise OSError(errno.EINVAL, "it is a FIFO, a socket or a device, not a file")
    return path.read_bytes()


def check_writable(path: Path) -> None:
    """Raise :class:`UsageError` for a file that could not be written; leaves nothing behind.

    Asked before a run, which must not end, minutes later, with "no such folder". Folders that are
    missing are made when the file is written.
    """
    existing = _existing(path)
    if existing == path and path.is_dir():
        reason = "it is a folder"
    elif existing != path and not existing.is_dir():
        reason = f"{existing} is not a folder"
    elif existing == path and _is_written_through(path):
        reason = _why_not_through(path)
    else:
        reason = _why_not_in(path.parent if existing == path else existing)
    if not reason:
        return
    raise UsageError(f"{path} cannot be written: {reason}.", "Name another place for this file.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all; raises :class:`SuiteError` if it cannot be."""
    temporary: Path | None = None
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if _is_written_through(path):
            path.write_bytes(data)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not by mkstemp, whose files only their owner can read, whatever the umask says.
        temporary = path.parent / f".{path.name}.{secrets.token_hex(4)}"
        with temporary.open("xb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError as error:
        raise SuiteError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Name another place (--output, --json, --junit) or make this one writable.",
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def writing_results(known: ExitCode) -> Iterator[None]:
    """What cannot be written in here raises :class:`NotWrittenError`; ``known``: what it tells."""
    try:
        yield
    except SuiteError as error:
        raise NotWrittenError(error.what, error.remedy, known) from error


def write_all(contents: Mapping[Path, str | bytes], known: ExitCode) -> None:
    """Write as many of these files as can be.

    Raises :class:`NotWrittenError` for the others; ``known`` is the exit code of what they tell.
    """
    failed = []
    for path, content in contents.items():
        try:
            write_whole(path, content)
        except SuiteError as error:
            failed.append(error)
    if failed:
        what = "\n".join(error.what for error in failed)
        raise NotWrittenError(what, failed[0].remedy, known)


def check_folder_writable(folder: Path) -> None:
    """Raise :class:`UsageError` for a folder that :func:`replace_folder` could not replace.

    Leaves nothing behind. Whether an older folder there may be replaced is for the caller to say.
    """
    real = folder.resolve()
    existing = _existing(real)
    if not existing.is_dir():
        reason = f"{existing} is not a folder"
    elif real.is_mount():
        reason = "something is mounted there, so it cannot be replaced as a whole"
    elif Path.cwd().is_relative_to(real):
        reason = "you are working inside it, and it is replaced as a whole"
    else:
        # An older folder is renamed and emptied, so it must be writable as well as its parent.
        places = (real, real.parent) if existing == real else (existing,)
        reason = next(filter(None, map(_why_not_in, places)), "")
    if not reason:
        return
    raise UsageError(f"{folder} cannot be written: {reason}.", "Name another folder (--output).")


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Have ``fill`` write into a new folder, and put that in the place of an older one.

    The older folder is deleted when the new one is complete and in its place; until then
    nothing happens to it. Raises :class:`SuiteError` if anything cannot be written.
    """
    real = folder.resolve()
    temporary: Path | None = None
    replaced = False
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=real.parent, prefix=f".{real.name}."))
        new = temporary / "new"
        new.mkdir()
        fill(new)
        _swap(new, real, temporary / "old")
        replaced = True
        shutil.rmtree(temporary)
    except OSError as error:
        told = f"{error.strerror or error}".rstrip(".")
        if replaced:
            what = f"{folder} is complete, but the older files remain in {temporary}: {told}."
            raise SuiteError(what, "Delete it yourself.") from error
        raise SuiteError(
            f"{folder} cannot be written: {told}. Its earlier contents are unchanged.",
            "Make room or make it writable, or name another folder (--output).",
        ) from error
    finally:
        # If even putting the older folder back failed, it must not be deleted.
        if temporary is not None and not replaced and not (temporary / "old").exists():
            shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, folder: Path, old: Path) -> None:
    """Rename ``folder`` (if there is one) to ``old`` and ``new`` to ``folder``, or nothing."""
    try:
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except BaseException:
        if old.exists():
            old.rename(folder)
        raise


def _existing(path: Path) -> Path:
    """The path itself if it exists, or else the nearest folder above it that does."""
    # os.access, because Path.exists raises for what lies in a folder that may not be entered.
    while not os.access(path, os.F_OK) and path != path.parent:
        path = path.parent
    return path


def _is_written_through(path: Path) -> bool:
    """Whether it is a link or a device, such as /dev/stdout, which no file may replace."""
    return path.is_symlink() or is_irregular(path)


def is_irregular(path: Path) -> bool:
    """Whether there is something that is no regular file: a folder, a pipe, a device."""
    return path.exists() and not path.is_file()


def _why_not_through(path: Path) -> str:
    """Why a link or a device cannot be written; empty if it can."""
    if not os.access(path, os.W_OK):
        return f"no permission to write to {path}"
    # The only device that says so no sooner than it is written to.
    is_full = Path("/dev/full").exists() and path.exists() and path.samefile("/dev/full")
    return os.strerror(errno.ENOSPC) if is_full else ""


def _why_not_in(folder: Path) -> str:
    """Why a file in a folder cannot be written; empty if it can: then that was tried."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"no permission to write to {folder}"
    try:
        _try_to_write(folder)
    except OSError as error:
        return f"{folder}: {error.strerror or error}"
    return ""


def _try_to_write(folder: Path) -> None:
    """Rights alone say nothing of /proc and its like, or of a disk that is full."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"x")


def first_writable(what: str, folders: Sequence[Path], remedy: str) -> Path:
    """The first of some folders into which files can be written; SuiteError if none is."""
    reasons = []
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _try_to_write(folder)
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror or error}")
        else:
            return folder
    raise SuiteError(
        f"{what} cannot be written anywhere ({'; '.join(reasons)}).",
        f"Make one of these folders writable. {remedy}",
    )

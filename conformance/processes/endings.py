"""Why a process did not start, and how it ended, in words."""

import errno
import shutil
import signal
from contextlib import suppress
from pathlib import Path

from conformance.text import inert


def why_not_started(program: str, folder: Path | None, error: Exception) -> str:
    """Why a program cannot be run in a folder (None: this one); ``error`` is what that raised."""
    found = shutil.which(program) if "/" not in program else str((folder or Path()) / program)
    if isinstance(error, FileNotFoundError) and found is None:
        return f"there is no such command on the PATH (a file of this folder is ./{inert(program)})"
    if isinstance(error, FileNotFoundError) and found is not None and Path(found).is_file():
        return _what_it_lacks(Path(found))
    if isinstance(error, PermissionError):
        is_folder = Path(found or program).is_dir()
        return "it is a folder" if is_folder else "it may not be executed (see chmod +x)"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "it is no program of this machine, and no script: those begin with #!"
    return getattr(error, "strerror", None) or str(error)


def _what_it_lacks(program: Path) -> str:
    """Why a file that is there is not found when it is run."""
    with suppress(OSError), program.open("rb") as file:
        first = file.readline(200).decode("utf-8", "replace").removesuffix("\n")
        if first.startswith("#!"):
            return f"its first line is {inert(first)!r}, and there is no such interpreter"
    return "the interpreter or loader that it was built for is not on this machine"


def how_it_ended(code: int) -> str:
    """What its exit code says, to stand after its name; below 0: the signal that killed it."""
    if code >= 0:
        return f"exited with code {code}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"

"""Building folders of adapters, and knowing when there is nothing to build.

A build that has succeeded leaves a stamp: what it was made from, and a digest of what it made. It
is reused only while both are as the stamp says, so that neither a change nor damage goes unseen.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from folders import Folder
from processes import Processes

BUILD_SECONDS = 1800
VERSION_SECONDS = 60
STAMP = ".built.json"
VARIABLES = (
    *("CC", "CXX", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "SANITIZE", "PKG_CONFIG"),
    *("CGO_ENABLED", "GOARCH", "GOFLAGS", "GOOS", "RUSTFLAGS", "CARGO_BUILD_TARGET"),
)
"""What compilers are told by the environment."""
RUN_TIME = frozenset({"__pycache__"})
"""Folders in what was built that running it changes."""

UNKNOWN = "there is no earlier build"
DAMAGED = "the results of the last build are damaged or missing"
CHANGED = {
    "commands": "its commands changed",
    "tools": "a tool changed",
    "variables": "the environment changed",
    "sources": "its sources changed",
}
"""Parts of a stamp, and why another one needs a build."""


@dataclass(frozen=True)
class Built:
    """What came of a folder: a build in words, or the problem why there is none."""

    told: str = ""
    problem: str | None = None


def build(folder: Folder, log: Path, processes: Processes, *, rebuild: bool = False) -> Built:
    """Build a folder unless the last build still holds; ``rebuild``: from nothing in any case."""
    missing = [tool for tool in folder.tools if shutil.which(tool) is None]
    if missing:
        return _problem(folder, f"this machine has no {', '.join(missing)}")
    started = time.monotonic()
    try:
        inputs = inputs_of(folder)
        reason = "--rebuild" if rebuild else why_build(folder, inputs)
        if reason is None:
            return Built("reused, because nothing has changed")
        # First, so that a build that is cut off leaves none that says it is whole.
        (folder.path / STAMP).unlink(missing_ok=True)
        # Compilers go on from what they left, and see by themselves which source has changed; what
        # has come of another compiler, or is damaged, not all of them see.
        _clear(folder, with_leavings=reason not in (UNKNOWN, CHANGED["sources"]))
        with log.open("w", encoding="utf-8") as out:
            failure = _run_commands(folder, log, out, processes)
        if failure is not None:
            return _problem(folder, failure)
        absent = [name for name in folder.makes if not (folder.path / name).exists()]
        if absent:
            return _problem(folder, f"the build made no {', '.join(absent)} (see {log})")
        stamp = json.dumps({**inputs, "made": digest_of_made(folder)}, indent=1)
        (folder.path / STAMP).write_text(stamp + "\n", "utf-8")
    except (OSError, subprocess.TimeoutExpired) as error:
        return _problem(folder, f"it cannot be built: {error}")
    return Built(f"built in {time.monotonic() - started:.0f} s ({reason})")


def why_build(folder: Folder, inputs: dict[str, Any]) -> str | None:
    """Why a build is needed, in a few words; None if the last one still holds."""
    try:
        stamp = json.loads((folder.path / STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return UNKNOWN
    if not isinstance(stamp, dict):
        return UNKNOWN
    differing = [part for part in CHANGED if stamp.get(part) != inputs[part]]
    if differing and differing != ["sources"]:
        return CHANGED[differing[0]]
    # Before the sources: what is damaged is made from nothing, even if they have changed, too.
    if stamp.get("made") != digest_of_made(folder):
        return DAMAGED
    return CHANGED["sources"] if differing else None


def inputs_of(folder: Folder) -> dict[str, Any]:
    """All that the result of a build depends on, in a form that JSON keeps."""
    sources = sorted({path for pattern in folder.sources for path in folder.path.glob(pattern)})
    return {
        "commands": [_resolved(command) for command in folder.build],
        "tools": [_told_by(command, folder.path) for command in folder.versions],
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "sources": _digest(folder.path, (path for path in sources if path.is_file())),
    }


def digest_of_made(folder: Folder) -> str:
    """Of every byte that the build made; where something is missing, it is unlike any stamp's."""
    files = (path for name in folder.makes for path in _files_below(folder.path / name))
    return _digest(folder.path, files)


def _files_below(root: Path) -> Iterator[Path]:
    """The file itself, or all files and links in a folder, always in the same order."""
    if not root.is_dir() or root.is_symlink():
        yield root
        return
    for place, folders, files in os.walk(root):
        folders[:] = sorted(set(folders) - RUN_TIME)
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        yield from (Path(place) / name for name in sorted([*files, *links]))


def _digest(base: Path, files: Iterable[Path]) -> str:
    """Of the files' names and contents. A link out of ``base`` may break: so it is followed."""
    digest = hashlib.sha256()
    for file in files:
        name = os.path.relpath(file, base)
        target = str(file.readlink()) if file.is_symlink() else ""
        there = "there" if file.exists() else "missing"
        digest.update(f"{name}\0{target}\0{there}\0".encode("utf-8", "surrogateescape"))
        if file.is_file() and not target:
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def _clear(folder: Folder, *, with_leavings: bool) -> None:
    """Remove what a build made, so that nothing old is taken for new."""
    paths = [folder.path / name for name in folder.makes]
    if with_leavings:
        paths += [path for pattern in folder.leaves for path in folder.path.glob(pattern)]
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _run_commands(folder: Folder, log: Path, out: IO[str], processes: Processes) -> str | None:
    """Run the commands of a build; answers which of them failed, and how, or None."""
    for command in folder.build:
        words = _resolved(command)
        try:
            code = processes.run(words, BUILD_SECONDS, out, folder.path)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{words[0]} failed: {error}"
        if code:
            lines = log.read_text("utf-8", "replace").splitlines()[-8:]
            last = "\n".join(f"    {line}" for line in lines)
            return f"'{' '.join(words)}' exited with {code} (full output in {log}):\n{last}"
    return None


def _problem(folder: Folder, why: str) -> Built:
    return Built(problem=f"{folder.language}: not run, because {why}")


def _resolved(command: Iterable[str]) -> list[str]:
    return [sys.executable if word == "{python}" else word for word in command]


def _told_by(command: Iterable[str], cwd: Path) -> str:
    """What a tool says of its version. One that fails is not told here: the build says more."""
    done = subprocess.run(
        _resolved(command),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=VERSION_SECONDS,
        check=False,
    )
    return f"{done.returncode}: {done.stdout.decode('utf-8', 'replace')}"

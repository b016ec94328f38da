"""Divergences as files: attached to a bug report here, replayed there."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from conformance.case import Case, from_json, to_json
from conformance.engine.results import Cell, Divergence, plain
from conformance.errors import SuiteError, UsageError

FORMAT = "kafka-conformance divergence 1"
DISTRIBUTION = "kafka-partitioner-conformance"
_FIELDS = {field.name for field in fields(Divergence)}


@dataclass(frozen=True)
class SavedDivergence:
    """What a divergence file holds."""

    divergence: Divergence
    suite_version: str


def suite_version() -> str:
    """The version of the installed suite."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


def divergence_text(divergence: Divergence) -> str:
    """A divergence as the JSON text of its file (schema: divergence.schema.json)."""
    document = {"format": FORMAT, "suite_version": suite_version(), **plain(divergence)}
    return to_json(document, indent=1) + "\n"


def save_divergence(divergence: Divergence, folder: Path) -> Path:
    """Write a divergence into a folder; raises :class:`SuiteError` if that cannot be."""
    path = folder / f"{divergence.cell.behaviour}-{divergence.cell.client}.json"
    write_whole(path, divergence_text(divergence))
    return path


def load_divergence(path: Path) -> SavedDivergence:
    """Read a divergence file; raises :class:`UsageError` for anything else."""
    remedy = "Give a file that kafka-conformance run wrote, unchanged."
    try:
        document = from_json(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", remedy) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}.", remedy) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError(f"{path} is not a divergence file ({FORMAT!r}).", remedy)
    missing = _FIELDS - document.keys()
    if missing:
        raise UsageError(f"{path} lacks {', '.join(sorted(missing))}.", remedy)
    values: dict[str, Any] = {name: document[name] for name in _FIELDS}
    try:
        values["cell"] = _checked_cell(document["cell"])
        values["case"] = _checked_case(document["case"])
        values["remarks"] = tuple(document["remarks"])
    except (TypeError, KeyError, ValueError) as error:
        raise UsageError(f"{path} holds a damaged case: {error!r}.", remedy) from error
    return SavedDivergence(Divergence(**values), str(document.get("suite_version")))


def _checked_cell(cell: Any) -> Cell:
    checked = Cell(**cell)
    if not isinstance(checked.behaviour, str) or not isinstance(checked.client, str):
        raise TypeError("the names of behaviour and client are not text")
    return checked


def _checked_case(case: Any) -> Case:
    checked = Case(
        config=dict(case["config"]), metadata=list(case["metadata"]), steps=list(case["steps"])
    )
    if not all(isinstance(step, dict) and "op" in step for step in checked["steps"]):
        raise TypeError("a step without an operation")
    return checked


def check_writable(path: Path) -> None:
    """Raise :class:`UsageError` for a file that could not be written; creates nothing.

    A long run must not end with "no such folder".
    """
    existing = path
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if path.is_dir():
        reason = "it is a folder"
    elif existing != path and not existing.is_dir():
        reason = f"{existing} is not a folder"
    elif not os.access(path.parent if existing == path else existing, os.W_OK):
        reason = "no permission"
    else:
        return
    raise UsageError(f"{path} cannot be written: {reason}.", "Name another place for this file.")


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; raises :class:`SuiteError` if it cannot be."""
    temporary: str | None = None
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            # Such as /dev/stdout or /dev/null: written through, never replaced by a file.
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


def first_writable(folders: Sequence[Path]) -> Path:
    """The first of some folders into which files can be written; SuiteError if none."""
    reasons = []
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror or error}")
    raise SuiteError(
        f"There is no place to write to ({'; '.join(reasons)}).",
        "Name a folder that can be written with --output.",
    )

"""Divergences as files: attached to a bug report here, replayed there."""

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.files import write_whole
from conformance.model.case import Case
from conformance.model.results import Cell, Divergence, plain
from conformance.model.values import from_json, to_json
from conformance.suite_version import suite_version

FORMAT = "kafka-conformance divergence 1"
FIELDS = {field.name for field in fields(Divergence)} - {"before"}  # which 0.2.0 did not write


@dataclass(frozen=True)
class SavedDivergence:
    """What a divergence file holds."""

    divergence: Divergence
    suite_version: str


def divergence_text(divergence: Divergence) -> str:
    """A divergence as the JSON text of its file (schema: divergence.schema.json)."""
    document = {"format": FORMAT, "suite_version": suite_version(), **plain(divergence)}
    return to_json(document, indent=1) + "\n"


def save_divergence(divergence: Divergence, folder: Path, suffix: str = "") -> Path:
    """Write a divergence into a folder; raises :class:`SuiteError` if that cannot be.

    Its file is named after behaviour and client, with ``suffix`` behind them.
    """
    name = f"{divergence.cell.behaviour}-{divergence.cell.client}{suffix}"
    # A jar calls itself whatever it likes.
    path = folder / f"{re.sub(r'[^A-Za-z0-9._-]', '_', name)}.json"
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
    missing = FIELDS - document.keys()
    if missing:
        raise UsageError(f"{path} lacks {', '.join(sorted(missing))}.", remedy)
    values: dict[str, Any] = {name: document[name] for name in FIELDS}
    try:
        values["cell"] = _checked_cell(document["cell"])
        values["case"] = _checked_case(document["case"])
        values["remarks"] = tuple(document["remarks"])
        before = document.get("before", ())
        values["before"] = None if before is None else tuple(map(_checked_case, before))
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

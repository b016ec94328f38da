"""Divergences as files: attached to a bug report here, replayed there."""

import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.files import write_whole
from conformance.json_schema import problem_of
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
    remedy = "Give a file that kafka-conformance wrote, unchanged."
    try:
        text = path.read_text("utf-8")
        plain_document = json.loads(text, parse_float=_fraction, parse_constant=str)
        document = from_json(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", remedy) from error
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}.", remedy) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError(f"{path} is not a divergence file ({FORMAT!r}).", remedy)
    problem = problem_of("divergence", plain_document)
    if problem is not None:
        raise UsageError(f"{path} is damaged, at {problem}.", remedy)
    values: dict[str, Any] = {name: document[name] for name in FIELDS}
    values["cell"] = Cell(**document["cell"])
    values["remarks"] = tuple(document["remarks"])
    before = document.get("before", ())
    values["before"] = None if before is None else tuple(before)
    return SavedDivergence(Divergence(**values), document["suite_version"])


def _fraction(text: str) -> float | str:
    """A number with a point; 3.0 stays text, for a schema takes it for an integer."""
    number = float(text)
    return text if number.is_integer() else number

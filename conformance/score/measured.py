"""Figures that were measured before, so that a run that was stopped can go on."""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from conformance.engine.dependencies import digest_of
from conformance.jars.lock import lock_text
from conformance.mutants.mutant import ROOT
from conformance.suite_version import digest_of_sources

MEASURING: Final = (
    "conformance.score.answers",
    "conformance.score.in_tests",
    "conformance.score.measure",
    "conformance.score.trial",
)
"""The modules that measure. What is planted, and which cells see a mutation, is part of a figure's
name, so the catalogue is not among what they import."""


@cache
def sources() -> str:
    """A digest of all that a figure depends on: the suite, the port, the jars, Hypothesis."""
    port = digest_of_sources(ROOT.rglob("*.py"), ROOT)
    lock = hashlib.sha256(lock_text().encode()).hexdigest()
    return f"{version('hypothesis')} {digest_of(MEASURING)} {port} {lock}"


class Kept:
    """What was measured, by what it is of and what it depends on; a file of JSON lines.

    ``resume`` goes on with what the file has; without, the file starts empty. A last line that
    was cut short by whatever ended the run is left out.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._known: dict[str, Any] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if resume and path.exists():
            for line in path.read_text("utf-8").splitlines(keepends=True):
                if line.endswith("\n"):
                    name, figure = json.loads(line)
                    self._known[name] = figure
        self._write(self._known.items(), mode="w")

    def get(self, *what: object) -> Any:
        """The figure, as JSON has it, or None."""
        return self._known.get(_name(what))

    def put(self, figure: Any, *what: object) -> None:
        """Keep a figure, at once."""
        self._write([(_name(what), figure)], mode="a")

    def _write(self, figures: Any, *, mode: str) -> None:
        with self._path.open(mode, encoding="utf-8") as file:
            for figure in figures:
                file.write(json.dumps(figure) + "\n")


def _name(what: tuple[object, ...]) -> str:
    return hashlib.sha256(f"{sources()} {what!r}".encode()).hexdigest()

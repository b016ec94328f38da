"""Figures that were measured before, so that a run that was stopped can go on."""

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from conformance.mutants.mutant import ROOT
from conformance.suite_version import digest_of_sources

_SUITE = Path(__file__).parents[1]
_NO_MATTER = {
    *(
        "commands",
        "distributions",
        "reports",
        "schemas",
        "spark",
        "statistics",
        "testees",
        "vectors",
    ),
    "__pycache__",
}
"""Folders of the suite that no figure depends on."""
_PLANTED = {"adaptive", "built_in", "explicit_partition", "keyed", "load_stats", "producer_sends"}
_PLANTED |= {"round_robin", "sticky", "catalogue", "explanations", "kept", "page", "plot", "score"}
_PLANTED |= {"sight"}
"""Modules beside this one that none depends on: what is planted, and which cells see a mutation, is
part of a figure's name."""


@cache
def sources() -> str:
    """A digest of all that a figure depends on: the suite, the port, the jars, Hypothesis."""
    files = [
        file
        for file in _SUITE.rglob("*.*")
        if file.suffix in (".py", ".java")
        and not _NO_MATTER & set(file.relative_to(_SUITE).parts)
        and not (file.parent == Path(__file__).parent and file.stem in _PLANTED)
    ]
    lock = _SUITE.parent / "jars" / "lock.toml"
    digest = digest_of_sources([*files, *ROOT.rglob("*.py"), lock], _SUITE.parent)
    return f"{version('hypothesis')} {digest}"


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

"""A gate as the page shows it: what changed from one jar to another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.gate.outcomes import Change
from conformance.model.results import Verdict
from conformance.reports.html.cells import CellView
from conformance.reports.html.looks import LOOKS, Look
from conformance.reports.html.testees import checked_cell
from conformance.reports.html.text import cut
from conformance.text import listed

_NAME = 120
_CLASSES = 5
"""So many are named; the file has all."""
_SIDES = ("baseline", "candidate")
_ENDS = {
    0: (Verdict.CONFORMS, "Nothing changed but what was accepted, or came new"),
    1: (Verdict.DIVERGES, "Changed"),
    3: (Verdict.NOT_RUN, "Not everything could be compared"),
}
_LOOKS = {
    Change.SAME: Verdict.CONFORMS,
    Change.CHANGED: Verdict.DIVERGES,
    Change.GONE: Verdict.DIVERGES,
    Change.CHANGE_ACCEPTED: Verdict.KNOWN,
    Change.LOSS_ACCEPTED: Verdict.KNOWN,
    Change.NEW: Verdict.ABSENT,
    Change.NEITHER: Verdict.ABSENT,
    Change.NOT_COMPARABLE: Verdict.NOT_RUN,
}


@dataclass(frozen=True)
class ChangeView:
    """One behaviour, or distribution."""

    name: str
    look: Look
    change: str
    what: str


@dataclass(frozen=True)
class GateView:
    """Two jars."""

    anchor: str
    name: str
    end: Look
    told: str
    """How it ended, in words."""
    of: str
    """What the changes are changes of."""
    facts: tuple[tuple[str, str], ...]
    outdated: tuple[str, ...]
    changes: tuple[ChangeView, ...]
    cells: tuple[CellView, ...]
    """Those with a case to show."""
    interrupted: bool

    @property
    def unrun(self) -> bool:
        """Whether something of it is not known."""
        unknown = LOOKS[Verdict.NOT_RUN]
        return self.interrupted or any(one.look == unknown for one in self.changes)


def gate_view(path: Path, document: Mapping[str, Any], number: int) -> GateView:
    """Raises :class:`UsageError` for a report with a damaged divergence."""
    gate = document["gate"]
    verdict, told = _ENDS[document["exit_code"]]
    versions = (cut(gate[side]["version"], _NAME) for side in _SIDES)
    cells = [cell for cell in document.get("cells", ()) if cell["divergence"] is not None]
    return GateView(
        f"j{number}",
        "From kafka-clients {} to {}".format(*versions),
        LOOKS[verdict],
        told,
        "Behaviour" if "cells" in document else "Distribution",
        tuple(_facts(document)),
        tuple(cut(problem, 600) for problem in gate["outdated"]),
        tuple(
            ChangeView(
                cut(one["behaviour"], _NAME),
                LOOKS[_LOOKS[Change(one["change"])]],
                one["change"],
                cut(one["what"], 600),
            )
            for one in gate["changes"]
        ),
        # What a difference means is said of libraries that are held against Java.
        tuple(
            replace(checked_cell(path, cell, document, f"j{number}-{at}"), meanings=())
            for at, cell in enumerate(cells)
        ),
        document.get("interrupted", False),
    )


def _facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    gate = document["gate"]
    facts = [("Seed", str(document["seed"]))]
    facts += [(side.capitalize(), f"SHA-256 {gate[side]['sha256']}") for side in _SIDES]
    outcomes = (gate["classes"] or {"outcomes": []})["outcomes"]
    idle = [cut(one["name"], _NAME) for one in outcomes if not one["driven"]]
    if idle:
        told = f"{len(idle):,}: {listed(idle, _CLASSES)}"
        facts.append(("Changed classes that no behaviour drives", told))
    return facts

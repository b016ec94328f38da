"""A testee, or the port, as the page shows it: what it is like, and all of its cells."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.engine.likeness import WITHOUT_KEY, likenesses
from conformance.errors import UsageError
from conformance.model.results import Cell, CellResult, Verdict
from conformance.reports.html.cells import CellView, cell_view
from conformance.reports.html.documents import subject_of
from conformance.reports.html.looks import LOOKS, SOME, Look
from conformance.reports.html.text import cut, file_name
from conformance.text import tried

_NAME = 120
_ENDS = {0: Verdict.CONFORMS, 1: Verdict.DIVERGES, 3: Verdict.NOT_RUN}


@dataclass(frozen=True)
class TesteeView:
    """One row of the matrix."""

    anchor: str
    name: str
    version: str
    language: str
    group: str
    file: str
    end: Look
    """Of the whole run, as its exit code."""
    keys: str
    without_key: str
    likeness: tuple[str, ...]
    """Of everything else."""
    facts: tuple[tuple[str, str], ...]
    interrupted: bool
    outdated: tuple[str, ...]
    unclaimed: tuple[str, ...]
    """Divergences that decide nothing, each with the reason."""
    cells: Mapping[tuple[str, str], CellView]
    """Those that are not absent, by behaviour and client version."""
    absent: Mapping[tuple[str, str], str]
    counts: Mapping[Verdict, int]

    @property
    def untried(self) -> bool:
        """Whether any cell that passed did so on a part of its cases only."""
        return any(cell.untried for cell in self.cells.values())


def testee_view(path: Path, report: Mapping[str, Any], number: int) -> TesteeView:
    """Raises :class:`UsageError` for a report with a damaged divergence."""
    name, version, language = (cut(text, _NAME) for text in subject_of(report))
    lines = _likeness(report)
    keys, without_key = lines.pop("keyed", ""), lines.pop(WITHOUT_KEY, "")
    present = [cell for cell in report["cells"] if cell["verdict"] != Verdict.ABSENT]
    counts = dict.fromkeys(Verdict, 0)
    for cell in report["cells"]:
        counts[Verdict(cell["verdict"])] += 1
    return TesteeView(
        f"t{number}",
        name,
        version,
        language,
        _group(language),
        file_name(path),
        _end(report),
        cut(keys, 600),
        cut(without_key, 600),
        tuple(f"{cut(what, _NAME)}: {cut(told, 600)}" for what, told in lines.items()),
        tuple(_facts(report)),
        report["interrupted"],
        tuple(cut(text, 600) for text in report.get("testee", {}).get("outdated", ())),
        tuple(
            cut(f"{Cell(one['behaviour'], one['client'])} diverges. {one['why']}", 600)
            for one in _unclaimed(report)
        ),
        {
            (cell["behaviour"], cell["client"]): checked_cell(path, cell, report, f"t{number}-{at}")
            for at, cell in enumerate(present)
        },
        {
            (cell["behaviour"], cell["client"]): cut(cell["reason"], 300)
            for cell in report["cells"]
            if cell["verdict"] == Verdict.ABSENT
        },
        counts,
    )


def _unclaimed(report: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = report.get("testee", {}).get("unclaimed", ())
    return found


def _end(report: Mapping[str, Any]) -> Look:
    """How the run ended; one that is like some versions only does not look as if it conformed."""
    verdict = _ENDS[report["exit_code"]]
    return SOME if verdict is Verdict.CONFORMS and _unclaimed(report) else LOOKS[verdict]


def checked_cell(
    path: Path, cell: Mapping[str, Any], report: Mapping[str, Any], anchor: str
) -> CellView:
    """Raises :class:`UsageError` for a cell with a damaged divergence."""
    try:
        return cell_view(cell, report, anchor)
    except (TypeError, KeyError, ValueError, IndexError, AttributeError) as error:
        raise UsageError(
            f"{path} holds a damaged case of {cut(cell['behaviour'], 40)!r}: "
            f"{cut(repr(error), 200)}.",
            "Give a report as kafka-conformance wrote it, unchanged.",
        ) from error


def _group(language: str) -> str:
    """The language without its version: ``JavaScript`` of ``JavaScript (Node 20.20.2)``."""
    return re.split(r"[(\d,/]", language, maxsplit=1)[0].strip() or language


def _likeness(report: Mapping[str, Any]) -> dict[str, str]:
    """What it is like, by what is said to be like it."""
    told: Iterable[str]
    if "testee" in report:
        told = report["testee"]["likeness"]
    else:
        told = [str(one) for one in likenesses([_result(cell) for cell in report["cells"]])]
    parts = (line.partition(": ") for line in told)
    return {what: rest[:1].upper() + rest[1:] for what, _, rest in parts}


def _result(cell: Mapping[str, Any]) -> CellResult:
    return CellResult(
        Cell(cell["behaviour"], cell["client"]),
        Verdict(cell["verdict"]),
        cases=cell["cases"],
        refused=cell["refused"],
        limit=cell["limit"],
        differences=cell["differences"],
    )


def _compared(report: Mapping[str, Any]) -> str:
    return tried(report["cases"], sum(cell["records"] for cell in report["cells"]))


def _facts(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [
        ("Run", f"profile {cut(report['profile'], _NAME)}, seed {report['seed']}"),
        ("Compared", f"{_compared(report)} in {report['seconds']:,.0f} s"),
    ]
    testee = report.get("testee")
    if testee is None:
        return facts
    claims = sorted({one for support in testee["behaviours"].values() for one in support["claims"]})
    return [
        *facts,
        ("Command", cut(shlex.join(testee["command"]), 400)),
        (
            "Claims to match Java",
            cut(", ".join(claims), 400) or "nothing; every version was tried",
        ),
    ]

"""One cell of the matrix as the page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.model.results import Cell, Divergence, Verdict, untried_cases
from conformance.reports.describe import describe_divergence
from conformance.reports.divergence_file import FIELDS
from conformance.reports.html.looks import Look, look_of
from conformance.reports.html.meanings import meanings
from conformance.reports.html.pictures import Drawn, drawn
from conformance.reports.html.text import cut, cut_lines, web_address
from conformance.reports.html.words import evidence

_SHOWN = 160


@dataclass(frozen=True)
class Tested:
    """A test of a distribution."""

    distribution: str
    name: str
    look: Look
    evidence: str


@dataclass(frozen=True)
class Known:
    """Why a cell may diverge."""

    cause: str
    link: str
    address: str | None
    """The link, if it is one that may be followed."""


@dataclass(frozen=True)
class CellView:
    """One cell."""

    anchor: str
    behaviour: str
    client: str
    look: Look
    said: str
    """The verdict in a sentence, for those who do not see the sign."""
    untried: str
    """What of it was not asked or tried; empty if all was, or if it matters no more."""
    facts: tuple[tuple[str, str], ...]
    reason: str
    meanings: tuple[str, ...]
    counterexample: str
    replay: str
    known: tuple[Known, ...]
    tests: tuple[Tested, ...]
    plots: tuple[Drawn, ...]


def cell_view(cell: Mapping[str, Any], report: Mapping[str, Any], anchor: str) -> CellView:
    """Raises ``ValueError``, ``TypeError`` or the like for a damaged divergence."""
    look = look_of(cell["verdict"])
    where = f"{cell['behaviour']}, client {cell['client']}"
    said = f"{where}: {look.word}"
    # A divergence is one, however much was tried; what conforms does so as far as it was tried.
    passed = cell["verdict"] in (Verdict.CONFORMS, Verdict.KNOWN)
    parts = (cell["limit"], untried_cases(cell["refused"], cell["cases"]))
    untried = cut("; ".join(filter(None, parts)), _SHOWN) if passed else ""
    return CellView(
        anchor,
        cell["behaviour"],
        cell["client"],
        look,
        f"{said}, {untried}" if untried else said,
        untried,
        tuple(_facts(cell, report)),
        cut(cell["reason"]),
        tuple(meanings(cell)),
        _counterexample(cell["divergence"]),
        cut(cell["replay"]),
        tuple(_known(cell, report)),
        tuple(_tested(test) for test in cell["tests"]),
        tuple(drawn(cell)),
    )


def _facts(cell: Mapping[str, Any], report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was run, in words."""
    facts = []
    if cell["cases"]:
        differing = sum(cell["differences"][name] for name in cell["kinds"])
        told = f"{cell['cases']:,}, {cell['steps']:,} steps in all"
        facts.append(("Cases", f"{told}; {differing:,} differ" if differing else told))
    if cell["records"]:
        told = f"{cell['records']:,} from Java and as many from it"
        bias = cell.get("smallest_bias")
        would = "" if bias is None else f"; a bias of {bias:.2%} would have been found"
        facts.append(("Records", told + would))
    if cell["cases"] or cell["records"]:
        facts.append(("Seed, profile", f"{report['seed']}, {cut(report['profile'], _SHOWN)}"))
    facts += [
        ("Left out", "; ".join(cut(word, _SHOWN) for word in _support(cell, report)["cannot"])),
        ("Only", "; ".join(_support(cell, report)["operations"])),
        ("Not tried", _refused(cell)),
        ("Differs in", _differences(cell["differences"])),
    ]
    return [(name, told) for name, told in facts if told]


def _support(cell: Mapping[str, Any], report: Mapping[str, Any]) -> Mapping[str, Any]:
    nothing: Mapping[str, Any] = {"cannot": [], "operations": []}
    found: Mapping[str, Any] = (
        report.get("testee", {}).get("behaviours", {}).get(cell["behaviour"], nothing)
    )
    return found


def _refused(cell: Mapping[str, Any]) -> str:
    if not cell["refused"]:
        return ""
    why = "; ".join(cut(reason, 400) for reason in cell["refusals"][:5])
    return f"{cell['refused']:,} more cases could not be tried: {why}"


def _differences(differences: Mapping[str, int]) -> str:
    most = sorted(differences, key=lambda name: -differences[name])
    shown = [
        cut(name, _SHOWN) + (f" ({differences[name]:,} times)" if differences[name] > 1 else "")
        for name in most[:6]
    ]
    more = [f"{len(most) - len(shown)} more kinds"] if len(most) > len(shown) else []
    return "; ".join([*shown, *more])


def _counterexample(document: Mapping[str, Any] | None) -> str:
    if document is None:
        return ""
    values = {name: document[name] for name in FIELDS}
    values |= {"cell": Cell(**document["cell"]), "remarks": tuple(document["remarks"])}
    values["before"] = document.get("before", ())
    told = describe_divergence(Divergence(**values), "")
    # The command has a place of its own.
    return cut_lines(told.rpartition("\nReplay: ")[0])


def _known(cell: Mapping[str, Any], report: Mapping[str, Any]) -> list[Known]:
    if cell["verdict"] not in (Verdict.KNOWN, Verdict.DIVERGES):
        return []
    return [
        Known(cut(entry["cause"]), cut(entry["link"], _SHOWN), web_address(entry["link"]))
        for entry in report.get("testee", {}).get("known", ())
        if entry["behaviour"] == cell["behaviour"]
        and cell["client"] in entry["clients"]
        and {*entry["differences"], *entry["sometimes"]} & set(cell["differences"])
    ]


def _tested(test: Mapping[str, Any]) -> Tested:
    return Tested(
        cut(test["distribution"], _SHOWN),
        cut(test["test"], _SHOWN),
        look_of(test["verdict"]),
        cut(evidence(test)),
    )


def tested(tests: Sequence[Mapping[str, Any]]) -> tuple[Tested, ...]:
    """Tests of a file of statistics."""
    return tuple(_tested(test) for test in tests)

"""Plots of what was counted: numbers and paths for the macros that draw them as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.engine.results import Shows, Verdict

SIDE = 30
"""A cell of a heat map is a square of so many units."""
_LEVELS = (0.0, 0.05, 0.15, 0.25, 0.4, 0.7)
"""Shares above which the next darker colour begins; the first is for none at all."""
_WHO = ("Java", "This subject")
_LARGEST = 16
"""Rows and columns that a plot has room for."""
_BAR, _GAP, HEIGHT = 14, 12, 90


@dataclass(frozen=True)
class Panel:
    """A heat map of one subject."""

    name: str
    levels: tuple[tuple[int, str], ...]
    """The path of all cells of a colour."""
    labels: tuple[str, ...]
    """The percentages of each row, in so many characters for each cell."""


@dataclass(frozen=True)
class Drawn:
    """One plot."""

    kind: str
    title: str
    alternative: str
    """The same in words and numbers."""
    names: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    java: str = ""
    """The path of Java's bars."""
    subject: str = ""
    top: str = ""
    width: int = 0


def drawn(cell: Mapping[str, Any]) -> list[Drawn]:
    """The plots of a cell; those that would be too large to read are left out.

    So are those of a distribution that is judged exactly and conforms: they show nothing.
    """
    plots: list[Drawn] = []
    shown = {
        test["distribution"]
        for test in cell["tests"]
        if test["p"] is not None or test["verdict"] == Verdict.DIVERGES
    }
    for picture in cell["pictures"]:
        if picture["distribution"] not in shown or not _fits(picture):
            continue
        if picture["java"] == picture["subject"]:
            told = f"{picture['distribution']}: exactly as many in each partition as with Java"
            plots.append(Drawn("words", "", told))
            continue
        match Shows(picture["shows"]):
            case Shows.TRANSITIONS:
                plots.append(_heat_maps(picture))
            case Shows.IN_A_ROW:
                plots.append(_in_a_row(picture))
            case Shows.PARTITIONS:
                what = f"Share of each partition ({picture['distribution']})"
                plots.append(_bars(what, picture, 0))
            case Shows.LOADS:
                plots += [
                    _bars(f"Share of each partition, queues {row}", picture, at)
                    for at, row in enumerate(picture["rows"])
                ]
    return plots


def _fits(picture: Mapping[str, Any]) -> bool:
    """Whether both tables have the shape that the names promise, and room."""
    rows, columns = len(picture["rows"]), len(picture["columns"])
    return max(rows, columns) <= _LARGEST and all(
        [len(row) for row in picture[whose]] == [columns] * rows for whose in ("java", "subject")
    )


def _shares(row: Sequence[int]) -> list[float]:
    total = sum(row)
    return [count / total if total else 0.0 for count in row]


def _percent(shares: Sequence[float]) -> str:
    return ", ".join(f"{100 * share:.1f}" for share in shares)


def _heat_maps(picture: Mapping[str, Any]) -> Drawn:
    names = tuple(picture["columns"])
    tables = [[_shares(row) for row in picture[whose]] for whose in ("java", "subject")]
    said = [
        f"{who}: " + "; ".join(f"after {n}: {_percent(r)}" for n, r in zip(names, t, strict=True))
        for who, t in zip(_WHO, tables, strict=True)
    ]
    return Drawn(
        "heat",
        f"Which partition follows which, in % of the choices after it ({picture['distribution']})",
        "In %, in the order of the partitions. " + ". ".join(said),
        names,
        (_panel(_WHO[0], tables[0]), _panel(_WHO[1], tables[1])),
        width=SIDE * len(names),
    )


def _panel(name: str, table: Sequence[Sequence[float]]) -> Panel:
    paths: dict[int, list[str]] = {}
    for row, shares in enumerate(table):
        for column, share in enumerate(shares):
            level = sum(share > limit for limit in _LEVELS)
            square = f"M{column * SIDE} {row * SIDE}h{SIDE}v{SIDE}h-{SIDE}z"
            paths.setdefault(level, []).append(square)
    labels = tuple("".join(f"{100 * share:^5.0f}" for share in row) for row in table)
    return Panel(name, tuple((at, "".join(paths[at])) for at in sorted(paths)), labels)


def _bars(title: str, picture: Mapping[str, Any], row: int) -> Drawn:
    names = tuple(picture["columns"])
    java, mine = _shares(picture["java"][row]), _shares(picture["subject"][row])
    top = max(*java, *mine, 0.01) * 1.05
    said = (
        f"In %, partitions {', '.join(names)}. Java: {_percent(java)}. {_WHO[1]}: {_percent(mine)}"
    )
    return Drawn(
        "bars",
        title,
        said,
        names,
        java=_bar_path(java, top, 0),
        subject=_bar_path(mine, top, _BAR),
        top=f"{top:.0%}",
        width=len(names) * (2 * _BAR + _GAP) + _GAP,
    )


def _bar_path(shares: Sequence[float], top: float, offset: int) -> str:
    bars = []
    for place, share in enumerate(shares):
        left = _GAP + place * (2 * _BAR + _GAP) + offset
        high = round(HEIGHT * share / top)
        bars.append(f"M{left} {HEIGHT}v-{high}h{_BAR}v{high}z")
    return "".join(bars)


def _in_a_row(picture: Mapping[str, Any]) -> Drawn:
    java, mine = (
        table[0][0] / max(table[0][1], 1) for table in (picture["java"], picture["subject"])
    )
    told = f"Records in a row to one partition, on average: Java {java:.2f}, {_WHO[1]} {mine:.2f}"
    return Drawn("words", "", told)

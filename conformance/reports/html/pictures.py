"""Plots of what was counted: numbers and paths for the macros that draw them as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.model.results import Shows, Verdict

SIDE = 30
"""A cell of a heat map is a square of so many units; style.css scales its paths."""
_LEVELS = (0.0, 0.03, 0.12, 0.22, 0.3, 0.45, 0.7)
"""Shares above which the next darker colour begins, none of them near a fair share of few."""
_WHO = ("Java", "This subject")
_LARGEST = 16
"""Rows and columns that a plot has room for."""
_BAR, _GAP, HEIGHT = 14, 12, 90


@dataclass(frozen=True)
class Panel:
    """A heat map of one subject."""

    name: str
    alternative: str
    """The same in words and numbers."""
    levels: tuple[tuple[int, str], ...]
    """The path of all cells of a colour, in cells."""
    labels: tuple[str, ...]
    """The columns' names; then each row's name and percentages, five characters for each cell."""


@dataclass(frozen=True)
class Drawn:
    """One plot."""

    kind: str
    title: str
    alternative: str = ""
    """The same in words and numbers."""
    names: str = ""
    """Of the bars, eight characters for each."""
    panels: tuple[Panel, ...] = ()
    java: str = ""
    """The path of Java's bars."""
    subject: str = ""
    top: str = ""
    width: int = 0


def drawn(cell: Mapping[str, Any]) -> list[Drawn]:
    """The plots of a cell, one of a kind; those that would be too large to read are left out.

    So are those that show nothing: exactly the same counts, or a distribution that conforms and
    is judged exactly.
    """
    judged = {
        test["distribution"]
        for test in cell["tests"]
        if test["p"] is not None or test["verdict"] == Verdict.DIVERGES
    }
    of_kind = {
        picture["shows"]: picture
        for picture in reversed(cell["pictures"])
        if picture["distribution"] in judged
        and picture["java"] != picture["subject"]
        and _fits(picture)
    }
    return [plot for shows in Shows if shows in of_kind for plot in _plots(of_kind[shows])]


def _plots(picture: Mapping[str, Any]) -> list[Drawn]:
    match Shows(picture["shows"]):
        case Shows.TRANSITIONS:
            return [_heat_maps(picture)]
        case Shows.IN_A_ROW:
            return [_in_a_row(picture)]
        case Shows.PARTITIONS:
            return [_bars(f"Share of each partition ({picture['distribution']})", picture, 0)]
        case Shows.LOADS:
            return [
                _bars(f"Share of each partition, queues {row}", picture, at)
                for at, row in enumerate(picture["rows"])
            ]


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
    return Drawn(
        "heat",
        f"Which partition follows which, in % of the choices after it ({picture['distribution']})",
        panels=tuple(
            _panel(who, names, [_shares(row) for row in picture[whose]])
            for who, whose in zip(_WHO, ("java", "subject"), strict=True)
        ),
        width=SIDE * len(names),
    )


def _panel(who: str, names: Sequence[str], table: Sequence[Sequence[float]]) -> Panel:
    paths: dict[int, list[str]] = {}
    for row, shares in enumerate(table):
        for column, share in enumerate(shares):
            level = sum(share > limit for limit in _LEVELS)
            square = f"M{column} {row}h1v1h-1z"
            paths.setdefault(level, []).append(square)
    labels = (
        _line("", names),
        *(
            _line(name, [f"{100 * share:.0f}" for share in row])
            for name, row in zip(names, table, strict=True)
        ),
    )
    said = "; ".join(
        f"after {name}: {', '.join(f'{100 * share:.0f}' for share in row)}"
        for name, row in zip(names, table, strict=True)
    )
    return Panel(
        who, f"{who}: {said}", tuple((at, "".join(paths[at])) for at in sorted(paths)), labels
    )


def _line(name: str, cells: Sequence[str]) -> str:
    return "".join(f"{text[:5]:^5}" for text in (name, *cells))


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
        "".join(f"{name[:7]:^8}" for name in names),
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

"""The picture of a history: a row for each behaviour, a column for each version.

Letters and hatching say the same as the colours, so that it can be read without them.
"""

from itertools import groupby

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from conformance.gate.history import History, Point, Row, State
from conformance.reports.history_words import LEGEND, signs
from conformance.svg import svg_text

_ERAS = (("#cfe3f2", ""), ("#f6cf9c", "///"), ("#b9dcb0", "\\\\\\"), ("#e0c3e6", "..."))
"""Colour and hatching of the first, second ... letter; then again."""
_UNKNOWN = ("#fff3b0", "xx")
_NOT_RUN = ("#e8e8e8", "++")
_MARKS = {State.CHANGED: "#b00020", State.NEW: "#20603a", State.NOT_COMPARABLE: "#8a6d00"}


def history_svg(history: History) -> str:
    """The picture as SVG; the same history gives the same text."""
    versions = [release.version for release in history.releases]
    with mpl.rc_context({"font.size": 9, "hatch.linewidth": 0.4, "hatch.color": "#777777"}):
        size = (2.2 + 0.46 * len(versions), 1.7 + 0.36 * len(history.rows))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        for number, row in enumerate(history.rows):
            _draw_row(axes, number, row)
        axes.set_xlim(0, len(versions))
        axes.set_ylim(len(history.rows), 0)
        axes.set_xticks([at + 0.5 for at in range(len(versions))], versions, rotation=60)
        axes.set_yticks(
            [at + 0.5 for at in range(len(history.rows))], [row.behaviour for row in history.rows]
        )
        axes.xaxis.tick_top()
        axes.set_title("version of kafka-clients", fontsize=9)
        axes.set_ylabel("behaviour")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(
            "same letter: same answers; next letter, after a thick line: changed; ?: not "
            "comparable;\n(): not driven; empty: not there; crosses: not run",
            fontsize=8,
        )
        told = f"{'; '.join(map(_told, history.rows))}. {LEGEND}"
        return svg_text(figure, "When did each behaviour change?", told)


def _told(row: Row) -> str:
    """Such as ``sticky A 2.4.1 to 2.5.1, B 2.6.3 to 3.9.2``."""
    spans = []
    for sign, group in groupby(zip(signs(row), row.points, strict=True), key=lambda one: one[0]):
        versions = [point.version for _, point in group]
        last = "" if len(versions) == 1 else f" to {versions[-1]}"
        spans += [f"{sign} {versions[0]}{last}"] * (sign != "-")
    return f"{row.behaviour} {', '.join(spans) or 'in none'}"


def _draw_row(axes: Axes, number: int, row: Row) -> None:
    cells = list(enumerate(zip(row.points, signs(row), strict=True)))
    for sign, group in groupby(cells, key=lambda cell: cell[1][1].strip("()")):
        here = list(group)
        if sign == "-":
            continue
        colour, hatch = _look(sign)
        first, last = here[0][0], here[-1][0]
        axes.add_patch(
            Rectangle(
                (first, number + 0.1),
                last - first + 1,
                0.8,
                facecolor=colour,
                hatch=hatch,
                edgecolor="none" if not hatch else "#777777",
                linewidth=0,
            )
        )
        for at, (_, shown) in here:
            axes.text(
                at + 0.5,
                number + 0.5,
                "" if sign == "not run" else shown,
                ha="center",
                va="center",
                fontsize=8,
            )
    for at, (point, _) in cells:
        _mark(axes, at, number, point)


def _mark(axes: Axes, at: int, number: int, point: Point) -> None:
    """A line where something begins, so that it is seen which version it came with."""
    if point.state in _MARKS:
        width = 1.2 if point.state is State.NEW else 3
        axes.plot(
            [at, at], [number + 0.04, number + 0.96], color=_MARKS[point.state], linewidth=width
        )
    elif point.state is State.GONE:
        axes.text(at + 0.1, number + 0.5, "gone", va="center", fontsize=7, style="italic")


def _look(sign: str) -> tuple[str, str]:
    if sign == "not run":
        return _NOT_RUN
    if sign.endswith("?"):
        return _UNKNOWN
    return _ERAS[(ord(sign) - ord("A")) % len(_ERAS)]

"""What the plots share: colours, titles that say the conclusion, and whose counts they show."""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from conformance.model.distribution import Measures
from conformance.model.results import Verdict
from conformance.reports.compared import Compared, Floats, strictness
from conformance.sampling.blocks import CRASH
from conformance.sampling.judging import StatisticsResult

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's, which can be told apart whatever colours somebody sees."""
MARKERS = ("o", "D", "s", "^", "v", "P")
GREY = "#6b6b6b"
BAND = "#dddddd"
HEAT = "PuOr"
"""The colours of heat maps, from less to more."""
IN_THE_BAND = "chance alone stays within this in 999 of 1,000 samples"
_TITLE_CHARACTERS = 9.5
"""Characters of a title that fit into an inch."""

# Names come from files: a "$" in one is a "$", and no formula.
mpl.rcParams["text.parse_math"] = False


@dataclass(frozen=True)
class Sample:
    """What one subject's records added up to."""

    distribution: str
    client: str
    kind: str
    """``Java`` or ``Python port``."""
    measures: Measures

    @property
    def label(self) -> str:
        """For legends."""
        return f"{self.kind} {self.client}"


def samples(result: StatisticsResult, distribution: str) -> list[Sample]:
    """Of each subject of a distribution; without those that crashed, which counted only a part."""
    return [
        Sample(of.distribution, of.client, of.kind, measures)
        for of, measures in result.measures.items()
        if of.distribution == distribution and CRASH not in measures.first
    ]


@dataclass(frozen=True)
class Series:
    """Counts that several subjects may share."""

    label: str
    table: Compared


def series(tables: Iterable[tuple[Sample, Compared]]) -> list[Series]:
    """Equal counts drawn once, under the names of all whose they are."""
    found: list[tuple[list[Sample], Compared]] = []
    for sample, table in tables:
        for whose, other in found:
            if np.array_equal(other.counts, table.counts):
                whose.append(sample)
                break
        else:
            found.append(([sample], table))
    if len(found) == 1 and len(found[0][0]) > 2:
        return [Series(f"all {len(found[0][0])} subjects, exactly alike", found[0][1])]
    return [Series(_together(whose), table) for whose, table in found]


def _together(whose: Iterable[Sample]) -> str:
    """``Java 2.3.1, 3.2.3 = Python port 2.3.1``."""
    versions: dict[str, list[str]] = {}
    for sample in whose:
        versions.setdefault(sample.kind, []).append(sample.client)
    return " = ".join(f"{kind} {', '.join(clients)}" for kind, clients in versions.items())


def conclusion(
    result: StatisticsResult, good: str, about: Callable[[str, str], bool], *, otherwise: str
) -> str:
    """The title of a figure: ``good`` if all tests that it is about conform, else who does not.

    ``about`` is asked for each distribution and test; ``otherwise`` is the subject of the figure
    in few words, for a title that has to report something else.
    """
    mine = [t for t in result.tests if about(t.of.distribution, t.outcome.test)]
    mine += [
        t
        for t in result.tests
        if t.outcome.test == "answers" and any(t.of.distribution == m.of.distribution for m in mine)
    ]
    diverging = [t for t in mine if t.verdict is Verdict.DIVERGES]
    if diverging:
        whose = dict.fromkeys(f"{t.of.kind} {t.of.client}" for t in diverging)
        what = dict.fromkeys(t.of.distribution for t in diverging)
        diverge = "DIVERGES" if len(whose) == 1 else "DIVERGE"
        return f"{otherwise}: {', '.join(whose)} {diverge} ({', '.join(what)})"
    missing = [t for t in mine if t.verdict is Verdict.NOT_RUN]
    if missing:
        names = ", ".join(sorted({t.of.distribution for t in missing}))
        return f"{otherwise}: {names} not judged ({missing[0].outcome.not_run})"
    return good if mine else f"{otherwise}: not judged"


def new_figure(width: float, height: float, title: str, note: str) -> Figure:
    """A figure of so many inches, with its conclusion above and how to read it below."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[union-attr,call-arg]
    wrapped = textwrap.fill(title, int(width * _TITLE_CHARACTERS))
    figure.suptitle(wrapped, x=0.01, ha="left", fontsize=13, fontweight="bold")
    told = textwrap.fill(note, int(width * 14))
    figure.supxlabel(told, x=0.01, ha="left", fontsize=9, color=GREY)
    return figure


def plain_numbers(axis: Axis) -> None:
    """Write 0.1, 10 and 1,000 beside a logarithmic axis, after its scale was set.

    Matplotlib writes powers of ten as formulas, which nothing here is taken for.
    """
    axis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def tidy(axes: Axes, title: str = "") -> Axes:
    """Axes without what is not needed."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.set_axisbelow(True)
    if title:
        axes.set_title(title, loc="left", fontsize=10)
    return axes


def largest(numbers: Floats) -> float:
    """The one that is farthest from 0; 0 if there is no number."""
    return float(np.nanmax(np.abs(numbers), initial=0.0))


def lollipops(axes: Axes, drawn: Sequence[Series], *, band: bool) -> None:
    """Deviations from the expected share in percent, one stem per cell, beside the chance band."""
    axes.axhline(0, color=GREY, linewidth=0.8)
    for number, one in enumerate(drawn):
        percent = one.table.percent.ravel()
        offset = (number - (len(drawn) - 1) / 2) * 0.8 / max(len(drawn), 2)
        places = np.arange(len(percent)) + offset
        few = len(percent) <= 100
        axes.vlines(places, 0, percent, color=COLOURS[number % 6], linewidth=1.6 if few else 0.4)
        axes.plot(
            *(places, percent),
            linestyle="none",
            marker=MARKERS[number % 6],
            markersize=4.5 if few else 1.5,
            color=COLOURS[number % 6],
            label=one.label,
        )
    highest = max(largest(one.table.percent) for one in drawn)
    if band:
        width = largest(drawn[0].table.band)
        axes.axhspan(-width, width, color=BAND, linewidth=0, zorder=0)
        highest = max(highest, width)
    limit = highest * 1.25 or 1
    axes.set_ylim(-min(limit, 110), limit)  # nothing is more than 100 % off below
    axes.locator_params(axis="x", integer=True)


def heat_map(axes: Axes, table: Compared, norm: TwoSlopeNorm) -> None:
    """How much more or less often than expected one partition follows another, in percent."""
    axes.imshow(table.percent, cmap=HEAT, norm=norm)
    axes.set_xticks(range(len(table.counts)))
    axes.set_yticks(range(len(table.counts)))
    axes.tick_params(labelsize=8, length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("to partition", fontsize=9)
    axes.set_ylabel("from partition", fontsize=9)
    for (row, column), percent in np.ndenumerate(table.percent):
        # Where nothing is expected the count itself tells.
        never = np.isnan(percent)
        count = table.counts[row, column]
        text = ("never" if count == 0 else f"{count:,.0f}\ntimes") if never else f"{percent:+.2f}"
        text = "0.00" if text in ("+0.00", "-0.00") else text
        dark = not never and abs(percent) > 0.7 * norm.vmax  # type: ignore[operator]
        wrong = never and count > 0
        colour = "white" if dark else "#b00000" if wrong else GREY if never else "black"
        axes.text(
            *(column, row, text),
            ha="center",
            va="center",
            fontsize=7.5,
            fontweight="bold" if wrong else "normal",
            color=colour,
        )


def share_panel(axes: Axes, mine: Sequence[Sample], unit: str) -> None:
    """How far from an equal share each partition is, with where the true mean can be."""
    axes.axhline(0, color=GREY, linewidth=0.8)
    for number, one in enumerate(mine):
        table = one.measures.table(unit)
        percent = 100 * (table / table.mean() - 1)
        blocks, partitions = table.shape
        error = percent.std(axis=0, ddof=1) / blocks**0.5 if blocks > 1 else np.zeros(partitions)
        axes.errorbar(
            np.arange(partitions) + (number - (len(mine) - 1) / 2) * 0.2,
            percent.mean(axis=0),
            strictness(partitions * len(mine)) * error,
            linestyle="none",
            marker=MARKERS[number % 6],
            markersize=5,
            capsize=3,
            color=COLOURS[number % 6],
            label=one.label,
        )
        axes.set_xticks(range(partitions))
    axes.set_xlabel("partition", fontsize=9)
    if mine:
        low, high = axes.get_ylim()
        axes.set_ylim(-max(-low, high), max(-low, high))
        axes.legend(fontsize=7, frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)

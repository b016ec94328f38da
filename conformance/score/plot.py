"""docs/score.svg: how many of the planted bugs each suite finds, behaviour by behaviour."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from conformance.score.measure import Measured
from conformance.score.page import SUITES, by_behaviour, found_of
from conformance.svg import svg_text

_COLOURS = {
    "the suite": "#1b6ca8",
    "vectors": "#6fb98f",
    "Kafka's own": "#e0a030",
    "twelve vectors": "#b5533c",
}


def draw(planted: Sequence[Measured], path: Path) -> None:
    """Write the plot; the same figures give the same bytes."""
    groups = by_behaviour(planted)
    shown = [suite for suite in SUITES if found_of(planted, suite) is not None]
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(9, 0.55 * len(groups) + 1.2), layout="constrained")
        axes = figure.add_subplot()
        height = 0.8 / len(shown)
        for at, suite in enumerate(shown):
            shares = [100 * (found_of(some, suite) or 0) / len(some) for some in groups.values()]
            places = [row + at * height for row in range(len(groups))]
            bars = axes.barh(places, shares, height * 0.9, label=suite, color=_COLOURS[suite])
            axes.bar_label(bars, [f"{share:.0f}" for share in shares], padding=2, fontsize=7)
        middle = height * (len(shown) - 1) / 2
        names = [f"{name} ({len(some)})" for name, some in groups.items()]
        axes.set_yticks([row + middle for row in range(len(groups))], names)
        axes.invert_yaxis()
        axes.set_xlim(0, 108)
        axes.set_xlabel("planted bugs found, in percent of each behaviour's (their number)")
        axes.set_ylabel("behaviour")
        figure.legend(loc="outside upper center", ncols=len(shown), frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        told = "; ".join(f"{suite} {found_of(planted, suite)} of {len(planted)}" for suite in shown)
        text = svg_text(figure, "Planted bugs that each suite finds", f"In all: {told}.")
        path.write_text(text, "utf-8")

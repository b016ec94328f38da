"""Pictures of how many records each partition got over time, coloured by its broker."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from conformance.reports.plot_parts import COLOURS, new_figure, tidy

TITLE: Final = "Records sent to each partition, over time"
NOTE: Final = "A line is a partition, its colour the broker that leads it; slow brokers are dashed."
_ACROSS: Final = 4
_WIDTH: Final = 10.0
_HEIGHT: Final = 2.6
_MOST_PANELS: Final = 24


@dataclass(frozen=True)
class Panel:
    """A producer: at which times (ms) it had sent how many records to each partition."""

    name: str
    at_ms: Sequence[float]
    sent: Mapping[int, Sequence[float]]
    brokers: Mapping[int, int]
    slow: Sequence[int]
    """Brokers."""


def courses_figure(panels: Sequence[Panel], title: str = TITLE) -> Figure:
    """A panel for each producer, the first ones if there are very many; all have one scale."""
    shown = panels[:_MOST_PANELS]
    left = len(panels) - len(shown)
    note = f"{NOTE} {left} more producers are not shown." if left else NOTE
    across = min(_ACROSS, len(shown))
    rows = math.ceil(len(shown) / across)
    figure = new_figure(_WIDTH, 1.4 + _HEIGHT * rows, title, note)
    grid = figure.subplots(rows, across, squeeze=False, sharey=True)
    brokers = sorted({broker for one in shown for broker in one.brokers.values()})
    colours = {broker: COLOURS[at % len(COLOURS)] for at, broker in enumerate(brokers)}
    for panel, axes in zip(shown, grid.flat, strict=False):
        _draw(tidy(axes, panel.name), panel, colours)
    for axes in grid.flat[len(shown) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("records", fontsize=8)
    slow = {broker for one in shown for broker in one.slow}
    lines = [Line2D([], [], color=colours[one], linestyle=_style(one in slow)) for one in brokers]
    names = [f"broker {one}" for one in brokers]
    grid[0][0].legend(lines, names, fontsize=7, frameon=False)
    return figure


def _style(slow: bool) -> Any:
    return (0, (3, 1)) if slow else "solid"


def _draw(axes: Axes, panel: Panel, colours: Mapping[int, str]) -> None:
    seconds = [one / 1e3 for one in panel.at_ms]
    for partition, sent in panel.sent.items():
        broker = panel.brokers[partition]
        style = _style(broker in panel.slow)
        axes.plot(seconds, sent, color=colours[broker], linestyle=style, linewidth=1.0)
    axes.set_xlabel("seconds from the first record", fontsize=8)
    axes.set_ylim(bottom=0)


def counting(variant: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Of an experiment's JSON document: what was measured of each run of a producer that counts."""
    return [one["measured"] for one in variant["runs"] if one["measured"] and not one["not_run"]]


def course_panels(experiment: Mapping[str, Any]) -> list[Panel]:
    """Of an experiment's JSON document: the first run that counts of each producer."""
    panels = []
    for variant in experiment["variants"]:
        runs = counting(variant)
        if not runs:
            continue
        first = runs[0]
        last = _last_sent(first["course"])
        panels.append(
            Panel(
                variant["name"],
                first["course"]["at_ms"][:last],
                {at: sent[:last] for at, sent in enumerate(first["course"]["sent"])},
                {at: one["broker"] for at, one in enumerate(first["partitions"])},
                experiment["slow_brokers"] if variant["condition"] == "slow" else (),
            )
        )
    return panels


def _last_sent(course: Mapping[str, Any]) -> int:
    """How many of a course's times there are until all has been sent."""
    totals = [sum(at) for at in zip(*course["sent"], strict=True)]
    return totals.index(totals[-1]) + 1

"""Plots of what a producer makes of a partitioner: bytes in each order of sending, who starves."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from conformance.distributions.double_call import SCENARIOS
from conformance.distributions.drains import ONE_SLOW, ORDERS
from conformance.reports.plot_parts import (
    COLOURS,
    GREY,
    Sample,
    conclusion,
    new_figure,
    samples,
    share_panel,
    tidy,
)
from conformance.sampling.judging import StatisticsResult

_PRODUCER = "round-robin/producer"
_TITLES = {
    "at-once": "each batch sent at once",
    "in-turn": "brokers served in turn",
    "at-random": "brokers served at random",
    ONE_SLOW: "broker 0 served late",
}


def producer_bytes(result: StatisticsResult) -> Figure | None:
    """Bytes per partition for each order in which batches are sent."""
    drawn = [(order, mine) for order in ORDERS if (mine := samples(result, f"built-in/{order}"))]
    if not drawn:
        return None
    names = {f"built-in/{order}" for order, _ in drawn}
    slow = f"built-in/{ONE_SLOW}" in names
    found = ["every partition gets equal bytes"] * bool(len(names) - slow)
    found += ["a slow broker gets what it gets with Java"] * slow
    title = conclusion(
        result,
        f"Built-in, in a producer: {'; '.join(found)}",
        lambda name, _test: name in names,
        otherwise="Bytes by order of sending",
    )
    note = (
        "Bars: where the true mean is with 99.9 % confidence for all points of a panel together. "
        "They should meet 0"
    )
    if slow:
        note += (
            ", except with a slow broker: a switch waits for a full batch, and its queue has an "
            "unfinished one most often. There all subjects should meet each other"
        )
    figure = new_figure(3.2 * max(len(drawn), 2), 4.2, title, f"{note}.")
    grid = figure.subplots(1, len(drawn), squeeze=False).ravel()
    for axes, (order, mine) in zip(grid, drawn, strict=True):
        share_panel(axes, mine, "bytes")
        tidy(axes, _TITLES[order] + "\n" * -(-len(mine) // 2))  # above the legend, two in a line
    grid[0].set_ylabel("off an equal share, %", fontsize=9)
    return figure


def producer_starving(result: StatisticsResult) -> Figure | None:
    """Records per partition of a producer with RoundRobinPartitioner, a batch for each record."""
    mine = samples(result, _PRODUCER)
    if not mine:
        return None
    title = conclusion(
        result,
        "RoundRobinPartitioner in a producer: every second of an even number starves",
        lambda name, _test: name == _PRODUCER,
        otherwise="RoundRobinPartitioner in a producer",
    )
    note = (
        "Share of the records, in batches of one. Dashed: an equal share. Crosses: not a single "
        "record (KAFKA-9965: the partitioner is asked twice for each new batch). "
        f"{len(mine)} subjects beside each other: {', '.join(one.label for one in mine)}."
    )
    shown = [row for row, scenario in enumerate(SCENARIOS) if scenario.batch_records == 1]
    figure = new_figure(12, 3.4, title, note)
    widths = [SCENARIOS[row].partitions + 2 for row in shown]
    grid = figure.subplots(1, len(shown), squeeze=False, width_ratios=widths).ravel()
    for axes, row in zip(grid, shown, strict=True):
        _starving_panel(axes, mine, row)
    grid[0].set_ylabel("share of the records, %", fontsize=9)
    return figure


def _starving_panel(axes: Axes, mine: list[Sample], row: int) -> None:
    partitions = SCENARIOS[row].partitions
    tidy(axes, f"{partitions} partitions")
    axes.set_xlabel("partition", fontsize=9)
    if not any(one.measures.counts["records"][row].any() for one in mine):
        axes.set_axis_off()
        axes.text(0.5, 0.5, "not run:\ntoo few records", ha="center", fontsize=9, color=GREY)
        return
    axes.axhline(100 / partitions, color=GREY, linewidth=0.8, linestyle="--")
    for number, one in enumerate(mine):
        counts = one.measures.counts["records"][row, :partitions]
        percent = 100 * counts / counts.sum()
        places = np.arange(partitions) + (number - (len(mine) - 1) / 2) * 0.8 / len(mine)
        axes.bar(places, percent, width=0.8 / len(mine), color=COLOURS[number % 6])
        starving = counts == 0
        axes.plot(places[starving], percent[starving], "x", color=COLOURS[1], markersize=4)
    axes.set_xticks(range(partitions))

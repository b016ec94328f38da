"""Plots of distributions: what was counted beside what should have been, to be seen at a glance.

Each function draws one figure of a result, or none if the result lacks what it shows. Only
matplotlib's objects are used, never pyplot, so nothing global is touched.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from conformance.distributions.adaptive import Adaptive, LoadVector
from conformance.distributions.built_in import BATCH_SIZE
from conformance.distributions.rack_aware import RackAware
from conformance.distributions.round_robin import TOPICS
from conformance.reports.compared import (
    STAY_BIN,
    Compared,
    compare,
    keys_per_partition,
    load_name,
    strictness,
)
from conformance.reports.plot_parts import (
    BAND,
    COLOURS,
    GREY,
    HEAT,
    IN_THE_BAND,
    MARKERS,
    Sample,
    Series,
    conclusion,
    heat_map,
    largest,
    lollipops,
    new_figure,
    samples,
    series,
    share_panel,
    tidy,
)
from conformance.reports.producer_plots import producer_bytes, producer_starving
from conformance.sampling.judging import StatisticsResult

_ROUND_ROBINS = {
    "round-robin-null-key": "no key, 2.3.1: from the start",
    "round-robin-null-key/wrap": "no key, 2.3.1: around the wrap of the counter",
    "round-robin": "RoundRobinPartitioner: from the start",
    "round-robin/wrap": "RoundRobinPartitioner: around the wrap of the counter",
}


def keyed(result: StatisticsResult) -> Figure | None:
    """How far each partition's keys are from an equal share, family by family."""
    prefix = "keyed/"
    names = dict.fromkeys(of.distribution for of in result.measures)
    families = [name for name in names if name.startswith(prefix) and samples(result, name)]
    if not families:
        return None
    # How far a user's own keys may be off depends on how often each of them comes.
    asked = [t for t in result.tests if t.outcome.test == "distinct keys"]
    judged = {t.of.distribution for t in asked if t.outcome.p is not None}
    title = conclusion(
        result,
        "Keys: every family is spread evenly, no partition deviates by more than chance allows"
        if {t.of.distribution for t in asked}.issuperset(families)
        else "Keys: each goes where Java sends it; how evenly they are spread is not judged",
        lambda name, test: (
            name.startswith(prefix) and test in ("distinct keys", "record by record")
        ),
        otherwise="Keys per partition",
    )
    columns = min(4, len(families))
    rows = -(-len(families) // columns)
    drawn_by_family = {
        name: series((one, keys_per_partition(one.measures)) for one in samples(result, name))
        for name in families
    }
    alike = all(len(drawn) == 1 for drawn in drawn_by_family.values())
    note = "Each stem is a partition." + f" Grey: {IN_THE_BAND}." * bool(judged)
    if alike:
        note += " In each family all versions and subjects have exactly the same counts."
    figure = new_figure(max(3.2 * columns, 6.4), 2.3 * rows + 1.2, title, note)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (name, drawn) in zip(grid, drawn_by_family.items(), strict=False):
        lollipops(axes, drawn, band=name in judged)
        counted = f"{drawn[0].table.counts.sum():,.0f} {drawn[0].table.unit}"
        tidy(axes, f"{name.removeprefix(prefix)}: {counted}")
        if len(drawn) > 1:
            axes.legend(fontsize=6, frameon=False)
    for axes in grid[len(families) :]:
        axes.set_visible(False)
    for axes in grid[::columns]:
        axes.set_ylabel("off an equal share, %", fontsize=9)
    for axes in grid[: len(families)][-columns:]:
        axes.set_xlabel("partition", fontsize=9)
    return figure


def round_robin(result: StatisticsResult) -> Figure | None:
    """How many records more or fewer than an equal share each partition of each topic has."""
    names = [name for name in _ROUND_ROBINS if samples(result, name)]
    if not names:
        return None
    title = conclusion(
        result,
        "Round robin: every partition has its equal share, to the record",
        lambda name, _test: name in _ROUND_ROBINS,
        otherwise="Round robin",
    )
    note = (
        "A bar is a partition. Dashed: how far from an equal share a partition can be, for which "
        "there may be no whole number; 1 record, or 2 if the counter has wrapped (two rounds)."
    )
    figure = new_figure(11, 1.9 * len(names) + 1.2, title, note)
    grid = figure.subplots(len(names), 1, squeeze=False).ravel()
    for axes, name in zip(grid, names, strict=True):
        _round_robin_row(axes, samples(result, name))
        tidy(axes, _ROUND_ROBINS[name])
    grid[-1].set_xlabel("topics, by their number of partitions", fontsize=9)
    return figure


def _round_robin_row(axes: Axes, mine: Sequence[Sample]) -> None:
    """All topics of one distribution side by side."""
    drawn = series(
        (one, Compared(counts, np.zeros(counts.shape), (), "records"))
        for one in mine
        for counts in [one.measures.counts["records"].astype(np.float64)]
    )
    allowed = 2 if mine[0].distribution.endswith("/wrap") else 1
    axes.axhline(0, color=GREY, linewidth=0.8)
    for side in (-allowed, allowed):
        axes.axhline(side, color=GREY, linewidth=0.8, linestyle="--")
    highest, start, ticks = 0.0, 0, []
    for number, partitions in enumerate(TOPICS.values()):
        places = np.arange(start, start + partitions)
        for turn, one in enumerate(drawn):
            counts = one.table.counts[number, :partitions]
            off = counts - counts.mean()
            highest = max(highest, float(np.abs(off).max()))
            axes.bar(
                places + (turn - (len(drawn) - 1) / 2) * 0.8 / len(drawn),
                off,
                width=0.8 / len(drawn),
                color=COLOURS[turn % 6],
                label=one.label if number == 0 else None,
            )
        ticks.append(float(places.mean()))
        start += partitions + 2
        axes.axvline(start - 1.5, color=BAND, linewidth=0.8)
    axes.set_ylim(-max(highest, allowed) * 1.2, max(highest, allowed) * 1.2)
    axes.set_xlim(-1.5, start - 1.5)
    axes.set_xticks(ticks, [str(count) for count in TOPICS.values()])
    axes.set_ylabel("records off an\nequal share", fontsize=9)
    axes.legend(fontsize=7, frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def sticky_transitions(result: StatisticsResult) -> Figure | None:
    """Which partition the next batch goes to."""
    good = "Sticky: a new batch never stays, and goes to all other partitions alike"
    return _transitions(result, "sticky", good)


def built_in_transitions(result: StatisticsResult) -> Figure | None:
    """Which partition the next stay is on."""
    good = "Built-in: the next stay is on any partition alike, the present one among them"
    return _transitions(result, "built-in", good)


def _transitions(result: StatisticsResult, distribution: str, good: str) -> Figure | None:
    """Heat maps, a row for each version, a column for each subject."""
    found: list[tuple[Sample, Compared]] = []
    for one in samples(result, distribution):
        table = compare(distribution, "transitions", one.measures)
        if table is not None:
            found.append((one, table))
    if not found:
        return None
    title = conclusion(
        result,
        good,
        lambda name, test: name == distribution and test in ("transitions", "moves on"),
        otherwise=f"Transitions of {distribution}",
    )
    versions = list(dict.fromkeys(one.client for one, _ in found))
    columns = max(sum(one.client == version for one, _ in found) for version in versions)
    chance = largest(found[0][1].band)
    note = (
        "Numbers: how much more (+) or less (-) often than expected, in %. "
        f"Box in the scale (±{chance:.2g} %): {IN_THE_BAND}."
    )
    figure = new_figure(3.4 * columns + 1.4, 3.1 * len(versions) + 1.2, title, note)
    grid = figure.subplots(len(versions), columns, squeeze=False)
    highest = max(3 * chance, *(largest(table.percent) for _, table in found)) or 1.0
    norm = TwoSlopeNorm(0, -highest, highest)
    for axes in grid.ravel():
        axes.set_axis_off()
    for row, version in enumerate(versions):
        mine = [(one, table) for one, table in found if one.client == version]
        for axes, (one, table) in zip(grid[row], mine, strict=False):
            axes.set_axis_on()
            heat_map(axes, table, norm)
            axes.set_title(one.label, loc="left", fontsize=10)
    bar = figure.colorbar(ScalarMappable(norm, HEAT), ax=grid, shrink=0.8, aspect=30)
    bar.set_label("more (+) or less (-) often than expected, %", fontsize=9)
    bar.ax.axhspan(-chance, chance, fill=False, edgecolor="black", linewidth=1)
    return figure


def shares(result: StatisticsResult) -> Figure | None:
    """What each partition got in all: of batches and records, or of bytes."""
    wanted = (("sticky", "batches"), ("sticky", "records"), ("built-in", "bytes"))
    drawn = [(name, unit, mine) for name, unit in wanted if (mine := samples(result, name))]
    if not drawn:
        return None
    title = conclusion(
        result,
        "Without keys, too, every partition gets its equal share",
        lambda name, test: (name, test) in wanted,
        otherwise="Shares of the partitions",
    )
    versions = list(dict.fromkeys(one.client for _, _, mine in drawn for one in mine))
    note = (
        "Bars: where the true mean is with 99.9 % confidence for all points of a panel together, "
        "from how much the blocks of records differ. They should meet 0."
    )
    figure = new_figure(max(4.6 * len(versions), 6.4), 2.3 * len(drawn) + 1.3, title, note)
    grid = figure.subplots(len(drawn), len(versions), squeeze=False)
    for row, (name, unit, mine) in zip(grid, drawn, strict=True):
        for axes, version in zip(row, versions, strict=True):
            here = [one for one in mine if one.client == version]
            axes.set_visible(bool(here))
            share_panel(axes, here, unit)
            tidy(axes, f"{name} {version}: {unit}")
        leftmost = next(axes for axes in row if axes.get_visible())
        leftmost.set_ylabel("off an equal share, %", fontsize=9)
    return figure


def built_in_stays(result: StatisticsResult) -> Figure | None:
    """How many bytes a stay has, beside what the rule of KIP-794 makes of the records' sizes."""
    found = []
    for one in samples(result, "built-in"):
        table = compare("built-in", "bytes of a stay", one.measures)
        if table is not None:
            found.append((one, table))
    if not found:
        return None
    title = conclusion(
        result,
        "Built-in: a stay has as many bytes as KIP-794 says",
        lambda name, test: name == "built-in" and test in ("bytes of a stay", "moves on"),
        otherwise="Bytes of a stay",
    )
    note = (
        f"Classes of {STAY_BIN} bytes. From batch.size ({BATCH_SIZE}) on a stay ends if the batch "
        f"is ready, from twice that in any case. Grey below: {IN_THE_BAND}."
    )
    figure = new_figure(9, 5.6, title, note)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _stay_panels(above, below, series(found))
    return figure


def _stay_panels(above: Axes, below: Axes, drawn: Sequence[Series]) -> None:
    expected = drawn[0].table.expected
    edges = np.arange(len(expected) + 1) * STAY_BIN
    middles = edges[:-1] + STAY_BIN / 2
    per_cent = 100 / expected.sum()
    above.stairs(expected * per_cent, edges, fill=True, color=BAND, label="expected")
    below.stairs(drawn[0].table.band, edges, baseline=-drawn[0].table.band, fill=True, color=BAND)
    below.axhline(0, color=GREY, linewidth=0.8)
    for number, one in enumerate(drawn):
        look: dict[str, Any] = {
            "marker": MARKERS[number % 6],
            "color": COLOURS[number % 6],
            "linestyle": "none",
        }
        counts = np.where((expected > 0) | (one.table.counts > 0), one.table.counts, np.nan)
        above.plot(middles, counts * per_cent, markersize=4.5, label=one.label, **look)
        below.plot(middles, one.table.percent, markersize=4.5, **look)
    for axes in (above, below):
        tidy(axes)
        for limit in (BATCH_SIZE, 2 * BATCH_SIZE):
            axes.axvline(limit, color=GREY, linewidth=0.8, linestyle="--")
    above.set_ylabel("stays, %", fontsize=9)
    above.legend(fontsize=8, frameon=False)
    # The rarest classes have so wide a band that nothing else could be seen.
    usual = expected >= 0.002 * expected.sum()
    highest = largest(drawn[0].table.band[usual])
    seen = max(largest(one.table.percent[usual]) for one in drawn)
    below.set_ylim(-max(highest, seen) * 1.3, max(highest, seen) * 1.3)
    used = np.flatnonzero((expected > 0) | np.any([one.table.counts for one in drawn], axis=0))
    below.set_xlim(edges[max(used[0] - 2, 0)], edges[-1] + STAY_BIN)
    below.set_ylabel("off the expected, %", fontsize=9)
    below.set_xlabel("bytes of a stay", fontsize=9)


def adaptive(result: StatisticsResult) -> Figure | None:
    """How often each partition is chosen under each load, beside its share of the weights."""
    well = "Adaptive: each partition is chosen in proportion to the room in its queue"
    return _choices(result, Adaptive, well, "Adaptive choices")


def rack_aware(result: StatisticsResult) -> Figure | None:
    """The same of a producer that prefers the leaders in its own rack."""
    well = "Rack-aware: the rack's partitions are chosen in proportion to the room in their queues"
    return _choices(result, RackAware, well, "Choices among racks")


def _choices(
    result: StatisticsResult, of: type[Adaptive], well: str, otherwise: str
) -> Figure | None:
    mine = samples(result, of.name)
    if not mine:
        return None
    title = conclusion(result, well, lambda name, _test: name == of.name, otherwise=otherwise)
    note = (
        f"Each point is a partition under one of {len(of.vectors)} load stats; its weight is "
        f"max + 1 - queue. Grey below: {IN_THE_BAND}; what is farther off than four times that "
        "is drawn at its edge."
    )
    figure = new_figure(4.8 * max(len(mine), 1.4), 6.6, title, note)
    grid = figure.subplots(2, len(mine), squeeze=False, sharex=True, height_ratios=(3, 2))
    for column, one in enumerate(mine):
        table = compare(of.name, "weights", one.measures)
        if table is not None:
            _weights(grid[0, column], grid[1, column], table, of.worked)
        grid[0, column].set_title(one.label, loc="left", fontsize=10)
    grid[0, 0].set_ylabel("how often it was chosen, %", fontsize=9)
    grid[1, 0].set_ylabel("off its weight,\nstandard deviations", fontsize=9)
    grid[0, 0].legend(fontsize=7.5, frameon=False, loc="upper left")
    return figure


def _weights(
    above: Axes, below: Axes, table: Compared, worked_examples: Sequence[LoadVector]
) -> None:
    """The points on the diagonal, and how far off it they are."""
    totals = table.counts.sum(axis=1, keepdims=True)
    share = table.expected / np.maximum(totals, 1)
    seen = table.counts / np.maximum(totals, 1)
    usual = np.maximum(totals, 1) ** -0.5 * np.sqrt(share * (1 - share))
    # Where a share is 0 or 1 there is no chance: such a point is off by nothing or by too much.
    certain = np.where(np.isclose(seen, share), 0.0, np.copysign(np.inf, seen - share))
    band = strictness(table.counts.size)
    deviations = np.divide(seen - share, usual, out=certain, where=usual > 0)
    deviations = deviations.clip(-4 * band, 4 * band)
    above.plot([0, 100], [0, 100], color=GREY, linewidth=0.8)
    below.axhspan(-band, band, color=BAND, linewidth=0)
    rest = slice(len(worked_examples), None)
    looks: list[tuple[slice, str, dict[str, Any]]] = [
        (rest, "other load stats", {"color": "#9a9a9a", "marker": "o", "markersize": 3.0})
    ]
    for row, vector in enumerate(worked_examples):
        worked = {"color": COLOURS[row], "marker": MARKERS[row], "markersize": 7.0}
        looks.append((slice(row, row + 1), load_name(vector), worked))
    for rows, label, look in looks:
        places = 100 * share[rows].ravel()
        above.plot(places, 100 * seen[rows].ravel(), linestyle="none", label=label, **look)
        below.plot(places, deviations[rows].ravel(), linestyle="none", **look)
    limit = max(band, float(np.abs(deviations).max())) * 1.2
    below.set_ylim(-limit, limit)
    below.set_xlabel("its share of the weights, %", fontsize=9)
    tidy(above)
    tidy(below)


PLOTS: Mapping[str, Callable[[StatisticsResult], Figure | None]] = {
    "keyed": keyed,
    "round-robin": round_robin,
    "sticky-transitions": sticky_transitions,
    "built-in-transitions": built_in_transitions,
    "shares": shares,
    "built-in-stays": built_in_stays,
    "adaptive": adaptive,
    "rack-aware": rack_aware,
    "producer-bytes": producer_bytes,
    "producer-starving": producer_starving,
}
"""By the names of their files."""

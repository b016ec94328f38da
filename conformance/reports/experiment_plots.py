"""Pictures of experiments, drawn from their JSON documents (experiment.schema.json)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from conformance.reports.experiment_courses import NOTE as COURSES_NOTE
from conformance.reports.experiment_courses import TITLE as COURSES_TITLE
from conformance.reports.experiment_courses import counting, course_panels, courses_figure
from conformance.reports.plot_parts import COLOURS, GREY, HEAT, new_figure, plain_numbers, tidy
from conformance.svg import picture

_Json = Mapping[str, Any]
_MOST_LINES: Final = 6
"""Of a panel; a legend of more could not be told apart."""
_NOTE: Final = (
    "Small marks are runs, large ones their means with the interval of 95 %, diamonds what the "
    "simulator predicts. Over time and latencies: the first run of each producer."
)
_MAP_TITLE: Final = "Share of the slow brokers by how slow they are and how fast records come"
_MAP_ALIKE: Final = ("partitions", "records", "value_bytes")
"""What the conditions of a heat map share."""
_MAP_NOTE: Final = (
    "Share of the slow brokers' partitions, of the fair share: above 1 they get more. Means of "
    "{count} runs; in brackets what the simulator predicts."
)


def experiment_pictures(document: _Json, form: str = "svg") -> dict[str, str | bytes]:
    """Pictures by the names of their files: two for each experiment, one for a map."""
    conditions = [one for one in document["experiments"] if one["slow_ms"] is not None]
    others = [one for one in document["experiments"] if one["slow_ms"] is None]
    found = {}
    for one in others:
        found[one["name"]] = experiment_figure(one), _title(one), _NOTE
        panels = course_panels(one)
        if panels:
            told = f"{COURSES_TITLE}: {one['title']}"
            found[f"{one['name']}-partitions"] = courses_figure(panels, told), told, COURSES_NOTE
    if conditions:
        note = _MAP_NOTE.format(count=conditions[0]["repetitions"])
        found["map"] = map_figure(conditions), _MAP_TITLE, note
    return {f"{name}.{form}": picture(*drawn, form) for name, drawn in found.items()}


def experiment_figure(experiment: _Json) -> Figure:
    """Shares, partitions, records on their way over time, and latencies."""
    variants = [one for one in experiment["variants"] if _first(one) is not None]
    height = 5.4 + 0.26 * len(variants)
    figure = new_figure(10, height, _title(experiment), _NOTE)
    grid = figure.subplots(2, 2, squeeze=False, height_ratios=[2 + 0.3 * len(variants), 4])
    is_about_slow = any(_mean(one, "slow_ratio") is not None for one in variants)
    name, label = (
        ("slow_ratio", "slow brokers' share, of the fair one")
        if is_about_slow
        else ("latency_mean_ms", "mean latency, ms")
    )
    _figure_panel(tidy(grid[0][0], label), variants, name, fair=is_about_slow)
    _partitions_panel(tidy(grid[0][1], "records by partition"), variants, experiment)
    shown = variants[:_MOST_LINES]
    if is_about_slow:
        course = tidy(grid[1][0], "records on their way to slow brokers")
        _lines_panel(course, shown, _course)
        course.set_xlabel("seconds from the first record", fontsize=8)
    else:
        waits = tidy(grid[1][0], "from a batch's first record until it left")
        _lines_panel(waits, shown, _waits)
        waits.set_xlabel("seconds", fontsize=8)
        waits.set_ylabel("% of batches waited at most so long", fontsize=8)
    latency = tidy(grid[1][1], "latency of a record")
    _lines_panel(latency, shown, _latencies)
    latency.set_xscale("log")
    plain_numbers(latency.xaxis)
    latency.set_xlabel("ms", fontsize=8)
    latency.set_ylabel("% of records", fontsize=8)
    return figure


def _title(experiment: _Json) -> str:
    verdicts = [one["verdict"] for one in experiment["claims"]]
    counts = {one: verdicts.count(one) for one in dict.fromkeys(verdicts)}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return f"{experiment['title']}: of {len(verdicts)} claims {told}"


def _first(variant: _Json) -> _Json | None:
    """The first run that counts, as measured."""
    return next(iter(counting(variant)), None)


def _mean(variant: _Json, name: str) -> float | None:
    mean: float | None = variant["means"].get(name, {}).get("mean")
    return mean


def _figure_panel(axes: Axes, variants: Sequence[_Json], name: str, *, fair: bool) -> None:
    """Runs, mean with interval and prediction of a figure, a row for each variant."""
    for row, variant in enumerate(variants):
        figures = [run["figures"][name] for run in counting(variant)]
        there = [one for one in figures if one is not None]
        mean = variant["means"][name]
        axes.plot(there, [row] * len(there), "o", markersize=3, color=COLOURS[0], alpha=0.5)
        if mean["mean"] is not None:
            low, high = (
                mean["mean"] if mean[end] is None else mean[end] for end in ("low", "high")
            )
            axes.plot([low, high], [row, row], color=COLOURS[0], linewidth=1.5)
            axes.plot([mean["mean"]], [row], "o", markersize=6, color=COLOURS[0])
        predicted = (variant["predicted"] or {}).get(name)
        if predicted is not None:
            axes.plot([predicted], [row], "D", markersize=5, color=COLOURS[1], fillstyle="none")
    axes.set_yticks(range(len(variants)), [one["name"] for one in variants], fontsize=8)
    axes.set_ylim(len(variants) - 0.5, -0.5)
    if fair:
        axes.axvline(1, color=GREY, linewidth=0.8)


def _partitions_panel(axes: Axes, variants: Sequence[_Json], experiment: _Json) -> None:
    """How much each partition got, of an equal share; those of slow brokers stand to the right."""
    slow = experiment["slow_brokers"]
    first = _first(variants[0]) if variants else None
    if first is None:
        return
    brokers = [one["broker"] for one in first["partitions"]]
    order = sorted(range(len(brokers)), key=lambda one: (brokers[one] in slow, brokers[one], one))
    rows = np.array([_shares(variant)[order] for variant in variants])
    norm = TwoSlopeNorm(1.0, 0.0, 2.0)
    axes.imshow(rows, cmap=HEAT, norm=norm, aspect="auto")
    for (row, column), share in np.ndenumerate(rows):
        colour = "white" if abs(share - 1) > 0.7 else "black"
        axes.text(column, row, f"{share:.2f}", ha="center", va="center", fontsize=6, color=colour)
    labels = [f"{one}\nb{brokers[one]}" for one in order]
    axes.set_xticks(range(len(order)), labels, fontsize=7)
    axes.set_yticks([])
    axes.set_xlabel(
        f"partition and its broker; brokers {' and '.join(map(str, slow))} can be slow", fontsize=8
    )


def _shares(variant: _Json) -> Any:
    """Records of each partition over all runs, as a ratio to the mean."""
    runs = [run["partitions"] for run in counting(variant)]
    counts = np.array([[one["records"] for one in partitions] for partitions in runs], float)
    total = counts.sum(axis=0)
    return total / total.mean()


def _lines_panel(
    axes: Axes, variants: Sequence[_Json], points: Callable[[_Json], tuple[Any, Any]]
) -> None:
    """A line for the first run of each variant."""
    for number, variant in enumerate(variants):
        run = _first(variant)
        if run is not None:
            style = {"color": COLOURS[number], "linewidth": 1.3, "label": variant["name"]}
            axes.plot(*points(run), **style)
    axes.legend(fontsize=7, frameon=False)


def _course(run: _Json) -> tuple[Any, Any]:
    return np.array(run["course"]["at_ms"]) / 1e3, run["course"]["slow"]


def _waits(run: _Json) -> tuple[Any, Any]:
    return np.array(run["waited_ms"]) / 1e3, _percentages(run["waited_ms"])


def _latencies(run: _Json) -> tuple[Any, Any]:
    return np.maximum(np.array(run["latency_ms"]), 0.1), _percentages(run["latency_ms"])


def _percentages(quantiles: Sequence[float]) -> Any:
    return np.linspace(0, 100, len(quantiles))


# The map.


def map_figure(conditions: Sequence[_Json]) -> Figure:
    """A heat map for each client: slowness against rate, for the partitions and records of most."""
    mine = [one for one in conditions if all(one[of] == conditions[0][of] for of in _MAP_ALIKE)]
    delays = sorted({one["slow_ms"] for one in mine})
    paces = sorted({_pace(one) for one in mine})
    clients = [one["name"] for one in mine[0]["variants"]]
    figure = new_figure(
        *(10, 1.9 + 0.7 * len(delays), _MAP_TITLE),
        _MAP_NOTE.format(count=mine[0]["repetitions"]),
    )
    grid = figure.subplots(1, len(clients), squeeze=False)[0]
    for axes, client in zip(grid, clients, strict=True):
        _map_panel(tidy(axes, f"client {client}"), mine, client, delays, paces)
    grid[0].set_ylabel("added to each request", fontsize=8)
    return figure


def _pace(condition: _Json) -> float:
    """Records a second; infinite for as fast as it goes."""
    return round(1e3 / condition["interval_ms"]) if condition["interval_ms"] else np.inf


def _map_panel(
    axes: Axes,
    conditions: Sequence[_Json],
    client: str,
    delays: Sequence[float],
    paces: Sequence[float],
) -> None:
    ratios = np.full((len(delays), len(paces)), np.nan)
    for condition in conditions:
        place = delays.index(condition["slow_ms"]), paces.index(_pace(condition))
        variant = next(one for one in condition["variants"] if one["name"] == client)
        mean = _mean(variant, "slow_ratio")
        if mean is None:
            continue
        ratios[place] = mean
        predicted = (variant["predicted"] or {}).get("slow_ratio")
        told = f"{mean:.2f}" + ("" if predicted is None else f"\n({predicted:.2f})")
        colour = "white" if abs(mean - 1) > 0.7 else "black"
        axes.text(*place[::-1], told, ha="center", va="center", fontsize=8, color=colour)
    axes.imshow(ratios, cmap=HEAT, norm=TwoSlopeNorm(1.0, 0.0, 2.0), aspect="auto")
    labels = ["max" if np.isinf(pace) else f"{pace / 1e3:g}k" for pace in paces]
    axes.set_xticks(range(len(paces)), labels)
    axes.set_yticks(range(len(delays)), [f"{one:g} ms" for one in delays])
    axes.set_xlabel("records a second", fontsize=8)

"""Pictures of a simulation: all that happened in a small one, latency and load of a large one."""

import math
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from conformance.reports.compared import Floats
from conformance.reports.plot_parts import BAND, COLOURS, GREY, new_figure, plain_numbers, tidy
from conformance.simulation.answers import Answer, Log
from conformance.simulation.measures import Batch, LoggedRequest
from conformance.simulation.quantities import MILLISECOND, time_text
from conformance.simulation.repeated import Variant
from conformance.svg import svg_text
from conformance.text import counted

_LINGER, _QUEUE, _FLIGHT = BAND, COLOURS[4], COLOURS[0]
_BROKERS_DRAWN: Final = 6
_LANE_INCHES: Final = 0.17
_COLUMNS: Final = 4
_PANEL_CHARACTERS: Final = 30
_MOST_TITLED: Final = 4
"""Of more runs than these the title tells two: the least and the most."""
_POINTS: Final = 100
"""Of a course over time, in the longest run."""
_LOG_FROM: Final = 30.0
"""Latencies that differ by such a factor are drawn on a logarithmic scale."""


def simulation_figure(variants: Sequence[Variant]) -> Figure:
    """A timeline if all runs are small, or else courses over time."""
    answers = [variant.first for variant in variants]
    logs = [one.log for one in answers]
    small = [log for log in logs if log is not None]
    return _timelines(answers, small) if len(small) == len(logs) else _courses(answers)


# Small runs.


def _timelines(answers: Sequence[Answer], logs: Sequence[Log]) -> Figure:
    lanes = [lanes_of(log) for log in logs]
    both = list(zip(answers, logs, strict=True))
    heights = [max(4, sum(map(len, own))) + 3 for own in lanes]
    note = (
        "Each bar of a partition is a batch: grey while it lingers, yellow while its broker takes "
        "no request, blue from its request to the answer. Dots: when its records came. Bars of a "
        "broker are requests."
    )
    batches = [_Told(one.scenario.name, len(log.batches), _batches_told(log)) for one, log in both]
    if len(batches) > _MOST_TITLED:
        told = _least_and_most(batches)
        title = told[0].upper() + told[1:]
    else:
        title = "; ".join(f"{one.name}: {one.text}" if one.name else one.text for one in batches)
    height = _LANE_INCHES * sum(heights) + 1.6
    figure = new_figure(9, height, title, note)
    grid = figure.subplots(
        len(answers), 1, squeeze=False, height_ratios=heights, sharex=True
    ).ravel()
    for axes, answer, log, own in zip(grid, answers, logs, lanes, strict=True):
        _timeline(axes, log, own)
        tidy(axes, answer.scenario.name)
    # For all panels at once, when all is drawn: they share the axis, and a limit that one of them
    # sets keeps it from growing with those that follow.
    grid[-1].set_xlim(left=0)
    grid[-1].set_xlabel("simulated time, ms", fontsize=9)
    parts = {"lingers": _LINGER, "waits for its broker": _QUEUE, "in flight": _FLIGHT}
    handles = [Patch(color=colour, label=label) for label, colour in parts.items()]
    grid[0].legend(
        handles=handles,
        fontsize=7,
        frameon=False,
        ncols=3,
        loc="lower right",
        bbox_to_anchor=(1, 1),
    )
    return figure


class _Told(NamedTuple):
    """What a run has come to, as a number and in words."""

    name: str
    number: float
    text: str


def _least_and_most(told: Sequence[_Told]) -> str:
    """What to say of runs that are too many to name each: NaN is that of one without a number."""
    some = [one for one in told if not math.isnan(one.number)]
    if not some:
        return "no record was delivered"
    number = attrgetter("number")
    least, most = min(some, key=number), max(some, key=number)
    text = f"from {least.text} ({least.name}) to {most.text} ({most.name})"
    if least.text == most.text:
        text = f"{least.text} in each run"
    without = len(told) - len(some)
    return f"{text}; {without} of {len(told)} runs delivered nothing" if without else text


def _batches_told(log: Log) -> str:
    counts = [batch.count for batch in log.batches]
    low, high = min(counts, default=0), max(counts, default=0)
    many = "1 batch" if len(counts) == 1 else f"{len(counts):,} batches"
    of = f"{low} to {high} records" if low != high else counted(high, "record")
    return f"{many} of {of}"


_Span = tuple[int, int, Batch | None]
"""From when until when (microseconds), and of which batch."""
_Lanes = list[list[tuple[str, list[_Span]]]]
"""For each partition and each broker lanes in which nothing overlaps, with their names."""


def lanes_of(log: Log) -> _Lanes:
    """Partitions in their order, then brokers; only those that have anything."""
    ends = [_end(request, request.sent_us) for request in log.requests]
    ends += [_end(batch, 0) for batch in log.batches]
    last = max(ends, default=0)
    lanes = []
    for partition in sorted({batch.partition for batch in log.batches}):
        mine = [one for one in log.batches if one.partition == partition]
        spans: list[_Span] = [(one.created_us, _end(one, last), one) for one in mine]
        lanes.append(_apart(f"partition {partition}", spans))
    for broker in sorted({request.broker for request in log.requests}):
        sent = [one for one in log.requests if one.broker == broker]
        lanes.append(
            _apart(f"broker {broker}", [(one.sent_us, _end(one, last), None) for one in sent])
        )
    return lanes


def _end(one: Batch | LoggedRequest, last: int) -> int:
    """When it ended, or something else if it never did."""
    return last if one.ended_us is None else one.ended_us


def _apart(name: str, spans: Iterable[_Span]) -> list[tuple[str, list[_Span]]]:
    """Each span in the first lane that is free by then."""
    lanes: list[tuple[str, list[_Span]]] = []
    for span in sorted(spans, key=lambda one: one[0]):
        free = next((own for _, own in lanes if own[-1][1] <= span[0]), None)
        if free is None:
            lanes.append((name if not lanes else "", [span]))
        else:
            free.append(span)
    return lanes


def _timeline(axes: Axes, log: Log, lanes: _Lanes) -> None:
    place, ticks = 0.0, {}
    places: dict[int, float] = {}
    for group in lanes:
        for name, spans in group:
            if name:
                ticks[place] = name
            for start, end, batch in spans:
                if batch is None:
                    _bar(axes, place, start, end, COLOURS[2])
                else:
                    places[batch.number] = place
                    _batch_bar(axes, place, batch, end)
            place += 1
        place += 0.4
    came = [
        (record.arrived_us / MILLISECOND, places[record.batch.number])
        for record in log.records
        if record.batch is not None and record.batch.number in places
    ]
    if came:
        axes.plot(*zip(*came, strict=True), ".", color="black", markersize=3.5)
    axes.set_yticks([*ticks], [*ticks.values()])
    axes.set_ylim(place, -1)


def _batch_bar(axes: Axes, place: float, batch: Batch, end_us: int) -> None:
    sent_us = end_us if batch.sent_us is None else batch.sent_us
    ready_us = min(batch.ready_us, sent_us)
    _bar(axes, place, batch.created_us, ready_us, _LINGER)
    _bar(axes, place, ready_us, sent_us, _QUEUE)
    _bar(axes, place, sent_us, end_us, _FLIGHT)


def _bar(axes: Axes, place: float, start_us: int, end_us: int, colour: str) -> None:
    if end_us > start_us:
        width = (end_us - start_us) / MILLISECOND
        # An edge, so that what is short can be seen.
        axes.barh(
            place,
            width,
            left=start_us / MILLISECOND,
            height=0.8,
            color=colour,
            edgecolor=colour,
            linewidth=0.6,
        )


# Large runs.


def _courses(answers: Sequence[Answer]) -> Figure:
    columns = min(len(answers), _COLUMNS)
    blocks = -(-len(answers) // columns)
    note = (
        "Above: latency of the records that ended by then, the mean as a line, up to the largest "
        "in grey. Below: records of each broker that have not ended, those in flight among them."
    )
    figure = new_figure(max(3.3 * columns, 6.6), 4.6 * blocks + 1, _course_title(answers), note)
    grid = figure.subplots(2 * blocks, columns, squeeze=False, sharex=True, sharey="row")
    for axes in grid.ravel():
        axes.set_visible(False)
    longest_ms = max(_lasts_ms(one) for one in answers)
    for number, answer in enumerate(answers):
        above = grid[2 * (number // columns), number % columns]
        below = grid[2 * (number // columns) + 1, number % columns]
        each = _joined(answer, longest_ms)
        _latencies(above, answer, each)
        _backlogs(below, answer, each)
        tidy(above, _panel_title(answer.scenario.name))
        tidy(below)
    is_wide = _spread(answers) > _LOG_FROM
    for row in range(blocks):
        if is_wide:
            grid[2 * row, 0].set_yscale("log")
            plain_numbers(grid[2 * row, 0].yaxis)
        grid[2 * row, 0].set_ylabel("latency, ms", fontsize=9)
        grid[2 * row + 1, 0].set_ylabel("backlog, records", fontsize=9)
    if blocks > 1:
        for first in (0, 1):
            _share_limits([list(row) for row in grid[first::2]])
    for column in grid.T:
        lowest = [axes for axes in column if axes.get_visible()][-1]
        lowest.set_xlabel("simulated time, s", fontsize=9)
        lowest.tick_params(labelbottom=True)
    grid[1, 0].legend(fontsize=7, frameon=False)
    return figure


def _share_limits(rows: Sequence[Sequence[Axes]]) -> None:
    """Give all rows of panels the same limits: Matplotlib has those of one row share an axis.

    A row in which no run has anything to be drawn has limits that mean nothing.
    """
    drawn = [
        row for row in rows if any(np.size(line.get_xdata()) for at in row for line in at.lines)
    ]
    limits = [row[0].get_ylim() for row in drawn]
    for row in rows if limits else ():
        row[0].set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _panel_title(name: str) -> str:
    """The name of a run, on two lines if it is too long for a panel: the value on the second."""
    return name if len(name) <= _PANEL_CHARACTERS else name.replace("=", "\n= ", 1)


def _course_title(answers: Sequence[Answer]) -> str:
    if len(answers) == 1:
        times = answers[0].latency["latency"]
        p50, p99 = (time_text(times[name] * MILLISECOND) for name in ("p50", "p99"))
        return f"Half of the records take {p50} or less, 99 % of them {p99}"
    p99s = [(one.scenario.name, one.latency["latency"]["p99"]) for one in answers]
    told = [_Told(name, ms, time_text(ms * MILLISECOND)) for name, ms in p99s]
    if len(told) > _MOST_TITLED:
        return f"Latency p99: {_least_and_most(told)}"
    return f"Latency p99: {'; '.join(f'{one.name} {one.text}' for one in told)}"


def _spread(answers: Sequence[Answer]) -> float:
    numbers = [
        times[name]
        for times in (one.latency["latency"] for one in answers)
        for name in ("p50", "max")
        if times[name] > 0
    ]
    return max(numbers, default=1.0) / min(numbers, default=1.0)


def _latencies(axes: Axes, answer: Answer, each: int) -> None:
    ended = _course(answer, "ended", each, np.sum)
    some = ended > 0
    times = _times(answer, each, len(ended))[some]
    mean = _course(answer, "latency_us", each, np.sum)[some] / ended[some] / MILLISECOND
    latest = _course(answer, "latest_us", each, np.max)[some] / MILLISECOND
    axes.set_visible(True)
    axes.fill_between(times, mean, latest, color=BAND, linewidth=0)
    axes.plot(times, mean, color=COLOURS[0], linewidth=1.2)


def _backlogs(axes: Axes, answer: Answer, each: int) -> None:
    axes.set_visible(True)
    for broker in reversed(range(answer.scenario.cluster.brokers)):
        backlog = _course(answer, f"backlog {broker}", each, np.max)
        drawn = broker < _BROKERS_DRAWN
        axes.plot(
            _times(answer, each, len(backlog)),
            backlog,
            color=COLOURS[(broker + 1) % 6] if drawn else GREY,
            linewidth=1.2,
            label=f"broker {broker}" if drawn else None,
        )


def _course(answer: Answer, name: str, each: int, joined: Callable[..., Floats]) -> Floats:
    """A quantity over time, so many stretches to a point."""
    numbers = np.array(answer.course.columns[name], np.float64)
    padded = np.pad(numbers, (0, -len(numbers) % each))
    return joined(padded.reshape(-1, each), axis=1)


def _times(answer: Answer, each: int, points: int) -> Floats:
    return np.add(np.arange(points), 0.5) * (answer.course.width_ms / 1000 * each)


def _joined(answer: Answer, longest_ms: float) -> int:
    """How many stretches of a course make a point, so that all runs have points alike."""
    return max(1, round(longest_ms / _POINTS / answer.course.width_ms))


def _lasts_ms(answer: Answer) -> float:
    return len(answer.course.columns["ended"]) * answer.course.width_ms


def simulation_svg(variants: Sequence[Variant]) -> str:
    """The picture as SVG."""
    figure = simulation_figure(variants)
    panels = ", ".join(filter(None, (variant.scenario.name for variant in variants)))
    description = f"{figure.get_supxlabel()} {panels}"
    return svg_text(figure, figure.get_suptitle(), description)

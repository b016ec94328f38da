"""A summary of experiments on the terminal."""

import math
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from conformance.experiments.judgement import Interval
from conformance.experiments.summary import Summary
from conformance.text import inert

_COLUMNS = (
    *("runs", "records", "failed", "slow brokers' share, of the fair one", "seconds to finish"),
    *("records per batch", "median latency, ms", "p99, ms"),
)


def summary_table(found: Sequence[Summary]) -> Table:
    """A row for each producer of each experiment."""
    title = "Means over runs ± half of their interval of 95 %; latencies of all records together"
    table = Table(title=title, title_justify="left")
    table.add_column("experiment")
    table.add_column("producer")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for one in found:
        table.add_row(
            escape(inert(one.producer.experiment)),
            escape(inert(one.producer.variant)),
            f"{one.runs:,}",
            f"{one.records:,}",
            f"{sum(one.errors.values()):,}",
            mean_text(one.slow_ratio, 2),
            mean_text(one.seconds, 1),
            _number(one.batch_records["mean"], 1),
            _number(one.latency_ms["p50"], 0),
            _number(one.latency_ms["p99"], 0),
        )
    return table


def mean_text(interval: Interval, digits: int) -> str:
    """Such as ``1.72 ± 0.05``; empty where there is no number."""
    half = (interval.high - interval.low) / 2
    told = f" ± {half:,.{digits}f}" if math.isfinite(half) else ""
    return f"{_number(interval.mean, digits)}{told}"


def _number(number: float, digits: int) -> str:
    return "" if math.isnan(number) else f"{number:,.{digits}f}"

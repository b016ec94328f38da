"""A summary of experiments on the terminal."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.markup import escape
from rich.table import Table

from conformance.experiments.judgement import Interval
from conformance.experiments.summary import Summary
from conformance.text import inert

_TITLE = "means over runs ± half of their interval of 95 %; latencies of all records together"
_COLUMNS = (
    *("runs", "records", "failed", "slow brokers' share, of the fair one", "seconds to finish"),
    *("records per batch", "median latency, ms", "p99, ms"),
)


def summary_tables(found: Sequence[Summary]) -> Iterator[Table]:
    """A table for each experiment, with a row for each producer."""
    for experiment, producers in groupby(found, key=lambda one: one.producer.experiment):
        yield _table(experiment, producers)


def _table(experiment: str, producers: Iterable[Summary]) -> Table:
    table = Table(title=f"{escape(inert(experiment))}: {_TITLE}", title_justify="left")
    table.add_column("producer")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for one in producers:
        table.add_row(
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

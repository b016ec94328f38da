"""A simulation on the terminal: one run in detail, or several side by side."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from conformance.reports.simulation_words import (
    differences,
    mean_text,
    rows_of,
    scenario_text,
    unfinished_text,
)
from conformance.simulation.answers import TIMES, Answer
from conformance.simulation.measures import PARTS
from conformance.simulation.quantities import MILLISECOND, number_text, numbers_text, time_text
from conformance.simulation.repeated import Variant
from conformance.text import counted

_PARTITIONS_SHOWN: Final = 16
_LABELS: Final = 24
"""Characters of a line that names a figure, at least."""
_UNLIMITED: Final = 1 << 16
"""A width that no table has."""
_MEANINGS: Final = {
    "latency": "from when it came until it was answered",
    "blocked": "  blocked: waited for memory",
    "linger": "  linger: waited for further records",
    "queue": "  queue: waited for its broker to take a request",
    "flight": "  flight: on its way, served and answered",
}


def print_simulation(console: Console, variants: Sequence[Variant]) -> None:
    """Everything that people are told."""
    first = variants[0]
    console.print(scenario_text(first.scenario), markup=False, soft_wrap=True)
    for table in figures_tables(variants, console):
        console.print(table)
    if len(variants) == 1:
        console.print(latency_table(first.first))
        console.print(brokers_table(first.first))
        if len(first.first.partitions) <= _PARTITIONS_SHOWN:
            console.print(partitions_table(first.first))
    for line in told(variants):
        console.print(line, markup=False, soft_wrap=True)


def figures_tables(variants: Sequence[Variant], console: Console) -> list[Table]:
    """Tables of as many variants as the console is wide enough for, about equally many in each."""
    unlimited = console.options.update(max_width=_UNLIMITED)
    for number in range(1, len(variants) + 1):
        tables = [_figures_table(mine, variants) for mine in _parts(variants, number)]
        least = (console.measure(table, options=unlimited).minimum for table in tables)
        if max(least) <= console.width:
            break
    return tables


def _parts(variants: Sequence[Variant], number: int) -> Iterator[Sequence[Variant]]:
    """So many parts, of which none is larger than another by more than one."""
    each, more = divmod(len(variants), number)
    first = 0
    for part in range(number):
        last = first + each + (part < more)
        yield variants[first:last]
        first = last


def _figures_table(variants: Sequence[Variant], beside: Sequence[Variant]) -> Table:
    """One row for each figure, one column for each variant; ``beside`` are all that are told of."""
    runs = len(variants[0].answers)
    title = "" if runs == 1 else f"Means of {runs} runs, ± half of their interval of 95 %"
    table = Table(title=title or None, title_justify="left")
    table.add_column(variants[0].scenario.compared, min_width=_LABELS)
    for variant in variants:
        value = variant.scenario.name.partition("=")[2]
        name = value or ("this run" if runs == 1 else "mean")
        table.add_column(name, justify="right", no_wrap=True)
    for named in rows_of(beside):
        texts = [mean_text(named, variant.figures[named.figure]) for variant in variants]
        table.add_row(named.label, *texts)
    return table


def latency_table(answer: Answer) -> Table:
    """Latency and its parts. Percentiles of parts do not add up: other records are meant."""
    table = Table(title="Latency of a record", title_justify="left")
    table.add_column("")
    for name in TIMES:
        table.add_column(name, justify="right")
    for part in ("latency", *PARTS):
        times = answer.latency[part]
        table.add_row(_MEANINGS[part], *(time_text(times[name] * MILLISECOND) for name in TIMES))
    return table


def brokers_table(answer: Answer) -> Table:
    """Who has how much."""
    columns = {
        "broker": "broker",
        "records": "records",
        "share": "share",
        "requests": "requests",
        "busy": "busy",
        "backlog_most": "largest backlog, records",
        "in_flight_most": "most in flight",
    }
    return _table("Brokers", columns, answer.brokers)


def partitions_table(answer: Answer) -> Table:
    """Likewise."""
    columns = {
        "partition": "partition",
        "broker": "broker",
        "records": "records",
        "share": "share",
        "batches": "batches",
        "records_per_batch": "records per batch",
        "backlog_most": "largest backlog, records",
    }
    return _table("Partitions", columns, answer.partitions)


def _table(title: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, float]]) -> Table:
    table = Table(title=title, title_justify="left")
    for label in columns.values():
        table.add_column(label, justify="right")
    for row in rows:
        table.add_row(*(_cell(name, row[name]) for name in columns))
    return table


def _cell(name: str, number: float) -> str:
    if name in ("share", "busy") and not math.isnan(number):
        return f"{100 * number:.1f} %"
    return number_text(number)


def told(variants: Sequence[Variant]) -> Iterator[str]:
    """What the numbers mean, and what they do not."""
    idle = variants[0].scenario.cluster.idle
    if idle:
        yield f"Brokers that lead no partition: {numbers_text(idle)}."
    if len(variants) > 1:
        yield from differences(variants)
    if any(variant.figures["failed"].mean for variant in variants):
        yield (
            "Latencies are of the records that were delivered. Where more fail, such as by a "
            "shorter delivery.timeout.ms, they look better."
        )
    for variant in variants:
        of = f"{variant.scenario.name}: " if variant.scenario.name else ""
        for error, number in variant.first.errors.items():
            yield f"{of}{counted(number, 'record')} failed with {error}."
        if variant.unfinished is not None:
            until = time_text(variant.scenario.until_us)
            yield (
                f"{of}NOT FINISHED after {until} of simulated time (--until). "
                f"{unfinished_text(variant.scenario, variant.unfinished)} "
                "The figures are about records that have ended."
            )

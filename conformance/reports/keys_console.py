"""A user's own keys on the terminal: how many records each partition gets, and if Java agrees."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import scipy.stats
from rich import box
from rich.table import Table

from conformance.model.distribution import IntArray
from conformance.model.results import Verdict
from conformance.sampling.judging import RECORD_BY_RECORD, StatisticsResult
from conformance.statistics.verdicts import Subjected

_CONFIDENCE: Final = 0.95
_ALL: Final = 50
"""So many partitions are shown; of more only the ends, half of them fullest, half emptiest."""
_ENDS: Final = 20


def partition_tables(result: StatisticsResult) -> Iterator[Table]:
    """Partition by records; another table only for subjects that send keys elsewhere."""
    found: list[tuple[IntArray, list[Subjected]]] = []
    for of, measures in result.measures.items():
        counts = measures.counts.get("partition")
        if counts is None or not counts.any():  # of a subject that crashed, or only null keys
            continue
        whose = next((those for other, those in found if np.array_equal(other, counts)), None)
        if whose is None:
            found.append((counts, [of]))
        else:
            whose.append(of)
    for counts, those in found:
        everybody = len(those) == len(result.measures)
        yield _table(counts, "" if everybody else f": {', '.join(of.subject for of in those)}")


def _table(counts: IntArray, whose: str) -> Table:
    records, partitions = int(counts.sum()), len(counts)
    caption = f"interval: where the share is with {_CONFIDENCE:.0%} confidence, if these records "
    caption += "are a random sample of all"
    shown = np.arange(partitions)
    if partitions > _ALL:
        by_size = np.argsort(-counts, kind="stable")
        shown = np.concatenate([by_size[: _ENDS // 2], by_size[-_ENDS // 2 :]])
        caption += f"; {_ENDS} of {partitions:,} partitions: the fullest and the emptiest"
    table = Table(
        title=f"Records by partition{whose}",
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for column in ("partition", "records", "expected", "share", "interval"):
        table.add_column(column, justify="right", no_wrap=True)
    for partition in shown.tolist():
        mine = int(counts[partition])
        low, high = scipy.stats.binomtest(mine, records).proportion_ci(_CONFIDENCE, "wilson")
        table.add_row(
            str(partition),
            f"{mine:,}",
            f"{records / partitions:,.0f}",
            f"{mine / records:.2%}",
            f"{low:.2%} - {high:.2%}",
        )
    return table


def keys_told(result: StatisticsResult) -> Iterator[str]:
    """Who sends every key where Java sends it; who does not is among the problems."""
    same = [
        judged
        for judged in result.tests
        if judged.outcome.test == RECORD_BY_RECORD and judged.verdict is Verdict.CONFORMS
    ]
    if same:
        who = ", ".join(judged.of.subject for judged in same)
        yield f"Every one of {same[0].outcome.records:,} keys goes where Java sends it: {who}."

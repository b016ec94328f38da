"""A run of distributions on Spark: split, watch, collect."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from conformance.errors import SuiteError
from conformance.model.distribution import Measures
from conformance.sampling.blocks import Key, Order, add_all, split
from conformance.spark.executor import ExecutorFailure, Listeners, Pair, run_tasks
from conformance.spark.watching import STALL_SECONDS, watched

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.accumulators import Accumulator

_SECONDS_OF_TASK = 1.5
"""Spark spends 50 ms on starting a Python task; much longer ones would make progress jump."""
_TASKS_OF_CORE = 4


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    records: int
    """Records sampled so far, by all who finished a task."""
    total: int
    seconds: float


def run_order(
    context: "SparkContext",
    order: Order,
    pair: Pair,
    *,
    tell: Callable[[Progress], None] = lambda _progress: None,
    tasks: int | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> dict[Key, Measures]:
    """Sample an order on Spark and add up what every task counted.

    ``tasks`` is into how many about the work is cut; it does not change any count. Raises
    :class:`SuiteError` if an executor cannot work, if Spark gives up, or if for
    ``stall_seconds`` no task ends.
    """
    total = sum(order.sampled(distribution) for distribution in order.distributions)
    sampled = context.accumulator(0)
    failures = _list_accumulator(context)
    listeners = Listeners(sampled.add, failures.add)

    def collect() -> list[dict[Key, Measures]]:
        cut = split(order, tasks or _number_of_tasks(context, order))
        work = partial(run_tasks, order, pair, listeners)
        return context.parallelize(cut, len(cut)).mapPartitions(work).collect()

    started = time.monotonic()

    def each() -> int:
        tell(Progress(sampled.value, total, time.monotonic() - started))
        _raise_first(failures.value)
        return int(sampled.value)

    what = "sampling distributions"
    answers = watched(context, what, collect, each=each, stall_seconds=stall_seconds)
    totals: dict[Key, Measures] = {}
    for answer in answers:
        add_all(totals, answer)
    return totals


def _number_of_tasks(context: "SparkContext", order: Order) -> int:
    seconds = sum(order.seconds_of(distribution) for distribution in order.distributions)
    return max(_TASKS_OF_CORE * context.defaultParallelism, round(seconds / _SECONDS_OF_TASK))


def _list_accumulator(context: "SparkContext") -> "Accumulator[list[ExecutorFailure]]":
    """What executors say arrives with the end of their task, long before that of the job."""
    # Imported here because it takes long, and only this command needs it.
    from pyspark.accumulators import AccumulatorParam  # noqa: PLC0415

    class Joined(AccumulatorParam[list[ExecutorFailure]]):
        """Lists, put together."""

        def zero(self, value: list[ExecutorFailure]) -> list[ExecutorFailure]:
            del value
            return []

        def addInPlace(  # noqa: N802 -- Spark's name
            self, value1: list[ExecutorFailure], value2: list[ExecutorFailure]
        ) -> list[ExecutorFailure]:
            return value1 + value2

    return context.accumulator([], Joined())


def _raise_first(failures: list[ExecutorFailure]) -> None:
    if failures:
        first = failures[0]
        raise SuiteError(f"On {first.host}: {first.error.what}", first.error.remedy)

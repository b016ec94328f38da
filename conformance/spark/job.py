"""A run of distributions on Spark: split, watch, collect."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from conformance.errors import SuiteError
from conformance.model.distribution import Measures
from conformance.sampling.blocks import Key, Order, add_all, split
from conformance.spark.background import in_background
from conformance.spark.driver import end_of_jvm
from conformance.spark.executor import ExecutorFailure, Listeners, Pair, run_tasks
from conformance.spark.explain import explain

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.accumulators import Accumulator

STALL_SECONDS = 300.0
_SECONDS_OF_TASK = 1.5
"""Spark spends 50 ms on starting a Python task; much longer ones would make progress jump."""
_TASKS_OF_CORE = 4
_POLL_SECONDS = 0.2
_JOB = "kafka-conformance"


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
        context.setJobGroup(_JOB, "sampling distributions", interruptOnCancel=True)
        return context.parallelize(cut, len(cut)).mapPartitions(work).collect()

    started = time.monotonic()
    outcome = in_background(collect)
    with _watching(context, outcome, stall_seconds) as watch:
        while not wait([outcome], _POLL_SECONDS).done:
            tell(Progress(sampled.value, total, time.monotonic() - started))
            _raise_first(failures.value)
            watch.check(sampled.value)
    _raise_first(failures.value)
    totals: dict[Key, Measures] = {}
    for answer in _answers(context, outcome):
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


def _answers(
    context: "SparkContext", outcome: "Future[list[dict[Key, Measures]]]"
) -> list[dict[Key, Measures]]:
    try:
        return outcome.result()
    except Exception as error:
        _raise_if_jvm_ended(context)
        raise explain(error) from error


def _raise_if_jvm_ended(context: "SparkContext") -> None:
    ended = end_of_jvm(context)
    if ended is not None:
        raise SuiteError(
            f"Spark's driver, a JVM, {ended} during the run.",
            "Nothing was written. If you did not end it, it was probably out of memory.",
        )


@contextmanager
def _watching(
    context: "SparkContext", outcome: "Future[list[dict[Key, Measures]]]", stall_seconds: float
) -> Iterator["_Watch"]:
    """A watch while the job runs; whatever ends the watching ends the job."""
    watch = _Watch(context, stall_seconds)
    follower = in_background(partial(watch.follow, outcome))
    try:
        yield watch
    finally:
        watch.over = True
        if not outcome.done():
            # Not waited for: the session ends Spark, the job with it, if this does not.
            in_background(partial(context.cancelJobGroup, _JOB))
        wait([follower], _POLL_SECONDS)


class _Watch:
    """Notices that nothing happens any more."""

    def __init__(self, context: "SparkContext", stall_seconds: float) -> None:
        self._context = context
        self._stall_seconds = stall_seconds
        self._moved: tuple[int, int] = (0, 0)
        self._ended = 0
        self._active = 0
        self._since = time.monotonic()
        self.over = False

    def follow(self, outcome: "Future[list[dict[Key, Measures]]]") -> None:
        """Keep asking Spark how many tasks have ended, in a thread of its own, until the end."""
        tracker = self._context.statusTracker()
        while not (self.over or outcome.done()):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            known = [stage for stage in stages if stage is not None]
            self._ended = sum(stage.numCompletedTasks + stage.numFailedTasks for stage in known)
            self._active = sum(stage.numActiveTasks for stage in known)
            time.sleep(_POLL_SECONDS)

    def check(self, sampled: int) -> None:
        """Raise :class:`SuiteError` if no task has ended for too long, or the driver has."""
        _raise_if_jvm_ended(self._context)
        # Spark's figures of tasks may lag behind; the records come with the end of each task.
        if (sampled, self._ended) != self._moved:
            self._moved, self._since = (sampled, self._ended), time.monotonic()
        if time.monotonic() - self._since < self._stall_seconds:
            return
        waiting = f"for {self._stall_seconds:g} s no task has finished"
        if self._active:
            raise SuiteError(
                f"Spark is stuck: {waiting}, although some have started.",
                "Look at the executors' logs, or allow more time with --stall-seconds.",
            )
        raise SuiteError(
            f"Spark has no workers: {waiting}, and none has started.",
            "Check that the cluster has workers with free cores and memory "
            "(spark.executor.memory), or allow more time with --stall-seconds.",
        )

"""A run of distributions on Spark: split, watch, collect."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.distributions.distribution import Measures
from conformance.distributions.sampling import Key, Order, add_all, split
from conformance.errors import SuiteError
from conformance.spark.executor import Failure, run_tasks
from conformance.spark.session import first_line

if TYPE_CHECKING:
    from pyspark import SparkContext

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
    subject: str,
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
    cut = split(order, tasks or _number_of_tasks(context, order))
    counter = context.accumulator(0)
    work = context.parallelize(cut, len(cut)).mapPartitions(
        partial(run_tasks, order, subject, counter.add)
    )
    outcome = _collect_in_background(context, work)
    watch = _Watch(context, stall_seconds)
    started = time.monotonic()
    try:
        while not outcome.done():
            time.sleep(_POLL_SECONDS)
            tell(Progress(counter.value, total, time.monotonic() - started))
            watch.check()
        answers = outcome.result()
    except SuiteError:
        context.cancelJobGroup(_JOB)
        raise
    except Exception as error:
        raise _given_up(error) from error
    totals: dict[Key, Measures] = {}
    for answer in answers:
        if isinstance(answer, Failure):
            raise SuiteError(f"On {answer.host}: {answer.error.what}", answer.error.remedy)
        add_all(totals, answer)
    return totals


def _number_of_tasks(context: "SparkContext", order: Order) -> int:
    seconds = sum(order.seconds_of(distribution) for distribution in order.distributions)
    return max(_TASKS_OF_CORE * context.defaultParallelism, round(seconds / _SECONDS_OF_TASK))


def _collect_in_background(context: "SparkContext", work: Any) -> "Future[list[Any]]":
    """Collect in a thread of its own: this one has progress to show and Ctrl-C to hear."""
    # Imported here because it takes long, and only this command needs it.
    from pyspark import InheritableThread  # noqa: PLC0415

    outcome: Future[list[Any]] = Future()

    def collect() -> None:
        context.setJobGroup(_JOB, "sampling distributions", interruptOnCancel=True)
        try:
            outcome.set_result(work.collect())
        except BaseException as error:
            outcome.set_exception(error)

    thread = InheritableThread(target=collect, daemon=True)
    thread.start()
    return outcome


class _Watch:
    """Notices that nothing happens any more."""

    def __init__(self, context: "SparkContext", stall_seconds: float) -> None:
        self._tracker = context.statusTracker()
        self._stall_seconds = stall_seconds
        self._ended = -1
        self._active = 0
        self._since = time.monotonic()

    def check(self) -> None:
        """Raise :class:`SuiteError` if no task has ended for too long."""
        stages = [self._tracker.getStageInfo(s) for s in self._tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        ended = sum(stage.numCompletedTasks + stage.numFailedTasks for stage in known)
        self._active = sum(stage.numActiveTasks for stage in known)
        now = time.monotonic()
        if ended != self._ended:
            self._ended, self._since = ended, now
        if now - self._since < self._stall_seconds:
            return
        waiting = f"for {self._stall_seconds:g} s no task has ended"
        if self._active:
            raise SuiteError(
                f"Spark is stuck: {waiting}, though {self._active} were begun.",
                "Look at the executors' logs, or allow more time with --stall-seconds.",
            )
        raise SuiteError(
            f"Spark has nobody to work for it: {waiting}, and none was begun.",
            "Check that the cluster has workers with free cores and memory "
            "(spark.executor.memory), or allow more time with --stall-seconds.",
        )


def _given_up(error: Exception) -> SuiteError:
    """Spark's exception as a message: its cause is deep inside a Java stack trace."""
    java = getattr(error, "java_exception", None)
    told = str(java.getMessage()) if java is not None else first_line(error)
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    causes = [line for line in lines if "exited unexpectedly" in line or "Caused by" in line]
    said = " ".join(dict.fromkeys(lines[:1] + causes[:1]))
    return SuiteError(
        f"Spark gave the run up: {said.rstrip('.')}.",
        "Nothing was written. A Python worker that dies again and again is most often one "
        "without memory; Spark's log says more.",
    )

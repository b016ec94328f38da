"""A job on Spark that is watched: it may end with the driver's JVM, or never move."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from conformance.errors import SuiteError
from conformance.spark.background import in_background
from conformance.spark.driver import end_of_jvm
from conformance.spark.explain import explain

if TYPE_CHECKING:
    from pyspark import SparkContext

STALL_SECONDS: Final = 300.0
_POLL_SECONDS: Final = 0.2
_JOB: Final = "kafka-conformance"
_Result = TypeVar("_Result")


def watched(
    context: "SparkContext",
    what: str,
    collect: Callable[[], _Result],
    *,
    each: Callable[[], int] = lambda: 0,
    stall_seconds: float = STALL_SECONDS,
    otherwise: str = "allow more time with --stall-seconds",
) -> _Result:
    """What ``collect`` answers, which runs a job of Spark, ``what`` in few words.

    ``each`` is called several times a second, tells people how far it is, and answers a number
    that grows with the work; it may raise. Raises :class:`SuiteError` if Spark gives up, or if for
    ``stall_seconds`` nothing moves; ``otherwise`` says what people can do then.
    """

    def job() -> _Result:
        context.setJobGroup(_JOB, what, interruptOnCancel=True)
        return collect()

    outcome = in_background(job)
    with _watching(context, outcome, stall_seconds, otherwise) as watch:
        while not wait([outcome], _POLL_SECONDS).done:
            watch.check(each())
    each()
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
    context: "SparkContext", outcome: "Future[_Result]", stall_seconds: float, otherwise: str
) -> Iterator["_Watch"]:
    """A watch while the job runs; whatever ends the watching ends the job."""
    watch = _Watch(context, stall_seconds, otherwise)
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

    def __init__(self, context: "SparkContext", stall_seconds: float, otherwise: str) -> None:
        self._context = context
        self._otherwise = otherwise
        self._stall_seconds = stall_seconds
        self._moved: tuple[int, int] = (0, 0)
        self._ended = 0
        self._active = 0
        self._since = time.monotonic()
        self.over = False

    def follow(self, outcome: "Future[_Result]") -> None:
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
                f"Look at the executors' logs, or {self._otherwise}.",
            )
        raise SuiteError(
            f"Spark has no workers: {waiting}, and none has started.",
            "Check that the cluster has workers with free cores and memory "
            f"(spark.executor.memory), or {self._otherwise}.",
        )

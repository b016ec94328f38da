"""Runs of a simulation on Spark, one to a task: the same numbers on any master."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from conformance.errors import SuiteError, UsageError
from conformance.simulation.answers import Answer
from conformance.simulation.loop import Tell
from conformance.simulation.repeated import Run
from conformance.simulation.traces import Trace
from conformance.spark.master import is_local
from conformance.spark.session import spark_session
from conformance.spark.watching import watched

if TYPE_CHECKING:
    from pyspark import SparkContext

_STALL_SECONDS: Final = 3600.0
"""A run of a hundred million records lasts about as long."""


def simulate_on(master: str, runs: Sequence[Run], tell: Tell) -> list[Answer]:
    """What came of each run, a task of its own; see :func:`spark_session`.

    ``tell`` is told how many records more have come, at the end of each task. Raises
    :class:`UsageError` for a trace that the executors could not read.
    """
    if not is_local(master) and any(isinstance(one.scenario.load, Trace) for one in runs):
        told = f"--trace: the workers of {master} do not have the file."
        raise UsageError(told, "Use --master local[2], or describe the records (--rate, --size).")
    with spark_session(master, ()) as context:
        return _collected(context, runs, tell)


def _collected(context: "SparkContext", runs: Sequence[Run], tell: Tell) -> list[Answer]:
    came = context.accumulator(0)
    told = 0

    def collect() -> list[Answer | SuiteError]:
        return context.parallelize(runs, len(runs)).map(partial(_answer, came.add)).collect()

    def each() -> int:
        nonlocal told
        there = int(came.value)
        tell(there - told, None)
        told = there
        return there

    answers = []
    found = watched(
        context,
        "simulating producers",
        collect,
        each=each,
        stall_seconds=_STALL_SECONDS,
        otherwise="simulate fewer records",
    )
    for answer in found:
        if isinstance(answer, SuiteError):
            raise answer
        answers.append(answer)
    return answers


def _answer(add: Callable[[int], None], run: Run) -> Answer | SuiteError:
    """An error of the suite's own is an answer: Spark would try it three times again."""
    try:
        return run.answer(tell=lambda more, _now_us: add(more) if more else None)
    except SuiteError as error:
        return error

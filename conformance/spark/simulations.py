"""Runs of a simulation on Spark, one to a task: the same numbers on any master."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from conformance.errors import SuiteError, UsageError
from conformance.simulation.answers import Answer, simulate
from conformance.simulation.scenario import Scenario
from conformance.simulation.traces import Trace
from conformance.spark.master import is_local
from conformance.spark.session import spark_session
from conformance.spark.watching import watched

if TYPE_CHECKING:
    from pyspark import SparkContext

_STALL_SECONDS: Final = 3600.0
"""A run of a hundred million records lasts about as long."""


def simulate_on(master: str, scenarios: Sequence[Scenario]) -> list[Answer]:
    """What came of each scenario, without what happened in detail; see :func:`spark_session`.

    Raises :class:`UsageError` for a trace that the executors could not read.
    """
    if not is_local(master) and any(isinstance(one.load, Trace) for one in scenarios):
        told = f"--trace: the workers of {master} do not have the file."
        raise UsageError(told, "Use --master local[2], or describe the records (--rate, --size).")
    with spark_session(master, ()) as context:
        return _collected(context, scenarios)


def _collected(context: "SparkContext", scenarios: Sequence[Scenario]) -> list[Answer]:
    def collect() -> list[Answer | SuiteError]:
        return context.parallelize(scenarios, len(scenarios)).map(_answer).collect()

    answers = []
    what, fewer = "simulating producers", "simulate fewer records"
    for answer in watched(context, what, collect, stall_seconds=_STALL_SECONDS, otherwise=fewer):
        if isinstance(answer, SuiteError):
            raise answer
        answers.append(answer)
    return answers


def _answer(scenario: Scenario) -> Answer | SuiteError:
    """An error of the suite's own is an answer: Spark would try it three times again."""
    try:
        return simulate(scenario).in_short
    except SuiteError as error:
        return error

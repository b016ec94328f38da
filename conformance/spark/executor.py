"""What runs on an executor: tasks in, measures out.

A Python worker of Spark drives its JVM from its main thread, as the engine's own workers do, and
with the same oracle. It finds the jars among the files that Spark shipped, verified again here.
"""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from conformance.errors import JarError, SuiteError
from conformance.jars.store import JarStore
from conformance.model.distribution import Measures
from conformance.model.subject import Subject
from conformance.sampling.blocks import BlockRunner, Key, Order, Task, add_all
from conformance.subjects.registry import SUBJECTS

Pair = Callable[[JarStore], tuple[Subject, Subject]]
"""Makes oracle and subject from the jars that Spark shipped; crosses to other machines."""

_SHIPPED_JARS = (
    "The jars were verified before Spark shipped them, so they were lost or changed on "
    "that machine: a full disk, or a clean-up of Spark's folders. Make room and run it again."
)


@dataclass(frozen=True)
class ExecutorFailure:
    """Why an executor could not work: the suite's own error, and the host that had it."""

    host: str
    error: SuiteError


@dataclass(frozen=True)
class Listeners:
    """Who in the driver hears of an executor's progress: accumulators of Spark."""

    sampled: Callable[[int], None]
    """Hears the records of each block."""
    failed: Callable[[list[ExecutorFailure]], None]


def beside_java(subject: str) -> Pair:
    """Java, and what ``--subject`` names."""
    return partial(_beside_java, subject)


def _beside_java(subject: str, store: JarStore) -> tuple[Subject, Subject]:
    return SUBJECTS["java"](store), SUBJECTS[subject](store)


def run_tasks(
    order: Order, pair: Pair, listeners: Listeners, tasks: Iterator[Task]
) -> Iterator[dict[Key, Measures]]:
    """Run tasks one after the other, adding their measures up.

    An error of the suite's own is not raised, but told, and the driver stops the run. Spark would
    try three more times and then bury it in a stack trace.
    """
    totals: dict[Key, Measures] = {}
    try:
        runner = _runner(order, pair)
        for task in tasks:
            add_all(totals, runner.run(task, listeners.sampled))
    except SuiteError as error:
        if isinstance(error, JarError):
            error = JarError(error.what, _SHIPPED_JARS)
        listeners.failed([ExecutorFailure(socket.gethostname(), error)])
        return
    yield totals


_runners: dict[bytes, BlockRunner] = {}


def _runner(order: Order, pair: Pair) -> BlockRunner:
    """The runner of this process; Spark uses a Python worker for many tasks."""
    # Imported here because only a worker of Spark has it.
    import pickle  # noqa: PLC0415

    from pyspark import SparkFiles  # noqa: PLC0415

    key = pickle.dumps((order, pair))
    if key not in _runners:
        store = JarStore(Path(SparkFiles.getRootDirectory()))
        _runners.clear()
        _runners[key] = BlockRunner(order, *pair(store))
    return _runners[key]

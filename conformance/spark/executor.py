"""What runs on an executor: tasks in, measures out.

A Python worker of Spark drives its JVM from its main thread, as the engine's own workers do, and
with the same oracle. It finds the jars among the files that Spark shipped, verified again here.
"""

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.distributions.distribution import Measures
from conformance.distributions.sampling import BlockRunner, Key, Order, Task, add_all
from conformance.errors import JarError, SuiteError
from conformance.jars.store import JarStore
from conformance.subjects import SUBJECTS

_SHIPPED_JARS = (
    "The jars were verified before Spark shipped them, so something on that machine lost or "
    "changed them: a full disk, or a clean-up of Spark's folders. Make room and run it again."
)


@dataclass(frozen=True)
class Failure:
    """Why an executor could not work: the suite's own error, and the host that had it."""

    host: str
    error: SuiteError


@dataclass(frozen=True)
class Listeners:
    """Who in the driver hears of an executor's progress: accumulators of Spark."""

    sampled: Callable[[int], None]
    """Hears the records of each block."""
    failed: Callable[[list[Failure]], None]


def run_tasks(
    order: Order, subject: str, listeners: Listeners, tasks: Iterator[Task]
) -> Iterator[dict[Key, Measures]]:
    """Run tasks one after the other, adding their measures up.

    An error of the suite's own is not raised, but told, and the driver stops the run. Spark would
    try three more times and then bury it in a stack trace.
    """
    totals: dict[Key, Measures] = {}
    try:
        runner = _runner(order, subject)
        for task in tasks:
            add_all(totals, runner.run(task, listeners.sampled))
    except SuiteError as error:
        if isinstance(error, JarError):
            error = JarError(error.what, _SHIPPED_JARS)
        listeners.failed([Failure(socket.gethostname(), error)])
        return
    yield totals


_runners: dict[tuple[bytes, str], BlockRunner] = {}


def _runner(order: Order, subject: str) -> BlockRunner:
    """The runner of this process; Spark uses a Python worker for many tasks."""
    # Imported here because only a worker of Spark has it.
    import pickle  # noqa: PLC0415

    from pyspark import SparkFiles  # noqa: PLC0415

    key = (pickle.dumps(order), subject)
    if key not in _runners:
        store = JarStore(Path(SparkFiles.getRootDirectory()))
        _runners.clear()
        _runners[key] = BlockRunner(order, SUBJECTS["java"](store), SUBJECTS[subject](store))
    return _runners[key]

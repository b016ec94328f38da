"""Bugs to plant in the processes of a test.

Python imports this module at the start of every process, the workers included, when this folder
is on PYTHONPATH. The variable PLANTED_BUG names the function that plants the bug.
"""

import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

_VICTIM = "3.2.3"
_IS_WORKER = "--multiprocessing-fork" in sys.orig_argv


def _mark(name: str) -> None:
    Path(os.environ["PLANTED_MARKS"], name).touch()


def _in_case(number: int, version: str, act: Callable[[], object]) -> None:
    """Do something when a version's real client is about to perform its case ``number``."""
    java_client: Any = importlib.import_module("conformance.subjects.java_client")
    make = java_client.JavaSubject.performer

    def performer(self: Any, behaviour: Any, client: Any) -> Callable[[Any], Any]:
        perform = make(self, behaviour, client)
        cases = 0

        def counting(case: Any) -> Any:
            nonlocal cases
            cases += 1
            if client.version == version and cases == number:
                act()
            return perform(case)

        return counting

    java_client.JavaSubject.performer = performer


def _at_import_of(module: str, act: Callable[[], object]) -> None:
    class Finder(MetaPathFinder):
        def find_spec(self, fullname: str, path: object, target: object = None) -> None:
            del path, target
            if fullname == module:
                act()

    sys.meta_path.insert(0, Finder())


def _wait_long() -> None:
    _mark("waiting")
    time.sleep(600)


def wrong_port() -> None:
    """The port answers records without key with the partition after the right one."""
    mutants: Any = importlib.import_module("conformance.mutants.mutant")
    right = "return self._sticky.partition(topic, cluster)"
    file = "producer/default_partitioner.py"
    bug = mutants.Mutant("wrong port", "", file, right, f"{right} + 1", "sticky", "3.8.0")
    # In the source, because the port is imported once more when a difference is shrunk.
    sys.meta_path.insert(0, mutants._Finder("python_impl", bug))
    for module in [name for name in sys.modules if f"{name}.".startswith("python_impl.")]:
        del sys.modules[module]


def killed_worker() -> None:
    """One version's worker is killed, as by the kernel when memory runs out."""
    _in_case(20, _VICTIM, lambda: os.kill(os.getpid(), signal.SIGKILL))


def halting_jvm() -> None:
    """One version's JVM ends, and its process with it."""

    def halt() -> None:
        jpype: Any = importlib.import_module("jpype")
        jpype.JClass("java.lang.Runtime").getRuntime().halt(7)

    _in_case(20, _VICTIM, halt)


def stillborn_worker() -> None:
    """Workers end before they have taken up anything."""
    if _IS_WORKER:
        os._exit(5)


def hanging_case() -> None:
    """One version's case does not end."""
    _in_case(20, _VICTIM, _wait_long)


def waiting_last_cell() -> None:
    """The cell that a single worker takes up last does not end."""
    _in_case(20, "3.8.0", _wait_long)


def broken_oracle() -> None:
    """One version's oracle fails in a way that nobody thought of."""

    def fail() -> None:
        raise RuntimeError("planted")

    _in_case(1, _VICTIM, fail)


def other_random() -> None:
    """The suite's ThreadLocalRandom is not this JDK's."""
    draws: Any = importlib.import_module("conformance.draws")
    draws._MIX_1 ^= 2


def slow_import() -> None:
    """Importing the suite takes long."""
    if not _IS_WORKER:
        _at_import_of("conformance.cli", _wait_long)


def slow_worker_start() -> None:
    """Workers take long to start, and tell if Ctrl-C would reach them meanwhile."""
    if _IS_WORKER:
        if signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
            _mark("open to Ctrl-C")
        _wait_long()


def bug_in_the_suite() -> None:
    """The suite itself is broken."""

    def fail() -> None:
        raise RuntimeError("planted")

    command: Any = importlib.import_module("conformance.commands.running")
    command.find_java = fail


_name = os.environ.get("PLANTED_BUG")
if _name:
    globals()[_name]()

"""Bugs to plant in Spark's Python workers, on whatever machine they run.

Spark gives workers the variables ``spark.executorEnv.*``: PYTHONPATH leads here, PLANTED_BUG names
the function that plants the bug, PLANTED_MARKS the folder of its marks.
"""

import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

_EXECUTOR = "conformance.spark.executor"


def _mark(name: str, text: str = "") -> None:
    Path(os.environ["PLANTED_MARKS"], name).write_text(text)


def _claim(name: str) -> bool:
    """Whether this process is the first that asks for this name."""
    try:
        Path(os.environ["PLANTED_MARKS"], name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _after_import(name: str, change: Callable[[Any], None]) -> None:
    """Change a module once it is imported; where it lies is known only then."""

    class Finder(MetaPathFinder):
        def find_spec(
            self, fullname: str, path: object, target: object = None
        ) -> ModuleSpec | None:
            del path, target
            if fullname != name:
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            assert spec is not None
            loader: Any = spec.loader
            execute = loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                change(module)

            loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Finder())


def _in_task(act: Callable[[int], object]) -> None:
    """Do something after the first block of each task, told how many tasks are finished."""

    def change(executor: Any) -> None:
        run = executor.run_tasks

        def run_tasks(order: Any, subject: str, listeners: Any, tasks: Any) -> Iterator[Any]:
            marks = Path(os.environ["PLANTED_MARKS"])
            acted = False

            def sampled(records: int) -> None:
                nonlocal acted
                listeners.sampled(records)
                if not acted:
                    acted = True
                    act(len(list(marks.glob("finished-*"))))

            yield from run(order, subject, executor.Listeners(sampled, listeners.failed), tasks)
            _mark(f"finished-{os.getpid()}-{time.monotonic_ns()}")

        executor.run_tasks = run_tasks

    _after_import(_EXECUTOR, change)


def _kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def where() -> None:
    """Tells where the suite was imported from."""
    _after_import(_EXECUTOR, lambda module: _mark("where", module.__file__))


def killed_worker() -> None:
    """The first worker that has begun a task when two are finished is killed."""
    _in_task(lambda finished: finished >= 2 and _claim("killed") and _kill_self())


def killed_machine() -> None:
    """A worker is killed, and later, as if a machine went, a whole worker with its executor."""

    def kill(finished: int) -> None:
        if finished >= 2 and _claim("killed"):
            _kill_self()
        if finished < 5 or not _claim("killed machine"):
            return
        import psutil

        executor = psutil.Process(os.getppid()).parent()
        worker = executor and executor.parent()
        assert executor is not None
        assert worker is not None
        assert any("CoarseGrainedExecutorBackend" in word for word in executor.cmdline())
        assert any("deploy.worker.Worker" in word for word in worker.cmdline())
        worker.kill()
        executor.kill()
        _kill_self()

    _in_task(kill)


def dying_worker() -> None:
    """Every attempt at every task kills its worker."""
    _after_import(_EXECUTOR, lambda _executor: _kill_self())


def hanging_worker() -> None:
    """The second task and all later ones of a worker do not end."""

    def hang(finished: int) -> None:
        if finished:
            _mark("waiting")
            time.sleep(600)

    _in_task(hang)


def _spoil(change: Callable[[Path], None]) -> None:
    def spoil(_executor: Any) -> None:
        from pyspark import SparkFiles

        jar = Path(SparkFiles.get("kafka-clients-3.8.0.jar"))
        if jar.exists():
            change(jar)

    _after_import(_EXECUTOR, spoil)


def lost_jar() -> None:
    """A jar is not among the files that Spark shipped."""
    _spoil(lambda jar: jar.unlink())


def truncated_jar() -> None:
    """A jar arrived in part."""

    def truncate(jar: Path) -> None:
        content = jar.read_bytes()
        jar.unlink()  # it may be a link to the one that everybody uses
        jar.write_bytes(content[:100_000])

    _spoil(truncate)


def other_python() -> None:
    """The workers' Python is not the driver's."""
    _after_import("pyspark.worker_util", _pretend)


def _pretend(worker_util: Any) -> None:
    class Sys:
        version_info = (3, 8, 0)

        def __getattr__(self, name: str) -> Any:
            return getattr(sys, name)

    worker_util.sys = Sys()


_name = os.environ.get("PLANTED_BUG")
if _name and "pyspark.daemon" in sys.orig_argv:
    globals()[_name]()

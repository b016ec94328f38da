"""What cases leave alive, held against the unit tests of its file.

Each runs in a pytest of its own, on a copy of the port that has the change in it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import pytest

from conformance.errors import SuiteError
from conformance.mutants.mutant import ROOT
from conformance.mutants.mutation import Mutation
from conformance.score.trial import Fate, Tried

CLONE: Final = ROOT.parent
"""Where the tests are."""
_PORT: Final = ROOT.name
_TIMES_AS_LONG: Final = 5
"""A change has stopped the tests that take so many times as long as without it ..."""
_SECONDS_MORE: Final = 30
"""... and so many seconds more."""
_NOTICED: Final = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
"""A test fails; or it cannot even be imported."""


def try_in_tests(
    survivors: Sequence[Tried[Mutation]], tests: Sequence[str], *, jobs: int
) -> Iterator[Tried[Mutation]]:
    """Run some files of tests on each survivor, ``jobs`` at a time.

    What a test notices becomes :attr:`Fate.TESTED`, or :attr:`Fate.STOPPED` if they do not end.
    ``tests`` are relative to the clone. Raises :class:`SuiteError` unless they pass on the port as
    it is, or if pytest cannot be run.
    """
    if not survivors:
        return
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[_Copy] = SimpleQueue()
        for number in range(jobs):
            copies.put(_Copy(Path(folder) / str(number), tests))
        seconds = _seconds_of(copies)

        def tried(one: Tried[Mutation]) -> Tried[Mutation]:
            copy = copies.get()
            try:
                return replace(one, outcome=copy.fate(one.mutation, seconds))
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(jobs) as pool:
            for future in as_completed([pool.submit(tried, one) for one in survivors]):
                yield future.result()


def _seconds_of(copies: "SimpleQueue[_Copy]") -> float:
    """How long the tests may take: they are run once on the port as it is."""
    copy = copies.get()
    started = time.perf_counter()
    code, told = copy.run(None)
    if code != pytest.ExitCode.OK:
        raise SuiteError(
            f"{' '.join(copy.tests)} end with exit code {code} on the port as it is:\n{told}",
            "They say nothing about changes then. Mend them first.",
        )
    copies.put(copy)
    return (time.perf_counter() - started) * _TIMES_AS_LONG + _SECONDS_MORE


class _Copy:
    """A copy of the port, whose files are changed one at a time."""

    def __init__(self, folder: Path, tests: Sequence[str]) -> None:
        self.tests = tests
        self._port = folder / _PORT
        shutil.copytree(ROOT, self._port, ignore=shutil.ignore_patterns("__pycache__"))
        paths = os.pathsep.join(map(str, (folder, CLONE)))
        # Compiled files are told apart by seconds and sizes, which two changes may share.
        self._environment = {
            **os.environ,
            "PYTHONPATH": paths,
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def fate(self, mutation: Mutation, seconds: float) -> Fate:
        """What the tests make of a change."""
        file = self._port / mutation.file
        before = file.read_text("utf-8")
        try:
            file.write_text(mutation.source(), encoding="utf-8")
            code, told = self.run(seconds)
        except subprocess.TimeoutExpired:
            return Fate.STOPPED
        finally:
            file.write_text(before, encoding="utf-8")
        if code in _NOTICED:
            return Fate.TESTED
        if code != pytest.ExitCode.OK:
            raise SuiteError(
                f"{' '.join(self.tests)} end with exit code {code} on {mutation}:\n{told}",
                "Neither passed nor failed: see what pytest says.",
            )
        return Fate.SURVIVED

    def run(self, seconds: float | None) -> tuple[int, str]:
        """The exit code of the tests on the copy, and the end of what they print.

        The port is imported before anything else (``-p``), and from the copy (``-P``). Raises
        :class:`subprocess.TimeoutExpired`.
        """
        options = ("-P", "-m", "pytest", "-p", _PORT, "-p", "no:cacheprovider", "-q", "-x")
        ended = subprocess.run(
            [sys.executable, *options, *self.tests],
            cwd=CLONE,
            env=self._environment,
            timeout=seconds,
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, (ended.stdout + ended.stderr)[-2000:]

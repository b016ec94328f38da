"""Running broken testees, and looking for what they leave behind."""

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from click.testing import CliRunner

from conformance.cli import main
from tests.cli.running import Outcome, wait_until
from tests.testees.catalogue import Entry

MEBIBYTE = 2**20
BROKEN = Path(__file__).parent / "broken" / "__main__.py"
TINY = "tiny"
"""A profile of the tests in this process."""
_PATIENT = ("--hello-seconds", "30", "--answer-seconds", "30", "--exit-seconds", "30")


def arguments(entry: Entry, folder: Path, profile: str = "quick") -> list[str]:
    """The words after ``kafka-conformance`` that run a testee; reports go to the folder."""
    command = [sys.executable, "-I", "-S", str(BROKEN), entry.fault, str(folder)]
    return [
        *("testee", "--profile", profile, "--java-client", "3.8.0", "--behaviour", entry.behaviour),
        *("--output", str(folder / "divergences")),
        *("--json", str(folder / "report.json"), "--junit", str(folder / "report.xml")),
        *_PATIENT,
        *entry.options,
        "--",
        *command,
    ]


def name_of(entry: Entry) -> str:
    """What a test of an entry is called."""
    return entry.fault


def run_here(words: Sequence[str]) -> Outcome:
    """The command in this process, with the JVM that it already has."""
    answer = CliRunner().invoke(main, [words[0], "--jobs", "0", *words[1:]])
    return Outcome(answer.exit_code, answer.stdout, answer.stderr)


def expect_none_left(folder: Path) -> None:
    """Check that no process has the folder on its command line."""
    wait_until(lambda: not _processes(folder), f"the end of {_processes(folder)}", 30)


def _processes(folder: Path) -> list[str]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = process.cmdline()
            mine = process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE
            if not mine and str(folder) in words:
                found.append(" ".join(words))
    return found


@dataclass
class Peak:
    """The most memory that was seen, in bytes."""

    bytes: int = 0


@contextmanager
def peak_memory(root: int, *, workers: bool) -> Iterator[Peak]:
    """Watch the memory of a process and its workers, not of testees."""
    peak = Peak()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            peak.bytes = max(peak.bytes, _memory(root, workers=workers))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def _memory(root: int, *, workers: bool) -> int:
    used = 0
    with suppress(psutil.Error):
        process = psutil.Process(root)
        used = process.memory_info().rss
        for child in process.children() if workers else []:
            # Not a copy of the process that is about to become something else.
            with suppress(psutil.Error):
                if "multiprocessing" in " ".join(child.cmdline()):
                    used += child.memory_info().rss
    return used


@contextmanager
def stopwatch(limit: float) -> Iterator[None]:
    """Check that something does not take longer than that many seconds."""
    started = time.monotonic()
    yield
    took = time.monotonic() - started
    assert took < limit, f"it took {took:.1f} s, not {limit:g} s at most"

"""Ctrl-C, and a driver that is killed: a quick end, no process left, no result touched."""

import json
import signal
import subprocess
import time
from contextlib import suppress

import psutil
import pytest

from conformance.reports.statistics_files import FORMAT
from tests.cli.running import Suite, interrupt, wait_until
from tests.landing import later, nightly
from tests.spark.running import ONE, leftovers, logs, no_survivors, plant

_HANGS = (*ONE, "--master", "local[2]", "--records", "1M", "--tasks", "8")
_EARLIER = "conformance-results/statistics/results.json"


def _earlier_results(suite: Suite) -> str:
    file = suite.cwd / _EARLIER
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"format": FORMAT}))
    return file.read_text()


def _start_and_wait(suite: Suite) -> "subprocess.Popen[str]":
    """Start a run and wait until one task is finished and another will never be."""
    process = suite.start("stats", *_HANGS)
    wait_until(
        lambda: suite.marked("waiting") or process.poll() is not None, "a task that hangs", 90
    )
    assert process.poll() is None, process.communicate()
    return process


@nightly
@pytest.mark.parametrize("by", [signal.SIGINT, later(signal.SIGTERM)])
def test_ctrl_c_in_the_middle(suite: Suite, by: signal.Signals) -> None:
    plant(suite, "hanging_worker")
    before = _earlier_results(suite)
    process = _start_and_wait(suite)
    with no_survivors(process):
        start = time.monotonic()
        outcome = interrupt(process, within=15, by=by)
        assert time.monotonic() - start < 15
    outcome.expect(3)
    assert outcome.err == "Interrupted.\n"
    assert suite.files() == [_EARLIER]
    assert (suite.cwd / _EARLIER).read_text() == before
    assert logs(suite) == []
    assert leftovers(suite) == []


@nightly
def test_ctrl_c_while_spark_starts(suite: Suite) -> None:
    """A JVM that has just been started must not stay behind."""
    process = suite.start("stats", *_HANGS)
    wait_until(lambda: _starts_spark(process.pid), "the start of Spark", 60)
    outcome = interrupt(process, within=25).expect(3)
    assert outcome.text == "Interrupted.\n"
    assert suite.files() == []
    assert leftovers(suite) == []


def _starts_spark(parent: int) -> bool:
    children = psutil.Process(parent).children()
    with suppress(psutil.Error):  # the one that was asked for its version may end meanwhile
        return any("spark" in word for child in children for word in child.cmdline())
    return False


@nightly
def test_killed_driver(suite: Suite) -> None:
    plant(suite, "hanging_worker")
    process = _start_and_wait(suite)
    with no_survivors(process):
        for child in psutil.Process(process.pid).children():
            child.kill()
        _, err = process.communicate(timeout=20)
    assert process.returncode == 3
    (log,) = logs(suite)
    assert err == (
        "Error: Spark's driver, a JVM, was killed by SIGKILL during the run.\n  Nothing "
        "was written. If you did not end it, it was probably out of memory. Spark's own log: "
        f"{log}\n"
    )
    assert suite.files() == leftovers(suite) == []

"""Workers of our own Python: they end with all that they have started."""

import os
import subprocess
import sys
import time
from multiprocessing import resource_tracker
from typing import Any

import psutil

from conformance.processes.tree import MARK_VARIABLE, end_marked, marked
from conformance.processes.worker import Worker
from tests.cli.running import wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def start_another_and_hang(connection: Any) -> None:
    """A worker whose child is in a session of its own, as a testee is."""
    child = subprocess.Popen(SLEEP, start_new_session=True)
    connection.send(child.pid)
    time.sleep(600)


def echo(connection: Any, prefix: str) -> None:
    connection.send(prefix + connection.recv())


def test_a_worker_works_and_says_how_it_ended() -> None:
    worker = Worker(echo, "so: ")
    worker.connection.send("hello")
    assert worker.connection.recv() == "so: hello"
    assert worker.exit_code() == 0
    assert not worker.is_running
    worker.end()


def test_what_a_worker_has_started_ends_with_it() -> None:
    worker = Worker(start_another_and_hang)
    child = psutil.Process(worker.connection.recv())
    assert worker.is_running
    worker.end()
    assert not worker.is_running
    wait_until(lambda: not child.is_running() or child.status() == "zombie", "the child's end")


def test_the_tracker_that_all_workers_share_outlives_one() -> None:
    for _ in range(2):
        worker = Worker(echo, "")
        worker.end()
    tracker = psutil.Process(resource_tracker._resource_tracker._pid)  # type: ignore[attr-defined]
    assert tracker.status() != psutil.STATUS_ZOMBIE


def test_what_is_started_by_others_can_be_marked() -> None:
    before = os.environ.get(MARK_VARIABLE)
    with marked() as mark:
        inside = subprocess.Popen(SLEEP)
    assert os.environ.get(MARK_VARIABLE) == before
    outside = subprocess.Popen(SLEEP)
    try:
        end_marked(mark)
        assert inside.wait(10) < 0
        assert outside.poll() is None
    finally:
        outside.kill()
        outside.wait()

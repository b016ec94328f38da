"""Work in a process of its own: what hangs or dies costs its own answer, and leaves nothing."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from conformance.processes import alone
from conformance.processes.alone import Ended, about, in_fresh_process
from tests.cli.running import wait_until


def obey(order: str) -> str:
    """Do what is ordered: end, hang, or leave a process behind in the file that is named."""
    about(f"the order {order}")
    if order == "end":
        os._exit(7)
    if order == "hang":
        time.sleep(600)
    while order == "spin":
        pass
    if order.startswith("/"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(order).write_text(str(child.pid))
    return f"done: {order}"


def test_each_item_is_answered_or_says_how_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "SILENT_SECONDS", 5.0)
    assert in_fresh_process(obey, []) == []
    assert in_fresh_process(obey, ["a", "end", "b", "hang", "spin", "c"]) == [
        "done: a",
        Ended("its process exited with code 7", "the order end"),
        "done: b",
        Ended("no answer for 5 s", "the order hang"),
        Ended("no answer for 5 s", "the order spin"),
        "done: c",
    ]


def rests(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_a_process_that_does_not_get_to_run_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "SILENT_SECONDS", 2.0)
    assert in_fresh_process(rests, [5.0]) == [Ended("no answer for 2 s", "")]
    ran = iter(range(100))
    monkeypatch.setattr(alone, "_time_of", lambda _process: (True, next(ran) / 10))
    assert in_fresh_process(rests, [5.0]) == [5.0]


def test_nothing_that_was_started_is_left(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    assert in_fresh_process(obey, [str(file)]) == [f"done: {file}"]
    wait_until(lambda: not _is_alive(int(file.read_text())), "the child's end")


def _is_alive(number: int) -> bool:
    return bool(psutil.pid_exists(number) and psutil.Process(number).status() != "zombie")


def saying_it_often(times: int) -> int:
    for _ in range(times):
        about("again")
        time.sleep(0.01)
    return times


def test_saying_the_same_again_is_no_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "SILENT_SECONDS", 5.0)
    assert in_fresh_process(saying_it_often, [10**6]) == [Ended("no answer for 5 s", "again")]

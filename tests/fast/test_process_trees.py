"""A command and all that comes of it, ended as a whole; what is not of it goes on."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from conformance.processes.endings import how_it_ended
from conformance.processes.log import LogTail
from conformance.processes.tree import ProcessTree, end_all, end_run

_SLEEP = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
_STARTS_A_TREE = """
import sys, time
from pathlib import Path
from conformance.processes.tree import ProcessTree
inner = ProcessTree([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"], run="inner")
Path(sys.argv[1]).write_text(str(inner.process.pid))
time.sleep(600)
"""


@pytest.fixture
def trees() -> Iterator[list[ProcessTree]]:
    """Trees that are ended in any case."""
    started: list[ProcessTree] = []
    yield started
    end_all(started, signal.SIGKILL)


def _wait(condition: Callable[[], bool]) -> None:
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it never came to that")


def _is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_tree_within_a_tree_ends_with_it(trees: list[ProcessTree], tmp_path: Path) -> None:
    """A session of its own does not save it, nor that its starter is killed without a word."""
    file = tmp_path / "pid"
    trees.append(ProcessTree([sys.executable, "-c", _STARTS_A_TREE, str(file)]))
    _wait(lambda: file.exists() and bool(file.read_text()))
    inner = int(file.read_text())
    assert _is_alive(inner)
    trees[0].end(signal.SIGKILL)
    assert not _is_alive(inner)


def test_a_run_ends_without_the_others(trees: list[ProcessTree]) -> None:
    trees += [ProcessTree(_SLEEP, run=run) for run in ("one", "one", "ones", "two")]
    end_run("one")
    assert [tree.wait(10) for tree in trees[:2]] == [-signal.SIGKILL] * 2
    assert trees[2].is_running
    assert trees[3].is_running
    assert how_it_ended(-signal.SIGKILL) == "was killed by SIGKILL"
    assert how_it_ended(3) == "exited with code 3"
    assert how_it_ended(-200) == "was killed by signal 200"


def test_threads_end_only_their_own(trees: list[ProcessTree]) -> None:
    """What one thread ends is never what another has just started."""
    codes: list[int] = []

    def work() -> None:
        for _ in range(10):
            tree = ProcessTree([sys.executable, "-I", "-S", "-c", "import sys; sys.exit(7)"])
            codes.append(tree.wait(60))
            tree.end()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [7] * 30


def test_who_does_not_end_when_asked_is_killed(trees: list[ProcessTree]) -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True)"
    command = [sys.executable, "-I", "-S", "-c", f"{deaf}; time.sleep(600)"]
    trees.append(ProcessTree(command, stdout=subprocess.PIPE))
    process = trees[0].process
    assert process.stdout is not None
    assert process.stdout.read(1)
    trees[0].end(seconds=0.2)
    assert process.returncode == -signal.SIGKILL
    process.stdout.close()


def test_memory_is_that_of_the_whole_tree(trees: list[ProcessTree]) -> None:
    large = "held = bytearray(b'x' * 50_000_000); import time; time.sleep(600)"
    words = [sys.executable, "-I", "-S", "-c", large]
    child = f"import subprocess; subprocess.run({words!r})"
    trees.append(ProcessTree([sys.executable, "-I", "-S", "-c", child]))
    _wait(lambda: trees[0].memory_bytes() > 50_000_000)
    trees[0].end()
    assert trees[0].memory_bytes() == 0


_DAEMON = """
import os, subprocess, sys
if os.fork():
    os.wait()
    {then}
elif os.fork():
    os._exit(0)
else:
    os.setsid()
    {daemon}
"""


@pytest.mark.parametrize("several", [False, True])
def test_memory_is_also_that_of_daemons(trees: list[ProcessTree], several: bool) -> None:
    held = "held = bytearray(b'x' * 50_000_000); import time; time.sleep(600)"
    daemon = _DAEMON.format(then="import time; time.sleep(600)", daemon=held)
    trees.append(ProcessTree([sys.executable, "-I", "-S", "-c", daemon]))
    if several:
        trees.append(ProcessTree(_SLEEP))
    _wait(lambda: trees[0].memory_bytes() > 50_000_000)
    if several:
        assert trees[1].memory_bytes() < 50_000_000
    trees[0].end()
    assert trees[0].memory_bytes() == 0


def test_a_chain_of_forks_is_seen(trees: list[ProcessTree]) -> None:
    """Each of its processes lives for a moment only."""
    chain = "for _ in range(100_000):\n        if os.fork(): os._exit(0)"
    for _ in range(3):
        code = _DAEMON.format(then="pass", daemon=chain)
        tree = ProcessTree([sys.executable, "-I", "-S", "-c", code])
        trees.append(tree)
        assert tree.wait(60) == 0
        assert tree.left_behind()
        tree.end()
        assert not tree.left_behind()


def test_only_the_end_of_a_log_is_kept() -> None:
    log = LogTail()
    assert log.after("It died") == "It died. Its standard error is empty."
    for number in range(20_000):
        log.add(b"line %d\n" % number)
    log.add(b"\x1b[31mlast")
    *_, before, last = log.after("It died").splitlines()
    assert log.after("It died").startswith("It died. The end of its standard error:\n")
    assert before == "    line 19999"
    assert "\x1b" not in last
    assert len(log.after("It died").splitlines()) == 13

"""Building and running adapters: whatever a command started ends with it; a mistake is told."""

import importlib.util
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType

import psutil
import pytest

ROOT = Path(__file__).parents[2]
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``ports/run.py``, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("ports_run", ROOT / "ports" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "ports_run", module)
    spec.loader.exec_module(module)
    # Python children of a shell's background job hear no SIGINT; then it is the second signal.
    monkeypatch.setattr(module, "STOP_SECONDS", 1.0)
    return module


def _family(folder: Path) -> tuple[list[str], Path]:
    """A command that starts a child and waits, and the file of the child's number."""
    program = folder / "parent.py"
    program.write_text(PARENT, "utf-8")
    return [sys.executable, str(program), str(folder / "child")], folder / "child"


def _wait_for_child(file: Path) -> int:
    deadline = time.monotonic() + 20
    while not file.exists() or not file.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(file.read_text())


def _expect_ended(child: int) -> None:
    deadline = time.monotonic() + 10
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.05)


def test_at_its_time_limit_a_command_ends_with_its_children(
    ports: ModuleType, tmp_path: Path
) -> None:
    command, file = _family(tmp_path)
    with (tmp_path / "log").open("w") as log, pytest.raises(subprocess.TimeoutExpired):
        ports.Processes().run(command, 3.0, log)
    _expect_ended(_wait_for_child(file))


def test_stopping_ends_all_that_runs_and_lets_nothing_start(
    ports: ModuleType, tmp_path: Path
) -> None:
    command, file = _family(tmp_path)
    processes = ports.Processes()
    codes: list[int] = []
    with (tmp_path / "log").open("w") as log:
        runner = threading.Thread(target=lambda: codes.append(processes.run(command, 600, log)))
        runner.start()
        child = _wait_for_child(file)
        processes.stop()
        runner.join(20)
        assert codes
        assert codes[0] != 0
        _expect_ended(child)
        with pytest.raises(subprocess.TimeoutExpired):
            processes.run(command, 600, log)


def test_what_a_command_leaves_behind_ends_too(ports: ModuleType, tmp_path: Path) -> None:
    program = tmp_path / "leaves.py"
    program.write_text(PARENT.rpartition("time.sleep(600)")[0], "utf-8")
    with (tmp_path / "log").open("w") as log:
        words = [sys.executable, str(program), str(tmp_path / "child")]
        assert ports.Processes().run(words, 60, log) == 0
    _expect_ended(_wait_for_child(tmp_path / "child"))


def test_a_build_that_takes_too_long_is_ended_and_told(
    ports: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, file = _family(tmp_path)
    monkeypatch.setattr(ports, "BUILD_SECONDS", 3.0)
    folder = ports.Folder(tmp_path, "Perl", (), (tuple(command),))
    told = folder.problem(tmp_path / "log", ports.Processes())
    assert told.startswith(f"Perl: not run, for {sys.executable} failed")
    _expect_ended(_wait_for_child(file))


def test_ctrl_c_ends_the_whole_family(tmp_path: Path) -> None:
    """As from a terminal: the signal goes to run.py alone, whose children are elsewhere."""
    command, file = _family(tmp_path)
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.path.insert(0, {str(ROOT / 'ports')!r})\n"
        "import run\n"
        "from pathlib import Path\n"
        "run.STOP_SECONDS = 1.0\n"
        f"port = run.Port('x', 'x', (), Path())\n"
        f"run.run_port = lambda port, options, processes: processes.run({command!r}, 600, None)\n"
        "options = run.Options(Path(), 'quick', None, '0', False, '')\n"
        "processes = run.Processes()\n"
        "list(run._run_all(run.make_console(), [port, port], options, 1, processes))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    child = _wait_for_child(file)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in error
    _expect_ended(child)


def test_a_known_file_that_cannot_be_read_is_a_mistake(ports: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "known").mkdir()
    port = ports.Port("mine", "My port", (sys.executable, "-c", ""), tmp_path)
    port.known.write_text("[[divergence", "utf-8")
    options = ports.Options(tmp_path, "quick", None, "0", False, "")
    code = ports.run_port(port, options, ports.Processes())
    assert code == 2
    assert ports.told(port, code, tmp_path).startswith("MISTAKE: My port\n  see ")


@pytest.mark.parametrize(
    ("codes", "code"), [({0}, 0), ({0, 3}, 3), ({0, 2, 3}, 2), ({0, 1, 2, 3}, 1)]
)
def test_a_divergence_outweighs_a_mistake_which_outweighs_what_was_not_run(
    ports: ModuleType, codes: set[int], code: int
) -> None:
    assert ports.worst(codes) == code


def test_what_is_wrong_is_told_cell_by_cell(ports: ModuleType, tmp_path: Path) -> None:
    port = ports.Port("mine", "My port", (), tmp_path)
    cells = [
        {"verdict": "known", "differences": {"partition: a list for a number": 9}, "reason": ""},
        {"verdict": "diverges", "differences": {"partition: died": 1}, "reason": ""},
        {"verdict": "not run", "differences": {}, "reason": "It hangs.\n  See why."},
    ]
    document = {
        "testee": {"likeness": ["keyed: like none"], "outdated": ["gone"]},
        "cells": [{"behaviour": "keyed", "client": "3.8.0", **cell} for cell in cells],
    }
    (tmp_path / "mine.json").write_text(json.dumps(document), "utf-8")
    assert ports.told(port, 1, tmp_path).split("\n  ")[1:-1] == [
        "keyed: like none",
        "no longer so: gone",
        "diverges: keyed[3.8.0]: partition: died (1)",
        "not run: keyed[3.8.0]: It hangs.",
    ]

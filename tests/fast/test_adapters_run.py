"""Building and running adapters: whatever a command started ends with it; a mistake is told."""

import importlib
import io
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
import pytest
from click.testing import CliRunner
from rich.console import Console

from conformance.commands.unfinished import as_json
from conformance.errors import ExitCode

ROOT = Path(__file__).parents[2]
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""
_UNTIL_THERE = """
import pathlib, sys, time
for _ in range(1200):
    if pathlib.Path(sys.argv[1]).exists(): break
    time.sleep(0.05)
else:
    sys.exit(1)
"""


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``adapters/run.py``, which is no part of a package."""
    monkeypatch.syspath_prepend(ROOT / "adapters")
    # Python children of a shell's background job hear no SIGINT; then it is the second signal.
    monkeypatch.setattr(importlib.import_module("processes"), "STOP_SECONDS", 1.0)
    return importlib.import_module("run")


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
    adapters: ModuleType, tmp_path: Path
) -> None:
    command, file = _family(tmp_path)
    with (tmp_path / "log").open("w") as log, pytest.raises(subprocess.TimeoutExpired):
        adapters.Processes().run(command, 5.0, log)
    _expect_ended(_wait_for_child(file))


def test_stopping_ends_all_that_runs_and_lets_nothing_start(
    adapters: ModuleType, tmp_path: Path
) -> None:
    command, file = _family(tmp_path)
    processes = adapters.Processes()
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


def test_what_a_command_leaves_behind_ends_too(adapters: ModuleType, tmp_path: Path) -> None:
    program = tmp_path / "leaves.py"
    program.write_text(PARENT.rpartition("time.sleep(600)")[0], "utf-8")
    with (tmp_path / "log").open("w") as log:
        words = [sys.executable, str(program), str(tmp_path / "child")]
        assert adapters.Processes().run(words, 60, log) == 0
    _expect_ended(_wait_for_child(tmp_path / "child"))


@pytest.mark.parametrize("during", ["build", "testee"])
def test_ctrl_c_ends_the_whole_family(tmp_path: Path, during: str) -> None:
    """As from a terminal: the signal goes to run.py alone, whose children are elsewhere."""
    command, file = _family(tmp_path)
    build = f"({tuple(command)!r},)" if during == "build" else "()"
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.path.insert(0, {str(ROOT / 'adapters')!r})\n"
        "import processes, run\n"
        "from pathlib import Path\n"
        "processes.STOP_SECONDS = 1.0\n"
        f"folder = run.Folder(Path({str(tmp_path)!r}), 'Perl', (), {build})\n"
        "folder.adapters = [run.Adapter('x', 'x', (), Path())] * 2\n"
        f"run.run_adapter = lambda adapter, options, work: work.run({command!r}, 600, None)\n"
        f"options = run.Options(Path({str(tmp_path)!r}), 'quick', None, '0', False, '')\n"
        "console = run.make_console()\n"
        "list(run._run_all(console, [folder], options, 1, run.Processes()))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    child = _wait_for_child(file)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in error
    _expect_ended(child)


def test_a_known_file_that_cannot_be_read_is_a_mistake(
    adapters: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "known").mkdir()
    adapter = adapters.Adapter("mine", "My adapter", (sys.executable, "-c", ""), tmp_path)
    adapter.known.write_text("[[divergence", "utf-8")
    options = adapters.Options(tmp_path, "quick", None, "0", False, "")
    code = adapters.run_adapter(adapter, options, adapters.Processes())
    assert code == 2
    told = adapters.told(adapter, code, tmp_path)
    assert told.startswith("MISTAKE: My adapter\n  Error: ")
    assert "mine.toml cannot be" in told


@pytest.mark.parametrize(
    ("codes", "code"), [({0}, 0), ({0, 3}, 3), ({0, 2, 3}, 2), ({0, 1, 2, 3}, 1)]
)
def test_a_divergence_outweighs_a_mistake_which_outweighs_what_was_not_run(
    adapters: ModuleType, codes: set[int], code: int
) -> None:
    assert adapters.worst(codes) == code


def test_what_is_wrong_is_told_cell_by_cell(adapters: ModuleType, tmp_path: Path) -> None:
    adapter = adapters.Adapter("mine", "My adapter", (), tmp_path)
    cells = [
        {"verdict": "known", "differences": {"partition: a list for a number": 9}, "reason": ""},
        {"verdict": "diverges", "differences": {"partition: died": 1}, "reason": ""},
        {"verdict": "not run", "differences": {}, "reason": "It hangs.\n  See why."},
    ]
    document = {
        "format": "kafka-conformance report 1",
        "testee": {"likeness": ["keyed: matches no Java version"], "outdated": ["gone"]},
        "cells": [{"behaviour": "keyed", "client": "3.8.0", **cell} for cell in cells],
    }
    (tmp_path / "mine.json").write_text(json.dumps(document), "utf-8")
    assert adapters.told(adapter, 1, tmp_path).split("\n  ")[1:-1] == [
        "keyed: matches no Java version",
        "no longer occurs: gone",
        "diverges: keyed[3.8.0]: partition: died (1)",
        "not run: keyed[3.8.0]: It hangs.",
    ]


@dataclass
class _Given:
    """What a run is given, how its parts ended, and what it told."""

    folders: list[Any]
    ends: list[Any]
    text: str

    @property
    def codes(self) -> list[int]:
        return [end.code for end in self.ends]


def _run_two_folders(
    adapters: ModuleType, tmp_path: Path, *build: str, needs: Sequence[str] = ()
) -> _Given:
    """A folder with such a build and one without any, and two testees in each, which do nothing.

    ``needs`` are those of the very last testee.
    """
    folders = []
    for name, commands in (("first", (build,)), ("second", ())):
        (tmp_path / name).mkdir()
        folder = adapters.Folder(tmp_path / name, name, (), commands)
        folder.adapters = [
            adapters.Adapter(f"{name}-{i}", f"{name} {i}", (), tmp_path) for i in (1, 2)
        ]
        folders.append(folder)
    folders[1].adapters[1] = replace(folders[1].adapters[1], needs=needs)
    out = io.StringIO()
    options = adapters.Options(tmp_path, "quick", None, "0", False, "")
    ends = list(adapters._run_all(Console(file=out), folders, options, 2, adapters.Processes()))
    return _Given(folders, ends, out.getvalue())


def test_what_cannot_be_built_is_not_run_and_all_else_is(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapters, "run_adapter", lambda *_: 0)
    given = _run_two_folders(adapters, tmp_path, sys.executable, "-c", "print('no'); exit(7)")
    assert sorted(given.codes) == [0, 0, 0, 3]
    assert "exited with 7" in given.text
    assert "2 testees were not run" in given.text
    assert "/4] as known: second 1\n" in given.text
    assert "/4] as known: second 2\n" in given.text
    assert adapters.not_as_known(given.ends) == ["NOT RUN: the folder first"]


def test_a_testee_whose_needed_folder_cannot_be_built_is_not_run_for_this_reason(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapters, "run_adapter", lambda *_: 0)
    fails = (sys.executable, "-c", "exit(7)")
    given = _run_two_folders(adapters, tmp_path, *fails, needs=("first",))
    assert sorted(given.codes) == [0, 0, 3, 3]
    assert "/4] as known: second 1\n" in given.text
    assert "/4] NOT RUN: second 2\n  it needs another folder's build. first: not run" in given.text
    (whole, one) = sorted(adapters.not_as_known(given.ends), key=len)
    assert whole == "NOT RUN: the folder first"
    assert one.startswith("NOT RUN: second-2\n  it needs another folder's build. first: not run")
    assert "exited with 7" in one


def test_a_testee_runs_after_the_folder_that_it_needs_is_built(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build waits for a testee that needs nothing, and would fail without it."""
    build = _UNTIL_THERE + "pathlib.Path(sys.argv[2]).touch()"
    built, ran = tmp_path / "built", tmp_path / "ran"
    before: list[str] = []

    def run(adapter: Any, *_: Any) -> int:
        if not built.exists():
            before.append(adapter.name)
            ran.touch()
        return 0

    monkeypatch.setattr(adapters, "run_adapter", run)
    words = (sys.executable, "-c", build, str(ran), str(built))
    given = _run_two_folders(adapters, tmp_path, *words, needs=("first",))
    assert given.codes == [0] * 6
    assert before == ["second-1"]


def test_a_needed_folder_is_built_although_none_of_its_testees_is_run(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = importlib.import_module("folders")
    needed = adapters.Folder(tmp_path, "Perl", ("no-such-compiler",), ())
    needed.adapters = [adapters.Adapter("perl", "Perl", (), tmp_path)]
    monkeypatch.setattr(folders, "_all_folders", lambda: [needed])
    monkeypatch.setattr(adapters, "run_adapter", lambda *_: 0)
    given = _run_two_folders(adapters, tmp_path, sys.executable, "-V", needs=(tmp_path.name,))
    assert sorted(given.codes) == [0, 0, 0, 0, 0, 3, 3]
    assert "Perl: not run, because this machine has no no-such-compiler\n[" in given.text
    assert "] NOT RUN: second 2\n  it needs another folder's build. Perl: not run" in given.text
    assert "perl" not in given.text
    assert len(needed.adapters) == 1


def test_the_end_of_a_log_names_what_is_not_as_known(adapters: ModuleType) -> None:
    codes = {"a": 0, "b": 3, "c": 1, "d": 0, "e": 1}
    ends = [adapters.End(name, code, ("why",) if code == 3 else ()) for name, code in codes.items()]
    assert adapters.not_as_known(ends) == ["DIVERGES: c", "DIVERGES: e", "NOT RUN: b\n  why"]


def test_a_result_of_an_earlier_run_is_not_told_as_one_of_this(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapters, "run_adapter", lambda *_: 3)
    (tmp_path / "first-1.json").write_text("{}", "utf-8")
    given = _run_two_folders(adapters, tmp_path, sys.executable, "-c", "exit(7)")
    assert given.codes.count(3) == 3
    assert not (tmp_path / "first-1.json").exists()


def test_testees_run_while_another_folder_is_built(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build waits for a testee of the other folder, and would fail without it."""
    monkeypatch.setattr(adapters, "run_adapter", lambda *_: (tmp_path / "ran").touch() or 0)
    given = _run_two_folders(
        adapters, tmp_path, sys.executable, "-c", _UNTIL_THERE, str(tmp_path / "ran")
    )
    assert given.codes == [0] * 6


def test_quick_asks_about_one_version_of_java(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = adapters.Adapter("mine", "My adapter", ("./mine",), tmp_path, "lib", "hash, sticky")
    told: list[Sequence[str]] = []
    monkeypatch.setattr(adapters.Processes, "run", lambda _self, words, *_: told.append(words) or 0)
    for quick in (False, True):
        options = adapters.Options(tmp_path, "quick", None, "0", False, "", quick=quick)
        assert adapters.run_adapter(adapter, options, adapters.Processes()) == 0
    whole, some = told
    assert "--java-client" not in whole
    assert some[some.index("--java-client") + 1] == "3.2.3"
    # All else is the same, so that a cell is what it is in the whole matrix.
    assert [word for word in some if word not in ("--java-client", "3.2.3")] == whole


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ([1, 0], 0),
        ([1, 1], 1),
        ([1, 3], 3),
        ([3, 0], 0),
        ([3, 3], 3),
        ([9, 1], 1),
        ([0], 0),
        ([2], 2),
    ],
)
def test_what_diverges_or_stalls_runs_once_more(
    adapters: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    codes: list[int],
    code: int,
) -> None:
    adapter = adapters.Adapter("mine", "My adapter", ("./mine",), tmp_path)
    left = list(codes)
    monkeypatch.setattr(adapters.Processes, "run", lambda *_: left.pop(0))
    options = adapters.Options(tmp_path, "quick", None, "0", False, "")
    assert adapters.run_adapter(adapter, options, adapters.Processes()) == code
    assert not left
    assert ("this is the second run" in adapters.told(adapter, code, tmp_path)) == (len(codes) == 2)


def test_what_took_all_of_its_time_does_not_run_again(
    adapters: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapters, "TESTEE_SECONDS", 0.5)
    words = (sys.executable, "-c", "import time; time.sleep(600)")
    adapter = adapters.Adapter("mine", "My adapter", words, tmp_path)
    options = adapters.Options(tmp_path, "quick", None, "0", False, "")
    assert adapters.run_adapter(adapter, options, adapters.Processes()) == 3
    *_, why = adapters.what_is_wrong(adapter, 3, tmp_path)
    assert "timed out after 0.5 seconds" in why
    assert not (tmp_path / "mine.first.log").exists()


def test_a_run_that_left_an_unfinished_report_is_told_by_its_log(
    adapters: ModuleType, tmp_path: Path
) -> None:
    """A testee that is stopped after it was told to write JSON leaves a report of another format.

    How far it came when its time was over is the machine's affair, so this does not run one.
    """
    adapter = adapters.Adapter("mine", "My adapter", ("./mine",), tmp_path)
    (tmp_path / "mine.json").write_text(as_json("testee", "Stopped.", ExitCode.USAGE), "utf-8")
    (tmp_path / "mine.log").write_text("Stopped.\ntimed out after 0.5 seconds\n", "utf-8")
    told = adapters.told(adapter, 3, tmp_path)
    assert told.startswith("NOT RUN: My adapter")
    assert "timed out after 0.5 seconds" in told
    other = adapters.Adapter("other", "Another", ("./other",), tmp_path)
    (tmp_path / "other.json").write_text('{"format": "kafka-conformance report 1"}', "utf-8")
    assert adapters.reports_of([adapter, other], tmp_path) == [str(tmp_path / "other.json")]


def test_a_draft_is_made_of_a_whole_run(adapters: ModuleType) -> None:
    result = CliRunner().invoke(adapters.main, ["--quick", "--draft"])
    assert result.exit_code == 2
    assert "leave --quick out" in result.output

"""Budgets of the commands: measured, compared, warned of; never in the way of a command."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "budgets.py"
BUDGETS: dict[str, Any] = tomllib.loads((ROOT / ".ci" / "budgets.toml").read_text("utf-8"))
SET_AT: float = BUDGETS["yardstick"]["seconds"]
TIMES = Path("conformance-results/times.json")
# Stand-ins for what .ci/run starts. They have nothing that is installed; measuring takes seconds.
PYTHON3 = f"""#!/bin/bash
case "$*" in
    "-m venv"*) mkdir -p .venv-ci/bin; touch .venv-ci/bin/activate ;;
    "-m pip"*) [ "$FAILING" != pip ] || exit 9 ;;
    *measure*) echo "measured: ${{@:2}}" ;;
    *) exec {sys.executable} -S "$@" ;;
esac
"""
TOX = '#!/bin/bash\necho "tox: $*"\n[ "$*" != "$FAILING" ] || exit 3\n'


@dataclass(frozen=True)
class Done:
    """What came of a call."""

    code: int
    out: str
    err: str


Budgets = Callable[..., Done]


@pytest.fixture
def budgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Budgets:
    """Calls ``scripts/budgets.py``, which is no part of a package, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    script = import_module("budgets")

    def call(*words: str) -> Done:
        code = script.main(words)
        return Done(code, *capfd.readouterr())

    return call


def _write_times(
    folder: Path, minutes: float, yardsticks: tuple[float, ...] = (SET_AT,), name: str = "tox"
) -> float:
    """A run in which one command took so many minutes; answers when it began."""
    began = time.time() - minutes * 60
    seconds = minutes * 60
    command = {"name": name, "began": began, "seconds": seconds, "exit_code": 0, "tox": "t.json"}
    file = folder / TIMES
    file.parent.mkdir(exist_ok=True)
    document = {
        "format": "kafka-conformance times 1",
        "began": began,
        "ended": began + seconds,
        "yardsticks": yardsticks,
        "commands": [command],
    }
    file.write_text(json.dumps(document), "utf-8")
    return began


def _row(output: str, name: str) -> str:
    """A command's line of the table."""
    return next(line for line in output.splitlines() if re.match(f"{re.escape(name)}  ", line))


def test_the_yardstick_is_the_work_that_the_budgets_go_with(
    tmp_path: Path, budgets: Budgets
) -> None:
    _write_times(tmp_path, 1)
    done = budgets("measure", "--new-run", "--rounds", "1")
    assert (done.code, done.err) == (0, "")
    times = json.loads((tmp_path / TIMES).read_text("utf-8"))
    assert len(times["yardsticks"]) == 1
    assert times["yardsticks"][0] > 0
    assert times["commands"] == []


def test_other_work_than_the_budgets_go_with_is_refused(
    budgets: Budgets, monkeypatch: pytest.MonkeyPatch
) -> None:
    yardstick = import_module("timing.yardstick")
    answers = [BUDGETS["yardstick"]["answer"]]
    measured = [
        yardstick.Measured((3.0, 1.0, 2.0), frozenset(answers + more)) for more in ([], [1])
    ]
    monkeypatch.setattr(yardstick, "measure", lambda _rounds: measured.pop(0))
    assert budgets("measure") == Done(0, "Yardstick: 2.00 s, the median of 3.00 1.00 2.00\n", "")
    done = budgets("measure")
    assert done.code == 2
    assert "does not match the budgets" in done.err


@pytest.mark.parametrize(
    ("yardsticks", "allowed"),
    [
        ((SET_AT,), "14:00"),
        ((SET_AT * 2,), "28:00"),
        ((SET_AT / 2,), "7:00"),
        ((SET_AT, SET_AT * 1.5), "17:30"),
        ((), "14:00"),
    ],
)
def test_the_yardstick_scales_a_budget(
    tmp_path: Path, budgets: Budgets, yardsticks: tuple[float, ...], allowed: str
) -> None:
    _write_times(tmp_path, 3, yardsticks)
    done = budgets("check")
    assert done.code == 0
    assert _row(done.out, "tox").split()[1:4] == ["14:00", allowed, "3:00"]
    assert ("not measured" in done.out) == (not yardsticks)


def test_a_machine_that_changed_its_speed_is_told(tmp_path: Path, budgets: Budgets) -> None:
    _write_times(tmp_path, 3, (SET_AT, SET_AT * 1.5))
    assert "speed changed" in budgets("check").out
    _write_times(tmp_path, 3, (SET_AT, SET_AT * 1.1))
    assert "speed changed" not in budgets("check").out


def test_a_budget_that_is_passed_warns_and_no_more(
    tmp_path: Path, budgets: Budgets, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_times(tmp_path, 17.5)
    done = budgets("check")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if "warning" in line] == [
        "warning: tox took 17:30 minutes, 25% more than the 14:00 that it may take on this "
        "machine. CONTRIBUTING.md, Time, says what to do."
    ]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = budgets("check")
    assert "\n::warning title=Time budget::tox took 17:30 minutes" in done.out
    # The same on a machine that takes one and a half times as long for everything.
    _write_times(tmp_path, 17.5, (SET_AT * 1.5,))
    assert "warning" not in budgets("check").out


def test_the_whole_run_has_a_budget_too(tmp_path: Path, budgets: Budgets) -> None:
    _write_times(tmp_path, 41, name="tox -e conformance")
    done = budgets("check")
    assert _row(done.out, ".ci/run").split()[1:4] == ["40:00", "40:00", "41:00"]
    assert "warning: .ci/run took 41:00 minutes" in done.out
    assert _row(done.out, "tox").endswith("not run")


def test_output_and_exit_code_of_a_command_pass_through(tmp_path: Path, budgets: Budgets) -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(input() == 'in')"
    words = (sys.executable, "-c", program)
    command = [sys.executable, "-S", str(SCRIPT), "time", "tox", "--", *words]
    done = subprocess.run(
        command, cwd=tmp_path, input="in\n", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "out\n", "err\n")
    [entry] = json.loads((tmp_path / TIMES).read_text("utf-8"))["commands"]
    assert (entry["name"], entry["exit_code"]) == ("tox", 1)
    assert 0 < entry["seconds"] < 60
    assert _row(budgets("check").out, "tox").endswith("exit code 1")


def test_the_words_of_a_command_are_its_own(tmp_path: Path, budgets: Budgets) -> None:
    words = ("echo", "-e", "adapters", "--", "--quick", "--new-run")
    assert budgets("time", "tox", "--", *words).out == "adapters -- --quick --new-run\n"
    for wrong in (("time", "tox"), ("time", "tox", "--"), ("check", "--", "echo")):
        with pytest.raises(SystemExit) as ended:
            budgets(*wrong)
        assert ended.value.code == 2


def test_what_ends_a_command_is_told_as_shells_do(tmp_path: Path, budgets: Budgets) -> None:
    for words, code in ((("bash", "-c", "kill -9 $$"), 137), (("no-such-program",), 127)):
        assert budgets("time", "tox", "--", *words).code == code


def test_a_signal_reaches_the_command(tmp_path: Path) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-S", str(SCRIPT), "time", "tox", "--", sys.executable]
    with subprocess.Popen([*command, "-c", program], cwd=tmp_path, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 5
    assert (tmp_path / TIMES).exists()


def test_a_time_that_cannot_be_written_hides_nothing(tmp_path: Path, budgets: Budgets) -> None:
    (tmp_path / "conformance-results").write_text("in the way", "utf-8")
    done = budgets("time", "tox", "--", "bash", "-c", "exit 4")
    assert done.code == 4
    assert done.err.startswith("warning: the time of tox is not recorded")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "nothing was measured yet"),
        ("{", "is damaged"),
        ("[]", "its format is not"),
        ('{"format": "kafka-conformance times 1"}', "it has no 'began'"),
        (
            '{"format": "kafka-conformance times 1", "began": 1, "ended": 2, "yardsticks": [0]}',
            "0 is not a number above 0",
        ),
    ],
)
def test_times_that_are_missing_or_damaged_are_told(
    tmp_path: Path, budgets: Budgets, text: str | None, told: str
) -> None:
    if text is not None:
        (tmp_path / TIMES).parent.mkdir()
        (tmp_path / TIMES).write_text(text, "utf-8")
    done = budgets("check")
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "cannot be read"),
        ("[yardstick", "is not a file of budgets"),
        ("[yardstick]\nseconds = 1\n", "has no 'answer'"),
        ("[yardstick]\nseconds = -1\n", "-1 is not a number above 0"),
    ],
)
def test_budgets_that_are_missing_or_damaged_are_told(
    tmp_path: Path, budgets: Budgets, text: str | None, told: str
) -> None:
    file = tmp_path / "budgets.toml"
    if text is not None:
        file.write_text(text, "utf-8")
    done = budgets("--budgets", str(file), "check")
    assert done.code == 2
    assert told in done.err


def test_a_command_without_a_budget_is_refused(tmp_path: Path, budgets: Budgets) -> None:
    done = budgets("time", "tox -e other", "--", "touch", "it-ran")
    assert done.code == 2
    assert "no budget for 'tox -e other'" in done.err
    assert not (tmp_path / "it-ran").exists()


def test_tox_and_the_tests_tell_their_slowest_parts(tmp_path: Path, budgets: Budgets) -> None:
    _write_times(tmp_path, 1)
    tests = (("tests.fast.test_a", 2), ("tests.fast.test_b.TestB", 5), ("tests.fast.test_a", 4))
    cases = "".join(f'<testcase classname="{name}" time="{s}"/>' for name, s in tests)
    junit = f"<testsuites><testsuite>{cases}</testsuite></testsuites>"
    (tmp_path / "conformance-results" / "tests.xml").write_text(junit, "utf-8")
    step = {"command": ["/somewhere/bin/pytest", "-n", "2"], "elapsed": 40.0}
    tox = {"testenvs": {".pkg": {}, "tests": {"result": {"duration": 50.0}, "test": [step]}}}
    (tmp_path / "t.json").write_text(json.dumps(tox), "utf-8")
    lines = budgets("check").out.splitlines()
    assert "  steps of tox: tests: pytest -n 2 40 s, tests: its environment 10 s" in lines
    assert "  test files: tests/fast/test_a.py 6 s, tests/fast/test_b.py 5 s" in lines


def test_cells_and_testees_tell_their_seconds(tmp_path: Path, budgets: Budgets) -> None:
    began = _write_times(tmp_path, 1, name="tox -e conformance")
    seconds = {"start_up": 1.0, "generation": 2.0, "execution": 3.0, "book_keeping": 0.5}
    cell = {"behaviour": "sticky", "client": "3.8.0", "seconds": seconds}
    report = tmp_path / "conformance-results" / "report.json"
    report.write_text(json.dumps({"cells": [cell]}), "utf-8")
    assert "  cells: sticky[3.8.0] 6 s" in budgets("check").out.splitlines()

    _write_times(tmp_path, 1, name="tox -e adapters -- --quick")
    adapters = tmp_path / "conformance-results" / "adapters"
    adapters.mkdir()
    for name, taken in (("sarama", 9), ("kafkajs", 20), ("of-an-older-run", 99)):
        (adapters / f"{name}.json").write_text(
            json.dumps({"testee": {}, "seconds": taken}), "utf-8"
        )
    os.utime(adapters / "of-an-older-run.json", (began - 60, began - 60))
    assert "  testees: kafkajs 20 s, sarama 9 s" in budgets("check").out.splitlines()


def test_reports_that_are_missing_old_or_damaged_are_told(tmp_path: Path, budgets: Budgets) -> None:
    began = _write_times(tmp_path, 1)
    report = tmp_path / "conformance-results" / "tests.xml"
    for text, told in (
        (None, "there is no"),
        ("<testsuites/>", "has none from this run"),
        ("<testsuites", "cannot be read: ParseError"),
    ):
        if text is not None:
            report.write_text(text, "utf-8")
        done = budgets("check")
        assert done.code == 0
        assert f"test files: {told}" in done.out.replace(f"{report.relative_to(tmp_path)} ", "")
    os.utime(report, (began - 60, began - 60))
    assert "tests.xml is older than this run" in budgets("check").out


def _table_rows(text: str) -> list[list[str]]:
    """The first two columns of a table of commands."""
    return [
        [cell.strip() for cell in line.split("|")[1:3]]
        for line in text.splitlines()
        if line.startswith("| `")
    ]


def test_contributing_has_the_budgets_of_the_file(tmp_path: Path, budgets: Budgets) -> None:
    expected = [
        [f"`{entry['name']}`", f"{entry['minutes']:g}"]
        for entry in (*BUDGETS["command"], BUDGETS["whole"])
    ]
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = re.search(r"^## Time$(.*?)(?=^## |\Z)", contributing, re.M | re.S)
    assert section is not None
    assert _table_rows(section.group(1)) == expected
    assert f"of the budgets: {SET_AT:.2f} s." in section.group(1)
    unmeasured = budgets("table")
    assert _table_rows(unmeasured.out) == expected
    assert "TO MEASURE" in unmeasured.out
    _write_times(tmp_path, 3)
    assert "| `tox` | 14 | 3:00 | TO MEASURE |" in budgets("table").out


def _ci_run(folder: Path, failing: str) -> subprocess.CompletedProcess[str]:
    """``.ci/run`` in a copy, with stand-ins for all that would install or take long."""
    for name in (".ci", "scripts"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "conformance").mkdir()
    for name in ("__init__.py", "errors.py", "files.py"):
        shutil.copy(ROOT / "conformance" / name, folder / "conformance")
    programs = folder / "programs"
    programs.mkdir()
    scripts = {"python3": PYTHON3, "python": PYTHON3, "tox": TOX, "id": "#!/bin/bash\necho 1000\n"}
    for name, text in scripts.items():
        (programs / name).write_text(text, "utf-8")
        (programs / name).chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if k not in ("GITHUB_ACTIONS", "PYTHONPATH")}
    environment |= {"PATH": f"{programs}:{os.environ['PATH']}", "FAILING": failing}
    return subprocess.run(
        [folder / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False
    )


def test_ci_runs_and_times_every_command_that_has_a_budget(tmp_path: Path) -> None:
    done = _ci_run(tmp_path, failing="nothing")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if re.match("tox: |measured: ", line)]
    assert lines == [
        "measured: measure --new-run",
        *(f"tox: {entry['name'].removeprefix('tox').strip()}" for entry in BUDGETS["command"]),
        "measured: measure",
    ]
    assert "not run" not in done.stdout


def test_ci_fails_at_once_with_the_commands_own_code(tmp_path: Path) -> None:
    done = _ci_run(tmp_path, failing="-e adapters -- --quick")
    assert done.returncode == 3
    assert "tox: \n" not in done.stdout, "the command after it was run"
    assert _row(done.stdout, "tox -e adapters -- --quick").endswith("exit code 3")
    assert _row(done.stdout, "tox").endswith("not run")


def test_ci_does_not_go_on_without_tox(tmp_path: Path) -> None:
    done = _ci_run(tmp_path, failing="pip")
    assert done.returncode == 9
    assert "tox: " not in done.stdout

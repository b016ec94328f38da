"""A divergence of a testee is replayed on a testee, within the limits that it was given."""

import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from tests.cli.running import Outcome
from tests.testees.catalogue import CATALOGUE
from tests.testees.running import BROKEN, TINY, arguments, expect_none_left, run_here


def _replay(*words: str | Path) -> Outcome:
    answer = CliRunner().invoke(main, ["replay", *map(str, words)])
    return Outcome(answer.exit_code, answer.stdout, answer.stderr)


def _broken(fault: str, folder: Path) -> list[str]:
    return ["--", sys.executable, "-I", "-S", str(BROKEN), fault, str(folder)]


@pytest.fixture
def diverged(tmp_path: Path, here: None) -> tuple[list[str], Path]:
    """The printed words of a replay, and the file of the divergence."""
    [entry] = [one for one in CATALOGUE if one.fault == "always 0"]
    outcome = run_here(arguments(entry, tmp_path, TINY)).expect(1)
    [line] = [line for line in outcome.out.splitlines() if line.startswith("Replay: ")]
    return shlex.split(line)[3:], tmp_path / "divergences" / "keyed-3.8.0.json"


def test_the_printed_command_has_the_limits_and_replays(
    diverged: tuple[list[str], Path], tmp_path: Path
) -> None:
    words, file = diverged
    limits = "--hello-seconds 30.0 --answer-seconds 30.0 --exit-seconds 30.0"
    assert words == [str(file), *limits.split(), *_broken("always 0", tmp_path)]
    again = _replay(*words).expect(1, "differs from Java 3.8.0")
    assert f"Replay: kafka-conformance replay {shlex.join(words)}" in again.out
    _replay(file, *_broken("honest", tmp_path)).expect(0, "keyed[3.8.0]: fixed.")


@pytest.mark.parametrize(
    ("fault", "options", "told"),
    [
        ("hangs at hello", ["--hello-seconds", "1"], "did not answer within 1 s: before its hello"),
        ("hangs at exit", ["--exit-seconds", "1"], "did not exit within 1 s"),
        ("hangs at hello", ["--memory-mib", "5"], "took more than 5 MiB"),
    ],
)
def test_limits_hold_for_a_replay(
    diverged: tuple[list[str], Path], tmp_path: Path, fault: str, options: list[str], told: str
) -> None:
    _replay(diverged[1], *options, *_broken(fault, tmp_path)).expect(3, told)
    expect_none_left(tmp_path)

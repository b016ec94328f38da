"""A result never takes the place of another result, or of a file that the command reads."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main

_GATE = ("gate", "--baseline", "3.2.3", "--candidate", "3.8.0")
_TESTEE = ("testee", "--", "no-testee")
_READ = "# What somebody needs.\n"


def _call(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        (("run",), "--json", "--junit"),
        (_GATE, "--json", "--markdown"),
        (_GATE, "--junit", "--write-accepted"),
        (("gate-stats", *_GATE[1:]), "--junit", "--markdown"),
        (("history",), "--json", "--plot"),
        (("history",), "--markdown", "--plot"),
        (("simulate",), "--json", "--parquet"),
        (("simulate",), "--json", "--plot"),
        (("simulate",), "--parquet", "--plot"),
        (("experiment-summary", "folder"), "--json", "--plot"),
        (("run",), "--output", "--json"),
    ],
)
def test_two_results_are_two_files(
    tmp_path: Path, command: tuple[str, ...], first: str, second: str
) -> None:
    path = tmp_path / "results.svg"
    answer = _call(*command, first, str(path), second, str(tmp_path / "." / "results.svg"))
    assert answer.exit_code == 2, answer.output
    assert "name the same file" in answer.output
    assert first in answer.output
    assert second in answer.output
    assert not path.exists()


@pytest.mark.parametrize(
    ("command", "reads", "writes"),
    [
        (("simulate",), "--trace", "--json"),
        (("simulate",), "--trace", "--parquet"),
        (("simulate",), "--trace", "--plot"),
        (_GATE, "--accepted", "--write-accepted"),
        (_TESTEE, "--known", "--write-known"),
        (("report",), "FILES", "--output"),
    ],
)
@pytest.mark.parametrize("is_link", [False, True], ids=["itself", "a link to it"])
def test_what_is_read_stays(
    tmp_path: Path, command: tuple[str, ...], reads: str, writes: str, is_link: bool
) -> None:
    path = tmp_path / "file.svg"
    path.write_text(_READ, "utf-8")
    other = tmp_path / "link.svg"
    other.symlink_to(path)
    name, *rest = command
    read = [str(path)] if reads == "FILES" else [reads, str(path)]
    answer = _call(name, *read, writes, str(other if is_link else path), *rest)
    assert answer.exit_code == 2, answer.output
    assert "name the same file" in answer.output
    assert reads in answer.output
    assert writes in answer.output
    assert path.read_text("utf-8") == _READ


def test_a_device_takes_everything(tmp_path: Path) -> None:
    # By a link, so that a mistake in here costs no machine its device.
    null = tmp_path / "null"
    null.symlink_to(os.devnull)
    answer = _call("simulate", "--records", "1", "--json", str(null), "--parquet", str(null))
    assert answer.exit_code == 0, answer.output
    assert null.is_symlink()
    assert null.is_char_device()

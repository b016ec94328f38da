"""Many runs of a simulation: the same numbers in this process and on any master."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from tests.cli.running import check_schema

_WORK = ("--records", "400", "--service", "exp:2ms", "--compare", "linger.ms=0,5", "--runs", "4")


def simulate(*arguments: str) -> tuple[int, str]:
    """Exit code and output."""
    result = CliRunner().invoke(main, ["simulate", *_WORK, *arguments])
    return result.exit_code, result.output


@pytest.mark.parametrize("master", ["local[1]", "local[2]"])
def test_the_master_changes_no_number(tmp_path: Path, master: str) -> None:
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    told = simulate("--json", str(here))
    assert told[0] == 0
    assert simulate("--json", str(there), "--master", master) == told
    assert check_schema(there, "simulation") == check_schema(here, "simulation")


def test_a_master_is_for_further_runs() -> None:
    code, told = simulate("--runs", "1", "--master", "local[1]")
    assert code == 2
    assert "--master is for further runs" in told


def test_a_master_that_cannot_be_is_refused() -> None:
    code, told = simulate("--master", "locale")
    assert code == 2
    assert "locale" in told


def test_a_trace_does_not_go_to_other_machines(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time,size\n1,10\n", "utf-8")
    arguments = ["simulate", "--trace", str(path), "--runs", "2", "--master", "spark://host:7077"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "do not have the file" in result.output

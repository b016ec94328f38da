"""Many runs of a simulation: the same numbers in this process and on any master."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.simulation.answers import Answer
from conformance.simulation.loop import Tell
from conformance.simulation.repeated import Run
from tests.cli.running import check_schema
from tests.landing import nightly
from tests.spark.cluster import Cluster

_WORK = ("--records", "400", "--service", "exp:2ms", "--compare", "linger.ms=0,5", "--runs", "4")
_FAILING = (
    *("--client", "2.3.1", "--stopped", "0=0.."),
    *("--set", "request.timeout.ms=40", "--set", "retries=0"),
)


def simulate(*arguments: str) -> tuple[int, str]:
    """Exit code and output."""
    result = CliRunner().invoke(main, ["simulate", *_WORK, *arguments])
    return result.exit_code, result.output


def _results(folder: Path, *arguments: str) -> tuple[str, Any, str]:
    """What is said, the figures and the picture of a run, in which some records fail."""
    folder.mkdir()
    figures, picture = folder / "run.json", folder / "run.svg"
    files = ("--json", str(figures), "--plot", str(picture))
    code, told = simulate(*_FAILING, *files, *arguments)
    assert code == 0, told
    return told, check_schema(figures, "simulation"), picture.read_text("utf-8")


@pytest.mark.parametrize("master", ["local[1]", "local[2]"])
def test_the_master_changes_no_number(tmp_path: Path, master: str) -> None:
    here = _results(tmp_path / "here")
    assert "records failed with " in here[0]
    assert _results(tmp_path / "there", "--master", master) == here


@nightly
def test_two_workers_give_the_same_numbers(tmp_path: Path, cluster: Cluster) -> None:
    here = _results(tmp_path / "here")
    assert _results(tmp_path / "there", "--master", cluster.url) == here


@pytest.fixture
def made_there(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, bool]]:
    """Which runs Spark is given: the name, the seed, whether in detail. They are made here."""
    made: list[tuple[str, int, bool]] = []

    def noted(master: str, runs: Sequence[Run], tell: Tell) -> list[Answer]:
        assert master == "local[2]"
        made.extend((one.scenario.name, one.scenario.seed, one.in_detail) for one in runs)
        return [one.answer(tell=tell) for one in runs]

    monkeypatch.setattr("conformance.spark.simulations.simulate_on", noted)
    return made


def test_each_run_of_what_is_compared_is_a_task(made_there: list[tuple[str, int, bool]]) -> None:
    assert simulate("--runs", "1", "--master", "local[2]") == simulate("--runs", "1")
    assert made_there == [("linger.ms=0", 0, True), ("linger.ms=5", 0, True)]
    made_there.clear()
    simulate("--runs", "2", "--master", "local[2]")
    assert [one for _, *one in made_there] == [[0, True], [1, False]] * 2


def test_runs_whose_records_are_kept_stay_here(
    tmp_path: Path, made_there: list[tuple[str, int, bool]]
) -> None:
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
    told = simulate("--runs", "2", "--parquet", str(here))
    assert simulate("--runs", "2", "--parquet", str(there), "--master", "local[2]") == told
    assert made_there == [("linger.ms=0", 1, False), ("linger.ms=5", 1, False)]
    assert pq.read_table(here).equals(pq.read_table(there))
    code, text = simulate("--runs", "1", "--parquet", str(here), "--master", "local[2]")
    assert code == 2
    assert "no others are left for --master" in " ".join(text.split())


def test_a_master_is_for_many_runs() -> None:
    arguments = ["simulate", "--records", "9", "--master", "local[1]"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "--master is for many runs, and this is one" in result.output


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

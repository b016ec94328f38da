"""Tables of experiments summed up: the same numbers on any master."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from tests.cli.running import check_schema
from tests.experiments.made_tables import written_tables
from tests.landing import nightly
from tests.spark.cluster import Cluster


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder of tables."""
    folder = tmp_path / "tables"
    written_tables(folder)
    return folder


def _summed(master: str, tmp_path: Path, *folders: Path) -> tuple[str, dict[str, Any]]:
    file = tmp_path / "summary.json"
    arguments = [*map(str, folders), "--master", master, "--json", str(file)]
    result = CliRunner().invoke(main, ["experiment-summary", *arguments])
    assert result.exit_code == 0, result.output
    check_schema(file, "experiment-summary")
    return result.output, json.loads(file.read_text("utf-8"))


def test_the_master_changes_no_number(tmp_path: Path, tables: Path) -> None:
    told, document = _summed("local[1]", tmp_path, tables, tables)
    assert _summed("local[2]", tmp_path, tables, tables) == (told, document)
    old, sticky = document["producers"]
    assert (old["variant"], sticky["variant"]) == ("2.3.1", "3.2.3")
    assert (sticky["runs"], sticky["records"], sticky["delivered"]) == (6, 24, 24)
    assert [one["records"] for one in sticky["partitions"]] == [6, 18]
    assert sticky["slow_ratio"]["mean"] == 1.5
    assert old["slow_ratio"]["mean"] == 1.0


def test_each_experiment_has_its_table_whatever_its_name(tmp_path: Path, tables: Path) -> None:
    hostile = tmp_path / "hostile"
    written_tables(hostile, name="$\\bad$ [red]\x1b[2J")
    picture = tmp_path / "partitions.svg"
    arguments = [str(tables), str(hostile), "--master", "local[1]", "--plot", str(picture)]
    result = CliRunner().invoke(main, ["experiment-summary", *arguments])
    assert result.exit_code == 0, result.output
    assert "sticky-slow-brokers: means over runs" in result.output
    assert r"$\bad$ [red]" in result.output
    assert "\x1b" not in result.output
    assert "1.50 ± 0.00" in result.output
    assert r"$\bad$ [red]" in picture.read_text("utf-8")


@nightly
def test_workers_that_do_not_have_the_files_get_their_rows(
    tmp_path: Path, tables: Path, cluster: Cluster
) -> None:
    here = _summed("local[1]", tmp_path, tables)
    assert _summed(cluster.url, tmp_path, tables) == here

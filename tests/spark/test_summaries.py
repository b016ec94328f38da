"""Tables of experiments summed up: the same numbers on any master."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
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
    again = tmp_path / "again"
    written_tables(again)
    told, document = _summed("local[1]", tmp_path, tables, again)
    assert _summed("local[2]", tmp_path, tables, again) == (told, document)
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


@nightly
def test_a_damaged_number_is_told_with_its_file(tmp_path: Path, tables: Path) -> None:
    path = tables / "batches.parquet"
    rows = pq.read_table(path).to_pylist()
    rows[-1]["bytes"] = -1
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(path)), path)
    arguments = [str(tables), "--master", "local[1]"]
    result = CliRunner().invoke(main, ["experiment-summary", *arguments])
    assert result.exit_code == 2
    assert f"{path} cannot be read: bytes of a row is -1" in " ".join(result.output.split())

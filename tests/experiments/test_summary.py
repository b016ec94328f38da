"""Sums over tables of experiments: the same from any parts, in any order."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.errors import SuiteError
from conformance.experiments.summary import (
    LONGEST_MS,
    DamagedTableError,
    Summary,
    Sums,
    merged,
    summaries,
    summed_batches,
    summed_partitions,
    summed_records,
)
from conformance.experiments.tables import TABLES
from tests.experiments.made_tables import written_tables

_SUMMED = {
    "records": summed_records,
    "batches": summed_batches,
    "partitions": summed_partitions,
}
_RUN = {"experiment": "e", "variant": "v", "round": 0}


def _table(name: str, rows: Sequence[Mapping[str, object]]) -> pa.Table:
    columns = TABLES[name].names
    filled = [{**dict.fromkeys(columns), **_RUN, **row} for row in rows]
    return pa.Table.from_pylist(filled, schema=TABLES[name])


_PARTITIONS = [(0, 0, False), (1, 1, True), (2, 0, False)]
_RECORDS = [
    # run, partition, called, ended, error
    (0, 0, 0.0, 4.0, None),
    (0, 1, 10.0, 110.0, None),
    (0, 1, 120.0, 250.5, None),
    (0, None, 20.0, 30.0, "TimeoutException"),
    (1, 2, 5.0, 8.0, None),
    (1, 0, 305.0, 306.0, None),
]
_BATCHES = [(0, 1, 100, 0.0, 1.0), (1, 3, 300, 0.0, 2.0)]


def _tables() -> list[tuple[str, pa.Table]]:
    """Of each row one."""
    found = [
        (
            "records",
            {
                **{"round": run, "record": 0, "partition": partition, "broker": partition},
                **{"called_ms": called, "returned_ms": called, "ended_ms": ended, "error": error},
            },
        )
        for run, partition, called, ended, error in _RECORDS
    ]
    found += [
        (
            "batches",
            {
                **{"round": run, "partition": 0, "broker": 0, "request": 0, "records": records},
                **{"bytes": size, "opened_ms": opened, "left_ms": left},
            },
        )
        for run, records, size, opened, left in _BATCHES
    ]
    found += [
        ("partitions", {"round": run, "partition": partition, "broker": broker, "slow": slow})
        for run in (0, 1)
        for partition, broker, slow in _PARTITIONS
    ]
    return [(name, _table(name, [row])) for name, row in found]


def _summary(tables: Sequence[tuple[str, pa.Table]]) -> Summary:
    sums: Sums = {}
    for name, table in tables:
        sums = merged(sums, _SUMMED[name](table, 0))
    [found] = summaries(sums)
    return found


def test_figures_of_two_runs_worked_by_hand() -> None:
    found = _summary(_tables())
    assert (found.runs, found.records, found.delivered) == (2, 6, 5)
    assert found.errors == {"TimeoutException": 1}
    # The first run: two of three records to one of three partitions. The second: none.
    assert found.slow_ratio.mean == pytest.approx((2 + 0) / 2)
    assert [(one.broker, one.records, one.slow) for one in found.brokers] == [
        (0, 3, False),
        (1, 2, True),
    ]
    assert found.brokers[0].partitions == [0, 2]
    assert found.brokers[0].ratio.mean == pytest.approx((0.5 + 1.5) / 2)
    assert found.seconds.mean == pytest.approx((0.2505 + 0.306) / 2)
    assert found.latency_ms["mean"] == pytest.approx((4 + 100 + 130.5 + 3 + 1) / 5)
    assert found.latency_ms["p50"] == 4
    assert found.latency_ms["max"] == 130.5
    assert found.batch_records["mean"] == 2
    assert found.batch_bytes["max"] == 300
    assert found.waited_ms["max"] == 2
    # By slices of 100 ms, of two runs.
    assert found.sent == {
        0: [0.5, 0.5, 0.5, 1.0],
        1: [0.5, 1.0, 1.0, 1.0],
        2: [0.5, 0.5, 0.5, 0.5],
    }


@pytest.mark.parametrize("seed", range(5))
def test_neither_order_nor_parts_change_a_figure(seed: int) -> None:
    draws = random.Random(seed)
    tables = _tables()
    expected = _summary(tables)
    draws.shuffle(tables)
    assert _summary(tables) == expected
    # Several rows, of several runs, in one table.
    together: dict[str, list[pa.Table]] = {}
    for name, table in tables:
        together.setdefault(name, []).append(table)
    joined = [(name, pa.concat_tables(one).unify_dictionaries()) for name, one in together.items()]
    assert _summary(joined) == expected


def test_the_same_run_of_two_folders_is_two_runs() -> None:
    sums: Sums = {}
    for folder in (0, 1):
        for name, table in _tables():
            sums = merged(sums, _SUMMED[name](table, folder))
    [found] = summaries(sums)
    assert (found.runs, found.records) == (4, 12)
    assert replace(found.slow_ratio, low=0, high=0) == replace(
        _summary(_tables()).slow_ratio, low=0, high=0, count=4
    )


def test_tables_that_do_not_fit_together_are_refused() -> None:
    tables = [one for one in _tables() if one[0] != "partitions"]
    with pytest.raises(SuiteError, match=r"partitions\.parquet does not know"):
        _summary(tables)


_RECORD = {"record": 0, "partition": 0, "called_ms": 1.0, "returned_ms": 1.0, "ended_ms": 2.0}
_BATCH = {
    **{"partition": 0, "broker": 0, "request": 0, "records": 1, "bytes": 80},
    **{"opened_ms": 0.0, "left_ms": 1.0},
}
_PARTITION = {"partition": 0, "broker": 0, "slow": False}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("records", _RECORD, {"called_ms": float("nan")}),
        ("records", _RECORD, {"called_ms": -1.0}),
        ("records", _RECORD, {"ended_ms": float("inf")}),
        ("records", _RECORD, {"ended_ms": LONGEST_MS + 1.0}),
        ("records", _RECORD, {"ended_ms": None}),
        ("records", _RECORD, {"partition": -1}),
        ("batches", _BATCH, {"records": -1}),
        ("batches", _BATCH, {"bytes": -(2**31)}),
        ("batches", _BATCH, {"left_ms": -0.5}),
        ("batches", _BATCH, {"opened_ms": 1e300}),
        ("partitions", _PARTITION, {"partition": -1}),
        ("partitions", _PARTITION, {"broker": -1}),
    ],
)
def test_a_number_that_no_run_leads_to_is_refused(
    name: str, good: Mapping[str, object], bad: Mapping[str, object]
) -> None:
    assert len(_SUMMED[name](_table(name, [good]), 0)) == 1
    with pytest.raises(DamagedTableError, match=next(iter(bad)) + "|never ended"):
        _SUMMED[name](_table(name, [good, {**good, **bad}]), 0)


# The command's mistakes; what it finds is in tests/spark.


def _refused(*arguments: object) -> str:
    result = CliRunner().invoke(main, ["experiment-summary", *map(str, arguments)])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def test_what_is_no_folder_of_tables_is_refused(tmp_path: Path) -> None:
    assert "There is no" in _refused(tmp_path)
    written_tables(tmp_path / "good")
    (tmp_path / "good" / "batches.parquet").write_bytes(b"PAR1 and no more")
    assert "batches.parquet cannot be read" in _refused(tmp_path / "good")


def test_another_table_is_refused(tmp_path: Path) -> None:
    written_tables(tmp_path)
    (tmp_path / "records.parquet").write_bytes((tmp_path / "batches.parquet").read_bytes())
    assert "other columns than those of an experiment" in _refused(tmp_path)


def test_tables_without_rows_are_refused(tmp_path: Path) -> None:
    written_tables(tmp_path, rounds=0)
    assert "These tables have no rows" in _refused(tmp_path)


def test_a_folder_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    written_tables(tmp_path / "a")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "is named twice" in _refused(tmp_path / "a", tmp_path / "b")


def test_a_picture_has_one_of_two_endings(tmp_path: Path) -> None:
    assert "pictures are SVG or PNG" in _refused(tmp_path, "--plot", "a.gif")

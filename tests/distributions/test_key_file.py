"""A user's own keys from Parquet: read as they are, wherever a block begins, or refused clearly."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import python_impl
from conformance.distributions.key_file import KeyFile
from conformance.errors import SuiteError, UsageError
from conformance.model.distribution import Measures
from conformance.model.results import Verdict
from conformance.sampling.blocks import (
    DIFFERENCES,
    BlockRunner,
    Key,
    Order,
    Task,
    add_all,
    split,
)
from conformance.sampling.judging import judge_totals
from conformance.sampling.order import make_order
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

ROWS = 150_000


def keys() -> list[str | None]:
    return [None if number % 7 == 0 else f"clé-{number % 50_000}" for number in range(ROWS)]


def write(path: Path, **columns: pa.Array) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=40_000)
    return path


def order_of(distribution: KeyFile) -> Order:
    return make_order(extra=[distribution], clients=["3.8.0"])[0]


def sampled(order: Order, *subjects: JavaSubject | PythonPort) -> Measures:
    totals: dict[Key, Measures] = {}
    for task in split(order, 3):
        # As Spark does it: each task may be another process.
        runner = BlockRunner(pickle.loads(pickle.dumps(order)), *subjects)  # type: ignore[arg-type]
        add_all(totals, runner.run(task))
    (name,) = {key.distribution for key in totals}
    return totals[Key(name, "3.8.0", 1)]


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.string(), pa.binary(), pa.large_string(), pa.string_view()),
        pa.dictionary(pa.int32(), pa.string()),
    ],
)
def test_every_key_is_compared_and_nulls_are_left_out(
    tmp_path: Path, java: JavaSubject, kind: pa.DataType
) -> None:
    text = pa.array(keys())
    column = text.dictionary_encode() if pa.types.is_dictionary(kind) else text.cast(kind)
    path = write(tmp_path / "keys.parquet", key=column)
    distribution = KeyFile.of(str(path), None, partitions=5)
    found = sampled(order_of(distribution), java, PythonPort())
    present = [key for key in keys() if key is not None]
    expected = [python_impl.partition_for_key(key.encode(), 5) for key in present]
    assert found.counts["partition"].tolist() == np.bincount(expected).tolist()
    assert found.records == len(present)
    assert found.counts[DIFFERENCES].tolist() == [0]


def test_a_folder_is_all_its_parquet_files(tmp_path: Path) -> None:
    column = pa.array(keys())
    for name in ("b/2.parquet", "1.parquet"):
        write(tmp_path / "keys" / name, other=pa.nulls(ROWS, pa.int64()), key=column)
    (tmp_path / "keys" / "_SUCCESS").write_text("")
    for name in ("_temporary/0/3.parquet", ".4.parquet", ".hidden/5.parquet"):
        write(tmp_path / "keys" / name, key=pa.array(["not yet"]))
    distribution = KeyFile.of(str(tmp_path / "keys"), "key")
    assert distribution.records == 2 * ROWS
    found = sampled(order_of(distribution), PythonPort(), PythonPort())
    assert found.records == 2 * sum(key is not None for key in keys())
    (outcome,) = distribution.judge(found)
    assert f"times its share of {found.records:,} records" in outcome.detail


def test_a_column_of_nulls_is_not_run(tmp_path: Path) -> None:
    path = write(tmp_path / "keys.parquet", key=pa.nulls(100, pa.string()))
    order = order_of(KeyFile.of(str(path), None))
    subjects = (PythonPort(), PythonPort())
    totals = BlockRunner(order, *subjects).run(Task("keyed/file", 0, 1))
    tests, _ = judge_totals(order, totals, subjects)
    assert {judged.verdict for judged in tests} == {Verdict.NOT_RUN}


def test_the_share_of_few_keys_is_right_and_no_more_are_read_than_there_are(tmp_path: Path) -> None:
    path = write(tmp_path / "keys.parquet", key=pa.array(["a", "b", "a", "a", "c"]))
    distribution = KeyFile.of(str(path), None)
    order, _ = make_order(extra=[distribution], clients=["3.8.0"], records=100)
    (outcome,) = distribution.judge(sampled(order, PythonPort(), PythonPort()))
    assert "with 7.200 times its share of 5 records" in outcome.detail


def test_a_file_that_is_gone_on_the_executor_is_an_error_for_people(tmp_path: Path) -> None:
    path = write(tmp_path / "keys.parquet", key=pa.array(["a", "b"]))
    distribution = KeyFile.of(str(path), None)
    path.unlink()
    runner = BlockRunner(order_of(distribution), PythonPort(), PythonPort())
    with pytest.raises(SuiteError, match="must mean the same file on every executor"):
        runner.run(Task("keyed/file", 0, 1))


@pytest.mark.parametrize("rows", [1, 50_000])
def test_a_file_that_changes_after_planning_is_an_error_for_people(
    tmp_path: Path, rows: int
) -> None:
    path = write(tmp_path / "keys.parquet", key=pa.array(["a"] * ROWS))
    distribution = KeyFile.of(str(path), None)
    write(tmp_path / "keys.parquet", key=pa.array(["a"] * rows))
    runner = BlockRunner(order_of(distribution), PythonPort(), PythonPort())
    with pytest.raises(SuiteError, match="has changed since the run began: its row group"):
        runner.run(Task("keyed/file", 0, 3))


def test_a_column_is_found_by_its_whole_name(tmp_path: Path) -> None:
    hiding = pa.StructArray.from_arrays([pa.array(["not me"])], ["b"])
    columns = {"a": hiding, "a.b": pa.array(["me"]), "c#d": pa.array(["or me"])}
    path = write(tmp_path / "keys.parquet", **columns)
    for name, key in (("a.b", b"me"), ("c#d", b"or me")):
        distribution = KeyFile.of(str(path), name, partitions=1000)
        (place,) = np.flatnonzero(
            sampled(order_of(distribution), PythonPort(), PythonPort()).counts["partition"]
        )
        assert place == python_impl.partition_for_key(key, 1000)


def test_a_block_across_chunks_is_whole(tmp_path: Path) -> None:
    """As of a row group that is too large for one array."""
    path = write(tmp_path / "keys.parquet", key=pa.array(["a", "b", "c", "d", "e"]))
    distribution = KeyFile.of(str(path), None, partitions=1000)
    chunks = pa.chunked_array([["a", "b"], ["c"], ["d", "e"]])
    distribution._latest = (0, chunks)
    found = BlockRunner(order_of(distribution), PythonPort(), PythonPort()).run(
        Task("keyed/file", 0, 1)
    )
    counts = found[Key("keyed/file", "3.8.0", 1)].counts["partition"]
    expected = {python_impl.partition_for_key(key, 1000) for key in (b"a", b"b", b"c", b"d", b"e")}
    assert set(np.flatnonzero(counts)) == expected


@pytest.mark.parametrize(
    ("columns", "column", "told"),
    [
        ({"a": pa.array(["x"]), "b": pa.array(["y"])}, None, "several columns: a, b"),
        ({"a": pa.array(["x"])}, "b", "no column 'b'"),
        ({"a": pa.array([1])}, None, "of int64, not of bytes or text"),
        ({"a": pa.array([], pa.string())}, None, "no keys in"),
    ],
)
def test_what_holds_no_keys_is_refused(
    tmp_path: Path, columns: dict[str, pa.Array], column: str | None, told: str
) -> None:
    path = write(tmp_path / "keys.parquet", **columns)
    with pytest.raises(UsageError, match=told):
        KeyFile.of(str(path), column)


@pytest.mark.parametrize("content", [None, b"", b"PAR1 but not really PAR1"])
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "keys.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"keys\.parquet cannot be read"):
        KeyFile.of(str(path), None)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    both = pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], names=["key", "key"])
    pq.write_table(both, tmp_path / "keys.parquet")
    with pytest.raises(UsageError, match="several columns 'key'"):
        KeyFile.of(str(tmp_path / "keys.parquet"), "key")


def test_an_empty_folder_and_an_unknown_file_system_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no keys in"):
        KeyFile.of(str(tmp_path), None)
    with pytest.raises(UsageError, match="cannot be read"):
        KeyFile.of("nonsense://bucket/keys", None)

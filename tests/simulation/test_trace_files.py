"""``--trace``: records from a file, and what is said of files that are none."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.simulation.running import simulate


@pytest.mark.parametrize("name", ["trace.csv", "trace.parquet", "TRACE.PARQUET"])
def test_a_trace_says_which_records_come(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = {"time": [0.0, 2.5, 2.5], "key": ["a", "", "b"], "size": [10, 0, 300]}
    if path.suffix == ".csv":
        lines = ["time,key,size", "0,a,10", "2.5,,0", "2.5,b,300"]
        path.write_text("\n".join(lines), "utf-8")
    else:
        pq.write_table(pa.table(rows), path)
    records = tmp_path / "records.parquet"
    told = simulate("--trace", str(path), "--parquet", str(records)).output
    assert f"trace {name}" in told
    found = pq.read_table(records).to_pylist()
    assert sorted((row["arrived_ms"], row["bytes"]) for row in found) == [
        (0, 11),
        (2.5, 0),
        (2.5, 301),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column time; it has none"),
        ("when,key,size\n", "no column time; it has when, key, size"),
        ("time,size\n", "has no records"),
        ("time,size\n1,10\nsoon,10\n", "line 3: time is 'soon'"),
        ("time,size\n-1,10\n", "line 2: time is '-1'"),
        ("time,size\n2,10\n1,10\n", "line 3: time 1 comes after 2"),
        (
            "time,size\n1234567.891,10\n1234567.89,10\n",
            "line 3: time 1234567.89 comes after 1234567.891",
        ),
        (
            "time,size\n1764000000000.124,10\n1764000000000.123,10\n",
            "line 3: time 1764000000000.123 comes after 1764000000000.124",
        ),
        (
            "time,size\n1764000000,10\n1764000000000,10\n",
            "line 3: time 1764000000000 is more than a year after 1764000000, the first one",
        ),
        ("time,size\n1764000000000000,10\n", "It is a number of ms (not microseconds)"),
        ("time,size\n1,big\n", "line 2: size is 'big'"),
        ("time,size\n1,-5\n", "line 2: size is '-5'"),
        ("time,size\n1,1.5\n", "line 2: size is '1.5'"),
        ("time,size\n1\n", "line 2: 1 columns, not 2"),
        ("time,size\n1,10\n\n2,20,30\n", "line 4: 3 columns, not 2"),
        ("time,size,note\n1,10\n", "line 2: 2 columns, not 3"),
        ("time,size,time\n1,10,2\n", "time is a column twice"),
        ("key,time,size, key\na,1,10,b\n", "key is a column twice"),
        ("\n \n", "no column time; it has none"),
        ('time,size\n"1\n', "cannot be read"),
    ],
)
def test_a_bad_trace_is_refused_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text, "utf-8")
    assert told in simulate("--trace", str(path), code=2).output


def test_a_trace_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    path.write_bytes(b"PAR1 but no Parquet")
    assert "cannot be read" in simulate("--trace", str(path), code=2).output
    pq.write_table(pa.table({"time": [1.0, 0.5], "size": [1, 1]}), path)
    assert "row 2: time 0.5 comes after 1" in simulate("--trace", str(path), code=2).output
    for one, value in (
        ({"time": True, "size": 1}, "time is True"),
        (
            {"time": 1.0, "size": False},
            "size is False",
        ),
    ):
        pq.write_table(pa.Table.from_pylist([one]), path)
        assert value in simulate("--trace", str(path), code=2).output
    for column, kind in (("time", pa.timestamp("ms")), ("size", pa.duration("ms"))):
        one = {"time": pa.array([1]), "size": pa.array([1])}
        pq.write_table(pa.table({**one, column: pa.array([1], kind)}), path)
        assert f"{column} is of the type {kind}" in simulate("--trace", str(path), code=2).output
    keys = pa.array([b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"time": [1.0], "size": [1], "key": keys}), path)
    assert "cannot be read" in simulate("--trace", str(path), code=2).output
    twice = pa.table([pa.array([1.0]), pa.array([1]), pa.array([2])], ["time", "size", "size"])
    pq.write_table(twice, path)
    assert "size is a column twice" in simulate("--trace", str(path), code=2).output
    assert "is no file" in simulate("--trace", str(tmp_path), code=2).output
    path = tmp_path / "trace.csv"
    path.write_bytes(b"time,size\n\xff,1\n")
    assert "cannot be read" in simulate("--trace", str(path), code=2).output
    told = simulate("--trace", str(path), "--rate", "5/s", "--records", "3", code=2).output
    assert "--trace and --records, --rate exclude each other" in told


@pytest.mark.parametrize(
    "text",
    [
        "\ufefftime,key,size\n1,a,10\n2,b,20\n",
        "\n\ntime,key,size\n\n1,a,10\n  \n2,b,20\n\n",
        "time,key,size\r\n1,a,10\r\n\r\n2,b,20\r\n",
        "size,note,time,key\n10,x,1,a\n20,y,2,b\n",
    ],
    ids=["a byte order mark", "blank lines", "of Windows", "another column"],
)
def test_what_spreadsheets_write_is_read(tmp_path: Path, text: str) -> None:
    path, records = tmp_path / "trace.csv", tmp_path / "records.parquet"
    path.write_bytes(text.encode())
    simulate("--trace", str(path), "--parquet", str(records))
    found = [(row["arrived_ms"], row["bytes"]) for row in pq.read_table(records).to_pylist()]
    assert sorted(found) == [(0, 11), (1, 21)]  # simulated time begins with the first record


@pytest.mark.parametrize("first", ["0", "3600000", "1764000000000.125"])
def test_simulated_time_begins_with_the_first_record(tmp_path: Path, first: str) -> None:
    """Times may count from anywhere: rates, and brokers that stop, are as if from 0."""
    path, records, file = (tmp_path / name for name in ("t.csv", "r.parquet", "figures.json"))
    times = [float(first) + ms for ms in (0, 100, 2500)]
    path.write_text("\n".join(["time,key,size", *(f"{time!r},b,10" for time in times)]), "utf-8")
    stopped = ("--partitions", "2", "--brokers", "2", "--stopped", "0=2s..4s")
    simulate("--trace", str(path), *stopped, "--parquet", str(records), "--json", str(file))
    rows = pq.read_table(records).to_pylist()
    assert [(row["arrived_ms"], row["ended_ms"]) for row in rows] == [
        (0, 4),
        (100, 104),
        (2500, 4003),
    ]
    figures = json.loads(file.read_text("utf-8"))["variants"][0]["runs"][0]["figures"]
    assert figures["seconds"] == 4.003
    assert figures["requests_per_second"] == pytest.approx(3 / 4.003)

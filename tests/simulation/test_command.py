"""``kafka-conformance simulate`` as people meet it: what it prints and writes, and its refusals."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.json_schema import problem_of
from tests.cli.running import check_schema

_PARTITIONERS = ("RoundRobin", "UniformSticky")
_SMALL = ("--records", "9", "--every", "5ms", "--partitions", "3", "--brokers", "3")


def simulate(*arguments: str, code: int = 0) -> Result:
    """A run with an exit code."""
    result = CliRunner().invoke(main, ["simulate", *arguments], terminal_width=200)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_one_run_is_told_in_detail() -> None:
    told = simulate(*_SMALL, "--set", "linger.ms=0").output
    assert "Producer 3.8.0, linger.ms=0; 9 records, 200/s, 100 bytes, keys none" in told
    assert "seed 0" in told
    for words in ("latency p99.9", "linger: waited", "Brokers", "Partitions", "busiest broker"):
        assert words in told


def test_variants_are_told_with_their_differences() -> None:
    told = simulate(*_SMALL, "--client", "2.3.1", "--compare", "linger.ms=0,50").output
    assert (
        "linger.ms=50 against linger.ms=0: latency p95 54 ms instead of 4 ms (13.5 times)" in told
    )
    told = simulate(*_SMALL, "--set", "linger.ms=0", "--compare", "client=3.8.0,4.4.0").output
    assert "client=4.4.0 against client=3.8.0: nothing that matters." in told


def test_all_that_is_written_is_valid(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"run.{name}" for name in ("json", "parquet", "svg")}
    simulate(
        *(*_SMALL, "--compare", "linger.ms=0,50", "--slow", "1=exp:5ms", "--stopped", "0=1s.."),
        *("--json", str(paths["json"]), "--parquet", str(paths["parquet"])),
        *("--plot", str(paths["svg"])),
    )
    document = check_schema(paths["json"], "simulation")
    assert problem_of("simulation", document) is None
    assert [one["name"] for one in document["variants"]] == ["linger.ms=0", "linger.ms=50"]
    rows = pq.read_table(paths["parquet"]).to_pylist()
    assert len(rows) == 2 * 9
    for row in rows:
        assert row["arrived_ms"] <= row["taken_ms"] <= row["sent_ms"] < row["ended_ms"]
    assert {row["variant"] for row in rows} == {"linger.ms=0", "linger.ms=50"}
    assert '<title id="title">linger.ms=0:' in paths["svg"].read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "run.json",
        "run.parquet",
        "run.svg",
    ]


def test_failed_records_are_rows_as_well(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    refused = ("--set", "max.request.size=10")
    told = simulate(*_SMALL, *refused, "--parquet", str(path), "--json", str(tmp_path / "j"))
    assert "9 records failed with RecordTooLargeException." in told.output
    rows = pq.read_table(path).to_pylist()
    assert {(row["error"], row["batch"]) for row in rows} == {("RecordTooLargeException", None)}
    simulate(*_SMALL, *refused, "--plot", str(tmp_path / "small.svg"), "--compare", "acks=0,1")
    simulate("--records", "600", *refused, "--plot", str(tmp_path / "large.svg"))
    # No latency is a number then.
    document = check_schema(tmp_path / "j", "simulation")
    assert document["variants"][0]["first_run"]["latency_ms"]["latency"]["p50"] is None


def test_large_runs_are_drawn_over_time(tmp_path: Path) -> None:
    path = tmp_path / "run.svg"
    simulate("--records", "2k", "--compare", "linger.ms=0,5", "--plot", str(path))
    assert "Latency p99: linger.ms=0" in path.read_text("utf-8")
    simulate("--records", "501", "--plot", str(path))
    assert "Half of the records take" in path.read_text("utf-8")


def test_several_runs_have_an_interval(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    arguments = ("--records", "300", "--service", "exp:2ms", "--runs", "5", "--json", str(path))
    assert "Means of 5 runs" in simulate(*arguments).output
    document = check_schema(path, "simulation")
    (variant,) = document["variants"]
    assert [run["seed"] for run in variant["runs"]] == [0, 1, 2, 3, 4]
    found = variant["means"]["latency_mean_ms"]
    numbers = [run["figures"]["latency_mean_ms"] for run in variant["runs"]]
    assert found["mean"] == pytest.approx(sum(numbers) / 5)
    assert found["low"] < found["mean"] < found["high"]


@pytest.mark.parametrize("client", ["2.3.1", "3.2.3", "3.8.0", "4.4.0"])
def test_the_seed_decides_and_is_printed(client: str) -> None:
    arguments = ("--records", "200", "--rate", "poisson:1000/s", "--keys", "zipf:9")
    arguments = (*arguments, "--client", client, "--size", "50..500", "--seed")
    assert simulate(*arguments, "7").output == simulate(*arguments, "7").output
    assert simulate(*arguments, "7").output != simulate(*arguments, "8").output
    assert "seed 7" in simulate(*arguments, "7").output


def test_compression_is_what_codecs_do_with_the_values(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    arguments = ("--records", "2k", "--rate", "10k/s", "--set", "linger.ms=20", "--json", str(path))
    simulate(*arguments, "--random-share", "0.5", "--compare", "compression.type=none,lz4,zstd")
    none, lz4, zstd = (
        one["means"]["compression_ratio"]["mean"]
        for one in check_schema(path, "simulation")["variants"]
    )
    assert none == 1
    assert 0.45 < zstd < lz4 < 0.7


def test_a_run_without_end_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    # No time-out of the client is shorter than the time that is simulated.
    settings = [f"--set={name}.timeout.ms=2147483647" for name in ("request", "delivery")]
    still = ("--client", "2.3.1", "--stopped", "0=0..", "--until", "2m")
    told = simulate(*_SMALL, *settings, *still, "--json", str(path), code=3)
    assert "NOT FINISHED after 2 min of simulated time" in told.output
    assert check_schema(path, "simulation")["exit_code"] == 3


@pytest.mark.parametrize("name", ["trace.csv", "trace.parquet"])
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
        ("time,size\n1,big\n", "line 2: size is 'big'"),
        ("time,size\n1,-5\n", "line 2: size is '-5'"),
        ("time,size\n1,1.5\n", "line 2: size is '1.5'"),
        ("time,size\n1\n", "line 2: 1 columns, not 2"),
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
    assert "is no file" in simulate("--trace", str(tmp_path), code=2).output
    path = tmp_path / "trace.csv"
    path.write_bytes(b"time,size\n\xff,1\n")
    assert "cannot be read" in simulate("--trace", str(path), code=2).output
    told = simulate("--trace", str(path), "--rate", "5/s", "--records", "3", code=2).output
    assert "--trace and --records, --rate exclude each other" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--client 3.8.1", "There is no client version '3.8.1'.\n  Did you mean 3.8.0?"),
        ("--set linger=5", "linger is no setting of a producer here; did you mean linger.ms?"),
        ("--set linger.ms=-1", "linger.ms is -1: 0 to"),
        ("--set linger.ms=soon", "linger.ms is soon: a whole number is taken"),
        ("--set linger.ms", "--set linger.ms sets nothing"),
        ("--set enable.idempotence=true", "enable.idempotence is true, which is not simulated"),
        ("--set acks=1 --set acks=0", "--set names acks twice"),
        ("--set delivery.timeout.ms=5", "less than linger.ms"),
        ("--set compression.type=zip", "compression.type is zip: one of none, gzip"),
        (
            "--client 4.4.0 --set partitioner.class=Sticky",
            "client 4.4.0: there is no partitioner.class Sticky",
        ),
        ("--records 0", "'0' is not a number of records"),
        ("--rate 0/s", "'0/s' is no rate"),
        ("--rate fast", "--rate: 'fast' is no rate"),
        ("--rate 1/s --every 5ms", "--rate and --every exclude each other"),
        ("--every 0", "--every: '0' is no such time"),
        ("--every=-5ms", "--every: '-5ms' is no such time"),
        ("--every 5", "--every: '5' is no such time"),
        ("--size=-1", "--size: '-1' is no size"),
        ("--size 9..5", "--size 9..5 goes down"),
        ("--keys few", "--keys: 'few' is unknown"),
        ("--keys zipf:0", "There can be 1 to"),
        ("--random-share 2", "--random-share is 2"),
        ("--partitions 0", "--partitions is 0"),
        ("--brokers=-1", "--brokers is -1"),
        ("--service soon", "--service: 'soon' is no such time"),
        ("--slow 9=5ms", "--slow: there is no broker 9"),
        ("--slow 5ms", "--slow: '5ms' names no broker"),
        ("--slow 1=5ms --slow 1=6ms", "--slow names broker 1 twice"),
        ("--stopped 4=1s..2s", "--stopped: there is no broker 4"),
        ("--stopped 1=2s..1s", "--stopped 1=2s..1s ends before it starts"),
        ("--stopped 1=2s", "'2s' is no stretch of time"),
        ("--network=-1ms", "--network: '-1ms' is no such time"),
        ("--request-time 2s", "--request-time is 2 s"),
        ("--until 0", "--until: '0' is no such time"),
        ("--compare linger.ms=5", "--compare linger.ms=5 compares nothing"),
        ("--compare linger.ms=5,5", "2 values, 1 of them different"),
        ("--compare linger=5,6", "did you mean linger.ms?"),
        ("--compare client=3.8.0,9.9", "There is no client version '9.9'"),
        ("--set linger.ms=1 --compare linger.ms=5,6", "--compare and --set both name linger.ms"),
        ("--runs 0", "--runs is 0"),
        ("--seed one", "'one' is neither a number nor 'random'"),
        ("--seed=-1", "--seed is -1"),
        ("--plot run.gif", "pictures are SVG"),
        ("--plot /proc/none/run.svg", "cannot be written"),
        ("--parquet /proc/none/run.parquet", "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused(arguments: str, told: str) -> None:
    assert told in simulate(*arguments.split(), code=2).output


def test_partitioners_are_compared_under_their_short_names() -> None:
    names = [f"org.apache.kafka.clients.producer.{one}Partitioner" for one in _PARTITIONERS]
    output = simulate(*_SMALL, "--compare", f"partitioner.class={','.join(names)}").output
    assert "RoundRobinPartitioner" in output
    assert "org.apache" not in output


def test_more_brokers_than_partitions_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    simulate("--partitions", "1", "--brokers", "3", "--records", "5", "--json", str(path))
    (variant,) = json.loads(path.read_text("utf-8"))["variants"]
    assert [one["records"] for one in variant["first_run"]["brokers"]] == [5, 0, 0]

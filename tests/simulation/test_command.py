"""``kafka-conformance simulate`` as people meet it: what it prints and writes, and its refusals."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conformance.json_schema import problem_of
from tests.cli.running import check_schema
from tests.simulation.running import SMALL, simulate

_PARTITIONERS = ("RoundRobin", "UniformSticky")


def test_one_run_is_told_in_detail() -> None:
    told = simulate(*SMALL, "--set", "linger.ms=0").output
    assert "Producer 3.8.0, linger.ms=0; 9 records, 200/s, 100 bytes, keys none" in told
    assert "seed 0" in told
    for words in ("latency p99.9", "linger: waited", "Brokers", "Partitions", "busiest broker"):
        assert words in told


def test_variants_are_told_with_their_differences() -> None:
    told = simulate(*SMALL, "--client", "2.3.1", "--compare", "linger.ms=0,50").output
    assert (
        "linger.ms=50 against linger.ms=0: latency p95 54 ms instead of 4 ms (13.5 times)" in told
    )
    told = simulate(*SMALL, "--set", "linger.ms=0", "--compare", "client=3.8.0,4.4.0").output
    assert "client=4.4.0 against client=3.8.0: nothing that matters." in told


def test_a_comparison_of_clients_names_no_client_twice() -> None:
    told = simulate(*SMALL, "--compare", "client=3.8.0,4.4.0").output
    assert told.startswith("Producer; 9 records")


def test_many_variants_are_told_in_tables_that_fit() -> None:
    values = [str(ms) for ms in (*range(0, 100, 10), 1000, 15_000)]
    told = simulate(*SMALL, "--compare", f"linger.ms={','.join(values)}").output
    heads = re.findall(r"^┃ linger.ms .*$", told, re.MULTILINE)
    assert [value for head in heads for value in re.findall(r"\d+", head)] == values
    assert len(heads) > 1
    assert "…" not in told
    assert told.count("largest backlog of a broker, records │") == len(heads)


def test_all_that_is_written_is_valid(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"run.{name}" for name in ("json", "parquet", "svg")}
    simulate(
        *(*SMALL, "--compare", "linger.ms=0,50", "--slow", "1=exp:5ms", "--stopped", "0=1s.."),
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
    told = simulate(*SMALL, *refused, "--parquet", str(path), "--json", str(tmp_path / "j"))
    assert "9 records failed with RecordTooLargeException." in told.output
    rows = pq.read_table(path).to_pylist()
    assert {(row["error"], row["batch"]) for row in rows} == {("RecordTooLargeException", None)}
    simulate(*SMALL, *refused, "--plot", str(tmp_path / "small.svg"), "--compare", "acks=0,1")
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
    load = ("--records", "200", "--rate", "poisson:1000/s", "--keys", "zipf:9")
    arguments = (*load, "--client", client, "--size", "50..500", "--seed")
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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--client 3.8.1", "There is no client version '3.8.1'.\n  Did you mean 3.8.0?"),
        ("--set linger=5", "linger is no setting of a producer here; did you mean linger.ms?"),
        ("--set linger.ms=-1", "linger.ms is -1: 0 to"),
        ("--set linger.ms=soon", "linger.ms is soon: a whole number is taken"),
        ("--set linger.ms", "--set linger.ms sets nothing"),
        ("--set enable.idempotence=true --set acks=1", "enable.idempotence is true: "),
        ("--set acks=1 --set acks=0", "--set names acks twice"),
        (
            "--client 4.4.0 --set max.in.flight.requests.per.connection=6",
            "5 at most, unless enable.idempotence is false",
        ),
        (
            "--client 2.3.1 --compare partitioner.adaptive.partitioning.enable=true,false",
            "Client 2.3.1 does not know partitioner.adaptive.partitioning.enable, and would ignore "
            "it. It arrived in 3.3.\n  Leave it out, or choose a later client: 3.8.0, 4.4.0.",
        ),
        (
            "--set retry.backoff.max.ms=5 --compare client=2.3.1,3.2.3",
            "Client 2.3.1, 3.2.3 do not know retry.backoff.max.ms, and would ignore it. It arrived "
            "in 3.7.",
        ),
        ("--set delivery.timeout.ms=5", "less than linger.ms"),
        ("--set compression.type=zip", "compression.type is zip: one of none, gzip"),
        (
            "--client 4.4.0 --set partitioner.class=Sticky",
            "client 4.4.0: there is no partitioner.class Sticky",
        ),
        ("--records 0", "'0' is not a number of records"),
        ("--records 1.5", "'1.5' is not a number of records.\n  Write a whole number"),
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
        ("--partitions 3 --brokers 12 --slow 11=50ms", "--slow: broker 11 leads no partition"),
        ("--partitions 3 --brokers 12 --stopped 3=1s..", "leads some (0 to 2)"),
        ("--partitions 3 --leaders 0,0,3 --slow 1=5ms", "--slow: broker 1 leads no partition"),
        ("--leaders 0,1", "--leaders names 2, and --partitions is 10"),
        ("--partitions 2 --leaders 0,4", "--leaders: there is no broker 4"),
        ("--partitions 2 --leaders 0,", "--leaders: '' is no broker"),
        ("--partitions 2 --leaders 0,-1", "--leaders: '-1' is no broker"),
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
        ("--client 3.8.0 --compare client=3.8.0,4.4.0", "--compare and --client both name the"),
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


def test_more_requests_in_flight_without_idempotence() -> None:
    asked = ("--set", "max.in.flight.requests.per.connection=6")
    simulate(*SMALL, "--client", "4.4.0", *asked, "--set", "enable.idempotence=false")
    simulate(*SMALL, "--client", "3.8.0", *asked)  # which switches its default off


def test_runs_that_agree_have_no_interval() -> None:
    # Their sum by their number was another in the last bit, which then was told as a spread.
    arguments = "--records 1000 --client 2.3.1 --runs 7"
    figures = simulate(*arguments.split()).output
    [time] = [line for line in figures.splitlines() if "simulated time" in line]
    assert "1,004 ms" in time
    assert "±" not in time


def test_partitioners_are_compared_under_their_short_names() -> None:
    names = [f"org.apache.kafka.clients.producer.{one}Partitioner" for one in _PARTITIONERS]
    output = simulate(*SMALL, "--compare", f"partitioner.class={','.join(names)}").output
    assert "RoundRobinPartitioner" in output
    assert "org.apache" not in output


def test_a_setting_that_only_some_clients_know_is_warned_of() -> None:
    asked = (*SMALL, "--set", "partitioner.availability.timeout.ms=5")
    result = simulate(*asked, "--compare", "client=2.3.1,3.2.3,3.8.0")
    name = "partitioner.availability.timeout.ms"
    told = f"Warning: Client 2.3.1, 3.2.3 do not know {name}, and ignore it. It arrived in 3.3."
    assert result.stderr.splitlines() == [told]
    assert "Warning" not in result.stdout
    assert simulate(*asked).stderr == ""


def test_more_brokers_than_partitions_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    simulate("--partitions", "1", "--brokers", "3", "--records", "5", "--json", str(path))
    (variant,) = json.loads(path.read_text("utf-8"))["variants"]
    assert [one["records"] for one in variant["first_run"]["brokers"]] == [5, 0, 0]


def test_leaders_decide_which_broker_has_which_partition(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    four = ("--partitions", "4", "--brokers", "4", "--leaders", "2,0,2,2", "--client", "2.3.1")
    told = simulate("--records", "40", *four, "--json", str(path)).output
    assert "4 partitions led by 2,0,2,2, 4 brokers" in told
    assert "Brokers that lead no partition: 1, 3." in told
    (variant,) = check_schema(path, "simulation")["variants"]
    assert variant["scenario"]["cluster"]["leaders"] == [2, 0, 2, 2]
    detail = variant["first_run"]
    assert [one["broker"] for one in detail["partitions"]] == [2, 0, 2, 2]
    assert [one["records"] for one in detail["brokers"]] == [10, 0, 30, 0]
    assert [one["requests"] > 0 for one in detail["brokers"]] == [True, False, True, False]


def test_leaders_in_turn_are_the_default(tmp_path: Path) -> None:
    asked = ("--partitions", "5", "--brokers", "3", "--records", "50", "--service", "exp:3ms")
    paths = [tmp_path / "default.json", tmp_path / "named.json"]
    simulate(*asked, "--json", str(paths[0]))
    simulate(*asked, "--leaders", "0, 1,2,0,1", "--json", str(paths[1]))
    assert paths[0].read_text("utf-8") == paths[1].read_text("utf-8")


def test_many_leaders_are_not_all_told() -> None:
    leaders = ",".join(["0"] * 40)
    told = simulate("--records", "9", "--partitions", "40", "--leaders", leaders).output
    assert f"40 partitions led by {','.join(['0'] * 32)},... (8 more), 4 brokers" in told


def test_the_share_of_slow_brokers_is_a_row_if_there_are_any(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    asked = ("--records", "40", "--client", "2.3.1", "--partitions", "4", "--json", str(path))
    label = "slow brokers have, times their share"
    assert label not in simulate(*asked).output
    assert check_schema(path, "simulation")["variants"][0]["means"]["slow_ratio"]["mean"] is None
    # Broker 0 leads half of the partitions, and round robin gives each as many.
    led = ("--slow", "0=50ms", "--leaders", "0,0,1,2")
    assert label in simulate(*asked, *led).output
    assert check_schema(path, "simulation")["variants"][0]["means"]["slow_ratio"]["mean"] == 1


def test_when_a_broker_stands_still_is_told() -> None:
    stops = ("--stopped", "0=1s..2.5s", "--stopped", "0=4s..5s", "--stopped", "1=100s..")
    told = simulate(*SMALL, *stops).output
    assert "broker 0 stopped from 1 s to 2.5 s and from 4 s to 5 s" in told
    assert "broker 1 stopped from 100 s for good" in told


_KEYLESS = "with it a real client 3.8.0 never returns from the send"
_ROUND_ROBIN = "partitioner.class=org.apache.kafka.clients.producer.RoundRobinPartitioner"


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ((), True),
        (("--set", "partitioner.adaptive.partitioning.enable=false"), True),
        (("--keys", "uniform:3", "--set", "partitioner.ignore.keys=true"), True),
        (("--keys", "uniform:3"), False),
        (("--set", _ROUND_ROBIN), False),
        (("--client", "3.2.3"), False),
        (("--client", "2.3.1"), False),
    ],
)
def test_a_batch_size_with_which_a_send_never_returns_is_refused(
    arguments: tuple[str, ...], refused: bool
) -> None:
    least = str(2**30)
    asked = ("--records", "3", "--set", f"batch.size={least}", "--set", "buffer.memory=4294967296")
    told = simulate(*asked, *arguments, code=2 if refused else 0).output
    assert (_KEYLESS in told) is refused


def test_the_largest_batch_size_with_which_a_send_returns_is_taken() -> None:
    asked = ("--records", "3", "--set", "buffer.memory=4294967296")
    simulate(*asked, "--set", f"batch.size={2**30 - 1}")
    told = simulate(*asked, "--compare", f"batch.size=16384,{2**31 - 1}", code=2).output
    assert "batch.size is 2,147,483,647" in told


def test_a_trace_with_keys_may_have_such_a_batch_size(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    settings = ("--set", f"batch.size={2**30}", "--set", "buffer.memory=4294967296")
    asked = ("--trace", str(path), *settings)
    path.write_text("time,key,size\n1,a,10\n", "utf-8")
    simulate(*asked)
    path.write_text("time,key,size\n1,a,10\n2,,10\n", "utf-8")
    assert _KEYLESS in simulate(*asked, code=2).output


def test_a_link_stays_when_records_are_written_to_it(tmp_path: Path) -> None:
    link, path = tmp_path / "link.parquet", tmp_path / "far" / "records.parquet"
    path.parent.mkdir()
    path.write_bytes(b"older")
    link.symlink_to(path)
    simulate(*SMALL, "--parquet", str(link))
    assert link.is_symlink()
    assert pq.read_table(path).num_rows == 9
    assert [one.name for one in path.parent.iterdir()] == [path.name]

"""Figures at the edges: brokers that stop in mid-run, sends that are blocked when time is over."""

import math
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conformance.reports.simulation_plots import lanes_of
from conformance.simulation.brokers import Broker, ClusterPlan, Service, Stop
from conformance.simulation.loop import Simulation
from conformance.simulation.measures import Record
from conformance.simulation.quantities import NEVER, time_text
from conformance.simulation.repeated import means_of
from conformance.simulation.scenario import Scenario
from conformance.simulation.traces import Trace
from tests.cli.running import check_schema
from tests.simulation.collected import Collected, run, scenario
from tests.simulation.running import simulate

_MS = 1000


@pytest.mark.parametrize(
    ("stop", "busy_ms"),
    [
        # Ten records, one a second; each is given up after 200 ms, and the last one at 10.2 s. From
        # the first that finds it stopped, at 3.001 s, until then it stands still over a request.
        (Stop(2500 * _MS, NEVER), 10_200 - 3001 + 2 * 2),
        (Stop(2500 * _MS, 3_600_000 * _MS), 10_200 - 3001 + 2 * 2),
        (Stop(9500 * _MS, 3_600_000 * _MS), 10_200 - 10_001 + 9 * 2),
    ],
    ids=["for good", "for longer than the run", "at its end"],
)
def test_a_broker_is_busy_until_the_run_ends_and_not_after(stop: Stop, busy_ms: int) -> None:
    settings = {"request_timeout_ms": 100, "delivery_timeout_ms": 200, "linger_ms": 0}
    still = ClusterPlan(1, 1, stops={0: [stop]})
    answer, _, _ = run(scenario(records=10, every_us=1_000_000, cluster=still, **settings))
    assert answer.figures["seconds"] == 10.2
    assert answer.brokers[0]["busy"] == pytest.approx(busy_ms / 10_200)


def test_a_broker_counts_what_it_has_served_by_then_and_no_more() -> None:
    broker = Broker(Service(10), [Stop(100, 200)], random=None)  # type: ignore[arg-type]
    assert [broker.serve(at, at) for at in (0, 5, 95)] == [10, 20, 205]
    assert [broker.busy_us(at) for at in (95, 150, 205, 900)] == [20, 75, 130, 130]


def test_a_send_that_is_blocked_to_the_end_is_counted_with_all_behind_it() -> None:
    arguments = ("--records", "4k", "--rate", "1k/s", "--brokers", "1", "--partitions", "4")
    told = simulate(
        *(*arguments, "--stopped", "0=0..", "--set", "buffer.memory=16384", "--until", "30s"),
        code=3,
    ).output
    assert "records behind it. The figures" in told
    assert "still to come" not in told


def test_the_time_of_a_blocked_send_is_counted_if_the_run_ends_before(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    arguments = ("--records", "9", "--every", "5ms", "--partitions", "1", "--brokers", "1")
    memory = ("--set", "buffer.memory=1000", "--set", "batch.size=1000", "--set", "linger.ms=0")
    simulate(
        *(*arguments, *memory, "--service", "1h", "--until", "30ms", "--json", str(path)), code=3
    )
    [variant] = check_schema(path, "simulation")["variants"]
    figures = variant["runs"][0]["figures"]
    # Sent at 5; blocked from 10 on; behind it are those of 15, 20, 25 and 30.
    assert (figures["records"], figures["unfinished"]) == (6, 6)
    assert (figures["blocked_sends"], figures["blocked_ms"]) == (1, 20)


def test_a_full_batch_behind_another_waits_for_its_broker_and_not_for_linger() -> None:
    # Two records fill a batch to the byte. The first two leave at once, and their broker takes
    # 100 ms for them: the others are full when their second record comes, at 3 and at 5 ms.
    settings = {"linger_ms": 50, "batch_size": 61 + 2 * (8 + 62), "enable_idempotence": "false"}
    settings |= {"max_in_flight_requests_per_connection": 1}
    slow = ClusterPlan(1, 1, Service(100 * _MS), network_us=0)
    _, _, records = run(scenario(records=6, every_us=_MS, size=62, cluster=slow, **settings))
    parts = [record.parts or () for record in records]
    assert [linger for _, linger, *_ in parts] == [1 * _MS, 0] * 3
    assert [queue // _MS for _, _, queue, _ in parts] == [0, 0, 98, 98, 196, 196]


def test_records_per_batch_of_a_partition_are_of_batches_that_were_sent() -> None:
    gone = ClusterPlan(2, 2, stops={0: [Stop(50 * _MS, NEVER)]})
    settings = {"batch_size": 0, "request_timeout_ms": 500, "delivery_timeout_ms": 1000}
    answer, _, _ = run(scenario(records=400, every_us=1000, cluster=gone, linger_ms=0, **settings))
    assert answer.figures["failed"] > 0
    assert [one["records_per_batch"] for one in answer.partitions] == [1, 1]
    assert sum(one["batches"] for one in answer.partitions) == answer.figures["batches"]


def test_a_batch_that_runs_out_of_time_as_it_is_sent_was_sent(tmp_path: Path) -> None:
    path, json = tmp_path / "run.parquet", tmp_path / "run.json"
    settings = {
        "batch.size": "1",
        "partitioner.ignore.keys": "true",
        "delivery.timeout.ms": "1000",
        "request.timeout.ms": "1",
        "linger.ms": "0",
    }
    given = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    arguments = ("--records", "600", "--rate", "poisson:100k/s", "--network", "30ms")
    files = ("--parquet", str(path), "--json", str(json), "--until", "2s")
    simulate(*arguments, "--service", "100ms", *given, *files)
    figures = check_schema(json, "simulation")["variants"][0]["runs"][0]["figures"]
    rows = pq.read_table(path).to_pylist()
    sent = {row["batch"] for row in rows if row["sent_ms"] is not None}
    assert len(rows) == 600
    assert len(sent) == figures["batches"]


def test_a_record_that_is_refused_is_told_at_once() -> None:
    """No pass of the sender follows, at the end of which others would be told."""
    told: list[int] = []

    class Counting(Collected):
        def write(self, record: Record) -> None:
            super().write(record)
            told.append(simulation.measures.arrived)

    simulation = Simulation(scenario(records=3, max_request_size=10), Counting())
    simulation.run()
    assert told == [1, 2, 3]


def test_a_run_that_has_not_ended_ends_with_simulated_time() -> None:
    gone = ClusterPlan(1, 1, stops={0: [Stop(0, NEVER)]})
    memory = {"buffer_memory": 2000, "batch_size": 1000}
    of = scenario(records=200, every_us=1000, cluster=gone, linger_ms=0, **memory)
    answer, _, _ = run(replace(of, until_us=20_000 * _MS))
    figures = answer.figures
    assert (figures["records"], figures["unfinished"], figures["seconds"]) == (200, 200, 20)
    assert figures["blocked_ms"] < 20_000
    assert answer.brokers[0]["busy"] == pytest.approx(1, abs=0.001)


def test_requests_that_end_at_time_0_are_drawn_so(tmp_path: Path) -> None:
    trace, picture = tmp_path / "t.csv", tmp_path / "run.svg"
    trace.write_text("time,key,size\n0,b,10\n5000,b,10\n")
    acks = ("--set", "acks=0", "--set", "linger.ms=0", "--trace", str(trace))
    simulate(*acks, "--plot", str(picture))
    answer, _, _ = run(Scenario(Trace(trace), settings={"acks": "0", "linger.ms": "0"}))
    assert answer.log is not None
    lanes = [lane for lanes in lanes_of(answer.log) for lane in lanes]
    assert all(end - start < 1000 * _MS for _, spans in lanes for start, end, _ in spans)


@pytest.mark.parametrize(
    ("micros", "text"),
    [(86_400 * 10**6, "24 h"), (10_800 * 10**6, "3 h"), (7200 * 10**6, "120 min"), (500, "0.5 ms")],
)
def test_times_are_told_in_a_unit_that_fits(micros: int, text: str) -> None:
    assert time_text(micros) == text


def test_a_small_part_of_what_was_is_no_percentage() -> None:
    told = simulate(
        *("--records", "200", "--keys", "uniform:9", "--compare", "linger.ms=1000,0"),
        *("--rate", "200/s"),
    ).output
    assert "times less)" in told
    assert "(-100 %)" not in told


_BESIDE = "partitioner.class=org.apache.kafka.clients.producer.RoundRobinPartitioner"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            f"--set {_BESIDE} --set partitioner.ignore.keys=true",
            "partitioner.ignore.keys changes nothing where there is a partitioner.class.",
        ),
        (
            "--set partitioner.adaptive.partitioning.enable=false "
            "--set partitioner.availability.timeout.ms=9",
            "partitioner.availability.timeout.ms changes nothing if partitioner.adaptive",
        ),
        ("--random-share 0.1", "--random-share changes nothing without compression"),
        ("--set acks=0", "With acks=0 a record is delivered as soon as it is sent"),
        ("--compare acks=1,all", "Brokers take as long for acks=1 as for acks=all here"),
    ],
)
def test_what_changes_nothing_is_warned_of(arguments: str, told: str) -> None:
    assert f"Warning: {told}" in " ".join(
        simulate("--records", "9", *arguments.split()).output.split()
    )


@pytest.mark.parametrize(
    "arguments",
    [
        f"--set {_BESIDE} --set linger.ms=5",
        "--set partitioner.availability.timeout.ms=9",
        "--random-share 0.1 --set compression.type=lz4",
        "--set acks=1",
    ],
)
def test_what_changes_something_is_not(arguments: str) -> None:
    assert "Warning" not in simulate("--records", "9", *arguments.split()).output


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--compare acks=all,-1", "acks=all and acks=-1 mean the same."),
        ("--compare linger.ms=1,2,01", "linger.ms=1 and linger.ms=01 mean the same."),
        ("--set reconnect.backoff.ms=3", "reconnect.backoff.ms is a setting of Kafka's producer"),
        ("--set ssl.protocol=x", "ssl.protocol is a setting of Kafka's producer"),
        ("--compare rate=1,2", "takes one of them, partitioner.class, or client."),
    ],
)
def test_what_cannot_be_compared_or_set_is_told(arguments: str, told: str) -> None:
    assert told in " ".join(simulate("--records", "9", *arguments.split(), code=2).output.split())


def test_failed_records_have_no_latency_which_is_said() -> None:
    refused = simulate("--records", "9", "--set", "max.request.size=10").output
    assert "Latencies are of the records that were delivered." in refused
    assert "Latencies are of" not in simulate("--records", "9").output


@pytest.mark.parametrize("figures", [[1.0, math.nan], [math.nan, 1.0], [math.nan], [1.0, 1.0]])
def test_a_figure_that_a_run_does_not_have_has_no_mean(figures: list[float]) -> None:
    mean = means_of([{"latency": one} for one in figures])["latency"].mean
    assert math.isnan(mean) == any(map(math.isnan, figures))

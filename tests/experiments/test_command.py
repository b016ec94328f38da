"""``kafka-conformance experiment`` as a whole command: real clients before real brokers."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from conformance.json_schema import problem_of
from tests.cli.running import Suite, interrupt, wait_until
from tests.cluster.records import brokers_below
from tests.landing import nightly

SMALL = ("experiment", "sticky-slow-brokers", "--repetitions", "1", "--records", "3000")


def _document(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    assert problem_of("experiment", document) is None
    return document


def test_a_small_experiment_accounts_for_every_record(suite: Suite, temporary: Path) -> None:
    files = ("--json", suite.place / "e.json", "--parquet", suite.place / "raw")
    how = ("--client", "3.2.3", "--slowness", "proxy:500ms", "--plot", suite.place / "pictures")
    done = suite.run(*SMALL, *how, *files)
    done.expect(0, "1 of 1 run count; 3,000 records delivered", "undecided")
    document = _document(suite.place / "e.json")
    [experiment] = document["experiments"]
    [variant] = experiment["variants"]
    [run] = variant["runs"]
    assert run["account"]["found"] == run["account"]["delivered"] == 3000
    measured = run["measured"]
    assert sum(one["records"] for one in measured["partitions"]) == 3000
    assert [one["broker"] for one in measured["partitions"]] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    # What the proxy adds is in what a request takes, and in no other. A proxy takes one request
    # after the other, so a number of them take at least as many delays: their mean says so on any
    # machine. A median does not: an answer that comes late makes the next one look early.
    took = {int(broker): times for broker, times in measured["service_ms"].items()}
    assert all(took[slow]["mean"] >= 500 for slow in (1, 3)), took
    assert all(took[other]["median"] < 500 for other in (0, 2)), took
    assert variant["predicted"]["slow_ratio"] > 0
    rows = pq.read_table(suite.place / "raw" / "records.parquet")
    assert rows.num_rows == 3000
    assert (suite.place / "pictures" / "sticky-slow-brokers.svg").exists()
    assert brokers_below(temporary) == []
    assert [*temporary.iterdir()] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("sticky",), ["no experiment 'sticky'", "sticky-slow-brokers"]),
        (("cross", "--client", "1.0"), ["client version of these experiments '1.0'", "4.4.0"]),
        (("cross", "--slowness", "proxy"), ["--slowness proxy is no way to be slow"]),
        (("cross", "--rate", "fast"), ["--rate: 'fast' is no rate"]),
        (("cross", "--records", "none"), ["'none' is not a number of records"]),
        (("map", "--records", "10k"), ["--records 10k is not for the map"]),
        (("sticky-slow-brokers", "map", "--rate", "max"), ["--rate max is not for the map"]),
        (("cross", "--topic", "t"), ["--topic is about a cluster of yours"]),
        (("cross", "--slow-brokers", "1"), ["--slow-brokers is about a cluster of yours"]),
        (
            ("sticky-slow-brokers", "--bootstrap-servers", "127.0.0.1:1"),
            ["Which ones are slow?"],
        ),
        (
            ("cross", "--bootstrap-servers", "127.0.0.1:1", "--slow-brokers", "1"),
            ["cross disturbs brokers"],
        ),
        (("cross", "--repetitions", "0"), ["--repetitions"]),
    ],
)
def test_mistakes_are_told_before_anything_starts(
    suite: Suite, temporary: Path, options: tuple[str, ...], said: list[str]
) -> None:
    suite.run("experiment", *options).expect(2, *said)
    assert [*temporary.iterdir()] == []


def test_a_place_for_results_is_looked_at_first(suite: Suite) -> None:
    in_the_way = suite.place / "file"
    in_the_way.write_text("in the way")
    suite.run(*SMALL, "--parquet", in_the_way).expect(2, "cannot be written")
    suite.run(*SMALL, "--json", in_the_way / "e.json").expect(2, "cannot be written")


@nightly
def test_a_users_cluster_is_used_as_it_is(suite: Suite) -> None:
    inside = [sys.executable, "-m", "conformance", *SMALL, "--client", "2.3.1"]
    with_servers = (
        'exec "$@" --bootstrap-servers "$BOOTSTRAP_SERVERS" --slow-brokers 1 --json e.json'
    )
    command = ("sh", "-c", with_servers, "sh", *inside, "--jars", str(suite.jars))
    done = suite.run("cluster", "--brokers", "2", "--", *command)
    done.expect(0, "the cluster at 127.0.0.1:", "3,000 records delivered")
    [experiment] = _document(suite.cwd / "e.json")["experiments"]
    assert experiment["slow_brokers"] == [1]
    [variant] = experiment["variants"]
    assert variant["means"]["slow_ratio"]["mean"] == pytest.approx(1, abs=0.01)


@nightly
def test_a_cluster_that_is_not_there_or_lacks_the_topic_is_told(suite: Suite) -> None:
    here = ("experiment", "round-robin-latency", "--client", "3.8.0", "--repetitions", "1")
    nowhere = suite.run(*here, "--bootstrap-servers", "127.0.0.1:1", seconds=120)
    nowhere.expect(2, "The cluster at 127.0.0.1:1 does not answer")
    inside = [sys.executable, "-m", "conformance", *here, "--jars", str(suite.jars)]
    with_servers = 'exec "$@" --bootstrap-servers "$BOOTSTRAP_SERVERS" --topic nothing'
    done = suite.run("cluster", "--brokers", "1", "--", "sh", "-c", with_servers, "sh", *inside)
    done.expect(2, "has no topic nothing")


@nightly
def test_ctrl_c_keeps_what_is_known_and_leaves_no_broker(suite: Suite, temporary: Path) -> None:
    result = suite.place / "e.json"
    raw = suite.place / "raw" / ".records.parquet.part"
    command = ("experiment", "sticky-slow-brokers", "--records", "20000", "--repetitions", "50")
    process = suite.start(*command, "--json", result, "--parquet", raw.parent)
    # A run's records are there once they take more than a file without any.
    wait_until(lambda: raw.exists() and raw.stat().st_size > 100_000, "a run has ended")
    interrupt(process, within=120).expect(3, "STOPPED in the middle")
    [experiment] = _document(result)["experiments"]
    assert experiment["stopped"]
    assert sum(len(one["runs"]) for one in experiment["variants"]) >= 1
    assert brokers_below(temporary) == []


@nightly
@pytest.mark.parametrize("client", ["2.3.1", "4.4.0"])
def test_brokers_that_stand_still_or_die_lose_nothing(suite: Suite, client: str) -> None:
    done = suite.run(
        *("experiment", "cross", "--client", client, "--repetitions", "1"),
        *("--records", "20000", "--json", suite.place / "e.json"),
        seconds=400,
    )
    done.expect(0, "4 of 4 runs count")
    [experiment] = _document(suite.place / "e.json")["experiments"]
    for variant in experiment["variants"]:
        [run] = variant["runs"]
        assert run["account"]["lost"] == run["account"]["misplaced"] == 0, variant["name"]

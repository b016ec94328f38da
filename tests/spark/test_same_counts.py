"""One seed, one result: on any master, however the work is cut, whatever dies meanwhile."""

import sys
from pathlib import Path

import pytest

from tests.cli.running import PROJECT, Outcome, Suite
from tests.landing import nightly
from tests.spark.cluster import Cluster
from tests.spark.running import configure, document, logs, measures, plant, submit

# Both kinds: nothing random, and a subject's own randomness. No less, or tests are not run.
_WORK = (
    *("--distribution", "keyed/uuid", "--distribution", "sticky"),
    *("--records", "3.2M", "--seed", "7", "--no-plots", "--output", "results"),
)


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory, good_jars: Path) -> Path:
    """The results of a run on a single core."""
    suite = Suite(tmp_path_factory.mktemp("reference"), good_jars)
    configure(suite, {})
    _check_quiet(suite, suite.run("stats", *_WORK, "--master", "local[1]"))
    return suite.cwd / "results"


def _check_quiet(suite: Suite, outcome: Outcome) -> None:
    """Nothing but the report was said, and no log was worth keeping."""
    outcome.expect(0, "Java against port: 2 distributions", ", seed 7; ", "Results: results")
    assert outcome.err == ""
    assert logs(suite) == []


def _check_same(suite: Suite, reference: Path) -> None:
    assert document(suite.cwd / "results") == document(reference)
    assert measures(suite.cwd / "results").equals(measures(reference))


@nightly
def test_killed_python_worker(suite: Suite, reference: Path) -> None:
    """On two cores instead of one, in twelve pieces, one of them begun twice."""
    plant(suite, "killed_worker")
    outcome = suite.run("stats", *_WORK, "--master", "local[2]", "--tasks", "12")
    assert suite.marked("killed")
    _check_quiet(suite, outcome)
    _check_same(suite, reference)


@nightly
def test_killed_machine_of_a_cluster(suite: Suite, cluster: Cluster, reference: Path) -> None:
    """First a Python worker is killed, and later one of the two machines, in mid-task."""
    plant(suite, "killed_machine")
    outcome = suite.run("stats", *_WORK, "--master", cluster.url, "--tasks", "14")
    assert suite.marked("killed")
    assert suite.marked("killed machine")
    assert len(cluster.dead_workers()) == 1
    _check_quiet(suite, outcome)
    _check_same(suite, reference)


@nightly
def test_spark_submit_ships_the_suite(suite: Suite, cluster: Cluster, reference: Path) -> None:
    plant(suite, "where")
    script = PROJECT / "scripts" / "spark_stats.py"
    outcome = submit(suite, "--master", cluster.url, script, *_WORK, "--tasks", "5")
    outcome.expect(0, f"on {cluster.url}", "Results: results")
    imported = (suite.place / "where").read_text()
    assert imported.endswith("kafka_conformance.zip/conformance/spark/executor.py")
    _check_same(suite, reference)


def test_spark_submit_passes_exit_codes_on(suite: Suite) -> None:
    script = PROJECT / "scripts" / "spark_stats.py"
    outcome = submit(suite, "--master", "local[1]", script, "--distribution", "sticki")
    assert outcome.code == 2
    # spark-submit has both streams of a program go to its standard output.
    assert outcome.out.startswith("Error: There is no distribution 'sticki'.")


@nightly
def test_cluster_without_room(suite: Suite, cluster: Cluster) -> None:
    configure(suite, {"spark.executor.memory": "100g"})
    outcome = suite.run("stats", *_WORK, "--master", cluster.url, "--stall-seconds", "4")
    outcome.expect(3, "Spark has no workers: for 4 s no task has finished")
    outcome.expect(3, "workers with free cores and memory (spark.executor.memory)", "--stall-sec")
    assert suite.files() == []


@nightly
def test_python_that_is_nowhere(suite: Suite, cluster: Cluster) -> None:
    suite.environment["PYSPARK_PYTHON"] = str(Path(sys.prefix) / "nowhere" / "python")
    outcome = suite.run("stats", *_WORK, "--master", cluster.url)
    outcome.expect(3, "there is no executable program", "nowhere/python", "PYSPARK_PYTHON")
    assert suite.files() == []

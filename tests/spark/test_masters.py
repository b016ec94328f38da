"""Masters that are none, that nobody answers at, or that answer nothing."""

import re
import socket

import pytest

from conformance.errors import SuiteError, UsageError
from conformance.spark.explain import explain
from conformance.spark.master import check_master, is_local, with_attempts
from conformance.spark.session import spark_session
from tests.cli.running import Suite
from tests.spark.cluster import HOST, free_port
from tests.spark.running import ONE, refused


def test_a_master_that_is_none(suite: Suite) -> None:
    suite.run("stats", *ONE, "--master", "nonsense").expect(
        2, "'nonsense' is not a Spark master.", "local[2], spark://host:7077, yarn and k8s://"
    )
    assert suite.files() == []


def test_a_master_that_refuses(suite: Suite) -> None:
    master = f"spark://{HOST}:{free_port()}"
    parts = (f"The Spark master {master} does not answer", "refused", "Check that it runs")
    refused(suite, *ONE, "--master", master, parts=parts)


@pytest.mark.parametrize("master", ["local[x]", "spark://", "spark://host", "yarn2", "mesos://a:1"])
def test_other_mistakes(master: str) -> None:
    with pytest.raises(UsageError, match="is not a Spark master"):
        check_master(master)


@pytest.mark.parametrize("master", ["local", "local[*]", "local[3,2]", "yarn", "k8s://https://h:1"])
def test_masters(master: str) -> None:
    check_master(master)
    assert is_local(master) == master.startswith("local")


def test_local_workers_may_die_as_often_as_others() -> None:
    given = ["local", "local[*]", "local[2]", "local[2,7]", "yarn"]
    assert [*map(with_attempts, given)] == [
        *("local[1,4]", "local[*,4]", "local[2,4]", "local[2,7]", "yarn")
    ]


def test_any_master_of_several_will_do() -> None:
    with socket.create_server((HOST, 0)) as server:
        check_master(f"spark://{HOST}:{free_port()},{HOST}:{server.getsockname()[1]}")


def test_a_master_that_says_nothing() -> None:
    """Anything may listen on a port; Spark itself would wait for a minute."""
    with socket.create_server((HOST, 0)) as server:
        master = f"spark://{HOST}:{server.getsockname()[1]}"
        said = r"does not answer: Spark was not connected within (\d+) s"
        with (
            pytest.raises(SuiteError, match=said) as raised,
            spark_session(master, [], connect_seconds=3),
        ):
            pass
        found = re.search(said, str(raised.value))
        assert found is not None
        assert int(found[1]) < 40


_LOST = (
    "Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: "
    "Lost task 0.3 in stage 0.0 (TID 3) (10.0.0.7 executor 3): "
)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("Application has been killed. Reason: Master removed our application: FAILED", "FAILED"),
        ("Job 0 cancelled because SparkContext was shut down", "gave up: Job 0 cancelled"),
        (
            f"{_LOST}org.apache.spark.api.python.PythonException: Traceback (most recent call "
            "last):\n  File x, line 1\nModuleNotFoundError: No module named 'pyarrow'\n\n\tat a.b",
            "On 10.0.0.7 (executor 3), 4 times in a row: Python has no module 'pyarrow'.",
        ),
        (
            f"{_LOST}org.apache.spark.api.python.PythonException: Traceback (most recent call "
            "last):\n  File x, line 1\nOSError: planted\n\n\tat a.b",
            "On 10.0.0.7 (executor 3), 4 times in a row: OSError: planted.",
        ),
        (
            "An error occurred while calling o34.addFile.\n: java.lang.IllegalStateException: "
            "Cannot call methods on a stopped SparkContext.\n\tat a.b",
            "up: java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.",
        ),
        ("", "Spark gave up: Exception"),
    ],
)
def test_what_spark_says(said: str, what: str) -> None:
    assert what in explain(Exception(said)).what

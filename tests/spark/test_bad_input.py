"""What cannot be run says so: which machine, what was wrong, what to do; never a result."""

from pathlib import Path

import pytest

from tests.cli.running import Suite
from tests.landing import later, nightly
from tests.spark.running import ONE, configure, document, logs, plant, refused

_QUICK = (*ONE, "--master", "local[1]", "--records", "100k", "--tasks", "2")


@pytest.mark.parametrize(
    ("bug", "parts"),
    [
        (
            "truncated_jar",
            (
                "kafka-clients-3.8.0.jar is not org.apache.kafka",
                "a truncated download",
                "full disk",
            ),
        ),
        later(("lost_jar", ("kafka-clients-3.8.0.jar not in ", "before Spark shipped them"))),
        later(
            (
                "dying_worker",
                ("4 times in a row: the Python worker, with its JVM, died", "memory"),
            )
        ),
        later(("other_python", ("Python is 3.8, but the driver's is 3.", "docs/cluster.md"))),
    ],
)
def test_executor_that_cannot_work(suite: Suite, bug: str, parts: tuple[str, ...]) -> None:
    plant(suite, bug)
    outcome = refused(suite, *_QUICK, parts=parts)
    (log,) = logs(suite)
    assert str(log) in outcome.err


@nightly
def test_executor_that_hangs(suite: Suite) -> None:
    plant(suite, "hanging_worker")
    parts = ("Spark is stuck: for 10 s no task has ended, though some were begun.", "--stall-sec")
    refused(suite, *_QUICK, "--stall-seconds", "10", parts=parts)


@nightly
def test_executor_with_old_java(suite: Suite) -> None:
    home = suite.place / "jdk"
    (home / "bin").mkdir(parents=True)
    java = home / "bin" / "java"
    properties = "java.specification.version = 11\\n java.version = 11.0.1"
    java.write_text(f"#!/bin/sh\nprintf ' {properties}\\n' >&2\n")
    java.chmod(0o755)
    configure(suite, {"spark.executorEnv.JAVA_HOME": str(home)})
    # Many tasks would fail alike; the first that says so ends the run.
    many = (*ONE, "--master", "local[1]", "--records", "3M", "--tasks", "40")
    parts = ("On ", f"Java 17 or newer is needed; {java} is Java 11.0.1.", "Install a JDK")
    refused(suite, *many, parts=parts)


@nightly
def test_too_few_records_and_a_full_disk(suite: Suite) -> None:
    """A test that was not made is not passed; results that cannot be written are not there."""
    small = ("--distribution", "sticky", "--no-plots", "--master", "local[1]", "--records", "9k")
    outcome = suite.run("stats", *small, "--output", "results")
    outcome.expect(
        3, "Too few for some tests: 819,200", "sticky, 'batches', ", "NOT RUN:", "use more records"
    )
    assert outcome.err == ""
    assert logs(suite) == []
    before = document(suite.cwd / "results")
    assert before["exit_code"] == 3
    suite.bug = "full_disk"
    suite.environment["PYTHONPATH"] = ":".join(map(str, (suite.project, _DRIVER)))
    outcome = suite.run("stats", *small, "--seed", "1", "--output", "results")
    outcome.expect(3, "results cannot be written: No space left on device", "unchanged")
    assert document(suite.cwd / "results") == before
    assert [path.name for path in suite.cwd.iterdir()] == ["results"]


_DRIVER = Path(__file__).parent / "planted_driver"


@pytest.mark.parametrize("output", ["/dev/null/results", "file"])
def test_results_that_cannot_be_written_are_refused_before_the_run(
    suite: Suite, output: str
) -> None:
    suite.run("--version")
    (suite.cwd / "file").touch()
    suite.run("stats", *_QUICK, "--output", output).expect(2, output)
    assert suite.files() == ["file"]

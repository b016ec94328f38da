"""Running ``stats`` as a process, on a Spark that may have a bug planted in its workers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from tests.cli.running import Outcome, Suite, wait_until
from tests.spark.cluster import spark_home

PLANTED = Path(__file__).parent / "planted"
ONE = ("--distribution", "keyed/uuid", "--no-plots")
"""A distribution that conforms however few records it gets."""
# A JVM that lives for seconds is not worth compiling thoroughly.
_QUICK_JVM = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
_QUICK_JVM["spark.executor.extraJavaOptions"] = _QUICK_JVM["spark.driver.extraJavaOptions"]
LOG = "kafka-conformance-spark-"


_NEEDED = ("PATH", "HOME", "JAVA_HOME")


def plant(suite: Suite, bug: str, **options: str) -> None:
    """Have Spark start its Python workers with a bug, and itself with other options."""
    options |= {
        "spark.executorEnv.PYTHONPATH": str(PLANTED),
        "spark.executorEnv.PLANTED_BUG": bug,
        "spark.executorEnv.PLANTED_MARKS": str(suite.place),
    }
    configure(suite, options)


def configure(suite: Suite, options: dict[str, str]) -> None:
    """Options for Spark, as an administrator sets them."""
    folder = suite.place / "spark-conf"
    folder.mkdir(exist_ok=True)
    lines = [f"{name} {value}\n" for name, value in {**_QUICK_JVM, **options}.items()]
    (folder / "spark-defaults.conf").write_text("".join(lines))
    suite.environment["SPARK_CONF_DIR"] = str(folder)
    # What is kept for a person to read goes with the test.
    (suite.place / "tmp").mkdir(exist_ok=True)
    suite.environment["TMPDIR"] = str(suite.place / "tmp")


def logs(suite: Suite) -> list[Path]:
    """Spark's logs that were kept."""
    return sorted((suite.place / "tmp").glob(f"{LOG}*"))


def leftovers(suite: Suite) -> list[str]:
    """Temporary files of the suite itself that were not cleaned up."""
    found = (suite.place / "tmp").glob("kafka-conformance-*")
    return sorted(path.name for path in found if not path.name.startswith(LOG))


def refused(suite: Suite, *arguments: str, parts: tuple[str, ...] = ()) -> Outcome:
    """A run that ends with a message alone, a log if Spark has begun, and no results."""
    outcome = suite.run("stats", *arguments).expect(3, *parts)
    assert suite.files() == []
    assert leftovers(suite) == []
    assert outcome.err.startswith("Error: "), outcome.err
    assert len(outcome.err.splitlines()) == 2, outcome.err
    return outcome


def document(folder: Path) -> Any:
    """All results but those that say how and when they were made."""
    found = json.loads((folder / "results.json").read_text("utf-8"))
    del found["run"]
    return found


def measures(folder: Path) -> pa.Table:
    """All counts."""
    return pq.read_table(folder / "measures.parquet")


def submit(suite: Suite, *arguments: str | Path) -> Outcome:
    """Run spark-submit, which knows of the project only what it is told."""
    suite.run("--version")  # makes the folders
    environment = {**suite.environment, "KAFKA_CONFORMANCE_JARS": str(suite.jars)}
    done = subprocess.run(
        [str(spark_home() / "bin" / "spark-submit"), *map(str, arguments)],
        cwd=suite.cwd,
        env={
            **{name: value for name, value in os.environ.items() if name in _NEEDED},
            **environment,
            "PYSPARK_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@contextmanager
def no_survivors(process: "subprocess.Popen[str]") -> Iterator[list[psutil.Process]]:
    """Everything that a process has started, Spark's workers included, is gone in the end."""
    family = _alive(psutil.Process(process.pid).children(recursive=True))
    try:
        commands = " ".join(word for child in family for word in child.cmdline())
        assert "SparkSubmit" in commands
        assert "pyspark.daemon" in commands
        yield family
        # A worker of Python, with a JVM in it, takes a moment to die of its parent's death.
        wait_until(lambda: not _alive(family), "the end of all processes", 10)
    finally:
        for child in _alive(family):
            child.kill()
        process.kill()


def _alive(family: list[psutil.Process]) -> list[psutil.Process]:
    alive = []
    for child in family:
        try:
            if child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
                alive.append(child)
        except psutil.NoSuchProcess:
            continue
    return alive

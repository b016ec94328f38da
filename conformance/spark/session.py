"""Connecting to a Spark master, and shipping what executors need."""

import os
import re
import shutil
import socket
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.errors import SuiteError, UsageError
from conformance.jars.lock import lock_text

if TYPE_CHECKING:
    from pyspark import SparkContext

CONNECT_SECONDS = 5
_PACKAGES = ("conformance", "python_impl")
_PROJECT = Path(__file__).parents[2]
"""The folder that both packages are in, of a clone or of site-packages."""
_LOCAL = re.compile(r"local(\[(\d+|\*)(,\d+)?\])?")
_ATTEMPTS = 4
"""How often Spark tries a task before it gives up; on a cluster that is Spark's own default."""
_LOG = "spark.log"
_LOG_VARIABLE = "kafka.conformance.spark.log"


def default_master() -> str | None:
    """``local[*]``, or None under ``spark-submit``, which has been given a master already."""
    return None if "PYSPARK_GATEWAY_PORT" in os.environ else "local[*]"


def is_local(master: str) -> bool:
    """Whether the executors are in the driver's own JVM."""
    return _LOCAL.fullmatch(master) is not None


@contextmanager
def spark_session(master: str | None, jars: Sequence[Path]) -> "Iterator[SparkContext]":
    """Spark on a master, with the suite and its jars shipped; stopped in the end.

    Raises :class:`SuiteError` for a master that does not answer. What Spark has to say goes to a
    log file, which is kept, and named, if anything goes wrong.
    """
    if master is not None:
        check_master(master)
    folder = Path(tempfile.mkdtemp(prefix="kafka-conformance-"))
    try:
        context = _connect(master, folder)
        try:
            if not is_local(str(context.master)):
                context.addPyFile(str(package_archive(folder)))
            for jar in jars:
                context.addFile(str(jar))
            yield context
        finally:
            with suppress(Exception):  # its JVM may be gone, with all that was to be stopped
                context.stop()
    except SuiteError as error:
        error.remedy += f" Spark's own log: {_keep_log(folder)}"
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _keep_log(folder: Path) -> Path:
    """Move Spark's log out of a folder that will be gone."""
    handle, kept = tempfile.mkstemp(prefix="kafka-conformance-spark-", suffix=".log")
    os.close(handle)
    with suppress(OSError):
        shutil.copyfile(folder / _LOG, kept)
    return Path(kept)


def check_master(master: str) -> None:
    """Raise :class:`SuiteError` if nobody listens where a standalone master should be.

    Spark itself would try for a minute. Other kinds of master have their own ways to answer.
    """
    match = re.fullmatch(r"spark://(.+)", master)
    if match is None:
        if not (is_local(master) or re.match(r"(yarn$|k8s://|local-cluster\[)", master)):
            raise UsageError(
                f"{master!r} is not a Spark master.",
                "Known are local[2], spark://host:7077, yarn and k8s://https://host:port.",
            )
        return
    problems = []
    for place in match[1].split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
            return
        except (OSError, ValueError) as error:
            problems.append(f"{place}: {error}")
    raise SuiteError(
        f"The Spark master {master} does not answer ({'; '.join(problems)}).",
        "Check that it runs, the address as its web page shows it, and the network in between.",
    )


def package_archive(folder: Path) -> Path:
    """The suite and the port as an archive that Python imports from, with the lock of the jars."""
    archive = folder / "kafka_conformance.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for package in _PACKAGES:
            root = _PROJECT / package
            for path in sorted(root.rglob("*")):
                if path.is_file() and path.suffix in (".py", ".java", ".json", ".properties"):
                    file.write(path, path.relative_to(root.parent))
        file.writestr("conformance/jars/lock.toml", lock_text())
    return archive


def _connect(master: str | None, folder: Path) -> "SparkContext":
    # Imported here because it takes long, and only this command needs it.
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("kafka-conformance stats")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "WARN",
        "spark.driver.extraJavaOptions": _java_options(folder),
    }
    if master is not None and is_local(master):
        options["spark.master"] = _with_attempts(master)
        options["spark.driver.host"] = options["spark.driver.bindAddress"] = "127.0.0.1"
        # The workers run in the driver's environment, but perhaps from another folder.
        roots = [str(_PROJECT), os.environ.get("PYTHONPATH")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, roots))
    elif master is not None:
        options["spark.master"] = master
    for name, value in options.items():
        builder = builder.config(name, value)
    try:
        with _standard_error_to(folder / _LOG):
            return builder.getOrCreate().sparkContext
    except Exception as error:
        raise SuiteError(
            f"Spark did not start on {master or 'the given master'}: {first_line(error)}.",
            "Check the address of the master, and that driver and cluster have the same Spark.",
        ) from error


@contextmanager
def _standard_error_to(log: Path) -> Iterator[None]:
    """What is started meanwhile, Spark's JVM, writes its remarks to a file."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with log.open("ab") as file:
            os.dup2(file.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _java_options(folder: Path) -> str:
    configuration = folder / "log4j2.properties"
    source = resources.files("conformance.spark").joinpath("log4j2.properties")
    configuration.write_text(source.read_text("utf-8"), "utf-8")
    log = f"-D{_LOG_VARIABLE}={folder / _LOG}"
    return f"-Dlog4j2.configurationFile={configuration.as_uri()} {log}"


def _with_attempts(master: str) -> str:
    """``local[2]`` as ``local[2,4]``: Spark would otherwise give up at the first lost worker."""
    match = _LOCAL.fullmatch(master)
    assert match is not None
    if match[3] is not None:
        return master
    return f"local[{match[2] or 1},{_ATTEMPTS}]"


def first_line(error: BaseException) -> str:
    """The first line that an exception says of itself, for a message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__

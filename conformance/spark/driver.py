"""The driver's JVM: started quietly, connected within a time, and gone in the end.

Under ``spark-submit`` it was there before this process and ends after it; only the connection is
made and closed here.
"""

import logging
import subprocess
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.errors import SuiteError
from conformance.processes.endings import how_it_ended
from conformance.processes.tree import end_marked, marked
from conformance.spark.background import in_background
from conformance.spark.explain import explain, first_line

if TYPE_CHECKING:
    from pyspark import SparkContext

LOG = "spark.log"
_LOG_VARIABLE = "kafka.conformance.spark.log"
_STOP_SECONDS = 8.0
"""What Spark gets for an orderly end; a worker that hangs may keep it from one."""
_EXIT_SECONDS = 4.0
_STANDALONE, _UNREGISTERED = "spark://", "spark-application-"
"""How Spark calls an application until a standalone master has given it a name."""
_LAUNCH_SECONDS = 15.0
"""What a JVM may take to start; Ctrl-C waits for it, for it cannot be ended before."""


@contextmanager
def without_known_warnings() -> Iterator[None]:
    """Without those warnings of PySpark that tell a user of this suite nothing."""
    with warnings.catch_warnings():
        # Said when the JVM is gone before it is stopped, which is told better below.
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown Spark JVM process")
        # Nothing of PySpark that works on pandas is used here.
        pandas = "PySpark does not yet fully support pandas"
        warnings.filterwarnings("ignore", pandas, FutureWarning)
        yield


@contextmanager
def connected(options: Mapping[str, str], folder: Path, seconds: float) -> "Iterator[SparkContext]":
    """Spark with some options, logging into a folder; all that was started is gone afterwards.

    Raises :class:`SuiteError` if it does not start, or takes longer than ``seconds``.
    """
    # Imported here because it takes long, and only this command needs it.
    from pyspark import SparkContext  # noqa: PLC0415

    with without_known_warnings():
        if not logging.root.handlers:
            # The same from Py4J, which would have Python set up logging to the terminal.
            logging.root.addHandler(logging.NullHandler())
        context: SparkContext | None = None
        with marked() as everything:
            try:
                gateway = _launch(options, folder)
            except BaseException:
                end_marked(everything)
                raise
        try:
            context = _connect(options, gateway, seconds)
            yield context
        finally:
            try:
                if context is not None:
                    _stop(context)
            finally:
                _end(gateway)
                end_marked(everything)  # such as Python workers of a JVM that was killed
                # Otherwise the next session would talk to a JVM that is no more.
                SparkContext._gateway = SparkContext._jvm = None


def end_of_jvm(context: "SparkContext") -> str | None:
    """How the driver's JVM ended, or None while it runs, as far as that can be known."""
    process = getattr(context._gateway, "proc", None)
    code = None if process is None else process.poll()
    return None if code is None else how_it_ended(code)


def _launch(options: Mapping[str, str], folder: Path) -> Any:
    """PySpark's gateway to a new JVM, whose output and log go to a file."""
    from pyspark import SparkConf, java_gateway  # noqa: PLC0415

    launch: Any = java_gateway.launch_gateway
    configuration = SparkConf(loadDefaults=False)
    # The default options are used beside those that a user has in spark-defaults.conf.
    configuration.set("spark.driver.defaultJavaOptions", _log_options(folder))
    for name, value in options.items():
        configuration.set(name, value)
    try:
        with (folder / LOG).open("ab") as log:
            streams = {"stdout": log, "stderr": log}
            outcome = in_background(lambda: launch(configuration, streams))
            try:
                return outcome.result()
            except KeyboardInterrupt:
                # A JVM that nobody has heard of yet would stay behind for ever.
                with suppress(Exception):
                    _end(outcome.result(_LAUNCH_SECONDS))
                raise
    except Exception as error:
        raise SuiteError(
            f"Spark's driver, a JVM, did not start: {first_line(error)}.",
            "Check JAVA_HOME, the options in spark-defaults.conf and free memory.",
        ) from error


def _log_options(folder: Path) -> str:
    configuration = folder / "log4j2.properties"
    source = resources.files("conformance.spark").joinpath("log4j2.properties")
    configuration.write_text(source.read_text("utf-8"), "utf-8")
    log = f"-D{_LOG_VARIABLE}={folder / LOG}"
    return f"-Dlog4j2.configurationFile={configuration.as_uri()} {log}"


def _connect(options: Mapping[str, str], gateway: Any, seconds: float) -> "SparkContext":
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    master = options["spark.master"]

    def connect() -> SparkContext:
        configuration = SparkConf(_jvm=gateway.jvm)
        for name, value in options.items():
            configuration.set(name, value)
        context = SparkContext(conf=configuration, gateway=gateway)
        if _STANDALONE in master and context.applicationId.startswith(_UNREGISTERED):
            # What a master that never answers comes to after a minute, without any exception.
            raise TimeoutError("Spark has given up, and will stop in a moment")
        # Its Python half would print stack traces when the JVM is killed.
        server: Any = getattr(context, "_accumulatorServer", None)
        if server is not None:
            server.handle_error = lambda *_request: None
        return context

    started = time.monotonic()
    outcome = in_background(connect)
    try:
        return outcome.result(seconds)
    except TimeoutError as error:
        raise SuiteError(
            f"The Spark master {master} does not answer: Spark was not connected within "
            f"{time.monotonic() - started:.0f} s, though something listens there.",
            "Check that it is the master's own port, not that of its web page, and that it runs "
            "the same version of Spark.",
        ) from error
    except Exception as error:
        told = explain(error)
        raise SuiteError(
            f"Spark did not start on {master}: {told.what}",
            "Check the address of the master, and that driver and cluster have the same Spark.",
        ) from error


def _stop(context: "SparkContext") -> None:
    """Stop Spark in an orderly way, if that goes."""
    if end_of_jvm(context) is None:
        with suppress(Exception):
            in_background(context.stop).result(_STOP_SECONDS)
    # Whatever came of it, the next session of this process may connect.
    type(context)._active_spark_context = None


def _end(gateway: Any) -> None:
    """End the JVM, if it was started here, and wait for that: no process may be left."""
    with suppress(Exception):
        gateway.close()
    process: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if process is None:
        return
    try:
        # It ends with its standard input, and deletes its temporary files then.
        if process.stdin is not None:
            process.stdin.close()
        process.wait(_EXIT_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()

"""A session on a Spark master, with all that executors need."""

import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.errors import SuiteError
from conformance.jars.lock import lock_text
from conformance.spark.background import in_background
from conformance.spark.driver import LOG, connected, without_known_warnings
from conformance.spark.explain import explain
from conformance.spark.master import (
    check_master,
    default_master,
    is_local,
    under_spark_submit,
    with_attempts,
)

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["default_master", "package_archive", "spark_session", "spark_version"]

CONNECT_SECONDS = 300.0
"""A busy YARN may take minutes to admit an application."""
_PACKAGES = ("conformance", "python_impl")
_SHIPPED = (".py", ".java", ".json", ".properties")
_PROJECT = Path(__file__).parents[2]
"""The folder that both packages are in, of a clone or of site-packages."""


@contextmanager
def spark_session(
    master: str | None, jars: Sequence[Path], *, connect_seconds: float = CONNECT_SECONDS
) -> "Iterator[SparkContext]":
    """Spark on a master, with the suite and its jars shipped; nothing of it is left in the end.

    Without a ``master`` it is the one that ``spark-submit`` was given. Raises
    :class:`SuiteError` for a master that does not answer. What Spark has to say goes to a log
    file, which is kept, and named, if anything goes wrong.
    """
    folder = Path(tempfile.mkdtemp(prefix="kafka-conformance-"))
    try:
        master = master or _submitted_master()
        check_master(master)
        with connected(_options(master), folder, connect_seconds) as context:
            archive = None if is_local(master) else package_archive(folder)
            in_background(partial(_ship, context, archive, jars)).result()
            yield context
    except SuiteError as error:
        log = _keep_log(folder)
        if log is None:
            raise
        raise type(error)(error.what, f"{error.remedy} Spark's own log: {log}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ship(context: "SparkContext", archive: Path | None, jars: Sequence[Path]) -> None:
    """Have Spark bring files to every executor that works for this session."""
    try:
        if archive is not None:
            context.addPyFile(str(archive))
        for jar in jars:
            context.addFile(str(jar))
    except Exception as error:
        raise explain(error) from error


def spark_version() -> str:
    """The version of PySpark, and of the Spark that it starts or can work with."""
    # Imported here because it takes long, and only this command needs it.
    import pyspark  # noqa: PLC0415

    return pyspark.__version__


def package_archive(folder: Path) -> Path:
    """The suite and the port as an archive that Python imports from, with the lock of the jars."""
    archive = folder / "kafka_conformance.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for package in _PACKAGES:
            root = _PROJECT / package
            for path in sorted(root.rglob("*")):
                if path.is_file() and path.suffix in _SHIPPED:
                    file.write(path, path.relative_to(root.parent))
        file.writestr("conformance/jars/lock.toml", lock_text())
    return archive


def _submitted_master() -> str:
    """The master in the configuration of the JVM that spark-submit has started."""
    # Imported here because it takes long, and only this command needs it.
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415

    assert under_spark_submit()
    with without_known_warnings():
        SparkContext._ensure_initialized()
        return SparkConf().get("spark.master", "local[*]") or "local[*]"


def _options(master: str) -> dict[str, str]:
    """Spark's options; also sets the environment that Python workers are started with."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {
        "spark.app.name": "kafka-conformance stats",
        "spark.master": with_attempts(master),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "WARN",
    }
    if is_local(master):
        options["spark.driver.host"] = options["spark.driver.bindAddress"] = "127.0.0.1"
        # The workers run in the driver's environment, but perhaps from another folder.
        roots = [str(_PROJECT), os.environ.get("PYTHONPATH")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, roots))
    return options


def _keep_log(folder: Path) -> Path | None:
    """Take Spark's log, if it has one, out of a folder that will be gone."""
    log = folder / LOG
    with suppress(OSError):
        if log.stat().st_size:
            handle, kept = tempfile.mkstemp(prefix="kafka-conformance-spark-", suffix=".log")
            os.close(handle)
            shutil.copyfile(log, kept)
            return Path(kept)
    return None

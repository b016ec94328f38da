"""Jars inside the installed PySpark: Ivy fetches ours, clients want codecs, ASM reads classes."""

import importlib.util
import os
from pathlib import Path

from conformance.errors import OracleError

_CODECS = ("zstd-jni", "lz4-java", "snappy-java")
REINSTALL_PYSPARK = "Reinstall the suite's dependencies (pip install --force-reinstall pyspark)."


def pyspark_jars() -> Path:
    """The folder of jars inside the installed PySpark (Ivy, codecs), found without importing it."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise OracleError("PySpark is not installed; its jars hold Ivy.", REINSTALL_PYSPARK)
    folders = [Path(spec.origin).parent / "jars"]
    if "SPARK_HOME" in os.environ:
        # A worker of a Spark that was not installed with pip has PySpark as an archive.
        folders.append(Path(os.environ["SPARK_HOME"]) / "jars")
    for folder in folders:
        if folder.is_dir():
            return folder
    raise OracleError(
        f"The installed PySpark has no jars folder ({folders[0]}).", REINSTALL_PYSPARK
    )


def ivy_jar() -> Path:
    """PySpark's Ivy, one jar."""
    return _jar("ivy-*.jar", "Ivy")


def asm_jar() -> Path:
    """PySpark's ASM, one jar; its package is ``org.apache.xbean.asm9``."""
    return _jar("xbean-asm9-shaded-*.jar", "ASM")


def codec_jars() -> list[Path]:
    """PySpark's jars of zstd, LZ4 and Snappy, by which clients compress."""
    folder = pyspark_jars()
    return [jar for name in _CODECS for jar in sorted(folder.glob(f"{name}-[0-9]*.jar"))]


def _jar(pattern: str, what: str) -> Path:
    folder = pyspark_jars()
    for path in sorted(folder.glob(pattern)):
        return path
    raise OracleError(f"{what} is not among PySpark's jars in {folder}.", REINSTALL_PYSPARK)

"""Spark masters: which kind it is, and whether anybody is there."""

import os
import re
import socket

from conformance.errors import SuiteError, UsageError

CONNECT_SECONDS = 5
_LOCAL = re.compile(r"local(\[([1-9]\d*|\*)(,\d+)?\])?")
_OTHERS = re.compile(r"yarn|k8s://.+|local-cluster\[.+\]")
_STANDALONE = re.compile(r"spark://(.+)")
_ATTEMPTS = 4
"""How often Spark tries a task before it gives up; on a cluster that is Spark's own default."""


def default_master() -> str | None:
    """``local[*]``, or None under ``spark-submit``, which has been given a master already."""
    return None if under_spark_submit() else "local[*]"


def under_spark_submit() -> bool:
    """Whether ``spark-submit`` started this process, and Spark's JVM before it."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def is_local(master: str) -> bool:
    """Whether the executors are in the driver's own JVM."""
    return _LOCAL.fullmatch(master) is not None


def with_attempts(master: str) -> str:
    """``local[2]`` as ``local[2,4]``: Spark would otherwise give up at the first lost worker."""
    match = _LOCAL.fullmatch(master)
    if match is None or match[3] is not None:
        return master
    return f"local[{match[2] or 1},{_ATTEMPTS}]"


def check_master(master: str) -> None:
    """Raise :class:`SuiteError` if nobody listens where a standalone master should be.

    Spark itself would try for a minute. Other kinds of master have their own ways to answer.
    Raises :class:`UsageError` for what is no master at all.
    """
    match = _STANDALONE.fullmatch(master)
    if match is None:
        if not (is_local(master) or _OTHERS.fullmatch(master)):
            raise UsageError(
                f"{master!r} is not a Spark master.",
                "Masters look like local[2], spark://host:7077, yarn and k8s://https://host:port.",
            )
        return
    problems = []
    for place in match[1].split(","):
        host, _, port = place.rpartition(":")
        if not (host and port.isdecimal()):
            raise UsageError(
                f"{master!r} is not a Spark master: {place!r} is not host:port.",
                "Take the address from the top of the master's web page: spark://host:7077.",
            )
        try:
            socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
            return
        except (OSError, OverflowError) as error:
            problems.append(f"{place}: {error}")
    raise SuiteError(
        f"The Spark master {master} does not answer ({'; '.join(problems)}).",
        "Check that it runs, its address on its web page, and the network.",
    )

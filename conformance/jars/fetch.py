"""Fetch jars with the Ivy that PySpark ships: no Maven, no download code of our own."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from xml.sax.saxutils import quoteattr

from rich.filesize import decimal

from conformance.errors import JarError
from conformance.jars.lock import LockedJar
from conformance.jars.verify import verify_jar
from conformance.java_home import find_java
from conformance.processes.tree import ProcessTree

Progress = Callable[[LockedJar, int, int], None]
"""Called before each jar with the jar, its position from 1, and how many there are."""

_TIMEOUT_SECONDS = 300
_AT_ONCE = 4
"""A JVM for each jar takes longer to start than the jar to arrive."""
_LOG = "ivy.log"
_CONNECT = "Connect to the network and run: kafka-conformance jars."
_ROOM = "Make room there and run: kafka-conformance jars."
_NO_ROOM = ("No space left", "quota exceeded")
_NETWORK_TROUBLE = ("Host ", "Server access error", "Connection", "timed out")


def fetch_jars(missing: Sequence[LockedJar], into: Path, *, ivy: Path, progress: Progress) -> None:
    """Fetch jars into a folder; each appears there only once it is complete and verified.

    Raises :class:`JarError` when Ivy cannot resolve one (no network, no such jar) or when what
    arrived is not what the lock says.
    """
    java = find_java().executable
    for done in range(0, len(missing), _AT_ONCE):
        jars = missing[done : done + _AT_ONCE]
        for position, jar in enumerate(jars, start=done + 1):
            progress(jar, position, len(missing))
        try:
            _fetch_together(jars, into, java, ivy)
        except OSError as error:
            raise JarError(
                f"Jars cannot be written to {into}: {error.strerror or error}.",
                f"{_ROOM} {_by_hand(jars[0])}",
            ) from error


def _fetch_together(jars: Sequence[LockedJar], into: Path, java: Path, ivy: Path) -> None:
    with ExitStack() as stack:
        started = []
        for jar in jars:
            # Beside its destination, so that the last step is an atomic rename.
            folder = tempfile.TemporaryDirectory(prefix=".fetch-", dir=into)
            scratch = Path(stack.enter_context(folder))
            process = stack.enter_context(_ivy(java, ivy, jar, scratch))
            started.append((jar, scratch, process))
        for jar, scratch, process in started:
            _take(jar, scratch, process, into)


def _take(jar: LockedJar, scratch: Path, process: ProcessTree, into: Path) -> None:
    """Wait for a jar, and put it where it belongs if it is the right one."""
    try:
        code = process.wait(_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise _not_fetched(jar, f"no answer within {_TIMEOUT_SECONDS} s") from error
    fetched = scratch / jar.name
    if code != 0 or not fetched.is_file():
        log = (scratch / _LOG).read_text("utf-8", "replace")
        free = shutil.disk_usage(scratch).free
        # On a full disk the log may be empty.
        if free < jar.size or any(sign in log for sign in _NO_ROOM):
            raise _not_fetched(jar, f"{into} has {decimal(free)} left", _ROOM)
        raise _not_fetched(jar, _reason(log))
    verify_jar(
        fetched,
        jar,
        remedy="That is what was fetched, and it was not kept: a proxy, a mirror or Ivy's "
        "local repository (~/.ivy2) delivers another file. " + _by_hand(jar),
    )
    fetched.replace(into / jar.name)


@contextmanager
def _ivy(java: Path, ivy: Path, jar: LockedJar, scratch: Path) -> Iterator[ProcessTree]:
    """A process that fetches one jar into a folder; what is left of it is killed at the end."""
    wanted = scratch / "ivy.xml"
    wanted.write_text(_module(jar), "utf-8")
    command = [
        # Ivy alone: with all of PySpark on its class path it takes a second longer.
        *(str(java), "-XX:TieredStopAtLevel=1", "-cp", str(ivy), "org.apache.ivy.Main"),
        *("-cache", str(scratch / "cache"), "-ivy", str(wanted)),
        *("-retrieve", str(scratch / "[artifact]-[revision](-[classifier]).[ext]")),
    ]
    with (scratch / _LOG).open("wb") as log:
        tree = ProcessTree(command, folder=scratch, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield tree
        finally:
            tree.end(signal.SIGKILL)


def _module(jar: LockedJar) -> str:
    """A module for Ivy that depends on one jar and nothing behind it.

    A file, because Ivy's command line has no word for a classifier.
    """
    classifier = f" m:classifier={quoteattr(jar.classifier)}" if jar.classifier else ""
    group, name, version = (quoteattr(part) for part in (jar.group, jar.artifact, jar.version))
    return (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">\n'
        '  <info organisation="conformance" module="wanted"/>\n'
        '  <configurations><conf name="default"/></configurations>\n'
        "  <dependencies>\n"
        f'    <dependency org={group} name={name} rev={version} conf="default->default"'
        ' transitive="false">\n'
        f'      <artifact name={name} type="jar" ext="jar"{classifier}/>\n'
        "    </dependency>\n"
        "  </dependencies>\n"
        "</ivy-module>\n"
    )


def _reason(log: str) -> str:
    """The line of Ivy's log that says why: trouble with the network comes before its outcome."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    for signs in (_NETWORK_TROUBLE, ("not found",)):
        for line in lines:
            if any(sign in line for sign in signs):
                return line
    return lines[-1] if lines else "Ivy said nothing"


def _not_fetched(jar: LockedJar, reason: str, remedy: str = _CONNECT) -> JarError:
    return JarError(
        f"{jar.coordinates} is not here and could not be fetched ({reason}).",
        f"{remedy} {_by_hand(jar)}",
    )


def _by_hand(jar: LockedJar) -> str:
    return (
        f"Or put {jar.name} (SHA-256 in jars/lock.toml) into a folder and name it with --jars or "
        "KAFKA_CONFORMANCE_JARS."
    )

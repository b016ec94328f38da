"""The suite's own Java programs for experiments: compiled, with the jars that each runs with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.errors import OracleError
from conformance.jars.fetch import Progress
from conformance.jars.lock import Artifact, compiler_among, jars_beside, locked_release
from conformance.jars.pyspark import codec_jars
from conformance.jars.store import JarStore
from conformance.java.sources import java_source
from conformance.java_home import JVM_OPTIONS, find_java
from conformance.oracle.compiler import Compiler
from conformance.oracle.jvm import start_jvm
from conformance.processes.alone import Ended, in_fresh_process

PRODUCER: Final = "conformance.experiments.ExperimentProducer"
ADMIN: Final = "conformance.experiments.ExperimentTopics"
_BINDING: Final = "org.slf4j.impl.StaticLoggerBinder"
_ADMIN_VERSION: Final = "3.8.0"
_SILENT: Final = "slf4j-nop"
"""The binding of slf4j that every other use of a client has; ours takes its place."""


@dataclass(frozen=True, slots=True)
class Program:
    """A class with a ``main``, and all jars that it runs with."""

    main: str
    jars: tuple[Path, ...]

    def command(self, *arguments: str) -> list[str]:
        """The command that runs it."""
        java = str(find_java().executable)
        path = ":".join(str(jar) for jar in self.jars)
        return [java, *JVM_OPTIONS, "-cp", path, self.main, *arguments]


def programs(
    versions: Sequence[str], store: JarStore, fetching: Progress = lambda *_: None
) -> dict[str, Program]:
    """The producer of each version, and under the name :data:`ADMIN` what makes topics.

    Jars are fetched where missing. Raises :class:`~conformance.errors.JarError` for one that
    cannot be, :class:`~conformance.errors.UsageError` for a version that the lock does not have,
    :class:`OracleError` if our Java does not compile against one.
    """
    wanted = [(version, PRODUCER, version) for version in versions]
    wanted.append((ADMIN, ADMIN, _ADMIN_VERSION))
    orders = [(main, _jars(version, store, fetching)) for _, main, version in wanted]
    found: dict[str, Program] = {}
    [made] = in_fresh_process(_compiled, [orders])
    if isinstance(made, Ended):
        raise OracleError(f"Our Java was not compiled: {made.how}.", "Run the command again.")
    if isinstance(made, Exception):
        raise made
    for (name, main, _), jars in zip(wanted, made, strict=True):
        found[name] = Program(main, tuple(jars))
    return found


def _jars(version: str, store: JarStore, fetching: Progress) -> list[Path]:
    client = locked_release(version).jar(Artifact.CLIENTS)
    return [*store.ensure([client, *jars_beside()], fetching), *codec_jars()]


def _compiled(orders: list[tuple[str, list[Path]]]) -> list[list[Path]] | Exception:
    """Class paths, our classes first. In a process of its own: the compiler needs a JVM."""
    try:
        start_jvm()
        found = []
        for main, all_jars in orders:
            jars, ecj = compiler_among(all_jars)
            jars = [jar for jar in jars if not jar.name.startswith(_SILENT)]
            compiler = Compiler(ecj)
            binding = compiler.made(java_source("StaticLoggerBinder"), _BINDING, jars)
            source = java_source(main.rpartition(".")[2])
            made = compiler.made(source, main, [*jars, binding])
            found.append([made, binding, *jars])
    except Exception as error:  # it is raised again by whoever asked
        return error
    return found

"""Two jars' class files, compared, and a jar of those that changed, with probes in them.

ASM reads and writes them: the one that PySpark ships, under a name of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import jpype

from conformance.errors import OracleError, SuiteError
from conformance.jars.lock import compiler_among
from conformance.jars.pyspark import asm_jar
from conformance.java.sources import java_source
from conformance.model.classes import ChangedClass, ClassChange
from conformance.oracle.compiler import Compiler, platform_loader, url_class_loader
from conformance.oracle.jvm import start_jvm
from conformance.processes.alone import Ended, in_fresh_process

_PACKAGE: Final = "conformance.oracle"
PROBES: Final = f"{_PACKAGE}.Probes"


@dataclass(frozen=True)
class ComparedClasses:
    """What two jars have otherwise."""

    changed: tuple[ChangedClass, ...]
    """In the order of their names."""
    marked: tuple[Path, ...]
    """Jars that go before the second one in its class loader, so that :data:`PROBES` is told of
    each changed method that is entered."""


def compare_classes(
    jars: tuple[Path, Path], beside: Sequence[Path], folder: Path
) -> ComparedClasses:
    """Compare the classes of two jars of kafka-clients, in a process of its own.

    ``beside`` has the compiler; what is written goes to ``folder``. Raises :class:`OracleError`
    if the jars cannot be read at all.
    """
    [found] = in_fresh_process(partial(_compared, jars, folder), [list(beside)])
    if isinstance(found, Ended):
        names = " and ".join(jar.name for jar in jars)
        raise OracleError(
            f"The classes of {names} cannot be compared: {found.how}.",
            "Check that this Java runs, and that the jars are whole.",
        )
    if isinstance(found, SuiteError):
        raise found
    return found


def _compared(
    jars: tuple[Path, Path], folder: Path, beside: list[Path]
) -> ComparedClasses | SuiteError:
    start_jvm()
    compiler = Compiler(compiler_among(beside)[1])
    asm = asm_jar()
    probes = compiler.made(java_source("Probes"), PROBES)
    made = compiler.made(java_source("ClassChanges"), f"{_PACKAGE}.ClassChanges", [asm])
    loader = url_class_loader([asm, made], platform_loader())
    changes = jpype.JClass(f"{_PACKAGE}.ClassChanges", loader=loader)
    marked = folder / "marked.jar"
    try:
        rows = changes.between(*map(str, jars), str(marked))
    except jpype.JException as error:
        return OracleError(
            f"The classes of the two jars cannot be compared: {error}.",
            "Check that both are whole.",
        )
    found: list[ChangedClass] = []
    first = 0
    for change, name, *probed in rows:
        methods = tuple(map(str, probed))
        found.append(ChangedClass(str(name), ClassChange(str(change)), methods, first))
        first += len(methods)
    return ComparedClasses(tuple(found), (marked, probes))

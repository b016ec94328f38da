"""Two jars of kafka-clients, named by the user: what gate and replay share."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from conformance.clients.inspection import inspect_jars
from conformance.commands.shared import fetch_progress
from conformance.jars.client_jar import client_jar
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.model.classes import ChangedClass
from conformance.subjects.pair_of_jars import TwoJars
from conformance.subjects.watch import Watch


def two_jars(console: Console, store: JarStore, baseline: str, candidate: str) -> TwoJars:
    """Find, introduce and inspect the jars; raises :class:`SuiteError` for what is none."""
    find_java()
    old, new = (
        client_jar(named, store, fetch_progress(console)) for named in (baseline, candidate)
    )
    for what, jar in (("Baseline", old), ("Candidate", new)):
        told = f"{what}: kafka-clients {jar.version}, SHA-256 {jar.sha256[:16]}"
        console.print(told, markup=False, soft_wrap=True)
    if old.sha256 == new.sha256:
        console.print("Both are the same file: a change would be the suite's own fault.")
    before, after = inspect_jars([old.all, new.all])
    return TwoJars(old, new, before, after)


def watched(jars: TwoJars, folder: Path) -> tuple[TwoJars, Sequence[ChangedClass]]:
    """The jars, watched by way of a folder, and the classes that they have otherwise.

    Raises :class:`OracleError` if their classes cannot be compared at all.
    """
    if jars.old.sha256 == jars.new.sha256:
        return replace(jars, watch=Watch(folder)), ()
    # Imported here because JPype is not needed for anything else in this process.
    from conformance.oracle.class_files import compare_classes  # noqa: PLC0415

    found = compare_classes((jars.old.path, jars.new.path), jars.new.beside, folder)
    return replace(jars, watch=Watch(folder, found.marked)), found.changed

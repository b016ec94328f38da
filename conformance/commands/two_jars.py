"""Two jars of kafka-clients, named by the user: what gate and replay share."""

from dataclasses import dataclass

from rich.console import Console

from conformance.clients.inspected import Inspected
from conformance.commands.shared import fetch_progress
from conformance.jars.client_jar import ClientJar, client_jar
from conformance.jars.store import JarStore
from conformance.java_home import find_java
from conformance.oracle.inspection import inspect_jars
from conformance.subjects.client_jar import ClientJarSubject


@dataclass(frozen=True)
class TwoJars:
    """Both sides of a gate, each with what it has."""

    old: ClientJar
    new: ClientJar
    before: Inspected
    after: Inspected

    @property
    def subjects(self) -> tuple[ClientJarSubject, ClientJarSubject]:
        """The baseline, and what is held against it."""
        return (
            ClientJarSubject(self.old, self.before, self.after, self._name(self.old)),
            ClientJarSubject(self.new, self.after, self.before, self._name(self.new)),
        )

    def _name(self, jar: ClientJar) -> str:
        """Told apart where both call themselves alike: a release, and a build on top of it."""
        alike = self.old.version == self.new.version and self.old.sha256 != self.new.sha256
        return f"kafka-clients {jar.version}" + (f" (SHA-256 {jar.sha256[:8]})" if alike else "")


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

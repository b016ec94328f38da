"""Two jars of kafka-clients, here or on another machine, as the two subjects."""

from dataclasses import dataclass, replace
from functools import cached_property

from conformance.clients.inspected import Inspected
from conformance.jars.client_jar import ClientJar
from conformance.jars.lock import jars_beside
from conformance.jars.store import JarStore
from conformance.subjects.client_jar import ClientJarSubject
from conformance.subjects.watch import Watch


@dataclass(frozen=True)
class TwoJars:
    """Both sides of a gate, each with what it has."""

    old: ClientJar
    new: ClientJar
    before: Inspected
    after: Inspected
    watch: Watch | None = None
    """Who hears what both perform; which methods run is told of the new one alone."""

    @cached_property
    def subjects(self) -> tuple[ClientJarSubject, ClientJarSubject]:
        """The baseline, and what is held against it."""
        old, new = (f"kafka-clients {name}" for name in self.names)
        plain = self.watch and replace(self.watch, marked=())
        return (
            ClientJarSubject(self.old, self.before, self.after, old, plain, is_baseline=True),
            ClientJarSubject(self.new, self.after, self.before, new, self.watch),
        )

    def probes(self) -> frozenset[int]:
        """Which of the candidate's probes ran, in whatever process."""
        return frozenset() if self.watch is None else self.watch.probes()

    @property
    def names(self) -> tuple[str, str]:
        """Told apart where both call themselves alike: a release, and a build on top of it."""
        if self.old.version != self.new.version or self.old.sha256 == self.new.sha256:
            return self.old.version, self.new.version
        old, new = (f"{jar.version} (SHA-256 {jar.sha256[:8]})" for jar in (self.old, self.new))
        return old, new


@dataclass(frozen=True)
class ShippedJars:
    """Two jars in the folder of a store, under :func:`shipped_name`; makes subjects of them."""

    jars: TwoJars

    def __call__(self, store: JarStore) -> tuple[ClientJarSubject, ClientJarSubject]:
        """The subjects; raises :class:`JarError` for a jar that is not what it was."""
        old, new = (_arrived(jar, store) for jar in (self.jars.old, self.jars.new))
        return replace(self.jars, old=old, new=new).subjects


def shipped_name(jar: ClientJar) -> str:
    """A name that no other jar has, whatever both are called where they come from."""
    return f"gate-{jar.sha256}.jar"


def _arrived(jar: ClientJar, store: JarStore) -> ClientJar:
    path = store.folders()[0] / shipped_name(jar)
    arrived = replace(jar, path=path, beside=tuple(store.ensure(jars_beside())))
    arrived.check_unchanged()
    return arrived

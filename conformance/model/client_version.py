"""What the suite knows about one version of the Java client."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ClientVersion:
    """One version: which Java class realises each behaviour, and which behaviours it lacks."""

    version: str
    """Its Maven version, such as ``3.8.0``; the jar of that version is in the lock."""
    port: str
    """The module of :mod:`python_impl` that ports this version."""
    realised_by: Mapping[str, str]
    """Behaviour name to the Java class or method that has it (the name of the class first)."""
    absent: Mapping[str, str]
    """Behaviour name to the reason why this version does not have it."""

    def shows(self, behaviour: str) -> bool:
        """Whether it has that behaviour."""
        return behaviour in self.realised_by

    def class_of(self, behaviour: str) -> str:
        """The Java class that has a behaviour, without the method."""
        return self.realised_by[behaviour].rpartition(".")[0]

    def __str__(self) -> str:
        return self.version

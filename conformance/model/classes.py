"""Classes of a client library that differ between two jars."""

from dataclasses import dataclass
from enum import StrEnum


class ClassChange(StrEnum):
    """How a class changed from one jar to the other."""

    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"
    UNREADABLE = "unreadable"
    """The file differs and cannot be read: it is for a newer Java, or damaged."""


@dataclass(frozen=True)
class ChangedClass:
    """One class that differs between the two."""

    name: str
    """With its package, as Java writes it."""
    change: ClassChange
    probed: tuple[str, ...] = ()
    """The methods that are new or changed; an empty name stands for any method of a class whose
    change is outside them (a field, a superclass). Empty for a class without code."""
    first: int = 0
    """The number of the first method's probe; the others follow."""

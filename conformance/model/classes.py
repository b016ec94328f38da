"""Classes of a client library that two jars have otherwise."""

from dataclasses import dataclass
from enum import StrEnum


class ClassChange(StrEnum):
    """What became of a class from one jar to the other."""

    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"
    UNREADABLE = "unreadable"
    """It is not the same file, and cannot be read: of a newer Java, or damaged."""


@dataclass(frozen=True)
class ChangedClass:
    """One class that is not the same in both."""

    name: str
    """With its package, as Java writes it."""
    change: ClassChange
    probed: tuple[str, ...] = ()
    """The methods that are new or changed; an empty name stands for any method of a class whose
    change is beside them (a field, what it derives from). None of a class without code."""
    first: int = 0
    """The number of the first one's probe; the others follow."""

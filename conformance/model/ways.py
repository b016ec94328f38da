"""How a kafka-clients jar can have a behaviour, as each behaviour declares it.

One Java class may have a behaviour up to some version, and another from then on; or no class
has it. The contents of any build's jar decide (:mod:`conformance.clients.inspected`); a release
of the matrix is known by its number, and a test compares that with its jar.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Member(NamedTuple):
    """A class, or a field or method of it by its name."""

    owner: str
    name: str = ""
    """Empty: the class itself."""
    of_type: str = ""
    """The required type of a field; see :meth:`~conformance.model.program.Linker.field`."""

    def __str__(self) -> str:
        """For people: without the package."""
        owner = self.owner.rpartition(".")[2]
        return f"{owner}.{self.name}" if self.name else owner


class Way(NamedTuple):
    """One way in which a jar can have a behaviour."""

    shown_by: str
    """The Java method, after its class."""
    has: tuple[Member, ...]
    """The members that a jar needs for this way."""
    since: str = "0"
    """The first release that has it."""
    until: str = ""
    """The first release that no longer has it; empty: all later ones do."""

    def is_in(self, version: str) -> bool:
        """Whether a release has it in this way."""
        return not self.is_later_than(version) and not (
            self.until and _numbers(version) >= _numbers(self.until)
        )

    def is_later_than(self, version: str) -> bool:
        """Whether a release is too old for it."""
        return _numbers(version) < _numbers(self.since)


class Limit(NamedTuple):
    """What a jar cannot be asked about a behaviour if it lacks a member."""

    lacking: Member
    cannot: str
    """A word of the testee protocol."""


def way_in(ways: Sequence[Way], version: str) -> Way | None:
    """The way in which a release has a behaviour: the first that applies."""
    return next((way for way in ways if way.is_in(version)), None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))

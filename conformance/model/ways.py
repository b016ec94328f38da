"""How a kafka-clients jar can show a behaviour: what each behaviour declares, and nothing decides.

A behaviour can be shown by one Java class up to some version, and by another from then on; or not
at all. A jar of any build is asked what it has (:mod:`conformance.clients.inspected`); a release
of the matrix is known by its number, and a test holds that against its jar.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Member(NamedTuple):
    """A class, or a field or method of it by its name."""

    owner: str
    name: str = ""
    """Empty: the class itself."""
    of_type: str = ""
    """Of a field: what it has to be; see :meth:`~conformance.model.program.Linker.field`."""

    def __str__(self) -> str:
        """For people: without the package."""
        owner = self.owner.rpartition(".")[2]
        return f"{owner}.{self.name}" if self.name else owner


class Way(NamedTuple):
    """One way in which a jar can show a behaviour."""

    shown_by: str
    """The Java method, after its class."""
    has: tuple[Member, ...]
    """What a jar has that shows it in this way."""
    since: str = "0"
    """The first release that has it."""
    until: str = ""
    """The first release that does not have it any more; empty: all later ones do."""

    def is_in(self, version: str) -> bool:
        """Whether a release shows it in this way."""
        return not self.is_later_than(version) and not (
            self.until and _numbers(version) >= _numbers(self.until)
        )

    def is_later_than(self, version: str) -> bool:
        """Whether a release is too old for it."""
        return _numbers(version) < _numbers(self.since)


class Limit(NamedTuple):
    """What a jar cannot be asked of a behaviour if it lacks something."""

    lacking: Member
    cannot: str
    """A word of the testee protocol."""


def way_in(ways: Sequence[Way], version: str) -> Way | None:
    """The way in which a release shows a behaviour: the first that it has."""
    return next((way for way in ways if way.is_in(version)), None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))

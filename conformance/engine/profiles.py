"""How much a run tries."""

from dataclasses import dataclass
from functools import cache

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.model.behaviour import Behaviour


@dataclass(frozen=True)
class Profile:
    """A named effort: how many cases the whole matrix gets.

    They are shared among its cells by the weights of their behaviours. So a behaviour that is added
    takes from the others what it gets: a run does not grow.
    """

    name: str
    total: int
    purpose: str
    records: float = 1.0
    """How many records a testee's distribution gets, as a part of the default."""
    sampled: float = 1.0
    """The same of ``stats``; none gets fewer records than all its tests need."""

    def cases_of(self, behaviour: Behaviour) -> int:
        """The number of cases of one cell of the matrix, whichever cells are run."""
        return max(1, round(self.total * behaviour.weight / _weight_of_all()))


@cache
def _weight_of_all() -> float:
    return sum(
        behaviour.weight
        for behaviour in BEHAVIOURS
        for client in CLIENT_VERSIONS
        if client.shows(behaviour.name)
    )


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("quick", 7_254, "a first look, in seconds", records=0.5, sampled=0.02),
        Profile("default", 58_084, "what tox -e conformance runs, in about a minute"),
        Profile(
            "thorough",
            963_496,
            "before a release, in a quarter of an hour or more",
            records=16.0,
            sampled=16.0,
        ),
    )
}

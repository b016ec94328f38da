"""How much a run tries."""

from dataclasses import dataclass

from conformance.behaviour import Behaviour


@dataclass(frozen=True)
class Profile:
    """A named effort: how many cases a behaviour of weight 1 gets per client version."""

    name: str
    cases: int
    purpose: str

    def cases_of(self, behaviour: Behaviour) -> int:
        """The number of cases of one cell of the matrix."""
        return max(1, round(self.cases * behaviour.weight))


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("quick", 150, "a first look, in seconds"),
        Profile("default", 1200, "what tox -e conformance runs, in about a minute"),
        Profile("thorough", 20_000, "before a release, in a quarter of an hour or more"),
    )
}

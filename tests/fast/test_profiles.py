"""A profile is a total that cells share: a behaviour that is added does not make a run longer."""

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine import profiles
from conformance.engine.plan import make_plan
from conformance.engine.profiles import PROFILES, Profile
from conformance.model.behaviour import Behaviour

LEAST = 500
"""Cases of a cell in a default run: so many still reached every class on each of three seeds.

When the matrix has grown so far, give the profile more, or a behaviour less weight, and say why.
"""


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_cells_share_what_the_profile_has(profile: Profile) -> None:
    plan = make_plan(profile=profile.name)
    cases = [plan.cases_of(cell) for cell in plan.cells]
    assert abs(sum(cases) - profile.total) <= len(cases) / 2


def test_which_cells_are_run_does_not_matter() -> None:
    every, some = make_plan(), make_plan(behaviours=["sticky"], clients=["3.8.0"])
    [cell] = some.cells
    assert some.cases_of(cell) == every.cases_of(cell)


def test_twice_the_behaviours_get_half_of_it_each(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, [first, *_] = PROFILES["default"], BEHAVIOURS
    before = profile.cases_of(first)
    profiles._weight_of_all.cache_clear()
    twice: tuple[Behaviour, ...] = (*BEHAVIOURS, *BEHAVIOURS)
    monkeypatch.setattr(profiles, "BEHAVIOURS", twice)
    try:
        assert profile.cases_of(first) == round(before / 2)
    finally:
        profiles._weight_of_all.cache_clear()


def test_each_cell_of_a_default_run_has_enough() -> None:
    plan = make_plan()
    assert min(plan.cases_of(cell) for cell in plan.cells) >= LEAST

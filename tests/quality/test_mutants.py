"""The suite must catch bugs: every mutant is killed on five seeds, by a case one can read."""

from typing import Any

import pytest

from conformance.behaviours import BEHAVIOURS
from conformance.case import to_json
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named, client_named
from conformance.engine.profiles import PROFILES
from conformance.engine.results import Verdict
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

SEEDS = (1, 2, 3, 4, 5)
# What a person can read without scrolling.
MOST_STEPS = 12
MOST_CHARACTERS = 2000


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_killed(mutant: Mutant, java: JavaSubject, measure: Any) -> None:
    behaviour, client = behaviour_named(mutant.behaviour), client_named(mutant.client)
    subject = PythonPort(mutant.load(), mutant.name)
    cases = []
    steps = characters = 0
    for seed in SEEDS:
        result = check_cell(
            behaviour,
            client,
            java,
            subject,
            cases=PROFILES["default"].cases_of(behaviour),
            seed=seed,
            shrink=seed == SEEDS[0],
        )
        assert result.verdict is Verdict.DIVERGES, f"seed {seed}: {result.reason or 'survived'}"
        assert result.divergence is not None
        cases.append(result.cases)
        if seed == SEEDS[0]:
            steps = len(result.divergence.case["steps"])
            characters = len(to_json(result.divergence.case))
    measure(
        "mutants",
        mutant.name,
        {
            "order": MUTANTS.index(mutant),
            "bug": mutant.bug,
            "seen_in": mutant.seen_in,
            "killed_by": f"{mutant.behaviour}, {mutant.client}",
            "cases": cases,
            "steps": steps,
            "characters": characters,
        },
    )
    assert steps <= MOST_STEPS
    assert characters <= MOST_CHARACTERS


def test_there_are_enough_mutants() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 40
    for behaviour in BEHAVIOURS:
        least = 1 if behaviour.name in ("murmur2", "keyed", "keyed-columns") else 3
        assert sum(mutant.behaviour == behaviour.name for mutant in MUTANTS) >= least

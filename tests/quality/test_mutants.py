"""The suite must catch bugs: every planted one is killed, by a case that one can read.

One seed here, and at each landing one bug for each behaviour of a version and for each file; ten
seeds, and all mutations by machine, are measured by ``tox -e mutants``.
"""

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.model.results import Verdict
from conformance.model.values import to_json
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant
from conformance.score.fixed_vectors import expected_by, is_noticed, kafkas_own, twelve_vectors
from conformance.score.measure import SEEDS, check_mutant
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from tests.landing import first_of_each

# What a person can read without scrolling.
MOST_STEPS = 12
MOST_CHARACTERS = 2000
PLANTED = first_of_each(
    MUTANTS, lambda mutant: (mutant.behaviour, mutant.client), lambda mutant: mutant.file
)


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_mutant_is_killed(mutant: Mutant, java: JavaSubject) -> None:
    result = check_mutant(mutant, java, seed=SEEDS[0], shrink=True)
    assert result.verdict is Verdict.DIVERGES, result.reason or "survived"
    assert result.divergence is not None
    assert len(result.divergence.case["steps"]) <= MOST_STEPS
    assert len(to_json(result.divergence.case)) <= MOST_CHARACTERS


def test_there_are_enough_mutants() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 120
    changes = {(mutant.file, mutant.before, mutant.after) for mutant in MUTANTS}
    assert len(changes) == len(names)
    for behaviour in BEHAVIOURS:
        least = 1 if behaviour.name in ("murmur2", "keyed", "keyed-columns") else 3
        assert sum(mutant.behaviour == behaviour.name for mutant in MUTANTS) >= least


def test_the_port_itself_fails_no_fixed_vector(java: JavaSubject, port: PythonPort) -> None:
    fixed = expected_by(java, [*kafkas_own(), *twelve_vectors()])
    assert not is_noticed(port, fixed)

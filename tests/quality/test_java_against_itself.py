"""The suite must keep quiet: the real client never diverges from itself."""

from typing import Any

import pytest

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named, make_plan
from conformance.jars.store import JarStore
from conformance.model.results import Cell, Verdict
from conformance.score.answers import record_answers
from conformance.subjects.java_client import JavaSubject
from tests.landing import first_of_each

CELLS = make_plan().cells
# All of them take a quarter of an hour, so the everyday run makes a tenth.
CASES_TO_PUBLISH = 200_000
CASES_EVERY_DAY = 20_000


@pytest.fixture(scope="module")
def another_java() -> JavaSubject:
    """A second set of class loaders, so that no object is shared with the first."""
    return JavaSubject(JarStore())


@pytest.mark.parametrize("cell", first_of_each(CELLS, lambda cell: cell.client), ids=str)
def test_java_agrees_with_java(
    cell: Cell,
    java: JavaSubject,
    another_java: JavaSubject,
    pytestconfig: pytest.Config,
    measure: Any,
) -> None:
    published = pytestconfig.getoption("write_tables")
    total = CASES_TO_PUBLISH if published else CASES_EVERY_DAY
    behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
    weights = sum(behaviour_named(other.behaviour).weight for other in CELLS)
    cases = int(total * behaviour.weight / weights) + 1
    seed = pytestconfig.getoption("conformance_seed")
    result = check_cell(behaviour, client, java, another_java, cases=cases, seed=seed)
    divergences = int(result.verdict is Verdict.DIVERGES)
    figures = {"order": CELLS.index(cell), "cases": result.cases, "divergences": divergences}
    measure("self", str(cell), figures)
    assert result.verdict is Verdict.CONFORMS, result.reason or result.divergence
    assert result.cases == cases


@pytest.mark.parametrize("cell", first_of_each(CELLS, lambda cell: cell.behaviour), ids=str)
def test_no_case_leaves_anything_to_the_next(cell: Cell, java: JavaSubject) -> None:
    """Each is asked twice, then once more behind others; what a JVM keeps would show."""
    answers = record_answers(java, cell, profile="quick", seed=1)
    perform = java.performer(behaviour_named(cell.behaviour), client_named(cell.client))
    for case, trace in reversed(answers.cases):
        assert perform(case) == trace

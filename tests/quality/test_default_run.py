"""A default run conforms, is large enough, and reaches every class of interesting cases."""

import pytest

from conformance.behaviours import BEHAVIOURS
from conformance.clients import CLIENT_VERSIONS
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named, client_named, make_plan
from conformance.engine.results import Cell, Verdict
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

PLAN = make_plan()


@pytest.mark.parametrize("cell", PLAN.cells, ids=str)
def test_conforms_and_reaches_every_class(
    cell: Cell, java: JavaSubject, port: PythonPort, pytestconfig: pytest.Config
) -> None:
    behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
    seed = pytestconfig.getoption("seed")
    cases = PLAN.cases_of(cell)
    result = check_cell(behaviour, client, java, port, cases=cases, seed=seed)
    assert result.verdict is Verdict.CONFORMS, result.reason or result.divergence
    assert result.cases == cases
    assert [label for label, count in result.labels.items() if not count] == []


def test_a_default_run_makes_at_least_20000_cases() -> None:
    assert sum(PLAN.cases_of(cell) for cell in PLAN.cells) >= 20_000


def test_every_cell_of_the_matrix_is_run_or_absent_for_a_reason() -> None:
    names = {behaviour.name for behaviour in BEHAVIOURS}
    for client in CLIENT_VERSIONS:
        assert set(client.realised_by) | set(client.absent) == names
        assert not set(client.realised_by) & set(client.absent)
        assert all(client.absent.values())
    assert len(PLAN.cells) + len(PLAN.absent) == len(BEHAVIOURS) * len(CLIENT_VERSIONS)

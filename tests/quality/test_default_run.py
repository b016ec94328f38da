"""A default run conforms, is large enough, and reaches every class of interesting cases.

The main job has made that run; what is asserted here is what its report says.
"""

from typing import Any

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.engine.plan import behaviour_named, make_plan
from conformance.model.results import Cell, Verdict

PLAN = make_plan()


@pytest.mark.parametrize("cell", PLAN.cells, ids=str)
def test_conforms_and_reaches_every_class(cell: Cell, main_job: dict[str, Any]) -> None:
    [result] = [
        one
        for one in main_job["cells"]
        if (one["behaviour"], one["client"]) == (cell.behaviour, cell.client)
    ]
    assert result["verdict"] == Verdict.CONFORMS, result["reason"] or result["divergence"]
    assert result["cases"] == PLAN.cases_of(cell)
    behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
    assert set(result["labels"]) == set(behaviour.classes_of(client))
    assert [label for label, count in result["labels"].items() if not count] == []


def test_a_default_run_makes_at_least_20000_cases() -> None:
    assert sum(PLAN.cases_of(cell) for cell in PLAN.cells) >= 20_000


def test_every_cell_of_the_matrix_is_run_or_absent_for_a_reason() -> None:
    names = {behaviour.name for behaviour in BEHAVIOURS}
    for client in CLIENT_VERSIONS:
        assert set(client.realised_by) | set(client.absent) == names
        assert not set(client.realised_by) & set(client.absent)
        assert all(client.absent.values())
    assert len(PLAN.cells) + len(PLAN.absent) == len(BEHAVIOURS) * len(CLIENT_VERSIONS)

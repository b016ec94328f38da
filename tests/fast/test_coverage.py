"""What a default run tries: every range of every dimension, in each cell."""

from dataclasses import replace

import pytest

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import client_named
from conformance.engine.coverage import ranges_reached
from conformance.engine.plan import behaviour_named, make_plan
from conformance.model.case import Case
from conformance.model.dimension import Dimension, numbers
from conformance.model.results import Cell
from conformance.reports.coverage import dimension_tables
from tests.landing import first_of_each

PLAN = make_plan()
SIZE = numbers("size", "bytes", (0, 1, 2, 8, 9), lambda case: [len(case["steps"][0]["key"])])


def _case(size: int) -> Case:
    return {"config": {}, "metadata": [], "steps": [{"op": "murmur2", "key": b"k" * size}]}


@pytest.mark.parametrize("cell", first_of_each(PLAN.cells, lambda cell: cell.behaviour), ids=str)
def test_a_default_run_leaves_no_range_empty(cell: Cell) -> None:
    reached = ranges_reached(
        behaviour_named(cell.behaviour),
        client_named(cell.client),
        cases=PLAN.cases_of(cell),
        seed=PLAN.seed,
    )
    assert reached.cases == PLAN.cases_of(cell)
    assert reached.empty() == []


@pytest.mark.parametrize("name", [behaviour.name for behaviour in BEHAVIOURS])
def test_every_behaviour_says_what_varies_in_its_cases(name: str) -> None:
    dimensions = behaviour_named(name).dimensions
    assert dimensions
    assert len({dimension.name for dimension in dimensions}) == len(dimensions)
    assert all(len(set(one.ranges)) == len(one.ranges) > 1 for one in dimensions)


def test_ranges_of_numbers_begin_where_they_are_said_to() -> None:
    assert SIZE.ranges == ("0", "1", "2 to 7", "8", "9 or more")
    assert [*SIZE.reached(_case(2)), *SIZE.reached(_case(7)), *SIZE.reached(_case(8))] == [
        *("2 to 7", "2 to 7", "8")
    ]
    assert list(SIZE.reached(_case(1000))) == ["9 or more"]
    with pytest.raises(ValueError, match="low: 1 is below the first range, 2"):
        list(numbers("low", "bytes", (2, 3), lambda _case: [1]).reached(_case(0)))


def test_an_empty_range_is_named_and_a_range_that_is_none_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    murmur2, client = behaviour_named("murmur2"), client_named("3.8.0")
    never = Dimension("day", "of the week", ("monday", "friday"), lambda _case: ["monday"])
    monkeypatch.setattr(type(murmur2), "dimensions", (never,))
    assert ranges_reached(murmur2, client, cases=5, seed=0).empty() == ["day: friday"]
    wrong = replace(never, reached=lambda _case: ["sunday"])
    monkeypatch.setattr(type(murmur2), "dimensions", (wrong,))
    with pytest.raises(ValueError, match=r"murmur2, day: no range .'sunday'"):
        ranges_reached(murmur2, client, cases=5, seed=0)


def test_the_table_shows_each_range_with_the_share_of_its_cases() -> None:
    (table,) = dimension_tables(make_plan(behaviours=["murmur2"], profile="quick"))
    columns = [list(column.cells) for column in table.columns]
    dimensions = behaviour_named("murmur2").dimensions
    assert columns[2] == [name for dimension in dimensions for name in dimension.ranges]
    assert all("%" in share for share in columns[-1])

"""Generated cases: by their seed alone, each by itself, each once, and shrunk as ever."""

from collections.abc import Iterator
from contextlib import contextmanager

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.internal.conjecture.provider_conformance import run_conformance_test
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS

from conformance.clients.versions import client_named
from conformance.engine.check import cell_seed, check_cell
from conformance.engine.choices import BACKEND, IndependentChoices
from conformance.engine.comparing import Asked
from conformance.engine.generation import generate, generate_cases
from conformance.engine.plan import behaviour_named, make_plan
from conformance.model.case import Case
from conformance.model.results import Cell
from conformance.model.values import to_json
from conformance.strategies.integers import INT32_MAX, INT32_MIN, int32s
from conformance.strategies.packed import Choices, packed
from conformance.subjects.python_port import PythonPort
from tests.landing import nightly

PLAN = make_plan()


def generated(cell: Cell, *, cases: int, seed: int = 0, first: int = 0) -> list[Asked]:
    behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
    found: list[Asked] = []
    generate_cases(
        behaviour.cases(client),
        lambda case: case,
        found.append,
        cases=cases,
        seed=cell_seed(seed, cell),
        first=first,
    )
    return found


def test_the_backend_keeps_the_promises_that_hypothesis_asks_for() -> None:
    with _all_health_checks_off():
        run_conformance_test(IndependentChoices)


@contextmanager
def _all_health_checks_off() -> Iterator[None]:
    before = hypothesis.settings.get_current_profile_name()
    hypothesis.settings.register_profile(
        "alone",
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.load_profile("alone")
    try:
        yield
    finally:
        hypothesis.settings.load_profile(before)


@pytest.mark.parametrize("cell", PLAN.cells, ids=str)
def test_the_cases_of_a_cell_are_distinct_and_the_same_for_a_seed(cell: Cell) -> None:
    cases = generated(cell, cases=60)
    assert len({asked.text for asked in cases}) == len(cases) == 60
    assert generated(cell, cases=60) == cases
    assert generated(cell, cases=60, seed=1) != cases


def test_any_case_can_be_generated_without_those_before_it() -> None:
    cell = Cell("sticky", "3.8.0")
    cases = generated(cell, cases=40)
    assert generated(cell, cases=10, first=cases[25].number)[:10] == cases[25:35]


@nightly
def test_hardly_any_case_is_made_in_vain() -> None:
    for cell in PLAN.cells:
        last = generated(cell, cases=200)[-1]
        assert last.number < 230, cell


def test_what_is_imported_does_not_change_the_cases() -> None:
    numbers: list[int] = []
    generate(
        st.integers(0, 2**40), lambda n, _at: numbers.append(n), cases=50, seed=7, shrink=False
    )
    again: list[int] = []
    AVAILABLE_PROVIDERS.pop(BACKEND)
    generate(st.integers(0, 2**40), lambda n, _at: again.append(n), cases=50, seed=7, shrink=False)
    assert numbers == again


def test_a_finding_is_shrunk() -> None:
    seen: list[list[int]] = []

    def use(numbers: list[int], _at: int) -> None:
        seen.append(numbers)
        assert sum(numbers) < 1000

    with pytest.raises(AssertionError):
        generate(st.lists(int32s()), use, cases=500, seed=1, shrink=True)
    # Byte by byte: 1000 itself has a lower byte that is larger.
    assert seen[-1] == [1024]


def test_a_packed_choice_reads_all_it_may_and_nothing_twice() -> None:
    of = Choices(bytes([7, 1, 0, 200, 9, 3]))
    assert of.below(5) == 2
    assert of.below(1000, size=2) == 256
    assert of.part(2).below(300, size=2) == (200 * 256 + 9) % 300
    assert of.one_of("abc") == "a"
    assert Choices(b"\xff").between(3, 6) == 3 + 255 % 4


def test_int32s_reach_edges_small_numbers_and_large_ones() -> None:
    found: list[int] = []
    generate(int32s(), lambda n, _at: found.append(n), cases=2000, seed=0, shrink=False)
    assert {INT32_MIN, INT32_MAX, 0, -1} <= set(found)
    assert all(INT32_MIN <= number <= INT32_MAX for number in found)
    assert sum(abs(number) < 128 for number in found) > 200
    assert sum(2**20 < abs(number) < 2**30 for number in found) > 200
    simplest: list[int] = []
    generate(int32s(), lambda n, _at: simplest.append(n), cases=1, seed=0, shrink=False)
    assert simplest == [0]


def test_a_packed_value_shrinks_to_what_stands_first() -> None:
    found: list[tuple[str, int]] = []

    def use(value: tuple[str, int], _at: int) -> None:
        found.append(value)
        assert value[1] < 50

    strategy = packed(2, lambda of: (of.one_of(("plain", "odd")), of.below(200)))
    with pytest.raises(AssertionError):
        generate(strategy, use, cases=200, seed=0, shrink=True)
    assert found[-1] == ("plain", 50)


def test_a_result_does_not_count_a_case_twice() -> None:
    few: st.SearchStrategy[Case] = st.sampled_from(
        [
            {"config": {}, "metadata": [], "steps": [{"op": "toPositive", "number": n}]}
            for n in range(5)
        ]
    )
    found: list[str] = []
    generate_cases(
        few,
        lambda case: case,
        lambda asked: found.append(to_json(asked.case)),
        cases=100,
        seed=0,
    )
    assert len(found) == len(set(found)) == 5


def test_the_number_of_cases_is_what_was_planned() -> None:
    cell = Cell("murmur2", "2.3.1")
    behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
    result = check_cell(behaviour, client, PythonPort(), PythonPort(), cases=300, seed=0)
    assert result.cases == 300

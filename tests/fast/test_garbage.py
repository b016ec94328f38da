"""What cases leave for Python's collector of garbage, which takes its time from them."""

import gc
from itertools import product

import pytest

from conformance.clients.versions import client_named
from conformance.engine.garbage import collected_rarely
from conformance.engine.generation import generate
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case
from conformance.subjects.python_port import PythonPort

CASES = 40


def test_thresholds_are_put_back_whatever_happens() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()

    def fail() -> None:
        with collected_rarely():
            assert gc.get_threshold()[0] > before[0]
            assert gc.get_freeze_count() > frozen
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() <= frozen


def test_cases_are_generated_with_rare_collections() -> None:
    seen: list[int] = []
    cases = behaviour_named("murmur2").cases(client_named("3.8.0"))
    generate(cases, lambda *_: seen.append(gc.get_threshold()[0]), cases=3, seed=1, shrink=False)
    assert min(seen) > gc.get_threshold()[0]


@pytest.mark.parametrize(
    ("behaviour", "version"),
    [
        *product(("accumulator", "producer", "record-batch"), ("2.3.1", "3.8.0")),
        ("built-in", "3.8.0"),
    ],
)
def test_a_case_leaves_hardly_anything_in_a_circle(behaviour: str, version: str) -> None:
    """A producer, its sender and its callbacks know each other; so do errors and their frames."""
    client = client_named(version)
    perform = PythonPort().performer(behaviour_named(behaviour), client)
    cases: list[Case] = []
    generate(
        behaviour_named(behaviour).cases(client),
        lambda case, _number: cases.append(case),
        cases=CASES,
        seed=1,
        shrink=False,
    )
    for case in cases:
        perform(case)
    gc.collect()
    gc.disable()
    try:
        for case in cases:
            perform(case)
        # Of some two thousand objects that a case of a producer needs.
        assert gc.collect() / CASES < 150
    finally:
        gc.enable()

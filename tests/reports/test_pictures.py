"""What plots are made of: counted in the engine, drawn on the page."""

from typing import Any

import numpy as np
import pytest

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.distributions.of_testees import distributions_of
from conformance.model.distribution import Distribution, Measures
from conformance.model.results import Picture, Shows, plain
from conformance.reports.html.pictures import drawn
from conformance.sampling.blocks import CRASH, BlockRunner, Key, Order, Task, add_all
from conformance.sampling.pictures import pictures_of
from conformance.subjects.python_port import PythonPort
from tests.fast.statistics_samples import StandIn

RECORDS = 20_000


def measured(behaviour: str) -> tuple[Distribution, Measures, Measures]:
    """The first distribution of a behaviour, of two ports."""
    distribution = distributions_of(behaviour, ())[0]
    client = next(c for c in reversed(CLIENT_VERSIONS) if distribution.lacking(c) is None)
    order = Order((distribution,), {distribution.name: RECORDS}, {distribution.name: (client,)}, 7)
    totals: dict[Key, Measures] = {}
    task = Task(distribution.name, 0, order.blocks_of(distribution))
    add_all(totals, BlockRunner(order, StandIn(), PythonPort()).run(task))
    first, second = (totals[Key(distribution.name, client.version, place)] for place in (0, 1))
    return distribution, first, second


@pytest.mark.parametrize("behaviour", ["sticky", "uniform-sticky", "built-in", "round-robin"])
def test_records_without_key_have_three_pictures(behaviour: str) -> None:
    distribution, java, subject = measured(behaviour)
    transitions, partitions, in_a_row = pictures_of(distribution, java, subject)
    assert [one.shows for one in (transitions, partitions, in_a_row)] == [
        Shows.TRANSITIONS,
        Shows.PARTITIONS,
        Shows.IN_A_ROW,
    ]
    assert transitions.rows == transitions.columns == ("0", "1", "2", "3", "4")
    assert np.array_equal(transitions.java, java.counts["pairs"])
    assert np.array_equal(transitions.subject, subject.counts["pairs"])
    assert np.array_equal(partitions.subject[0], subject.table("choices").sum(axis=0))
    assert in_a_row.java == ((java.records, int(java.counts["stays"][0])),)


def test_partitions_are_called_by_their_ids() -> None:
    missing = next(d for d in distributions_of("sticky", ()) if d.name.endswith("leaders missing"))
    client = next(c for c in reversed(CLIENT_VERSIONS) if missing.lacking(c) is None)
    order = Order((missing,), {missing.name: RECORDS}, {missing.name: (client,)}, 7)
    totals = BlockRunner(order, StandIn(), PythonPort()).run(
        Task(missing.name, 0, order.blocks_of(missing))
    )
    first, second = (totals[Key(missing.name, client.version, place)] for place in (0, 1))
    assert pictures_of(missing, first, second)[0].columns == ("4", "0", "1", "2", "3")


def test_keys_have_a_count_for_each_partition() -> None:
    (picture,) = pictures_of(*measured("keyed"))
    assert picture.shows is Shows.PARTITIONS
    assert len(picture.columns) == 12
    assert sum(picture.subject[0]) == RECORDS
    assert picture.java == picture.subject  # nothing in it is random


def test_load_stats_have_a_row_for_each_worked_example() -> None:
    (picture,) = pictures_of(*measured("adaptive"))
    assert picture.rows == ("8 3 14 8 5", "8 3 14", "1 4 3")
    assert picture.columns == ("0", "1", "2", "3", "4")
    assert all(sum(row) > 0 for row in picture.java)


def test_a_crash_is_no_sample() -> None:
    distribution, java, subject = measured("sticky")
    subject.first[CRASH] = (0, "it broke")
    assert pictures_of(distribution, java, subject) == ()


def cell(shows: Shows, java: Any, subject: Any, *, verdict: str = "diverges") -> dict[str, Any]:
    """A cell as a file has it, with one picture."""
    names = tuple(str(number) for number in range(len(java[0])))
    rows = names if shows is Shows.TRANSITIONS else tuple(f"row {at}" for at in range(len(java)))
    picture = Picture("d", shows, rows, names, java, subject)
    return {
        "tests": [{"distribution": "d", "p": None, "verdict": verdict}],
        "pictures": [plain(picture)],
    }


def test_bars_are_as_high_as_shares() -> None:
    (plot,) = drawn(cell(Shows.PARTITIONS, ((50, 50),), ((100, 0),)))
    assert plot.alternative == "In %, partitions 0, 1. Java: 50.0, 50.0. This subject: 100.0, 0.0"
    assert "v-86h" in plot.subject
    assert "v-43h" in plot.java
    assert "v-0h" in plot.subject


def test_heat_maps_have_a_cell_for_each_pair() -> None:
    (plot,) = drawn(cell(Shows.TRANSITIONS, ((0, 9), (9, 0)), ((9, 0), (0, 9))))
    java, subject = plot.panels
    assert dict(java.levels) == {
        0: "M0 0h1v1h-1zM1 1h1v1h-1z",
        7: "M1 0h1v1h-1zM0 1h1v1h-1z",
    }
    assert [label.split() for label in subject.labels] == [
        ["0", "1"],
        ["0", "100", "0"],
        ["1", "0", "100"],
    ]


def test_nothing_counted_is_drawn_as_nothing() -> None:
    (plot,) = drawn(cell(Shows.PARTITIONS, ((5, 5),), ((0, 0),)))
    assert "This subject: 0.0, 0.0" in plot.alternative
    (words,) = drawn(cell(Shows.IN_A_ROW, ((5, 5),), ((0, 0),)))
    assert words.alternative.endswith("Java 1.00, This subject 0.00")


@pytest.mark.parametrize(
    "nothing",
    [
        cell(Shows.PARTITIONS, ((5, 5),), ((4, 6),), verdict="conforms"),  # judged exactly
        cell(Shows.PARTITIONS, ((5, 5),), ((5, 5),)),  # the same
        cell(Shows.PARTITIONS, ((5,) * 17,), ((6,) * 17,)),  # too large
        cell(Shows.PARTITIONS, ((5, 5),), ((5, 5, 5),)),  # not of one shape
        cell(Shows.TRANSITIONS, ((5, 5),), ((5, 6),)),  # not square
    ],
)
def test_what_shows_nothing_is_not_drawn(nothing: dict[str, Any]) -> None:
    assert drawn(nothing) == []

"""What the schema of reports allows and what it does not, by another library than the suite's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

from conformance.model.results import Verdict
from tests.cli.running import check_schema
from tests.reports.samples import (
    absent,
    conforming,
    diverging,
    loaded,
    not_run,
    report,
    sampled,
    usual,
)


def check(folder: Path, document: dict[str, Any]) -> None:
    """Raises :class:`ValidationError` for a document that is not valid."""
    path = folder / "report.json"
    path.write_text(json.dumps(document), "utf-8")
    check_schema(path, "report")


@pytest.mark.parametrize("name", ["a library", None])
def test_reports_are_valid(tmp_path: Path, name: str | None) -> None:
    check(tmp_path, usual(name))
    check(tmp_path, report([loaded()], name))
    check(tmp_path, report([sampled(verdict=Verdict.CONFORMS)], name))


def test_a_cell_that_fell_apart_after_cases_is_valid(tmp_path: Path) -> None:
    # The testee did not end as it should: the cases are told, and the cell is not run.
    document = report([conforming("keyed", "3.8.0")])
    document["cells"][0] |= {"verdict": "not run", "reason": "it exited with code 7"}
    check(tmp_path, document)


def test_a_test_without_enough_records_is_told_beside_one_that_diverges(tmp_path: Path) -> None:
    document = report([sampled()])
    document["cells"][0]["tests"][3] |= {"verdict": "not run", "p": None, "corrected_p": None}
    document["cells"][0]["reason"] = "use more records"
    check(tmp_path, document)


def _cell(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda cell: cell.update(changes)


@pytest.mark.parametrize(
    ("cell", "change"),
    [
        (conforming("keyed", "3.8.0"), _cell(cases=0)),
        (conforming("keyed", "3.8.0"), _cell(reason="but")),
        (conforming("keyed", "3.8.0"), _cell(differences={"partition: another state": 1})),
        (conforming("keyed", "3.8.0"), _cell(verdict="passed")),
        (diverging(), _cell(divergence=None)),
        (diverging(), _cell(differences={})),
        (diverging(verdict=Verdict.KNOWN), _cell(differences={})),
        (sampled(), _cell(tests=[])),
        (sampled(), _cell(records=0)),
        (not_run(), _cell(reason="")),
        (absent(), _cell(reason="")),
        (absent(), _cell(cases=1)),
        (absent(), _cell(records=1)),
        (absent(), _cell(refused=1)),
    ],
)
def test_a_verdict_needs_its_grounds(
    tmp_path: Path, cell: Any, change: Callable[[dict[str, Any]], None]
) -> None:
    document = report([cell])
    check(tmp_path, document)
    change(document["cells"][0])
    with pytest.raises(ValidationError):
        check(tmp_path, document)


def test_every_member_is_needed_and_no_other_is_allowed(tmp_path: Path) -> None:
    def places(document: dict[str, Any]) -> list[dict[str, Any]]:
        cell, testee = document["cells"][3], document["testee"]
        return [
            *(document, cell, cell["tests"][0], cell["pictures"][0], cell["seconds"]),
            *(testee, testee["known"][0], testee["behaviours"]["keyed"]),
        ]

    for at, place in enumerate(places(usual())):
        for name in [*place, "of tomorrow"]:
            changed = usual()
            if name in place:
                del places(changed)[at][name]
            else:
                places(changed)[at][name] = 1
            if name == "testee":  # a run of the port has none
                check(tmp_path, changed)
                continue
            with pytest.raises(ValidationError):
                check(tmp_path, changed)

"""An exact testee that takes records: they are run whatever the cases found, and both count."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from conformance.clients.versions import client_named
from conformance.engine import cell as engine_cell
from conformance.engine.cell import Effort, run_cell
from conformance.engine.known import KnownDivergence, KnownDivergences
from conformance.engine.plan import behaviour_named
from conformance.model.difference import AnswerKind, AnswerSort, Difference, Part
from conformance.model.results import Cell, CellResult, TestResult, Verdict
from conformance.subjects.function import FunctionTestee
from conformance.testees.protocol import Hello, Support
from tests.cli.running import PROJECT, Outcome, check_schema
from tests.testees.running import TINY, run_here

_OK, _DIVERGES, _KNOWN, _NOT_RUN, _ = Verdict
_CELL = Cell("keyed", "3.8.0")
_OF_CASES = "partition: a number for another"
_OF_RECORDS = "uuid: record by record"
_DEATH = Difference(
    "partition",
    Part.ANSWER,
    AnswerKind(AnswerSort.VALUE, "a number"),
    AnswerKind(AnswerSort.DEATH, "died"),
)
_DIED = str(_DEATH)
PROGRAM = f"""
import sys
sys.path.insert(0, {str(PROJECT)!r})
from tests.testees.broken.records import Recorded

class OddWithoutBytes(Recorded):
    def partition(self, key, count):
        if key == b"":
            return 1 % count if count > 1 else 0
        return super().partition(key, count)

    def spoil(self, partitions):
        return [*partitions[:-1], partitions[-1] ^ (sys.argv[1] == "astray")]

OddWithoutBytes(".").run()
"""
_ENTRY = (
    '[[divergence]]\nbehaviour = "keyed"\nclients = ["3.8.0"]\ncause = "c"\nlink = "l"\n'
    "differences = {differences}\n"
)


@pytest.mark.parametrize(
    ("cases", "records", "both"),
    [
        (_OK, _OK, _OK),
        (_OK, _KNOWN, _KNOWN),
        (_OK, _NOT_RUN, _NOT_RUN),
        (_OK, _DIVERGES, _DIVERGES),
        (_KNOWN, _OK, _KNOWN),
        (_KNOWN, _KNOWN, _KNOWN),
        (_KNOWN, _NOT_RUN, _NOT_RUN),
        (_KNOWN, _DIVERGES, _DIVERGES),
        (_DIVERGES, _OK, _DIVERGES),
        (_DIVERGES, _KNOWN, _DIVERGES),
        (_DIVERGES, _NOT_RUN, _DIVERGES),
    ],
)
def test_the_worse_verdict_stands_and_all_differences_are_kept(
    monkeypatch: pytest.MonkeyPatch, cases: Verdict, records: Verdict, both: Verdict
) -> None:
    result = _run(monkeypatch, cases, records, _OF_CASES)
    assert (result.verdict, result.records) == (both, 9)
    assert set(result.differences) == {
        *([_OF_CASES] if cases in (_KNOWN, _DIVERGES) else []),
        *([_OF_RECORDS] if records in (_KNOWN, _DIVERGES) else []),
    }
    assert bool(result.reason) == (records is _NOT_RUN)


@pytest.mark.parametrize(("cases", "difference"), [(_NOT_RUN, ""), (_DIVERGES, _DIED)])
def test_what_was_not_run_or_dies_is_not_asked_for_records(
    monkeypatch: pytest.MonkeyPatch, cases: Verdict, difference: str
) -> None:
    assert _run(monkeypatch, cases, _OK, difference).records == 0


def _run(
    monkeypatch: pytest.MonkeyPatch, cases: Verdict, records: Verdict, difference: str
) -> CellResult:
    """A cell of which cases and records come to these verdicts."""
    failed = TestResult("keyed/uuid", "record by record", _DIVERGES, 9, "")
    diverged = records in (_KNOWN, _DIVERGES)
    of_cases = CellResult(
        _CELL,
        cases,
        cases=10,
        differences={difference: 3} if cases in (_KNOWN, _DIVERGES) else {},
        kinds={_DIED: _DEATH} if difference == _DIED else {},
    )
    of_records = CellResult(
        _CELL,
        records,
        records=9,
        reason="too few" if records is _NOT_RUN else "",
        differences={_OF_RECORDS: 1} if diverged else {},
        tests=(failed,) if diverged else (),
    )
    monkeypatch.setattr(engine_cell, "check_cell", lambda *_, **__: of_cases)
    subject = FunctionTestee(Hello("x", "", "x", {"keyed": Support("exact", records=True)}), {})
    known = KnownDivergences((KnownDivergence("keyed", ("3.8.0",), (_OF_CASES,), "c", "l"),))
    effort = Effort(10, 0, known=known, sample=lambda *_, **__: of_records)
    return run_cell(behaviour_named("keyed"), client_named("3.8.0"), subject, subject, effort)


def test_a_run_that_judges_cases_only_does_not_pass_over_records() -> None:
    hello = Hello("x", "", "x", {"sticky": Support("statistical")})
    subject = FunctionTestee(hello, {})
    behaviour, client = behaviour_named("sticky"), client_named("3.8.0")
    result = run_cell(behaviour, client, subject, subject, Effort(10, 0))
    assert result.verdict is _NOT_RUN
    assert "this run judges cases only" in result.reason


def _whole(folder: Path, spoilt: str, *known: str) -> Outcome:
    program, file = folder / "testee.py", folder / "known.toml"
    program.write_text(PROGRAM, "utf-8")
    file.write_text(_ENTRY.format(differences=json.dumps(known)) if known else "", "utf-8")
    return run_here(
        [
            *("testee", "--profile", TINY, "--java-client", "3.8.0", "--records", "3000"),
            *("--known", str(file), "--write-known", str(folder / "draft.toml")),
            *("--json", str(folder / "r.json"), "--junit", str(folder / "r.xml")),
            *("--output", str(folder), "--", sys.executable, str(program), spoilt),
        ]
    )


def test_records_are_run_behind_a_known_divergence(tmp_path: Path, here: None) -> None:
    found = _differences(_whole(tmp_path, "honest"), tmp_path, 1)
    outcome = _whole(tmp_path, "honest", *found)
    assert _differences(outcome, tmp_path, 0) == found
    outcome.expect(0, "known to diverge", "9,000 records")


def test_a_new_divergence_of_records_behind_a_known_one_fails(tmp_path: Path, here: None) -> None:
    known = _differences(_whole(tmp_path, "honest"), tmp_path, 1)
    outcome = _whole(tmp_path, "astray", *known)
    found = _differences(outcome, tmp_path, 1)
    new = [f"{family}: record by record" for family in ("uuid", "long", "url")]
    assert found == [*known, *new]
    told = f"This case is known. These differences in records are not known: {'; '.join(new)}"
    outcome.expect(1, told, "keyed/uuid: record by record: 1 of")
    failure = ET.parse(tmp_path / "r.xml").getroot().find("testsuite/testcase/failure")
    assert failure is not None
    assert "keyed/uuid: record by record: 1 of" in (failure.text or "")
    # And one draft has all of it.
    assert all(json.dumps(kind) in (tmp_path / "draft.toml").read_text("utf-8") for kind in found)
    assert _differences(_whole(tmp_path, "astray", *found), tmp_path, 0) == found


def _differences(outcome: Outcome, folder: Path, code: int) -> list[str]:
    outcome.expect(code)
    [cell] = check_schema(folder / "r.json", "report")["cells"]
    return list(cell["differences"])

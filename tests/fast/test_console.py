"""The matrix on a terminal: what was tried in part only is not overlooked."""

import io

from rich.console import Console

from conformance.engine.events import CellProgress, CellStarted, RunFinished, RunStarted
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.reports.console import ConsoleReport
from conformance.text import percent


def _shown(*results: CellResult) -> str:
    screen = io.StringIO()
    console = Console(
        file=screen, width=200, color_system="standard", force_terminal=True, highlight=False
    )
    ConsoleReport(console)(RunFinished(RunResult(results, 1.0, 1)))
    return screen.getvalue()


def test_refused_cases_stand_first_in_their_cell_and_in_the_summary() -> None:
    text = _shown(
        CellResult(Cell("keyed", "3.2.3"), Verdict.CONFORMS, cases=80, refused=70),
        CellResult(Cell("keyed", "3.8.0"), Verdict.CONFORMS, cases=150),
    )
    # Green ends before it, and bold yellow begins.
    assert "\x1b[32mconforms\x1b[0m\x1b[1;33m, 70 OF 150 CASES NOT TRIED\x1b[0m" in text
    assert "conforms, 150 cases" in text.replace("\x1b[0m\x1b[32m", "")
    assert text.splitlines()[-1].endswith("; 70 of 300 cases not tried")


def test_nothing_is_said_of_refusals_if_there_are_none() -> None:
    text = _shown(CellResult(Cell("keyed", "3.8.0"), Verdict.CONFORMS, cases=150))
    assert "tried" not in text.lower()


def test_what_a_testee_cannot_be_asked_stands_first_in_its_cell_and_in_the_summary() -> None:
    text = _shown(
        CellResult(Cell("murmur2", "3.2.3"), Verdict.CONFORMS, cases=80, limit="only toPositive"),
        CellResult(Cell("murmur2", "3.8.0"), Verdict.CONFORMS, cases=80),
    )
    assert "\x1b[32mconforms\x1b[0m\x1b[1;33m, only toPositive\x1b[0m" in text
    assert text.splitlines()[-1].endswith("; 1 of 2 cells in part only")


def test_records_are_counted_as_records_before_and_after() -> None:
    screen = io.StringIO()
    listen = ConsoleReport(Console(file=screen, width=200))
    cell = Cell("sticky", "3.2.3")
    listen(RunStarted(0, "quick", "Java and a library", "a library", {cell: 0}, (), 1))
    listen(CellStarted(cell))
    listen(CellProgress(cell, 500_000))
    result = CellResult(cell, Verdict.CONFORMS, records=1_000_000)
    listen(RunFinished(RunResult((result,), 33.2, 1)))
    first, last = screen.getvalue().splitlines()[0], screen.getvalue().splitlines()[-1]
    assert first.startswith("Java and a library: 1 cell, records of 1 (profile quick")
    assert last.endswith("; 1,000,000 records in 33.2 s")


def test_cases_and_records_are_told_side_by_side() -> None:
    both = CellResult(Cell("keyed", "3.2.3"), Verdict.CONFORMS, cases=1200, records=20)
    assert "; 1,200 cases and 20 records in 1.0 s" in _shown(both)
    assert "; 0 cases in 1.0 s" in _shown(CellResult(Cell("keyed", "3.2.3"), Verdict.NOT_RUN))


def test_a_share_is_zero_only_if_it_is_none() -> None:
    shares = [0, 0.0125, 0.001, 0.00099, 0.0000123, -0.00001, 1.5]
    told = ["0.00%", "1.25%", "0.10%", "0.099%", "0.0012%", "-0.001%", "150.00%"]
    assert [percent(share) for share in shares] == told

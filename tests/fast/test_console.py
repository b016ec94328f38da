"""The matrix on a terminal: what was tried in part only is not overlooked."""

import io

from rich.console import Console

from conformance.engine.events import RunFinished
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.reports.console import ConsoleReport


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

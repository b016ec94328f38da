"""A run on the terminal: live progress while it lasts, a matrix at its end."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from conformance.engine.events import (
    CellFinished,
    CellProgress,
    CellStarted,
    Event,
    RunFinished,
    RunStarted,
)
from conformance.model.results import Cell, CellResult, RunResult, Verdict, untried_cases
from conformance.text import counted, tried

VERDICT_STYLES = {
    Verdict.CONFORMS: "green",
    Verdict.DIVERGES: "bold red",
    Verdict.KNOWN: "magenta",
    Verdict.NOT_RUN: "bold yellow",
    Verdict.ABSENT: "dim",
}
"""How a verdict looks on a terminal with colours."""
UNTRIED_STYLE = "bold yellow"
"""How it looks that cases could not be tried, whatever came of the others."""


def make_console(*, stderr: bool = False) -> Console:
    """A console that respects NO_COLOR; in a log it is wide enough for the matrix."""
    console = Console(stderr=stderr, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, 120)
    return console


def terminal_progress(console: Console, *columns: ProgressColumn) -> Progress:
    """These columns, the time that has passed, and what is left; on a terminal only, until all
    is done."""
    return Progress(
        *columns,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class ConsoleReport:
    """Listens to a run; progress goes to a terminal only, the rest is plain text."""

    def __init__(self, console: Console, *, matrix: bool = True) -> None:
        """Without ``matrix`` the results are for somebody else to show."""
        self._console = console
        self._matrix = matrix
        self._progress = terminal_progress(
            console,
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cases, {task.fields[rate]}/s"),
        )
        self._planned: dict[Cell, int] = {}
        self._done: dict[Cell, int] = {}
        self._tasks: dict[Cell, TaskID] = {}
        self._total: TaskID | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._start(event)
        elif isinstance(event, CellStarted):
            self._tasks[event.cell] = self._progress.add_task(
                str(event.cell), total=self._planned[event.cell] or None, rate="-"
            )
        elif isinstance(event, CellProgress):
            self._advance(event.cell, event.cases)
        elif isinstance(event, CellFinished):
            self._finish_cell(event.result)
        elif isinstance(event, RunFinished):
            self._progress.stop()
            if self._matrix:
                self._console.print(_matrix(event.run))
                self._console.print(Text(_summary(event.run)), soft_wrap=True)

    def close(self) -> None:
        """Give the terminal back, also after a run that did not come to its end."""
        self._progress.stop()

    def _start(self, event: RunStarted) -> None:
        self._planned = event.planned
        self._console.print(
            f"{event.subjects}: {counted(len(event.planned), 'cell')}, {self._what()} "
            f"(profile {event.profile}, seed {event.seed}, jobs {event.jobs})",
            markup=False,
            soft_wrap=True,
        )
        self._progress.start()
        total = sum(event.planned.values())
        self._total = self._progress.add_task("all", total=total, rate="-")

    def _what(self) -> str:
        """How much is going to be compared."""
        cases = sum(self._planned.values())
        sampled = sum(not planned for planned in self._planned.values())
        parts = [counted(cases, "case")] if cases else []
        return " and ".join([*parts, *([f"records of {sampled}"] if sampled else [])])

    def _advance(self, cell: Cell, cases: int) -> None:
        # What is sampled is told in records, and these come after the cases where it has both.
        cases = min(cases, self._planned[cell])
        self._done[cell] = cases
        if cell in self._tasks:
            self._update(self._tasks[cell], cases)
        if self._total is not None:
            self._update(self._total, sum(self._done.values()))

    def _update(self, task: TaskID, cases: int) -> None:
        speed = next((t.speed for t in self._progress.tasks if t.id == task), None)
        self._progress.update(task, completed=cases, rate="-" if speed is None else f"{speed:.0f}")

    def _finish_cell(self, result: CellResult) -> None:
        self._advance(result.cell, self._planned[result.cell])
        task = self._tasks.pop(result.cell, None)
        if task is not None:
            self._progress.remove_task(task)
        if self._matrix and result.verdict in (Verdict.DIVERGES, Verdict.NOT_RUN):
            self._console.print(_line(result), soft_wrap=True)


def _line(result: CellResult) -> Text:
    what = result.reason if result.verdict is Verdict.NOT_RUN else "see below"
    return Text(f"{result.cell}: {result.verdict}: {what}", VERDICT_STYLES[result.verdict])


def _matrix(run: RunResult) -> Table:
    clients = list(dict.fromkeys(result.cell.client for result in run.results))
    table = Table(title="Conformance, behaviours by client version", title_justify="left")
    table.add_column("behaviour", no_wrap=True)
    for client in sorted(clients, key=version_key):
        table.add_column(client)
    by_cell = {result.cell: result for result in run.results}
    for behaviour in dict.fromkeys(result.cell.behaviour for result in run.results):
        cells = [by_cell[Cell(behaviour, c)] for c in sorted(clients, key=version_key)]
        table.add_row(behaviour, *(_cell_text(result) for result in cells))
    return table


def version_key(version: str) -> list[int]:
    """For sorting versions by their numbers, 3.10.0 after 3.9.0."""
    return [int(part) for part in version.split(".") if part.isdigit()]


def _cell_text(result: CellResult) -> Text:
    style = VERDICT_STYLES[result.verdict]
    if result.verdict is Verdict.ABSENT:
        return Text(f"absent: {result.reason}", style)
    if result.verdict is Verdict.NOT_RUN:
        return Text("NOT RUN", style)
    shown = {Verdict.CONFORMS: "conforms", Verdict.KNOWN: "known to diverge"}
    text = Text(shown.get(result.verdict, "DIVERGES"), style)
    # First, and in a colour of its own: a verdict on half of the cases is half a verdict.
    for told in filter(None, (result.limit, result.untried.upper())):
        text.append(f", {told}", UNTRIED_STYLE)
    if result.cases:
        text.append(f", {counted(result.cases, 'case')}")
    if result.records:
        text.append(f", {counted(result.records, 'record')}")
    return text.append(f", {result.seconds.total:.1f} s")


def _summary(run: RunResult) -> str:
    counts = dict.fromkeys(Verdict, 0)
    for result in run.results:
        counts[result.verdict] += 1
    parts = [
        f"{counts[Verdict.CONFORMS]} conform",
        f"{counts[Verdict.DIVERGES]} diverge",
        *([f"{counts[Verdict.KNOWN]} known to diverge"] if counts[Verdict.KNOWN] else []),
        f"{counts[Verdict.NOT_RUN]} not run",
        f"{counts[Verdict.ABSENT]} absent from their version",
    ]
    cases = sum(result.cases for result in run.results)
    compared = tried(cases, sum(result.records for result in run.results))
    stopped = "Interrupted. " if run.interrupted else ""
    told = f"{stopped}{', '.join(parts)}; {compared} in {run.seconds:.1f} s"
    if cases:
        told += f", {run.overhead:.0%} of it overhead"
    limited = sum(bool(result.limit) for result in run.results)
    return "; ".join(
        filter(
            None,
            (
                told,
                untried_cases(sum(result.refused for result in run.results), cases),
                f"{limited} of {counted(len(run.results), 'cell')} in part only" if limited else "",
            ),
        )
    )

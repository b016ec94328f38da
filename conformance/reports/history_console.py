"""A history on the terminal: progress over all pairs of versions, a table at the end."""

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from conformance.engine.events import CellFinished, Event
from conformance.gate.history import History, State
from conformance.model.results import RunResult, Verdict
from conformance.reports.history_words import not_run, smallest_case, story

_STYLES = {
    State.CHANGED: "bold red",
    State.GONE: "bold red",
    State.NEW: "cyan",
    State.NOT_COMPARABLE: "bold yellow",
    State.ABSENT: "dim",
}


class HistoryProgress:
    """Listens to the runs of all pairs; a bar on a terminal, a line per pair in any case."""

    def __init__(self, console: Console, cells: int) -> None:
        """``cells`` is how many there are in all pairs together."""
        self._console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("behaviours"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=cells)
        self._progress.start()

    def __call__(self, event: Event) -> None:
        if isinstance(event, CellFinished):
            self._progress.advance(self._task)

    def begin(self, pair: str) -> None:
        """A pair is begun, such as ``3.8.0 to 3.9.1``."""
        self._progress.update(self._task, description=pair)

    def end(self, pair: str, run: RunResult | None) -> None:
        """It has its results; None if the two have nothing in common."""
        self._console.print(f"{pair}: {_counts(run)}", markup=False, soft_wrap=True)

    def close(self) -> None:
        """Give the terminal back."""
        self._progress.stop()


def _counts(run: RunResult | None) -> str:
    if run is None:
        return "no behaviour in common"
    verdicts = [result.verdict for result in run.results]
    counts = {
        "the same": verdicts.count(Verdict.CONFORMS),
        "changed": verdicts.count(Verdict.DIVERGES),
        "not comparable": verdicts.count(Verdict.NOT_RUN),
    }
    return ", ".join(f"{n} {what}" for what, n in counts.items() if n) + f"; {run.seconds:.0f} s"


def print_history(console: Console, history: History) -> None:
    """The spans of each behaviour, the smallest case of each change, and what was not run."""
    table = Table(title="When each behaviour changed", title_justify="left")
    for column in ("behaviour", "versions", "what"):
        table.add_column(column, no_wrap=column == "versions")
    for row in history.rows:
        for number, told in enumerate(story(row)):
            name = "" if number else row.behaviour
            table.add_row(name, told.versions, Text(told.what), style=_STYLES.get(told.state, ""))
        for note in row.notes:
            table.add_row("", "", Text(note), style="dim")
    console.print(table)
    for row in history.rows:
        for point in row.points:
            if case := smallest_case(point):
                line = f"{row.behaviour}, {point.before} to {point.version}: {case}"
                console.print(line, markup=False, soft_wrap=True)
    for line in not_run(history):
        console.print(f"[bold yellow]{escape(line)}[/]", soft_wrap=True)
    # Versions that are missing for one reason have one remedy.
    for remedy in dict.fromkeys(release.remedy for release in history.releases if release.remedy):
        console.print(f"  {remedy}", markup=False, soft_wrap=True)

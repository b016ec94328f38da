"""The end of a gate on the terminal: a table of what became of each behaviour, and a summary."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.gate.driven import Classes
from conformance.gate.outcomes import BehaviourChange, Change
from conformance.reports.gate_classes import undriven_lines
from conformance.reports.html.text import visible

_MOST_CLASSES = 40

_STYLES = {
    Change.SAME: "green",
    Change.CHANGED: "bold red",
    Change.CHANGE_ACCEPTED: "magenta",
    Change.GONE: "bold red",
    Change.LOSS_ACCEPTED: "magenta",
    Change.NEW: "cyan",
    Change.NEITHER: "dim",
    Change.NOT_COMPARABLE: "bold yellow",
}


def changes_table(
    outcomes: Sequence[BehaviourChange], columns: tuple[str, str] = ("behaviour", "cases")
) -> Table:
    """One row for each behaviour, or whatever the columns say is compared."""
    table = Table()
    table.add_column(columns[0], no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column(columns[1], justify="right", no_wrap=True)
    table.add_column("what")
    for one in outcomes:
        # What could not be compared is told in full below: a cell of a table breaks its lines.
        what = one.what.splitlines()[0] if one.change is Change.NOT_COMPARABLE else one.what
        row = (one.behaviour, str(one.change), cases_of(one), what)
        table.add_row(*map(Text, row), style=_STYLES[one.change])
    return table


def cases_of(outcome: BehaviourChange) -> str:
    """How many cases were compared, and of how many, if the time did not last."""
    if not outcome.planned:
        return ""
    if outcome.cases < outcome.planned:
        return f"{outcome.cases:,} of {outcome.planned:,}"
    return f"{outcome.cases:,}"


def counted(outcomes: Sequence[BehaviourChange]) -> str:
    """Such as ``1 changed, 3 gone, 8 same``: what is worst first."""
    order = (
        *(Change.CHANGED, Change.GONE, Change.NOT_COMPARABLE),
        *(Change.CHANGE_ACCEPTED, Change.LOSS_ACCEPTED),
        *(Change.SAME, Change.NEW, Change.NEITHER),
    )
    numbers = Counter(one.change for one in outcomes)
    return ", ".join(f"{numbers[change]} {change}" for change in order if numbers[change])


def show_reasons(console: Console, outcomes: Sequence[BehaviourChange]) -> None:
    """Why some could not be compared, in full."""
    left = [one for one in outcomes if one.change is Change.NOT_COMPARABLE]
    if left:
        console.print("Not comparable:", style="bold yellow")
    for one in left:
        console.print(f"  {one.behaviour}: {one.what}", markup=False, soft_wrap=True)


def show_classes(console: Console, classes: Classes) -> None:
    """The changed classes that no behaviour drives, and how many changed at all."""
    lines = undriven_lines(classes, _MOST_CLASSES)
    if lines:
        console.print("Changed, but driven by no behaviour:")
    for line in lines:
        style = "bold red" if classes.fails else "yellow"
        console.print(f"  {visible(line)}", markup=False, soft_wrap=True, style=style)
    console.print(classes.summary, markup=False, soft_wrap=True)

"""What is told of a run: each command beside its budget, warnings, the table of CONTRIBUTING."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from timing.budgets import Budget, Budgets
from timing.parts import Slowest, slowest_parts
from timing.times import Times

SHOWN: Final = 5
"""So many of the slowest parts are told."""
SHOWN_IN_TABLE: Final = 3
UNMEASURED: Final = "TO MEASURE"
_LONGEST_NAME: Final = 60


@dataclass(frozen=True)
class Row:
    """A command and its budget."""

    budget: Budget
    allowed: float
    """Seconds, on this machine."""
    taken: float | None
    """Seconds; None if it was not run."""
    exit_code: int = 0

    @property
    def over(self) -> bool:
        """Whether it took longer than it may."""
        return self.taken is not None and self.taken > self.allowed

    @property
    def warning(self) -> str:
        """That it did, in a sentence or two."""
        taken = self.taken or 0.0
        return (
            f"{self.budget.name} took {clock(taken)} minutes, {taken / self.allowed - 1:.0%} more "
            f"than the {clock(self.allowed)} that it may take on this machine. CONTRIBUTING.md, "
            "Time, says what to do."
        )


def rows(budgets: Budgets, times: Times) -> list[Row]:
    """Each command beside its budget, and then the whole run."""
    # Without a yardstick the budgets hold as they are: it is told, and better than nothing.
    scale = 1.0 if times.yardstick is None else times.yardstick / budgets.yardstick_seconds
    found = []
    for budget in budgets.commands:
        command = times.last(budget.name)
        taken, code = (None, 0) if command is None else (command.seconds, command.exit_code)
        found.append(Row(budget, budget.allowed(scale), taken, code))
    whole = max(0.0, times.ended - times.began)
    return [*found, Row(budgets.whole, budgets.whole.allowed(scale), whole)]


def checked(budgets: Budgets, times: Times) -> str:
    """The whole comparison but for the warnings: yardstick, table, slowest parts."""
    lines = [_yardstick(budgets, times), ""]
    width = max(len(row.budget.name) for row in rows(budgets, times))
    lines.append(f"{'command':{width}}  budget  allowed here   taken  share")
    for row in rows(budgets, times):
        line = f"{row.budget.name:{width}}  {clock(row.budget.minutes * 60):>6}"
        line += f"  {clock(row.allowed):>12}"
        if row.taken is None:
            line += "  not run"
        else:
            line += f"  {clock(row.taken):>6}  {row.taken / row.allowed:>5.0%}"
        lines.append(f"{line}  exit code {row.exit_code}" if row.exit_code else line)
    lines += ["", "The slowest parts, in seconds", *_slowest_lines(budgets, times)]
    return "\n".join(lines)


def table(budgets: Budgets, times: Times | None) -> str:
    """The Markdown table of CONTRIBUTING; what was not measured is marked so."""
    lines = [
        "| command | budget, minutes | last measured, minutes | its slowest parts |",
        "| --- | --- | --- | --- |",
    ]
    for budget in (*budgets.commands, budgets.whole):
        taken, parts = UNMEASURED, UNMEASURED
        if times is not None and budget is budgets.whole:
            taken, parts = clock(times.ended - times.began), "the commands above"
        elif times is not None and (command := times.last(budget.name)) is not None:
            found = slowest_parts(budget, command)
            taken = clock(command.seconds)
            parts = "; ".join(_named(one, SHOWN_IN_TABLE) for one in found if one.parts) or parts
        lines.append(f"| `{budget.name}` | {budget.minutes:g} | {taken} | {parts} |")
    seconds = None if times is None else times.yardstick
    measured = UNMEASURED if seconds is None else f"{seconds:.2f} s"
    lines += ["", f"The yardstick of that run: {measured}; of the budgets: "]
    lines[-1] += f"{budgets.yardstick_seconds:.2f} s."
    return "\n".join(lines)


def clock(seconds: float) -> str:
    """Minutes and seconds, such as ``4:05``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def _yardstick(budgets: Budgets, times: Times) -> str:
    if times.yardstick is None:
        return "Yardstick: not measured in this run, so the budgets are taken as they are."
    measured = ", then ".join(f"{seconds:.2f} s" for seconds in times.yardsticks)
    text = (
        f"Yardstick: {measured}; mean {times.yardstick:.2f} s. The budgets go with "
        f"{budgets.yardstick_seconds:.2f} s, so this machine is allowed "
        f"{times.yardstick / budgets.yardstick_seconds:.2f} times as much."
    )
    if times.unsteady:
        text += "\nThe machine's speed changed during the run: read the shares with care."
    return text


def _slowest_lines(budgets: Budgets, times: Times) -> Iterator[str]:
    for budget in budgets.commands:
        command = times.last(budget.name)
        if command is None:
            continue
        yield budget.name
        for one in slowest_parts(budget, command):
            yield f"  {_named(one, SHOWN)}" if one.parts else f"  {one.what}: {one.unknown}"


def _named(one: Slowest, count: int) -> str:
    parts = (f"{_short(name)} {seconds:.0f} s" for name, seconds in one.parts[:count])
    return f"{one.what}: {', '.join(parts)}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 4]} ..."

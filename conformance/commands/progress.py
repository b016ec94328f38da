"""How far a command is with its records, on a terminal: how many, how fast, how long still."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, TextColumn

from conformance.reports.console import terminal_progress


class TellBar(Protocol):
    """Is told how many records are done, of how many (None if nobody knows), after how long.

    ``now_doing`` is another word for the work, if there is any.
    """

    def __call__(
        self, records: int, of: int | None, seconds: float, now_doing: str | None = None
    ) -> None: ...


@contextmanager
def records_bar(console: Console, doing: str, total: int | None = None) -> Iterator[TellBar]:
    """A bar that is there until the end, on a terminal only; ``doing`` is a word for the work."""
    bar = terminal_progress(
        console,
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]} of {task.fields[of]} records, {task.fields[rate]}/s"),
    )
    task = bar.add_task(doing, done="0", of=_of(total), rate="-", total=total)

    def tell(records: int, of: int | None, seconds: float, now_doing: str | None = None) -> None:
        rate = records / seconds if seconds else 0.0
        bar.update(
            task,
            description=now_doing or doing,
            total=of,
            completed=records,
            done=f"{records:,}",
            of=_of(of),
            rate=f"{rate:,.0f}",
        )

    with bar:
        yield tell


def _of(total: int | None) -> str:
    return "-" if total is None else f"{total:,}"

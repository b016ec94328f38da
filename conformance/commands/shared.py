"""What the commands share: exit codes, options, errors for people."""

import re
import secrets
import sys
import traceback
from collections.abc import Callable
from decimal import Decimal
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import Any

import click
from rich.console import Console
from rich.filesize import decimal
from rich.markup import escape

from conformance.commands.unfinished import write_unfinished
from conformance.errors import ExitCode, SuiteError, UsageError
from conformance.jars.lock import LockedJar
from conformance.jars.store import JARS_VARIABLE
from conformance.reports.console import make_console

_WIDTH = 76
"""Of a help text, which click indents by two more: a terminal has 80 columns."""
_MISTAKE = "your mistake: an unknown name or option, a file that cannot be read or written"


def exit_codes(conforms: str, diverges: str, not_run: str, *, mistake: str = _MISTAKE) -> str:
    """The end of a command's help: what its exit codes say. docs/running.md has all of them.

    A code that a command never gives is left out: its meaning is empty.
    """
    meanings = enumerate((conforms, diverges, mistake, not_run))
    lines = [
        fill(f"{code}  {meaning}", _WIDTH, initial_indent="  ", subsequent_indent=" " * 5)
        for code, meaning in meanings
        if meaning
    ]
    return "\n".join(("\b", "Exit codes:", *lines))  # \b: click leaves these lines as they are


EXIT_CODES = exit_codes(
    "everything that ran conforms, and something ran",
    "a divergence",
    "something was not run: no Java, no jars, a JVM that died, Ctrl-C",
)
RESULTS = Path("conformance-results")
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}

jars_option = click.option(
    "--jars",
    "jars_folder",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Use the jars in this folder and fetch none. Also: {JARS_VARIABLE}.",
)


def for_people(command: Callable[..., int]) -> Callable[..., None]:
    """Turn a command's answer into an exit code, and its errors into messages."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        reason = ""
        failed = ExitCode.NOT_RUN
        try:
            code = command(*args, **options)
        except SuiteError as error:
            reason = str(error)
            message = f"[bold]Error:[/] {escape(reason)}"
            make_console(stderr=True).print(message, soft_wrap=True)
            code = failed = error.exit_code
        except click.ClickException:
            raise
        except Exception as error:  # Python's own exit code for it, 1, would mean a divergence
            reason = f"A bug in the suite: {error!r}"
            traceback.print_exc()
            make_console(stderr=True).print("[bold]Error:[/] a bug in the suite; please report it.")
            code = ExitCode.NOT_RUN
        except KeyboardInterrupt:
            reason = "Interrupted."
            make_console(stderr=True).print(reason)
            code = ExitCode.NOT_RUN
        if reason and failed in (ExitCode.USAGE, ExitCode.NOT_RUN):
            write_unfinished(make_console(stderr=True), reason, failed)
        sys.exit(int(code))

    return run


def seed_of(text: str) -> int:
    if text == "random":
        return secrets.randbits(32)
    try:
        return int(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is neither a number nor 'random'") from error


def fetch_progress(console: Console) -> Callable[[LockedJar, int, int], None]:
    def tell(jar: LockedJar, position: int, total: int) -> None:
        size = decimal(jar.size)
        console.print(f"Fetching {jar.coordinates} ({size}), {position} of {total}")

    return tell


def lasting(low: float, high: float) -> str:
    """How long something takes, from so many seconds to so many: said before it begins."""
    unit, seconds = ("minutes", 60) if high >= 120 else ("seconds", 1)
    least, most = (max(1, round(end / seconds)) for end in (low, high))
    return f"about {least} to {max(most, least + 1)} {unit}"


def parse_records(text: str) -> int:
    """``100M``, ``2.5k`` or ``100_000`` as a number; raises :class:`UsageError`."""
    match = re.fullmatch(r"([0-9][0-9_]*(?:\.[0-9]+)?)([kMG]?)", text.strip())
    if match is not None:
        # Exactly: 1.1k are 1,100, and 1.5 are none.
        number = Decimal(match[1].replace("_", "")) * _UNITS[match[2]]
        if number == int(number) and 0 < number <= 10**12:
            return int(number)
    raise UsageError(
        f"{text!r} is not a number of records.",
        "Write a whole number, like 500k, 2.5M, 2G or 100_000 (1 to 1000G).",
    )

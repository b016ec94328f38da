"""Time the commands of a clone and hold each to its budget; standard library only.

python3 scripts/budgets.py measure --new-run       # the yardstick, before anything else runs
python3 scripts/budgets.py time "tox" -- tox       # the name of a budget, then any command
python3 scripts/budgets.py measure                 # the yardstick again, after everything
python3 scripts/budgets.py check                   # what took how long, and warnings
python3 scripts/budgets.py table                   # the table of CONTRIBUTING.md, Time

Budgets are in .ci/budgets.toml; a run is written to conformance-results/times.json, below the
folder in which this is called. ``time`` has the exit code of its command, as a shell tells it (128
and the signal's number, if one ended it). The others: 0, also if a budget was passed, which is a
warning, since machines differ; 2 a mistake, such as a file that is damaged; 3 a file that cannot
be written or a yardstick that cannot be measured.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final

# Nothing is installed yet; Python adds only the folder of this file.
sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from timing import yardstick
from timing.budgets import BUDGETS, Budgets, read_budgets
from timing.times import Command, Times, read_times, write_times
from timing.told import checked, rows, table

from conformance.errors import SuiteError, UsageError

RESULTS: Final = Path("conformance-results")
TIMES: Final = RESULTS / "times.json"
_NOT_FOUND, _NOT_EXECUTABLE, _BY_SIGNAL = 127, 126, 128
"""What shells answer."""


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says, or these words; answers the exit code."""
    words = sys.argv[1:] if words is None else words
    # Not left to argparse, which also takes the -- out of a command's own words.
    own = words.index("--") if "--" in words else len(words)
    command = words[own + 1 :]
    parser = _parser()
    options = parser.parse_args(words[:own])
    if bool(command) != (options.command == "time"):
        parser.error("only time takes a command after --, and it needs one")
    try:
        budgets = read_budgets(options.budgets)
        if options.command == "measure":
            return _measure(budgets, options.rounds, new_run=options.new_run)
        if options.command == "time":
            return _time(budgets, options.name, command)
        if options.command == "check":
            return _check(budgets)
        return _table(budgets)
    except SuiteError as error:
        print(f"Error: {error}", file=sys.stderr)
        return int(error.exit_code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budgets", type=Path, default=BUDGETS, help="another file of budgets")
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure", help="measure the yardstick")
    measure.add_argument("--new-run", action="store_true", help="discard the times of older runs")
    measure.add_argument("--rounds", type=_count, default=yardstick.ROUNDS)
    timed = commands.add_parser("time", help="run the command after -- and record its time")
    timed.add_argument("name", help="the name of its budget")
    commands.add_parser("check", help="compare each command with its budget")
    commands.add_parser("table", help="print the table of CONTRIBUTING.md")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _measure(budgets: Budgets, rounds: int, *, new_run: bool) -> int:
    began = time.time()
    times = Times(began, began) if new_run or not TIMES.exists() else read_times(TIMES)
    measured = yardstick.measure(rounds)
    if measured.answers != {budgets.yardstick_answer}:
        raise UsageError(
            "The yardstick's work does not match the budgets.",
            f"It answers {sorted(measured.answers)} and took {measured.median:.2f} s. If you "
            "changed it, write both to .ci/budgets.toml, measured while nothing else runs.",
        )
    times.yardsticks.append(measured.median)
    times.ended = time.time()
    write_times(TIMES, times)
    told = " ".join(f"{one:.2f}" for one in measured.seconds)
    print(f"Yardstick: {times.yardsticks[-1]:.2f} s, the median of {told}")
    return 0


def _time(budgets: Budgets, name: str, words: Sequence[str]) -> int:
    budgets.check_name(name)
    began = time.time()
    times = read_times(TIMES) if TIMES.exists() else Times(began, began)
    tox = RESULTS / f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}.tox.json"
    started = time.perf_counter()
    code = _run(words, {**os.environ, "TOX_RESULT_JSON": str(tox)})
    seconds = time.perf_counter() - started
    times.commands.append(Command(name, began, seconds, code, str(tox)))
    times.ended = time.time()
    try:
        write_times(TIMES, times)
    except SuiteError as error:
        # What came of the command matters more than how long it took.
        print(f"warning: the time of {name} is not recorded: {error}", file=sys.stderr)
    return code


def _run(words: Sequence[str], environment: dict[str, str]) -> int:
    """Run a command with our own input and output; answers what a shell would of its end."""
    try:
        process = subprocess.Popen(words, env=environment)
    except OSError as error:
        print(f"Error: {words[0]} cannot be run: {error.strerror or error}", file=sys.stderr)
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE

    def pass_on(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    # Ctrl-C reaches the command without us, as all of the terminal's processes, and it may take
    # its time to end; a second one would make many programs end at once.
    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else _BY_SIGNAL - code


def _check(budgets: Budgets) -> int:
    times = read_times(TIMES)
    print(checked(budgets, times))
    for row in rows(budgets, times):
        if row.over:
            print(f"warning: {row.warning}")
            if os.environ.get("GITHUB_ACTIONS"):
                print(f"::warning title=Time budget::{row.warning}")
    return 0


def _table(budgets: Budgets) -> int:
    print(table(budgets, read_times(TIMES) if TIMES.exists() else None))
    return 0


if __name__ == "__main__":
    sys.exit(main())

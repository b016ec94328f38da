"""What of a command took longest, as far as it left reports that tell."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final
from xml.etree import ElementTree

from timing.budgets import Budget, Parts
from timing.times import Command

_CLOCK_SECONDS: Final = 2.0
"""So coarse are the times of files on some disks."""

Seconds = Mapping[str, float]
"""What each part took, by its name."""


@dataclass(frozen=True)
class Slowest:
    """The slowest parts of a command by one report, or why they are not known."""

    what: str
    """What the parts are, such as ``cells``."""
    parts: tuple[tuple[str, float], ...] = ()
    """Names and seconds, the slowest first."""
    unknown: str = ""


def slowest_parts(budget: Budget, command: Command) -> list[Slowest]:
    """What tox and the command's own report tell, in this order.

    A report that is missing, damaged or older than the command is told as such.
    """
    told = []
    if command.tox:
        told.append(_slowest("steps of tox", Path(command.tox), command, _steps_of_tox))
    if budget.parts is not None and budget.report is not None:
        told.append(_slowest(str(budget.parts), budget.report, command, _READERS[budget.parts]))
    return told


def _slowest(
    what: str, path: Path, command: Command, read: Callable[[Path, float], Seconds]
) -> Slowest:
    since = command.began - _CLOCK_SECONDS
    try:
        if path.is_file() and path.stat().st_mtime < since:
            return Slowest(what, unknown=f"{path} is older than this run")
        seconds = read(path, since)
    except FileNotFoundError:
        return Slowest(what, unknown=f"there is no {path}")
    except (OSError, ElementTree.ParseError, ValueError, TypeError, KeyError) as error:
        return Slowest(what, unknown=f"{path} cannot be read: {type(error).__name__}: {error}")
    parts = sorted(seconds.items(), key=lambda part: part[1], reverse=True)
    if not parts:
        return Slowest(what, unknown=f"{path} has none from this run")
    return Slowest(what, tuple(parts))


def _steps_of_tox(file: Path, _since: float) -> Seconds:
    """What each environment ran, and what making the environment took."""
    seconds = {}
    for name, environment in json.loads(file.read_text("utf-8"))["testenvs"].items():
        if "result" not in environment:
            continue  # such as that in which the package is built, which is in the others' time
        left = float(environment["result"]["duration"])
        for step in environment.get("test", ()):
            program, *words = step["command"]
            line = " ".join([PurePath(program).name, *words])
            seconds[f"{name}: {line}"] = float(step["elapsed"])
            left -= float(step["elapsed"])
        seconds[f"{name}: its environment"] = max(0.0, left)
    return seconds


def _cells(file: Path, _since: float) -> Seconds:
    """Of a report of ``kafka-conformance run``: start-up, generation, execution, the rest."""
    return {
        f"{cell['behaviour']}[{cell['client']}]": float(sum(cell["seconds"].values()))
        for cell in json.loads(file.read_text("utf-8"))["cells"]
    }


def _testees(folder: Path, since: float) -> Seconds:
    """Of ``tox -e adapters``: one report for each testee. What building them took is in none."""
    seconds = {}
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    for file in folder.glob("*.json"):
        document = json.loads(file.read_text("utf-8"))
        # A run of some of the testees leaves the reports of the others alone.
        if "testee" in document and file.stat().st_mtime >= since:
            seconds[file.stem] = float(document["seconds"])
    return seconds


def _test_files(file: Path, _since: float) -> Seconds:
    """Of pytest's JUnit XML: the seconds of all tests of a file, their fixtures included."""
    seconds: dict[str, float] = {}
    for test in ElementTree.parse(file).iter("testcase"):
        name = _test_file(test.get("classname", ""))
        seconds[name] = seconds.get(name, 0.0) + float(test.get("time", "0"))
    return seconds


def _test_file(class_name: str) -> str:
    """``tests.fast.test_cases.TestOne`` is in ``tests/fast/test_cases.py``."""
    words = class_name.split(".")
    last = next((at for at, word in enumerate(words) if word.startswith("test_")), len(words) - 1)
    return "/".join(words[: last + 1]) + ".py"


_READERS: Final[Mapping[Parts, Callable[[Path, float], Seconds]]] = {
    Parts.CELLS: _cells,
    Parts.TESTEES: _testees,
    Parts.TEST_FILES: _test_files,
}

"""What a run took: a file that grows with each command, ``conformance-results/times.json``."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from conformance.errors import UsageError
from conformance.files import write_whole
from timing.budgets import positive

FORMAT: Final = "kafka-conformance times 1"
UNSTEADY: Final = 1.25
"""Yardsticks that differ by this factor say that the machine's speed changed during the run."""


@dataclass(frozen=True)
class Command:
    """One command that was run."""

    name: str
    began: float
    """Seconds since 1970, as files have it."""
    seconds: float
    exit_code: int
    tox: str = ""
    """The file in which tox may have told what it did, or nothing."""


@dataclass
class Times:
    """A run: when it began, how fast the machine was, and what each command took."""

    began: float
    """Seconds since 1970."""
    ended: float
    """Up to what was written down last."""
    yardsticks: list[float] = field(default_factory=list)
    """The medians, in seconds, in the order in which they were measured."""
    commands: list[Command] = field(default_factory=list)

    @property
    def yardstick(self) -> float | None:
        """The yardstick's seconds of this run; None if it was not measured.

        The mean of those before and after. A command takes its work times the average
        slowness while it ran, of which the mean is the best guess if a machine drifts. The
        slower one would let a bad moment at the end excuse all that came before it; the faster
        one would blame the commands for the neighbours.
        """
        return fmean(self.yardsticks) if self.yardsticks else None

    @property
    def unsteady(self) -> bool:
        """Whether the machine's speed changed so much that the comparison says little."""
        return bool(self.yardsticks) and max(self.yardsticks) >= UNSTEADY * min(self.yardsticks)

    def last(self, name: str) -> Command | None:
        """The last time that a command was run."""
        return next((one for one in reversed(self.commands) if one.name == name), None)


def read_times(file: Path) -> Times:
    """What a run has written so far; raises :class:`UsageError` if there is none, or no such."""
    try:
        document = json.loads(file.read_text("utf-8"))
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        return _times(document)
    except FileNotFoundError:
        what = f"There is no {file}: nothing was measured yet."
    except OSError as error:
        what = f"{file} cannot be read: {error.strerror or error}."
    except KeyError as error:
        what = f"{file} is damaged: it has no {error.args[0]!r}."
    except (ValueError, TypeError) as error:
        what = f"{file} is damaged: {error}."
    raise UsageError(what, "Start a new run: python3 scripts/budgets.py measure --new-run")


def write_times(file: Path, times: Times) -> None:
    """Write a run down; raises :class:`~conformance.errors.SuiteError` if that cannot be."""
    write_whole(file, json.dumps({"format": FORMAT, **asdict(times)}, indent=2) + "\n")


def _times(document: Mapping[str, Any]) -> Times:
    return Times(
        float(document["began"]),
        float(document["ended"]),
        [positive(seconds) for seconds in document["yardsticks"]],
        [
            Command(
                str(one["name"]),
                float(one["began"]),
                float(one["seconds"]),
                int(one["exit_code"]),
                str(one["tox"]),
            )
            for one in document["commands"]
        ],
    )

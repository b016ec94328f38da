"""The budgets: what ``.ci/budgets.toml`` says, and what a machine is allowed of it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from conformance.errors import UsageError

BUDGETS: Final = Path(__file__).parents[2] / ".ci" / "budgets.toml"


class Parts(StrEnum):
    """What the report that a command leaves behind can tell the seconds of."""

    CELLS = "cells"
    TESTEES = "testees"
    TEST_FILES = "test files"


@dataclass(frozen=True)
class Budget:
    """How long a command may take on the machine on which the budgets were set."""

    name: str
    """The command, as one types it."""
    minutes: float
    parts: Parts | None = None
    report: Path | None = None
    """The file or folder that it leaves behind, from the root of the clone."""

    def allowed(self, scale: float) -> float:
        """The seconds that it may take where the yardstick takes ``scale`` times as long."""
        return self.minutes * 60 * scale


@dataclass(frozen=True)
class Budgets:
    """All of them, and the yardstick's time that they go with."""

    yardstick_seconds: float
    yardstick_answer: int
    commands: tuple[Budget, ...]
    whole: Budget
    """What all commands may take together, with what comes before and between them."""

    def check_name(self, name: str) -> None:
        """Raise :class:`UsageError` for a command that has no budget."""
        known = [budget.name for budget in self.commands]
        if name not in known:
            raise UsageError(
                f"There is no budget for {name!r}.",
                f"{BUDGETS.name} has budgets for: {'; '.join(known)}.",
            )


def read_budgets(file: Path = BUDGETS) -> Budgets:
    """The budgets of a file; raises :class:`UsageError` if it is not one."""
    try:
        document = tomllib.loads(file.read_text("utf-8"))
        yardstick = document["yardstick"]
        return Budgets(
            positive(yardstick["seconds"]),
            int(yardstick["answer"]),
            tuple(map(_budget, document["command"])),
            _budget(document["whole"]),
        )
    except OSError as error:
        what = f"{file} cannot be read: {error.strerror or error}."
    except KeyError as error:
        what = f"{file} has no {error.args[0]!r} where one is needed."
    except (ValueError, TypeError) as error:
        what = f"{file} is not a file of budgets: {error}."
    raise UsageError(what, "Compare it with .ci/budgets.toml of the repository.")


def _budget(entry: Mapping[str, Any]) -> Budget:
    return Budget(
        str(entry["name"]),
        positive(entry["minutes"]),
        Parts(entry["parts"]) if "parts" in entry else None,
        Path(entry["report"]) if "report" in entry else None,
    )


def positive(value: Any) -> float:
    """A number as it was read; raises :class:`ValueError` if it is none above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise ValueError(f"{value!r} is not a number above 0")
    return float(value)

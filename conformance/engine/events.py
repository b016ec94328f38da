"""What happens during a run, in order; reporters only listen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from conformance.model.results import Cell, CellResult, RunResult


@dataclass(frozen=True)
class RunStarted:
    """The first event: what is going to be run."""

    seed: int
    profile: str
    subjects: str
    """What is compared with what."""
    subject: str
    """What is held against the real clients, whatever the version."""
    planned: dict[Cell, int]
    """The cells to run and the number of cases planned for each; 0 if its records are sampled."""
    absent: tuple[CellResult, ...]
    jobs: int


@dataclass(frozen=True)
class CellStarted:
    """A worker took up a cell."""

    cell: Cell


@dataclass(frozen=True)
class CellProgress:
    """So many cases of a cell agreed so far."""

    cell: Cell
    cases: int


@dataclass(frozen=True)
class CellDiverged:
    """A cell has a divergence, which is not shrunk yet: the verdict stands whatever follows."""

    result: CellResult


@dataclass(frozen=True)
class CellFinished:
    """A cell has its verdict."""

    result: CellResult


@dataclass(frozen=True)
class RunFinished:
    """The last event, also after an interruption."""

    run: RunResult


Event: TypeAlias = (
    RunStarted | CellStarted | CellProgress | CellDiverged | CellFinished | RunFinished
)
Listener: TypeAlias = Callable[[Event], None]

"""The results of cells of the matrix, run or not."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from conformance.errors import ExitCode
from conformance.model.case import Case
from conformance.model.difference import Difference
from conformance.model.trace import Trace


class Verdict(StrEnum):
    """The verdict on a cell."""

    CONFORMS = "conforms"
    DIVERGES = "diverges"
    KNOWN = "known"
    """It diverges, but only as a file of known divergences says."""
    NOT_RUN = "not run"
    ABSENT = "absent"
    """The client version does not have the behaviour: nothing to run."""


@dataclass(frozen=True, order=True)
class Cell:
    """One behaviour of one client version."""

    behaviour: str
    client: str

    def __str__(self) -> str:
        return f"{self.behaviour}[{self.client}]"


@dataclass(frozen=True)
class Divergence:
    """The smallest case found on which two subjects answer differently."""

    cell: Cell
    expected_of: str
    """The subject that is right by definition, such as ``Java 3.8.0``."""
    answered_by: str
    case: Case
    expected: Trace
    answered: Trace
    step: int
    """The first step at which the traces part."""
    java_method: str
    seed: int
    cases_before: int
    """How many cases agreed before the first one that did not."""
    remarks: tuple[str, ...] = ()
    before: tuple[Case, ...] | None = ()
    """The cases that a new subject must be asked first, if it does not differ without them.

    None: it does not differ with any that were tried.
    """


@dataclass(frozen=True)
class Seconds:
    """Where the time of a cell went."""

    start_up: float = 0.0
    generation: float = 0.0
    execution: float = 0.0
    book_keeping: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.start_up + self.generation + self.execution + self.book_keeping


@dataclass(frozen=True)
class TestResult:
    """One test of a distribution, for people; statistics/ has its parts."""

    __test__ = False  # nothing for pytest

    distribution: str
    test: str
    verdict: Verdict
    records: int
    detail: str
    p: float | None = None
    corrected_p: float | None = None
    w: float | None = None
    """The observed effect size."""
    smallest_w: float | None = None
    """The effect size that would have been found."""
    smallest_bias: float | None = None
    """The same as the share by which one partition is taken too often."""

    @property
    def difference(self) -> str:
        """The name of its failure among differences, such as ``by record: stays``."""
        return difference_of_test(self.distribution, self.test)

    @property
    def told(self) -> str:
        """Its result in a line, or why it was not run."""
        unmade = "not made, for " if self.verdict is Verdict.NOT_RUN else ""
        return f"{self.distribution}: {self.test}: {unmade}{self.detail}"


def difference_of_test(distribution: str, test: str) -> str:
    """The name of a failed test of a distribution among differences."""
    return f"{distribution.rpartition('/')[2]}: {test}"


class Shows(StrEnum):
    """The kind of counts in a picture."""

    TRANSITIONS = "transitions"
    """A row for the partition before, a column for the one after: choices."""
    PARTITIONS = "partitions"
    """How often each partition was chosen, or how many keys it has."""
    IN_A_ROW = "in a row"
    """How many records there were, and in how many rows of one partition they came."""
    LOADS = "loads"
    """A row for each of some load stats, a column for each partition: choices."""


@dataclass(frozen=True)
class Picture:
    """The counts of a plot: a table of the real client's, and one of the subject's."""

    distribution: str
    shows: Shows
    rows: tuple[str, ...]
    """The names of the rows."""
    columns: tuple[str, ...]
    java: tuple[tuple[int, ...], ...]
    subject: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class CellResult:
    """The outcome of one cell."""

    cell: Cell
    verdict: Verdict
    cases: int = 0
    steps: int = 0
    seconds: Seconds = Seconds()
    labels: dict[str, int] = field(default_factory=dict)
    """How many cases were of each class; the classes of the behaviour come first, with 0."""
    digest: str = ""
    """A hash of all cases in order: the same seed must give the same digest."""
    reason: str = ""
    """Why the cell was not run, or why the version lacks the behaviour."""
    divergence: Divergence | None = None
    """Set for known differences too."""
    refused: int = 0
    """How many further cases the subject could not try."""
    refusals: tuple[str, ...] = ()
    """Why, for some of them."""
    limit: str = ""
    """To how much of the behaviour the subject is limited by what it says of itself, in words."""
    differences: dict[str, int] = field(default_factory=dict)
    """How often each kind of difference occurred, known or not."""
    kinds: dict[str, Difference] = field(default_factory=dict)
    """The parts of the names of differences between traces; those of tests are in ``tests``."""
    records: int = 0
    """How many records each subject was asked about."""
    tests: tuple[TestResult, ...] = ()
    """The results of the tests of a distribution."""
    pictures: tuple[Picture, ...] = ()
    """Counts for plots."""
    smallest_bias: float | None = None
    """The smallest excess share of one partition that the tests find (999 times of
    1000); None where nothing is random."""
    kept: bool = False
    """Whether the oracle's answers to the cases were read from an earlier run."""

    @property
    def agreement(self) -> float | None:
        """The share of the cases that agreed; None if nothing was compared."""
        if not self.cases:
            return None
        return 1 - sum(self.differences[name] for name in self.kinds) / self.cases

    @property
    def could_find(self) -> str:
        """The smallest bias that sampling would have found, in words; empty without samples."""
        if self.smallest_bias is None or self.verdict is not Verdict.CONFORMS:
            return ""
        return f"conforms; would have found a bias of {self.smallest_bias:.2%}"

    @property
    def untried(self) -> str:
        """How many cases the subject could not try, in words; empty if it tried all."""
        return untried_cases(self.refused, self.cases)

    @property
    def in_part(self) -> str:
        """What of the behaviour this result says nothing about, in words; empty if nothing."""
        return "; ".join(filter(None, (self.limit, self.untried)))


_WORST_FIRST = (Verdict.DIVERGES, Verdict.NOT_RUN, Verdict.KNOWN, Verdict.CONFORMS)


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """The joint verdict of several; of none at all it is 'not run'."""
    return min(verdicts, key=_WORST_FIRST.index, default=Verdict.NOT_RUN)


def untried_cases(refused: int, cases: int) -> str:
    """How many cases could not be tried, beside those that were; empty if there are none."""
    return f"{refused:,} of {refused + cases:,} cases not tried" if refused else ""


@dataclass(frozen=True)
class RunResult:
    """The outcome of a whole run; one result per cell of the matrix, none missing."""

    results: tuple[CellResult, ...]
    seconds: float
    jobs: int
    interrupted: bool = False

    @property
    def exit_code(self) -> ExitCode:
        """As :func:`exit_code_of`; an interrupted run is not a success."""
        code = exit_code_of({result.verdict for result in self.results})
        return ExitCode.NOT_RUN if self.interrupted and code is ExitCode.CONFORMS else code

    @property
    def overhead(self) -> float:
        """The share of the workers' time that was neither generation nor execution of cases."""
        available = self.seconds * max(1, self.jobs)
        useful = sum(r.seconds.generation + r.seconds.execution for r in self.results)
        return 1 - useful / available if available else 0.0


def exit_code_of(verdicts: set[Verdict]) -> ExitCode:
    """A divergence takes precedence over a cell not run; a run of nothing is not a success."""
    if Verdict.DIVERGES in verdicts:
        return ExitCode.DIVERGES
    if Verdict.NOT_RUN in verdicts or not verdicts & {Verdict.CONFORMS, Verdict.KNOWN}:
        return ExitCode.NOT_RUN
    return ExitCode.CONFORMS


def plain(value: Any) -> Any:
    """Dataclasses and enums as plain data for reports."""
    if isinstance(value, StrEnum):
        return str(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value

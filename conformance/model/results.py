"""What is known after a cell of the matrix was run, or was not."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from conformance.errors import ExitCode
from conformance.model.case import Case
from conformance.model.difference import Difference
from conformance.model.trace import Trace


class Verdict(StrEnum):
    """What became of a cell."""

    CONFORMS = "conforms"
    DIVERGES = "diverges"
    KNOWN = "known"
    """It diverges, but only as somebody has written down that it does."""
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
    """The cases that a new subject has to be asked before, if it does not differ without.

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
    """One test of a distribution, for people: statistics/ has what it is made of."""

    __test__ = False  # nothing for pytest

    distribution: str
    test: str
    verdict: Verdict
    records: int
    detail: str
    p: float | None = None
    corrected_p: float | None = None
    w: float | None = None
    """The effect size that was seen."""
    smallest_w: float | None = None
    """The effect size that would have been found."""
    smallest_bias: float | None = None
    """The same as the share by which one partition is taken too often."""

    @property
    def difference(self) -> str:
        """What a failure of it is called among differences, such as ``by record: stays``."""
        return difference_of_test(self.distribution, self.test)

    @property
    def told(self) -> str:
        """In a line, what it found, or why it was not made."""
        unmade = "not made, for " if self.verdict is Verdict.NOT_RUN else ""
        return f"{self.distribution}: {self.test}: {unmade}{self.detail}"


def difference_of_test(distribution: str, test: str) -> str:
    """What a failed test of a distribution is called among differences."""
    return f"{distribution.rpartition('/')[2]}: {test}"


class Shows(StrEnum):
    """What the counts of a picture are."""

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
    """Counts that a plot is made of: a table of the real client's, and one of the subject's."""

    distribution: str
    shows: Shows
    rows: tuple[str, ...]
    """What the rows are called."""
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
    """Also for differences that are known."""
    refused: int = 0
    """How many further cases the subject could not try."""
    refusals: tuple[str, ...] = ()
    """Why, for some of them."""
    limit: str = ""
    """To how much of the behaviour the subject is limited by what it says of itself, in words."""
    differences: dict[str, int] = field(default_factory=dict)
    """How often each kind of difference was seen, known or not."""
    kinds: dict[str, Difference] = field(default_factory=dict)
    """What the names of differences between traces stand for; tests have theirs in ``tests``."""
    records: int = 0
    """How many records were sampled from each subject."""
    tests: tuple[TestResult, ...] = ()
    """What the tests of a distribution found."""
    pictures: tuple[Picture, ...] = ()
    """What was counted, for plots."""
    smallest_bias: float | None = None
    """The share by which one partition may be taken too often, at least, to be found (999 times of
    1000); None where nothing is random."""
    kept: bool = False
    """Whether the oracle's answers to the cases are those that it gave in an earlier run."""

    @property
    def agreement(self) -> float | None:
        """The share of the cases that agreed; None if nothing was compared."""
        if not self.cases:
            return None
        return 1 - sum(self.differences[name] for name in self.kinds) / self.cases

    @property
    def could_find(self) -> str:
        """What sampling a conforming subject would have found, in words; empty if nothing was."""
        if self.smallest_bias is None or self.verdict is not Verdict.CONFORMS:
            return ""
        return f"conforms; would have found a bias of {self.smallest_bias:.2%}"

    @property
    def untried(self) -> str:
        """How much of what was asked the subject could not try, in words; empty if nothing."""
        return untried_cases(self.refused, self.cases)

    @property
    def in_part(self) -> str:
        """What of the behaviour this result says nothing about, in words; empty if nothing."""
        return "; ".join(filter(None, (self.limit, self.untried)))


_WORST_FIRST = (Verdict.DIVERGES, Verdict.NOT_RUN, Verdict.KNOWN, Verdict.CONFORMS)


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """What several come to together; nothing at all was not run."""
    return min(verdicts, key=_WORST_FIRST.index, default=Verdict.NOT_RUN)


def untried_cases(refused: int, cases: int) -> str:
    """How many cases could not be tried, beside so many that were; empty if there are none."""
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
        """As :func:`exit_code_of`; an interrupted run is no success."""
        code = exit_code_of({result.verdict for result in self.results})
        return ExitCode.NOT_RUN if self.interrupted and code is ExitCode.CONFORMS else code

    @property
    def overhead(self) -> float:
        """The share of the workers' time that was neither generation nor execution of cases."""
        available = self.seconds * max(1, self.jobs)
        useful = sum(r.seconds.generation + r.seconds.execution for r in self.results)
        return 1 - useful / available if available else 0.0


def exit_code_of(verdicts: set[Verdict]) -> ExitCode:
    """A divergence outweighs what was not run; nothing run at all is no success."""
    if Verdict.DIVERGES in verdicts:
        return ExitCode.DIVERGES
    if Verdict.NOT_RUN in verdicts or not verdicts & {Verdict.CONFORMS, Verdict.KNOWN}:
        return ExitCode.NOT_RUN
    return ExitCode.CONFORMS


def plain(value: Any) -> Any:
    """Dataclasses and enums as the plain data that reports are made of."""
    if isinstance(value, StrEnum):
        return str(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value

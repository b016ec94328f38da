"""What a comparison is made of: what is asked, what is found, and how it ends early."""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.difference import Difference
from conformance.model.trace import Trace, first_difference

Progress = Callable[[int], None]
"""Told the number of cases so far, a few times a second."""

_PROGRESS_SECONDS: Final = 0.2
_SHOWN_REFUSALS: Final = 3


class Throttled:
    """Reports progress now and then; while shrinking too, which is no reason to give up."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._reported = 0.0

    def __call__(self, cases: int) -> None:
        now = time.perf_counter()
        if now - self._reported > _PROGRESS_SECONDS:
            self._reported = now
            self._progress(cases)


class DivergedError(Exception):
    """Tells Hypothesis that a case is a counterexample."""


class Abort(BaseException):
    """Carries the suite's own failure past Hypothesis, which would take it for a finding."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


class OutOfTimeError(BaseException):
    """Ends a generation; not an exception that Hypothesis would take for a finding."""


class Parted(BaseException):
    """The subjects have parted, so no further case is wanted."""


class Asked(NamedTuple):
    """A case to compare; with the oracle's answers, if these are at hand."""

    case: Case
    text: str
    """The case as JSON."""
    number: int
    """The generator's number for it: of those that it made, the cases are those that are new."""
    full: Trace | None = None


class Found(NamedTuple):
    """A case on which the subjects differ, and what both answered."""

    case: Case
    expected: Trace
    answered: Trace
    before: tuple[Case, ...] = ()
    """The last cases that were asked before it, if somebody kept them."""


class Performed(NamedTuple):
    """A case that both subjects performed."""

    asked: Asked
    full: Trace
    """The oracle's trace."""
    expected: Trace
    """What of it the subject shows, too."""
    answered: Trace


class Tally:
    """What is counted of the cases that were compared."""

    def __init__(self) -> None:
        self.cases = 0
        self.steps = 0
        self.telling = 0
        """Cases in which the oracle answered something that can be compared."""
        self.labels: Counter[str] = Counter()
        self.refused = 0
        """Cases that the subject could not try."""
        self.refusals: list[str] = []
        """Why, for some of them."""
        self.differences: Counter[str] = Counter()
        """How often each kind of difference was seen, by its name."""
        self.kinds: dict[str, Difference] = {}
        """The same names, and what they stand for."""
        self._digest = hashlib.blake2b(digest_size=16)

    def count(self, asked: Asked, full: Trace, expected: Trace, labels: Iterable[str]) -> None:
        """One case, with the oracle's trace, what of it is compared, and its classes."""
        self.cases += 1
        self.steps += len(full)
        self.telling += any(step != {"answer": None} for step in expected)
        self.labels.update(set(labels))
        self._digest.update(asked.text.encode())

    def see(self, difference: Difference) -> str:
        """Count a difference; answers its name."""
        name = str(difference)
        self.differences[name] += 1
        self.kinds[name] = difference
        return name

    def refuse(self, why: str) -> None:
        """A case that could not be tried."""
        self.refused += 1
        if why not in self.refusals and len(self.refusals) < _SHOWN_REFUSALS:
            self.refusals.append(why)

    @property
    def digest(self) -> str:
        """A hash of all cases in order."""
        return self._digest.hexdigest()


def told_of(behaviour: Behaviour, case: Case, expected: Trace, answered: Trace) -> list[str]:
    """How to read the answers by which two traces differ first, if one of them is a list."""
    at = first_difference(expected, answered)
    if at is None or at >= min(len(expected), len(answered)):
        return []
    name = case["steps"][at]["op"]
    answers = expected[at]["answer"], answered[at]["answer"]
    lists = any(isinstance(answer, list) for answer in answers)
    if name not in behaviour.tells or not lists or answers[0] == answers[1]:
        return []
    return [f"{name} answers {behaviour.tells[name]}."]


def parted_at(case: Case, expected: Trace, answered: Trace) -> int | None:
    """The step by which the subjects have parted; one that died may have died of any."""
    step = first_difference(expected, answered)
    died = step is not None and len(answered) < len(case["steps"])
    return len(case["steps"]) - 1 if died else step

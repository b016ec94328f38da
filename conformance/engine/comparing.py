"""What a comparison is made of: what is asked, what is found, and how it ends early."""

from typing import NamedTuple

from conformance.case import Case
from conformance.trace import Trace, first_difference


class DivergedError(Exception):
    """Tells Hypothesis that a case is a counterexample."""


class Unprinted:
    """Holds a case: Hypothesis would write out the whole of it, with its keys of 1 MiB."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def __repr__(self) -> str:
        return "a case"


class Abort(BaseException):
    """Carries the suite's own failure past Hypothesis, which would take it for a finding."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


class OutOfTimeError(BaseException):
    """Ends a generation; not an exception that Hypothesis would take for a finding."""


class Asked(NamedTuple):
    """A case to compare; as text and with the oracle's answers, if these are at hand."""

    case: Case
    text: str = ""
    full: Trace | None = None


class Found(NamedTuple):
    """A case on which the subjects differ, and what both answered."""

    case: Case
    expected: Trace
    answered: Trace


def parted_at(case: Case, expected: Trace, answered: Trace) -> int | None:
    """The step by which the subjects have parted; one that died may have died of any."""
    step = first_difference(expected, answered)
    died = step is not None and len(answered) < len(case["steps"])
    return len(case["steps"]) - 1 if died else step

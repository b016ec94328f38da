"""What kind of difference two traces have: data, and the name by which files call it."""

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """What of a step differs."""

    ANSWER = "answer"
    DRAWS = "draws"
    STATE = "state"
    NOTHING = "nothing"
    """There is no answer."""
    MORE = "more"
    """There is an answer that nobody asked for."""


class AnswerSort(StrEnum):
    """What an answer is, as far as differences tell answers from each other."""

    VALUE = "value"
    ERROR = "error"
    DEATH = "death"
    """The subject did not survive the question."""


@dataclass(frozen=True)
class AnswerKind:
    """The kind of an answer, such as a number, or an error of some class."""

    sort: AnswerSort
    words: str
    """``a number``, ``error arithmetic``, ``died``."""


@dataclass(frozen=True)
class Difference:
    """One kind of difference; two cases with equal ones have the same thing wrong."""

    operation: str
    part: Part
    expected: AnswerKind | None = None
    """Of answers that differ; None otherwise."""
    answered: AnswerKind | None = None
    contexts: tuple[str, ...] = ()
    """Those classes of the behaviour's contexts that the step is of."""

    def __str__(self) -> str:
        """Its name in reports and in files of known divergences.

        Such as ``partition: a number for another (ids with gaps)``.
        """
        told = f"{self.operation}: {self._what()}"
        return f"{told} ({', '.join(self.contexts)})" if self.contexts else told

    def _what(self) -> str:
        if self.part is Part.NOTHING:
            return "nothing"
        if self.part is Part.MORE:
            return "more than asked"
        if self.expected is None or self.answered is None:
            return f"another {self.part}"
        same = self.expected == self.answered
        return f"{self.answered.words} for {'another' if same else self.expected.words}"

    @property
    def excusable(self) -> bool:
        """Whether it may be known and left alone: a crash and a missing answer may not."""
        died = self.answered is not None and self.answered.sort is AnswerSort.DEATH
        return not died and self.part is not Part.NOTHING

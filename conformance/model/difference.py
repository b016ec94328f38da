"""Kinds of difference between two traces: as data, and by their names in files."""

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """The part of a step that differs."""

    ANSWER = "answer"
    DRAWS = "draws"
    STATE = "state"
    NOTHING = "nothing"
    """There is no answer."""
    MORE = "more"
    """There is an answer that was not asked for."""


class AnswerSort(StrEnum):
    """The sort of an answer, as far as differences distinguish answers."""

    VALUE = "value"
    ERROR = "error"
    DEATH = "death"
    """The subject died."""


@dataclass(frozen=True)
class AnswerKind:
    """The kind of an answer, such as a number, or an error of some class."""

    sort: AnswerSort
    words: str
    """``a number``, ``error arithmetic``, ``died``."""


@dataclass(frozen=True)
class Difference:
    """One kind of difference; two cases with equal kinds show the same fault."""

    operation: str
    part: Part
    expected: AnswerKind | None = None
    """Set if answers differ; None otherwise."""
    answered: AnswerKind | None = None
    contexts: tuple[str, ...] = ()
    """The behaviour's contexts that apply to the step."""
    place: str = ""
    """Where in two long answers the first difference is, if the behaviour tells."""

    def __str__(self) -> str:
        """Its name in reports and in files of known divergences.

        Such as ``partition: a number for another (ids with gaps)``.
        """
        if self.death is not None:
            # It ends a case, whichever step it was: the first one says nothing of the fault.
            return self.death.words
        told = f"{self.operation}: {self._what()}"
        where = ", ".join(filter(None, (self.place, *self.contexts)))
        return f"{told} ({where})" if where else told

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
        """Whether a file may excuse it: a crash and a missing answer cannot be excused."""
        return self.death is None and self.part is not Part.NOTHING

    @property
    def death(self) -> AnswerKind | None:
        """The answer if it is that the subject died."""
        died = self.answered is not None and self.answered.sort is AnswerSort.DEATH
        return self.answered if died else None

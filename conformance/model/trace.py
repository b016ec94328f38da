"""Traces: a subject's answers, step by step, as plain data."""

import re
from collections.abc import Callable
from typing import Any, Final, NotRequired, TypeAlias, TypedDict

from conformance.model.values import Value, is_error, is_value, thrown

Answer: TypeAlias = Value
"""One answer; :mod:`conformance.model.values` says what it can be."""


_DEATH: Final = re.compile(r"the \w+ died: ")


class Step(TypedDict):
    """The observable outcome of one step of a case."""

    answer: Answer
    draws: NotRequired[int]
    """How many int32 values the step drew from the source of randomness."""
    state: NotRequired[dict[str, Answer]]
    """The visible state of the subject after the step, where Java exposes it."""


Trace: TypeAlias = list[Step]


def answer_of(call: Callable[..., Answer], *arguments: Any) -> Answer:
    """The answer of a Python subject's call with these arguments, exceptions included.

    An exception that names a Java class (``java_class``) is that answer; any other is one that
    no Java client gives.
    """
    try:
        answer = call(*arguments)
    except Exception as error:
        java_class = getattr(error, "java_class", None)
        return thrown(java_class) if java_class else crash(error)
    # 3.0 and True equal 3 and 1 in Python, but no Java client answers a double for an int.
    if is_value(answer):
        return answer
    wrong = next((one for one in _members(answer) if not is_value(one)), answer)
    return thrown(f"python answers {type(wrong).__name__} {wrong!r}")


def _members(answer: Answer) -> list[Answer]:
    return answer if isinstance(answer, list) else [answer]


def crash(error: Exception) -> dict[str, str]:
    """The answer that stands for an exception of Python's own, which no Java client gives."""
    return thrown(f"python {type(error).__name__}: {error}")


def death(how: str, who: str = "testee") -> dict[str, str]:
    """The answer of a subject that died; ``how`` is the same each time."""
    return thrown(f"the {who} died: {how}")


def is_death(answer: Answer) -> bool:
    """Whether an answer was made by :func:`death`."""
    return is_error(answer) and _DEATH.match(str(answer["error"])) is not None


def first_difference(left: Trace, right: Trace) -> int | None:
    """The first step at which two traces differ, or None; a missing step is a difference."""
    if left == right:
        return None
    for position, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return position
    return min(len(left), len(right))

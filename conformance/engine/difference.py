"""What kind of difference two traces have, in a few words that can be written into a file."""

from typing import Final

from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.trace import Answer, Trace, first_difference
from conformance.model.values import is_error, kind_of

DIED: Final = "died"


def difference_of(behaviour: Behaviour, case: Case, expected: Trace, answered: Trace) -> str | None:
    """Such as ``partition: a number for error arithmetic``; None if there is no difference.

    Where the behaviour names contexts that matter, the step's come behind it: ``partition: a
    number for another (ids with gaps)``.
    """
    at = first_difference(expected, answered)
    if at is None:
        return None
    at_step = min(at, len(case["steps"]) - 1)
    operation = case["steps"][at_step]["op"]
    if at >= len(answered):
        return f"{operation}: nothing"
    if at >= len(expected):
        return f"{operation}: more than asked"
    wanted, given = expected[at], answered[at]
    if wanted["answer"] == given["answer"]:
        part = "draws" if wanted.get("draws") != given.get("draws") else "state"
        return f"{operation}: another {part}"
    left, right = (_kind(behaviour, step["answer"]) for step in (wanted, given))
    told = f"{operation}: {right} for {'another' if left == right else left}"
    context = _context(behaviour, case, at_step, expected)
    return f"{told} ({context})" if context else told


def is_excusable(difference: str) -> bool:
    """Whether it may be known and left alone: a crash and a missing answer may not."""
    if difference.endswith(": answers"):  # how a sampled subject crashes
        return False
    return not difference.split(": ", 1)[-1].startswith((DIED, "nothing"))


def _context(behaviour: Behaviour, case: Case, at: int, expected: Trace) -> str:
    """Which of the contexts that the behaviour names the step is in."""
    if not behaviour.contexts:
        return ""
    alone: Case = {**case, "steps": case["steps"][at : at + 1]}
    labels = set(behaviour.labels(alone, expected[at : at + 1]))
    return ", ".join(label for label in behaviour.contexts if label in labels)


def _kind(behaviour: Behaviour, answer: Answer) -> str:
    if is_error(answer):
        error = str(answer["error"])
        return DIED if DIED in error else f"error {error}"
    return answer if answer in behaviour.words else kind_of(answer)

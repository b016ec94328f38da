"""What kind of difference two traces have, in a few words that can be written into a file."""

from typing import Final

from conformance.case import Case
from conformance.trace import Answer, Trace, first_difference, is_error

DIED: Final = "died"


def difference_of(case: Case, expected: Trace, answered: Trace) -> str | None:
    """Such as ``partition: a number for error arithmetic``; None if there is no difference."""
    at = first_difference(expected, answered)
    if at is None:
        return None
    operation = case["steps"][min(at, len(case["steps"]) - 1)]["op"]
    if at >= len(answered):
        return f"{operation}: nothing"
    if at >= len(expected):
        return f"{operation}: more than asked"
    wanted, given = expected[at], answered[at]
    if wanted["answer"] == given["answer"]:
        part = "draws" if wanted.get("draws") != given.get("draws") else "state"
        return f"{operation}: another {part}"
    left, right = _kind(wanted["answer"]), _kind(given["answer"])
    return f"{operation}: {right} for {'another' if left == right else left}"


def difference_of_test(distribution: str, test: str) -> str:
    """The same for a test of a distribution that failed, such as ``by record: stays``."""
    return f"{distribution.rpartition('/')[2]}: {test}"


def is_excusable(difference: str) -> bool:
    """Whether it may be known and left alone: a crash and a missing answer may not."""
    return not difference.split(": ", 1)[-1].startswith((DIED, "nothing"))


def _kind(answer: Answer) -> str:
    if is_error(answer):
        error = str(answer["error"])
        return DIED if DIED in error else f"error {error}"
    if isinstance(answer, str):
        return answer
    return {int: "a number", list: "a list"}.get(type(answer), "null")

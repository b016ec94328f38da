"""Which kind of difference two traces have."""

from typing import Final

from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.difference import AnswerKind, AnswerSort, Difference, Part
from conformance.model.trace import Answer, Trace, first_difference, is_death
from conformance.model.values import is_error, kind_of

DIED: Final = "died"


def difference_of(
    behaviour: Behaviour, case: Case, expected: Trace, answered: Trace
) -> Difference | None:
    """The kind of the first difference; None if there is none.

    Where the behaviour names contexts that matter, those of the step belong to it.
    """
    at = first_difference(expected, answered)
    if at is None:
        return None
    at_step = min(at, len(case["steps"]) - 1)
    step = case["steps"][at_step]
    operation = step["op"]
    if at >= len(answered):
        return Difference(operation, Part.NOTHING)
    if at >= len(expected):
        return Difference(operation, Part.MORE)
    wanted, given = expected[at], answered[at]
    if wanted["answer"] == given["answer"]:
        same_draws = wanted.get("draws") == given.get("draws")
        return Difference(operation, Part.STATE if same_draws else Part.DRAWS)
    return Difference(
        operation,
        Part.ANSWER,
        _kind(behaviour, wanted["answer"]),
        _kind(behaviour, given["answer"]),
        tuple(_contexts(behaviour, case, at_step, expected)),
        behaviour.place(step, wanted["answer"], given["answer"]),
    )


def is_excusable(name: str) -> bool:
    """Whether a file may name it as known: what :attr:`Difference.excusable` says of what was seen.

    People write these names, also of what no run has seen yet; so here, and only here, one is read.
    """
    if name.endswith(": answers"):  # how a sampled subject crashes
        return False
    return not name.split(": ", 1)[-1].startswith((DIED, "nothing"))


def _contexts(behaviour: Behaviour, case: Case, at: int, expected: Trace) -> list[str]:
    """Which of the contexts that the behaviour names the step is in."""
    if not behaviour.contexts:
        return []
    alone: Case = {**case, "steps": case["steps"][at : at + 1]}
    labels = set(behaviour.labels(alone, expected[at : at + 1]))
    return [label for label in behaviour.contexts if label in labels]


def _kind(behaviour: Behaviour, answer: Answer) -> AnswerKind:
    if is_death(answer):
        return AnswerKind(AnswerSort.DEATH, DIED)
    if is_error(answer):
        return AnswerKind(AnswerSort.ERROR, f"error {answer['error']}")
    own = isinstance(answer, str) and answer in behaviour.words
    return AnswerKind(AnswerSort.VALUE, answer if own else kind_of(answer))

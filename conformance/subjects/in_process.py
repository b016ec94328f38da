"""What all subjects inside this Python process share: whose objects they are given."""

from collections.abc import Callable
from typing import Final

from conformance.model.case import Case
from conformance.model.subject import Performer
from conformance.model.trace import Trace, crash
from conformance.model.values import fresh, thrown

CHANGED: Final = "python changed its input case: "
"""How the answer of a subject begins that did."""


def on_its_own(perform: Callable[[Case], Trace]) -> Performer:
    """The performer of a subject inside this process, which gets a copy of each case.

    No two values of the copy are one object, so that ``is`` does not pass for ``==``. One that
    crashes has answered, and wrongly; so has one that changed what it was given.
    """

    def survive(case: Case) -> Trace:
        given: Case = fresh(case)
        try:
            trace = perform(given)
        except Exception as error:
            return [{"answer": crash(error)}]
        if given == case:
            return trace
        return [*trace[:-1], {"answer": thrown(f"{CHANGED}{_changed(case, given)}")}]

    return survive


def _changed(case: Case, given: Case) -> str:
    """The first member of a case that is not as it was: ``its config``, ``its step 3``."""
    if given["config"] != case["config"]:
        return "its config"
    for name, before, after in (
        ("metadata", case["metadata"], given["metadata"]),
        ("step", case["steps"], given["steps"]),
    ):
        for index, one in enumerate(before):
            if index >= len(after) or after[index] != one:
                return f"its {name} {index}"
    return "its lists are longer"

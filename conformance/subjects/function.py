"""A testee inside this Python process: functions from a case to its answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.subject import Performer
from conformance.model.trace import Trace, answer_of
from conformance.subjects.in_process import on_its_own
from conformance.subjects.with_hello import SubjectWithHello
from conformance.testees.protocol import Hello, read_trace

Answers = Callable[[Case], Sequence[Any]]
"""Performs a case: for each step an answer as in docs/protocol.md; a step has ``draw``."""


class FunctionTestee(SubjectWithHello):
    """Functions that perform cases, one for each behaviour of its hello.

    An exception that leaves a function is a wrong answer, and is shrunk like one.
    """

    def __init__(self, hello: Hello, functions: Mapping[str, Answers]) -> None:
        self._hello = hello
        self._functions = functions

    @property
    def hello(self) -> Hello:
        return self._hello

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        function, observes = self._functions[behaviour.name], self._supported(behaviour).observes

        def perform(case: Case) -> Trace:
            return read_trace([_checked(entry) for entry in function(case)], observes)

        return on_its_own(perform)


def _checked(entry: Any) -> Any:
    """An entry as it is, but 3.0 and True are no partitions though Python says that they are."""
    if isinstance(entry, dict) and "answer" in entry:
        return {**entry, "answer": answer_of(lambda: entry["answer"])}
    return answer_of(lambda: entry)

"""The port as a subject that answers otherwise now and then."""

from collections.abc import Callable

from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.subject import Performer, Subject
from conformance.model.trace import Trace
from conformance.subjects.python_port import PythonPort


class Spoiled(Subject):
    """The port, with its traces passed through a function."""

    kind = "spoiled port"

    def __init__(self, spoil: Callable[[Case, Trace], Trace]) -> None:
        self._spoil = spoil

    def describe(self, client: ClientVersion | None) -> str:
        return f"a spoiled port of {client}"

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        honest = PythonPort().performer(behaviour, client)
        return lambda case: self._spoil(case, honest(case))


class Surveyed(Spoiled):
    """The same, of which all differences are counted."""

    performs_many = True

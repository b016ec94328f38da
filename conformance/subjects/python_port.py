"""The Python port as a subject; a mutant of it is the same with another package."""

import importlib
import sys
from typing import cast

import python_impl
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.port import Port
from conformance.model.subject import Performer, Subject, version_of
from conformance.subjects.in_process import on_its_own


class PythonPort(Subject):
    """The package :mod:`python_impl`, or one of the same shape."""

    def __init__(self, implementation: Port = python_impl, name: str = "") -> None:
        """``name`` is what another package is called, such as a mutant; none: the port itself."""
        self._implementation = implementation
        self._name = name

    @property
    def kind(self) -> str:
        return self._name or "Python port"

    def describe(self, client: ClientVersion | None) -> str:
        return f"{self._name or 'the Python port'} of {version_of(client)}"

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        return on_its_own(behaviour.port(client, self._implementation))

    def anew(self) -> "PythonPort | None":
        """See :class:`Subject`: the same package, imported once more."""
        name = getattr(self._implementation, "__name__", "")
        kept = {of: one for of, one in sys.modules.items() if f"{of}.".startswith(f"{name}.")}
        if name not in kept:
            return None  # no package
        for module in kept:
            del sys.modules[module]
        try:
            return PythonPort(cast("Port", importlib.import_module(name)), self._name)
        finally:
            sys.modules.update(kept)

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        return distribution.port(client, self._implementation)

    def __reduce__(self) -> tuple[type["PythonPort"], tuple[()]]:
        if self._implementation is not python_impl:
            raise TypeError("only the port itself crosses to another process")
        return PythonPort, ()

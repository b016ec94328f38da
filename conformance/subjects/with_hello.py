"""What all testees share, in a process of their own or in this one: their hello."""

from abc import abstractmethod
from collections.abc import Collection

from conformance.behaviours.registry import BEHAVIOURS
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.subject import Scope, Subject
from conformance.model.trace import Trace
from conformance.testees.errors import TesteeError
from conformance.testees.narrow import narrow_for_testee
from conformance.testees.protocol import Hello, Support, as_observed

SAMPLED = frozenset(behaviour.name for behaviour in BEHAVIOURS if behaviour.sampled)
"""Behaviours that a testee with randomness of its own can be judged by."""


class SubjectWithHello(Subject):
    """A subject that says which behaviours it supports, and what of them it cannot be asked."""

    @property
    @abstractmethod
    def hello(self) -> Hello:
        """Who it is and what it supports."""

    def untried(self, planned: Collection[str]) -> list[str]:
        """Its behaviours with claims that are not among the planned ones."""
        supported = self.hello.behaviours.items()
        return [name for name, support in supported if support.claims and name not in planned]

    def check_hello(self) -> None:
        """Raises :class:`TesteeError` for what a schema cannot say of a hello."""
        for name, said in self.hello.behaviours.items():
            if not said.exact and name not in SAMPLED:
                raise TesteeError(
                    f"The testee's hello has {name} in mode 'statistical', but {name} cannot be "
                    "judged by its distribution: nothing about it is random, or there are no "
                    "records to ask for. Its mode is 'exact'; 'statistical' is for "
                    f"{', '.join(sorted(SAMPLED))}."
                )
        for behaviour in BEHAVIOURS:
            support = self.supports(behaviour)
            if support is None:
                continue
            if behaviour.only_null_keys and support.exact and "null keys" in support.cannot:
                raise TesteeError(
                    f"The testee's hello: {behaviour.name} without null keys is nothing."
                )
            for operation in support.operations:
                if operation not in behaviour.operations:
                    raise TesteeError(
                        f"The testee's hello names an operation {operation!r} of {behaviour.name}; "
                        f"it has {', '.join(behaviour.operations)}."
                    )

    def supports(self, behaviour: Behaviour) -> Support | None:
        """What it says of a behaviour, if it supports it."""
        return self.hello.behaviours.get(behaviour.name)

    @property
    def kind(self) -> str:
        return f"{self.hello.name} {self.hello.version}".strip()

    def describe(self, client: ClientVersion | None) -> str:
        return self.kind

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        """See :class:`Subject`: what it does not support, and versions it does not claim."""
        if not behaviour.for_testees:
            return "testees cannot be asked this behaviour"
        support = self.supports(behaviour)
        if support is None:
            return "the testee does not support it"
        if support.claims and client.version not in support.claims:
            return "the testee does not claim to be like this version"
        return None

    def scope(self, behaviour: Behaviour) -> Scope:
        """See :class:`Subject`: as its hello says."""
        return _ScopeOfHello(behaviour, self._supported(behaviour))

    def _supported(self, behaviour: Behaviour) -> Support:
        support = self.supports(behaviour)
        if support is None:
            raise TesteeError(f"{self.hello.name} does not support {behaviour.name}.")
        return support


class _ScopeOfHello(Scope):
    """What a testee says that it can be asked, and observes."""

    def __init__(self, behaviour: Behaviour, support: Support) -> None:
        self._support = support
        self.cannot = support.cannot
        self.limits = (sorted(support.cannot), sorted(support.operations))
        self.shows_only_partitions = not support.exact
        self.takes_topics = support.topics
        self.takes_records = (support.records and behaviour.takes_records) or not support.exact

    def narrowed(self, case: Case) -> Case | None:
        return narrow_for_testee(case, self._support.cannot, self._support.operations)

    def observable(self, trace: Trace) -> Trace:
        """See :class:`Scope`: kinds of errors instead of Java's classes."""
        return as_observed(trace, self._support.observes)

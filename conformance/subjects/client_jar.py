"""Any kafka-clients jar as a subject: one side of a regression gate."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.clients.inspected import Inspected
from conformance.errors import SuiteError
from conformance.jars.client_jar import ClientJar
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.subject import CouldNotTryError, Performer
from conformance.model.trace import Trace
from conformance.model.values import to_json
from conformance.subjects.java_client import JavaSubject
from conformance.testees.narrow import narrow

if TYPE_CHECKING:
    from conformance.oracle.client import JavaClient


class ClientJarSubject(JavaSubject):
    """Performs behaviours in the way that its own jar shows them, whatever version is asked for.

    ``jar`` and ``inspected`` are the jar and what it has; ``beside`` is the other side of the
    gate: what that one cannot be asked is not asked of this one either. ``called`` is its name in
    reports.
    """

    performs_many = True

    def __init__(
        self, jar: ClientJar, inspected: Inspected, beside: Inspected, called: str
    ) -> None:
        self._jar = jar
        self._inspected = inspected
        self._beside = beside
        self._called = called
        self._clients = {}
        self._performers = {}

    @property
    def kind(self) -> str:
        """See :class:`Subject`."""
        return self._called

    def describe(self, client: ClientVersion | None) -> str:
        """See :class:`Subject`."""
        del client
        return self._called

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        """See :class:`Subject`."""
        del client
        return self._inspected.client.absent.get(behaviour.name)

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """See :class:`Subject`; starts the JVM and loads the jar."""
        del client
        return super().performer(behaviour, self._inspected.client)

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        """See :class:`Subject`."""
        del client
        return super().sampler(distribution, self._inspected.client)

    def perform_many(
        self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
    ) -> list[Trace | CouldNotTryError]:
        """See :class:`Subject`: all differences are counted, each by its kind."""
        perform = self.performer(behaviour, client)
        return [perform(case) for case in cases]

    def narrowed(self, behaviour: Behaviour, case: Case) -> Case | None:
        """See :class:`Subject`: without what either jar cannot be asked."""
        return narrow(case, *self.limits(behaviour))

    def check_asked(self, behaviour: Behaviour, case: Case) -> None:
        """See :class:`Subject`: it was saved between other jars, which could be asked more."""
        # Narrowing also cuts what no message can hold: that is no matter of these jars.
        asked, saved = self.narrowed(behaviour, case), narrow(case, ())
        if to_json(asked) != to_json(saved):
            raise SuiteError(
                f"One of the two jars cannot be asked this case of {behaviour.name}.",
                "Replay it on the two jars that it was found on; docs/gate.md says what jars lack.",
            )

    def limits(self, behaviour: Behaviour) -> tuple[list[str], list[str]]:
        """See :class:`Subject`: what either jar cannot be asked, and what both have."""
        both = (self._inspected, self._beside)
        cannot = {word for one in both for word in one.cannot.get(behaviour.name, ())}
        lacking = {word for one in both for word in one.lacks_operations.get(behaviour.name, ())}
        return sorted(cannot), [one for one in behaviour.operations if one not in lacking]

    def remarks(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> list[str]:
        """See :class:`Subject`."""
        del client
        return super().remarks(behaviour, self._inspected.client, case)

    def client(self, client: ClientVersion, *, assertions: bool) -> "JavaClient":
        """The loaded client, whichever is asked for."""
        del client
        # Imported here so that the suite's other half works, and is tested, without a JVM.
        from conformance.oracle.client import JavaClient  # noqa: PLC0415

        key = (self._inspected.client.version, assertions)
        if key not in self._clients:
            self._clients[key] = JavaClient(None, self._jar.all, assertions=assertions)
        return self._clients[key]

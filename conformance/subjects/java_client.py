"""The oracle as a subject: the real Java client of each version."""

from conformance.jars.lock import jars_of_client
from conformance.jars.store import JarStore
from conformance.model.behaviour import Behaviour, JavaPerformer
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.subject import Performer, Subject, version_of
from conformance.model.trace import Trace
from conformance.oracle.client import JavaClient


class JavaSubject(Subject):
    """Loads the jar of whichever version is asked for, verified each time it is loaded.

    A case may ask for Java's assertions (``config["assertions"]``): such cases run in a second
    class loader of the same jar, in which they are on.
    """

    def __init__(self, store: JarStore) -> None:
        self._store = store
        self._clients: dict[tuple[str, bool], JavaClient] = {}
        self._performers: dict[tuple[str, str], Performer] = {}

    @property
    def kind(self) -> str:
        return "Java"

    def describe(self, client: ClientVersion | None) -> str:
        return f"{self.kind} {version_of(client)}"

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        """See :class:`Subject`; what the behaviours declare says it."""
        return client.absent.get(behaviour.name)

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """See :class:`Subject`; starts the JVM and loads the jar. A behaviour is linked once."""
        key = (behaviour.name, client.version)
        if key not in self._performers:
            self._performers[key] = self._linked(behaviour, client)
        return self._performers[key]

    def _linked(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        loaded = self.client(client, assertions=False)
        prepared: dict[bool, tuple[JavaClient, JavaPerformer]] = {
            False: (loaded, behaviour.java(client, loaded))
        }

        def perform(case: Case) -> Trace:
            assertions = bool(case["config"].get("assertions", False))
            if assertions not in prepared:
                other = self.client(client, assertions=assertions)
                prepared[assertions] = (other, behaviour.java(client, other))
            java, performer = prepared[assertions]
            results = java.run(performer.program(case))
            trace = performer.trace(case, results)
            results.finish()
            return trace

        return perform

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        """See :class:`Subject`; starts the JVM and loads the jar. Assertions are off."""
        return distribution.java(client, self.client(client, assertions=False))

    def remarks(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> list[str]:
        """The messages of the exceptions that the client threw in a case, in order."""
        self.performer(behaviour, client)(case)
        assertions = bool(case["config"].get("assertions", False))
        return self.client(client, assertions=assertions).last_messages()

    def client(self, client: ClientVersion, *, assertions: bool) -> JavaClient:
        """The loaded client of a version."""
        key = (client.version, assertions)
        if key not in self._clients:
            jars = self._store.ensure(jars_of_client(client.version))
            self._clients[key] = JavaClient(client.version, jars, assertions=assertions)
        return self._clients[key]

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_clients": {}, "_performers": {}}

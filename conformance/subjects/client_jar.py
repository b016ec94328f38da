"""Any kafka-clients jar as a subject: one side of a regression gate."""

from dataclasses import replace
from functools import partial
from typing import Final, cast

from conformance.clients.inspected import Inspected
from conformance.errors import ClientFailedError, OracleError, SuiteError
from conformance.jars.client_jar import ClientJar
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.subject import CouldNotTryError, Performed, Performer, Scope
from conformance.model.trace import Step, Trace
from conformance.model.values import thrown, to_json
from conformance.oracle.client import JavaClient
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.watch import Watch
from conformance.testees.narrow import narrow

RELIED_ON: Final = "docs/gate.md lists what the suite relies on"


class ClientJarSubject(JavaSubject):
    """Performs behaviours in the way that its own jar shows them, whatever version is asked for.

    ``jar`` and ``inspected`` are the jar and what it has; ``beside`` is the other side of the
    gate: what that one cannot be asked is not asked of this one either. ``called`` is its name in
    reports; ``watch`` hears what it performs, if anybody wants to know. Where it fails in what
    a case takes for granted, that is its answer; but no case can be compared with a baseline's.
    """

    performs_many = True

    def __init__(
        self,
        jar: ClientJar,
        inspected: Inspected,
        beside: Inspected,
        called: str,
        watch: Watch | None = None,
        *,
        is_baseline: bool = False,
    ) -> None:
        self._jar = jar
        self._inspected = inspected
        self._beside = beside
        self._called = called
        self._watch = watch
        self._is_baseline = is_baseline
        self._failure = ""
        self._clients = {}
        self._performers = {}

    @property
    def kind(self) -> str:
        return self._called

    def describe(self, client: ClientVersion | None) -> str:
        return self._called

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        return self._inspected.client.absent.get(behaviour.name)

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """See :class:`Subject`; starts the JVM and loads the jar."""
        perform, watch = super().performer(behaviour, self._inspected.client), self._watch
        scope = self.scope(behaviour)

        def answer(case: Case) -> Trace:
            try:
                trace = perform(case)
                # What the baseline shows is kept whole, for candidates that show more.
                return trace if self._is_baseline else scope.observable(trace)
            except ClientFailedError as error:
                if self._is_baseline:
                    raise
                self._failure = error.what
                return [{"answer": thrown(error.thrown)}]
            except OracleError as error:
                if self._is_baseline:
                    raise
                why = f"{error.what.rstrip('.')} ({RELIED_ON})"
                raise CouldNotTryError(why) from error

        def watched(case: Case) -> Trace:
            assert watch is not None
            with watch.performing(self._called, case):
                return answer(case)

        return answer if watch is None else watched

    def last_case(self, process: int) -> Performed | None:
        found = None if self._watch is None else self._watch.last_case(process)
        return found if found is not None and found.by == self._called else None

    def finish(self) -> None:
        """See :class:`Subject`; says which of the methods that changed ran."""
        if self._watch is not None and self._watch.marked:
            clients = self._clients.values()
            self._watch.keep_probes([probe for java in clients for probe in java.probes_that_ran()])

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        """See :class:`Subject`; of one name for both jars, by which their seeds are made."""
        return super().sampler(
            distribution, replace(self._inspected.client, version=client.version)
        )

    def scope(self, behaviour: Behaviour) -> Scope:
        """See :class:`Subject`: what neither jar lacks."""
        return _ScopeOfJars(behaviour, self._inspected, self._beside)

    def remarks(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> list[str]:
        self._failure = ""
        remarks = super().remarks(behaviour, self._inspected.client, case)
        return [self._failure] if self._failure else remarks

    def client(self, client: ClientVersion, *, assertions: bool) -> JavaClient:
        """The loaded client, whichever is asked for."""
        key = (self._inspected.client.version, assertions)
        if key not in self._clients:
            marked = () if self._watch is None else self._watch.marked
            self._clients[key] = JavaClient(
                None, self._jar.all, assertions=assertions, marked=marked
            )
        return self._clients[key]


class _ScopeOfJars(Scope):
    """What all of some jars can be asked."""

    def __init__(self, behaviour: Behaviour, *jars: Inspected) -> None:
        self._name = behaviour.name
        cannot = {word for one in jars for word in one.cannot.get(behaviour.name, ())}
        lacking = {word for one in jars for word in one.lacks_operations.get(behaviour.name, ())}
        has = [one for one in behaviour.operations if one not in lacking]
        self.limits = (sorted(cannot), has)
        self._shows_state = "state" not in cannot
        self._narrowed = partial(narrow, cannot=sorted(cannot), operations=has)

    def narrowed(self, case: Case) -> Case | None:
        return self._narrowed(case)

    def observable(self, trace: Trace) -> Trace:
        """See :class:`Scope`: state is compared if both show it."""
        if self._shows_state:
            return trace
        return [cast("Step", {k: v for k, v in one.items() if k != "state"}) for one in trace]

    def check_asked(self, case: Case) -> None:
        """See :class:`Scope`: it was saved between other jars, which could be asked more."""
        # As text, because narrowing makes tuples of what JSON has as lists.
        if to_json(self._narrowed(case)) != to_json(case):
            raise SuiteError(
                f"One of the two jars cannot be asked this case of {self._name}.",
                "Replay it on the two jars that it was found on; docs/gate.md says what jars lack.",
            )

"""A testee as a subject: a port in any language, a process that speaks our protocol."""

import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from conformance.behaviour import Behaviour
from conformance.case import Case
from conformance.clients import ClientVersion
from conformance.subjects.subject import CouldNotTryError, Performer, Subject
from conformance.testees.conversation import Conversation
from conformance.testees.errors import TesteeDiedError, TesteeError
from conformance.testees.limits import Limits
from conformance.testees.narrow import narrow
from conformance.testees.process import end_run
from conformance.testees.protocol import COULD_NOT_TRY, Hello, Support, as_observed, read_trace
from conformance.trace import Trace, thrown

if TYPE_CHECKING:
    # Importing any distribution imports all, and SciPy, which no case needs.
    from conformance.distributions.distribution import Distribution, Sampler

T = TypeVar("T")
DEATHS_SECONDS = 60.0
"""How long a testee may go on dying, while what kills it is made smaller."""


class Testee(Subject):
    """Starts the process for each cell of the matrix, and holds it to the protocol.

    A testee that dies of a case, twice, has answered it, and wrongly: the case is shrunk like any
    other. Whatever else it does against the protocol raises :class:`TesteeError`.
    """

    performs_many = True

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: Limits | None = None,
        folder: Path | None = None,
        hello: Hello | None = None,
        run: str | None = None,
    ) -> None:
        self._command = tuple(command)
        self._limits = limits or Limits()
        self._folder = folder
        self._run = run or uuid.uuid4().hex
        self._hello = hello
        self._conversation: Conversation | None = None
        self._dying = 0.0

    @property
    def hello(self) -> Hello:
        """Who it is; starts it once to ask. Raises :class:`TesteeError`."""
        if self._hello is None:
            conversation = self._start()
            self._hello = conversation.hello
            conversation.finish()
        return self._hello

    def supports(self, behaviour: Behaviour) -> Support | None:
        """What it says of a behaviour, if it supports it."""
        return self.hello.behaviours.get(behaviour.name)

    def describe(self, client: ClientVersion) -> str:
        """See :class:`Subject`."""
        del client
        return f"{self.hello.name} {self.hello.version}"

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        """See :class:`Subject`: what it does not support, and versions it does not claim."""
        support = self.supports(behaviour)
        if support is None:
            return "the testee does not support it"
        if support.claims and client.version not in support.claims:
            return "the testee does not claim to be like this version"
        return None

    def narrowed(self, behaviour: Behaviour, case: Case) -> Case | None:
        """See :class:`Subject`: without what its interface cannot be asked."""
        support = self._supported(behaviour)
        return narrow(case, support.cannot, support.operations)

    def cannot(self, behaviour: Behaviour) -> tuple[str, ...]:
        """See :class:`Subject`."""
        return self._supported(behaviour).cannot

    def observable(self, behaviour: Behaviour, trace: Trace) -> Trace:
        """See :class:`Subject`: kinds of errors instead of Java's classes."""
        return as_observed(trace, self._supported(behaviour).observes)

    def shows_only_partitions(self, behaviour: Behaviour) -> bool:
        """See :class:`Subject`: a statistical behaviour."""
        return not self._supported(behaviour).exact

    def takes_records(self, behaviour: Behaviour) -> bool:
        """See :class:`Subject`."""
        support = self._supported(behaviour)
        return support.records or not support.exact

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """See :class:`Subject`; starts the process."""
        support = self._supported(behaviour)
        self._talk()

        def perform(case: Case) -> Trace:
            trace = _trace(self._answer(behaviour, client, case), support.observes)
            if isinstance(trace, CouldNotTryError):
                raise trace
            return trace

        return perform

    def perform_many(
        self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
    ) -> list[Trace | CouldNotTryError]:
        """See :class:`Subject`: several cases in a message, several messages under way."""
        if not cases:
            return []
        support = self._supported(behaviour)
        try:
            answers = self._ask(lambda talk: talk.traces(behaviour.name, client.version, cases))
        except TesteeDiedError:
            # One by one, which tells of which case it died.
            answers = [self._answer(behaviour, client, case) for case in cases]
        return [_trace(answer, support.observes) for answer in answers]

    def sampler(self, distribution: "Distribution", client: ClientVersion) -> "Sampler":
        """See :class:`Subject`; the distribution says what a record is."""
        return distribution.testee(
            client, lambda *question: self._ask(lambda talk: talk.partitions(*question))
        )

    def finish(self) -> None:
        """See :class:`Subject`: ends the process; raises :class:`TesteeError` if it cannot end."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.finish()

    def stop(self) -> None:
        """End every process of this testee, wherever it runs, without a question."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.stop()

    def stop_everywhere(self) -> None:
        """The same for those that workers of this run have started."""
        self.stop()
        end_run(self._run)

    def _supported(self, behaviour: Behaviour) -> Support:
        support = self.supports(behaviour)
        if support is None:
            raise TesteeError(f"{self.hello.name} does not support {behaviour.name}.")
        return support

    def _answer(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> Any:
        """The steps of a trace, what it could not try, or that it died of this case."""
        started = time.monotonic()
        for again in (False, True):
            try:
                return self._ask(lambda talk: talk.traces(behaviour.name, client.version, [case]))[
                    0
                ]
            except TesteeDiedError as error:
                self._dying += time.monotonic() - started
                if self._dying > DEATHS_SECONDS:
                    raise
                if again:
                    return thrown(f"the testee died: {error.what.splitlines()[0]}")
        raise AssertionError("unreachable")

    def _ask(self, question: Callable[[Conversation], T]) -> T:
        """Ask; a testee that does not answer as it should is stopped, and started anew later."""
        talk = self._talk()
        try:
            return question(talk)
        except BaseException:
            self.stop()
            raise

    def _talk(self) -> Conversation:
        if self._conversation is None:
            conversation = self._start()
            if conversation.hello != self.hello:
                conversation.stop()
                raise TesteeError("The testee says another hello each time it is started.")
            self._conversation = conversation
        return self._conversation

    def _start(self) -> Conversation:
        return Conversation(self._command, limits=self._limits, folder=self._folder, run=self._run)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._command, self._limits, self._folder, self.hello, self._run)


def _trace(answer: Any, observes: Sequence[str]) -> Trace | CouldNotTryError:
    """What was answered to a case, as the engine takes it."""
    if isinstance(answer, list):
        return read_trace(answer, observes)
    if COULD_NOT_TRY in answer:
        return CouldNotTryError(answer[COULD_NOT_TRY])
    return [{"answer": answer}]


def _rebuilt(
    command: Sequence[str], limits: Limits, folder: Path | None, hello: Hello, run: str
) -> Testee:
    return Testee(command, limits=limits, folder=folder, hello=hello, run=run)

"""A testee as a subject: a port in any language, a process that speaks our protocol."""

import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.subject import CouldNotTryError, Performer
from conformance.model.trace import Trace, death
from conformance.model.values import is_error
from conformance.processes.tree import end_run
from conformance.subjects.with_hello import SubjectWithHello
from conformance.testees.conversation import Conversation
from conformance.testees.errors import TesteeDiedError, TesteeError
from conformance.testees.limits import Limits
from conformance.testees.protocol import COULD_NOT_TRY, Hello, Support, read_trace
from conformance.text import inert

T = TypeVar("T")
_GIVEN_UP = {COULD_NOT_TRY: "it had died of cases for too long to be asked any more"}
_NOT_AGAIN = "Restarted and asked the same, it did not die: none of its answers is reliable."
DEATHS_SECONDS = 60.0
"""How long a testee may go on dying, while what kills it is made smaller."""


class Testee(SubjectWithHello):
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
        transcripts: Path | None = None,
    ) -> None:
        """``transcripts``: a folder, where what is said is written down."""
        self._command = tuple(command)
        self._limits = limits or Limits()
        self._folder = folder
        self._run = run or uuid.uuid4().hex
        self._transcripts = transcripts
        self._hello = hello
        self._conversation: Conversation | None = None
        self._dying = 0.0
        # Whether it has died of a case twice: then one death of another says enough.
        self._mortal = False
        self._last_death: TesteeDiedError | None = None

    @property
    def hello(self) -> Hello:
        """Who it is; starts it once to ask. Raises :class:`TesteeError`."""
        if self._hello is None:
            conversation = self.talk_anew()
            self._hello = conversation.hello
            conversation.finish()
            self.check_hello()
        return self._hello

    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """See :class:`Subject`; starts the process."""
        support = self._supported(behaviour)
        self._talk()

        def perform(case: Case) -> Trace:
            trace = _trace(behaviour, case, self._answer(behaviour, client, case), support)
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
            given_up = [_GIVEN_UP] * len(cases)
            answers = given_up if self._is_given_up else self._traces(behaviour, client, cases)
        except TesteeDiedError:
            # One by one, which tells of which case it died.
            answers = [
                _GIVEN_UP if self._is_given_up else self._answer(behaviour, client, case)
                for case in cases
            ]
            if not any(map(is_error, answers)):
                raise  # of none of them: it is not to be relied on
        except TesteeError as error:
            alone = self._blamed(behaviour, client, cases)
            if alone is None:
                raise
            what = f"{error.what}\n  Asked one by one: {alone.what}"
            raise type(error)(what, error.remedy) from alone
        return [
            _trace(behaviour, case, answer, support)
            for case, answer in zip(cases, answers, strict=True)
        ]

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        """See :class:`Subject`; the distribution says what a record is."""
        return distribution.testee(
            client, lambda *question: self._ask(lambda talk: talk.partitions(*question))
        )

    def anew(self) -> "Testee":
        """See :class:`Subject`: another process."""
        return _rebuilt(*self._parts)

    def remarks(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> list[str]:
        """See :class:`Subject`: of a case that it dies of, how, with the end of its log."""
        return [] if self._last_death is None else [self._last_death.what]

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

    def _blamed(
        self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
    ) -> TesteeError | None:
        """What a single case leads to, asked one by one for as long as one answer may take."""
        deadline = time.monotonic() + self._limits.answer_seconds
        for case in cases if len(cases) > 1 else ():
            if time.monotonic() > deadline:
                break
            try:
                self._traces(behaviour, client, [case])
            except TesteeError as error:
                return error
        return None

    @property
    def _is_given_up(self) -> bool:
        """Whether it has died for so long that the rest of the time goes into shrinking."""
        return self._mortal and self._dying > DEATHS_SECONDS / 2

    def _answer(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> Any:
        """The steps of a trace, what it could not try, or that it died of this case."""
        died: TesteeDiedError | None = None
        while True:
            started = time.monotonic()
            try:
                answers = self._traces(behaviour, client, [case])
            except TesteeDiedError as error:
                self._dying += time.monotonic() - started
                if self._mortal and self._dying > DEATHS_SECONDS:
                    raise
                if died is not None or self._mortal:
                    self._mortal = True
                    return death(error.how)
                died = self._last_death = error
            else:
                if died is not None:
                    raise TesteeError(died.what, _NOT_AGAIN)
                return answers[0]

    def _traces(
        self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
    ) -> list[Any]:
        return self._ask(
            lambda talk: talk.traces(behaviour.name, client.version, cases, typed=behaviour.typed)
        )

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
            conversation = self.talk_anew()
            if conversation.hello != self.hello:
                conversation.stop()
                raise TesteeError("The testee sends a different hello each time it starts.")
            self._conversation = conversation
        return self._conversation

    def talk_anew(self) -> Conversation:
        """Another conversation, of a process of its own, which whoever asks for it has to end."""
        return Conversation(
            self._command,
            limits=self._limits,
            folder=self._folder,
            run=self._run,
            transcripts=self._transcripts,
        )

    @property
    def _parts(self) -> tuple[Sequence[str], Limits, Path | None, Hello, str, Path | None]:
        hello, run = self.hello, self._run
        return self._command, self._limits, self._folder, hello, run, self._transcripts

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, self._parts


def _trace(
    behaviour: Behaviour, case: Case, answer: Any, support: Support
) -> Trace | CouldNotTryError:
    """What was answered to a case, as the engine takes it."""
    if isinstance(answer, list):
        return behaviour.as_compared(case, read_trace(answer, support.observes))
    if COULD_NOT_TRY in answer:
        return CouldNotTryError(inert(answer[COULD_NOT_TRY]))
    return [{"answer": answer}]


def _rebuilt(
    command: Sequence[str],
    limits: Limits,
    folder: Path | None,
    hello: Hello,
    run: str,
    transcripts: Path | None,
) -> Testee:
    return Testee(
        command, limits=limits, folder=folder, hello=hello, run=run, transcripts=transcripts
    )

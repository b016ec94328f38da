"""Two subjects that perform the same cases: an oracle, and one that is held against it."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from conformance.engine.comparing import Asked, Performed
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.subject import CouldNotTryError, Performer, Scope, Subject
from conformance.model.trace import Trace

Answered = Trace | CouldNotTryError


class Pair:
    """What two subjects make of a behaviour of one client version.

    ``progress`` is told after each case that one of them has performed. Each is started when it is
    first needed, which raises :class:`SuiteError` if it cannot perform the behaviour.
    """

    def __init__(
        self,
        behaviour: Behaviour,
        client: ClientVersion,
        oracle: Subject,
        subject: Subject,
        progress: Callable[[], None],
    ) -> None:
        self._behaviour, self._client = behaviour, client
        self._oracle, self._subject = oracle, subject
        self._progress = progress
        self.execution = 0.0
        """Seconds that both have taken to perform batches."""

    @cached_property
    def expect(self) -> Performer:
        """The oracle."""
        return self._oracle.performer(self._behaviour, self._client)

    @cached_property
    def answer(self) -> Performer:
        """The subject, which may refuse a case."""
        return self._subject.performer(self._behaviour, self._client)

    @cached_property
    def scope(self) -> Scope:
        """What the subject can be asked, and shows."""
        return self._subject.scope(self._behaviour)

    def expected(self, case: Case) -> Trace:
        """What the oracle answers, as far as the subject shows it, too."""
        full = self.expect(case)
        self._progress()
        return self.scope.observable(full)

    def attempt(self, case: Case) -> Answered:
        """What the subject answers, or why it cannot be asked."""
        try:
            return self.answer(case)
        except CouldNotTryError as error:
            return error

    def perform(self, batch: Sequence[Asked], refuse: Callable[[str], None]) -> Iterator[Performed]:
        """What both make of the cases that the subject can try; ``refuse`` is told of the others.

        If one of the two fails, the cases before come first. If it takes this process with it,
        nobody learns of them.
        """
        started = time.perf_counter()
        answers, failure = self._answers([asked.case for asked in batch])
        fulls: list[Trace | None] = []
        try:
            for asked, answered in zip(batch, answers, strict=False):
                wanted = asked.full is None and not isinstance(answered, CouldNotTryError)
                fulls.append(self.expect(asked.case) if wanted else asked.full)
                self._progress()
        except Exception as error:  # at a case before the one at which the subject failed
            failure = error
        self.execution += time.perf_counter() - started
        for asked, full, answered in zip(batch, fulls, answers, strict=False):
            if isinstance(answered, CouldNotTryError):
                refuse(answered.why)
            else:
                assert full is not None, "the oracle answers nothing"
                yield Performed(asked, full, self.scope.observable(full), answered)
        if failure is not None:
            raise failure

    def _answers(self, cases: Sequence[Case]) -> tuple[list[Answered], Exception | None]:
        """The subject's answers, up to the case at which it fails, if it does."""
        if self._subject.performs_many:
            return self._subject.perform_many(self._behaviour, self._client, cases), None
        answers: list[Answered] = []
        try:
            for case in cases:
                answers.append(self.attempt(case))
                self._progress()
        except Exception as error:
            return answers, error
        return answers, None

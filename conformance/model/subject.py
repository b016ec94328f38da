"""Subjects: anything that can perform a behaviour."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Distribution, Sampler
from conformance.model.trace import Trace

Performer = Callable[[Case], Trace]
"""Performs one behaviour of one client version: a case in, a trace out, which is the caller's: it
must not change when the next case is performed."""


class CouldNotTryError(SuiteError):
    """A subject cannot perform a case: it gives neither an answer nor an error."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The testee could not try: {why}", "Nothing is known of this case.")
        self.why = why

    def __reduce__(self) -> tuple[type["CouldNotTryError"], tuple[str]]:  # type: ignore[override]
        return type(self), (self.why,)


@dataclass(frozen=True)
class Performed:
    """The case that a process was last known to perform."""

    by: str
    """The subject's name."""
    case: Case
    seconds: float
    """For how long."""


def version_of(client: ClientVersion | None) -> str:
    """The version in a subject's description, or all of them."""
    return "each version" if client is None else client.version


class Scope:
    """The part of a behaviour that a subject can be asked, and shows: here, all of it."""

    cannot: Collection[str] = ()
    """What it cannot be asked, in the words of the testee protocol."""
    limits: tuple[list[str], list[str]] | None = None
    """What decides how :meth:`narrowed` changes cases: what it cannot be asked, and the operations
    that it has (none: all). None if cases stay as they are."""
    shows_only_partitions: bool = False
    """Whether it has its own randomness, so that only a distribution can be judged."""
    takes_records: bool = False
    """Whether it also answers many records at once, by :meth:`Subject.sampler`."""
    takes_topics: bool = False
    """Whether these may be of two topics, one among the other."""

    def narrowed(self, case: Case) -> Case | None:
        """The part of the case that the subject can be asked; None if nothing is left."""
        return case

    def check_asked(self, case: Case) -> None:
        """Raises :class:`SuiteError` for a saved case that it is never asked."""

    def observable(self, trace: Trace) -> Trace:
        """The part of an oracle's trace that can be compared with the subject's."""
        return trace


WHOLE: Final = Scope()
"""Of real clients and of the port."""


class Subject(ABC):
    """A real client, the Python port, a mutant, a port in another language.

    A subject is cheap to make and can be pickled; it starts what it needs (a JVM, a process)
    when a performer is first asked for.
    """

    performs_many: ClassVar[bool] = False
    """Whether all cases are asked, many at once (:meth:`perform_many`), and all differences counted
    by their kind, before one is shrunk; otherwise the first one ends the search."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What it is, whatever the version: ``Java``, ``Python port``."""

    @abstractmethod
    def describe(self, client: ClientVersion | None) -> str:
        """Its name in reports, such as ``Java 3.8.0``; None: for the versions of a whole run."""

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        """Why it does not support a behaviour of a version, or None if it does.

        What a subject lacks is *absent* from the matrix; what it claims and cannot do is not.
        """
        return None

    @abstractmethod
    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """How it performs a behaviour; raises :class:`SuiteError` if it cannot.

        A performer raises :class:`CouldNotTryError` for a case that it cannot perform.
        """

    def perform_many(
        self, behaviour: Behaviour, client: ClientVersion, cases: Sequence[Case]
    ) -> list[Trace | CouldNotTryError]:
        """The traces of many cases; for a subject that :attr:`performs_many`."""
        perform = self.performer(behaviour, client)
        answers: list[Trace | CouldNotTryError] = []
        for case in cases:
            try:
                answers.append(perform(case))
            except CouldNotTryError as refusal:
                answers.append(refusal)
        return answers

    def scope(self, behaviour: Behaviour) -> Scope:
        """How much of a behaviour it can be asked and shows; of one that it does not lack."""
        return WHOLE

    def anew(self) -> "Subject | None":
        """The same subject in its initial state, without memories. None: there is no way.

        The caller must call :meth:`finish`.
        """
        return None

    def finish(self) -> None:  # noqa: B027  # most have nothing to end
        """Called after each cell; raises :class:`SuiteError` if the subject ends badly."""

    def last_case(self, process: int) -> Performed | None:
        """The case that it was performing in a process (by its id) that ended or hangs, if known.

        Such a subject is responsible for the end of its process.
        """
        return None

    def sampler(self, distribution: Distribution, client: ClientVersion) -> Sampler:
        """Its sampler, which answers by the million; raises :class:`SuiteError` if it has none."""
        raise SuiteError(
            f"{self.describe(client)} cannot be sampled for {distribution.name}.",
            "Only the real clients and the Python port can be sampled by the million so far.",
        )

    def remarks(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> list[str]:
        """What else it can say about a case, for a report (such as exception messages)."""
        return []

"""What a subject is: anything that can perform a behaviour."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from conformance.behaviour import Behaviour
from conformance.case import Case
from conformance.clients import ClientVersion
from conformance.errors import SuiteError
from conformance.trace import Trace

if TYPE_CHECKING:
    # Importing any distribution imports all, and SciPy, which no case needs.
    from conformance.distributions.distribution import Distribution, Sampler

Performer = Callable[[Case], Trace]
"""Performs one behaviour of one client version: a case in, a trace out."""


class Subject(ABC):
    """A real client, the Python port, a mutant, later a port in another language.

    A subject is cheap to make and can be pickled; it starts what it needs (a JVM, a process)
    when a performer is first asked for.
    """

    @abstractmethod
    def describe(self, client: ClientVersion) -> str:
        """How reports call it, such as ``Java 3.8.0``."""

    def lacks(self, behaviour: Behaviour, client: ClientVersion) -> str | None:
        """Why it does not support a behaviour of a version, or None if it does.

        What a subject lacks is *absent* from the matrix; what it claims and cannot do is not.
        """
        del behaviour, client
        return None

    @abstractmethod
    def performer(self, behaviour: Behaviour, client: ClientVersion) -> Performer:
        """How it performs a behaviour; raises :class:`SuiteError` if it cannot."""

    def sampler(self, distribution: "Distribution", client: ClientVersion) -> "Sampler":
        """How it answers by the million; raises :class:`SuiteError` if it cannot."""
        raise SuiteError(
            f"{self.describe(client)} cannot be sampled for {distribution.name}.",
            "Only the real clients and the Python port answer by the million so far.",
        )

    def remarks(self, behaviour: Behaviour, client: ClientVersion, case: Case) -> list[str]:
        """What else it can say about a case, for a report (such as exception messages)."""
        del behaviour, client, case
        return []

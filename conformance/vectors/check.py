"""Does a subject answer as the vectors say? No Java is needed for that."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.subject import CouldNotTryError, Performer, Subject
from conformance.model.trace import Trace, first_difference
from conformance.model.values import to_json
from conformance.testees.protocol import as_observed
from conformance.vectors.document import OBSERVED, Vector, vectors_of
from conformance.vectors.files import read_documents


@dataclass(frozen=True)
class FailedVector:
    """A vector that a subject does not answer as a client version does."""

    identity: str
    behaviour: str
    client: str
    message: str
    """The step, what the client answers and what the subject does."""

    def __str__(self) -> str:
        return f"{self.identity}, client {self.client}: {self.message}"


@dataclass(frozen=True)
class Held:
    """What came of holding a subject against vectors."""

    answers: int
    """How many answers were compared: a vector counts once for each client version."""
    untried: int
    """How many the subject's interface cannot be asked."""
    failures: tuple[FailedVector, ...]


def failing(
    folder: Path, subject: Subject, clients: Collection[str] | None = None
) -> list[FailedVector]:
    """The vectors in a folder that a subject fails, for some client versions (None: all).

    Behaviours that the subject lacks and cases that it cannot be asked are left out. Raises
    :class:`UsageError` for a folder or a file that has no vectors, :class:`SuiteError` if the
    subject cannot perform at all.
    """
    return list(hold(read_documents(folder), subject, clients).failures)


def hold(
    documents: Collection[Mapping[str, Any]],
    subject: Subject,
    clients: Collection[str] | None = None,
) -> Held:
    """As :func:`failing`, for documents that were read, with what was compared and what not."""
    wanted = None if clients is None else [client_named(version) for version in clients]
    answers = untried = 0
    failures: list[FailedVector] = []
    for document in documents:
        held = _Held(subject, behaviour_named(document["behaviour"]))
        for vector, client, expected in _answers(document):
            if wanted is not None and client not in wanted:
                continue
            answered = held.answered(vector, client)
            if answered is None:
                untried += 1
                continue
            answers += 1
            message = held.difference(client, expected, answered)
            if message is not None:
                name = document["behaviour"]
                failures.append(FailedVector(vector.identity, name, client.version, message))
    return Held(answers, untried, tuple(failures))


def _answers(document: Mapping[str, Any]) -> Iterator[tuple[Vector, ClientVersion, Trace]]:
    for vector in vectors_of(document):
        for answer in vector.answers:
            for version in answer.clients:
                yield vector, client_named(version), answer.trace


class _Held:
    """A subject, and how it performs one behaviour on each version that was asked for."""

    def __init__(self, subject: Subject, behaviour: Behaviour) -> None:
        self._subject = subject
        self._behaviour = behaviour
        self._performers: dict[str, Performer] = {}

    def answered(self, vector: Vector, client: ClientVersion) -> Trace | None:
        """What the subject answers to a vector; None if it cannot be asked."""
        subject, behaviour = self._subject, self._behaviour
        if subject.lacks(behaviour, client) is not None:
            return None
        scope = subject.scope(behaviour)
        if scope.shows_only_partitions:  # the vector's draws are not taken
            return None
        narrowed = scope.narrowed(vector.case)
        # As text, because narrowing makes tuples of what JSON has as lists.
        if narrowed is None or to_json(narrowed) != to_json(vector.case):
            return None
        if client.version not in self._performers:
            self._performers[client.version] = subject.performer(behaviour, client)
        try:
            answered = self._performers[client.version](vector.case)
        except CouldNotTryError:
            return None
        return as_observed(answered, OBSERVED)

    def difference(self, client: ClientVersion, expected: Trace, answered: Trace) -> str | None:
        """Where the subject's answers part from the client's, for a person; None if nowhere."""
        observable = self._subject.scope(self._behaviour).observable(expected)
        step = first_difference(observable, answered)
        if step is None:
            return None
        return (
            f"step {step} of {len(expected)}: Java {client.version} gives "
            f"{_entry(observable, step)}, {self._subject.describe(client)} {_entry(answered, step)}"
        )


def _entry(trace: Trace, step: int) -> str:
    return to_json(trace[step]) if step < len(trace) else "nothing"

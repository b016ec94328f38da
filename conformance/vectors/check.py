"""Does a subject answer as the vectors say? No Java is needed for that."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.behaviour import Behaviour
from conformance.case import to_json
from conformance.clients import ClientVersion
from conformance.engine.plan import behaviour_named, client_named
from conformance.errors import UsageError
from conformance.subjects.subject import CouldNotTryError, Performer, Subject
from conformance.testees.protocol import as_observed
from conformance.trace import Trace, first_difference
from conformance.vectors.document import Vector, read_document, vector_files, vectors_of

_OBSERVED = ("draws", "state")


@dataclass(frozen=True)
class Failure:
    """A vector that a subject does not answer as a client version does."""

    identity: str
    behaviour: str
    client: str
    message: str
    """The step, what the client answers and what the subject does."""

    def __str__(self) -> str:
        return f"{self.identity}, client {self.client}: {self.message}"


@dataclass(frozen=True)
class Outcome:
    """What came of holding a subject against vectors."""

    answers: int
    """How many answers were compared: a vector counts once for each client version."""
    untried: int
    """How many the subject's interface cannot be asked."""
    failures: tuple[Failure, ...]


def failing(
    folder: Path, subject: Subject, clients: Collection[str] | None = None
) -> list[Failure]:
    """The vectors in a folder that a subject fails, for some client versions (None: all).

    Behaviours that the subject lacks and cases that it cannot be asked are left out. Raises
    :class:`UsageError` for a folder or a file that has no vectors, :class:`SuiteError` if the
    subject cannot perform at all.
    """
    documents = [read_document(path) for path in vector_files(folder)]
    return list(hold(documents, subject, clients).failures)


def hold(
    documents: Collection[Mapping[str, Any]],
    subject: Subject,
    clients: Collection[str] | None = None,
) -> Outcome:
    """As :func:`failing`, for documents that were read, with what was compared and what not."""
    wanted = None if clients is None else {client_named(version).version for version in clients}
    answers = untried = 0
    failures: list[Failure] = []
    for document in documents:
        held = _Held(subject, _behaviour_of(document))
        for vector in vectors_of(document):
            for answer in vector.answers:
                for version in answer.clients:
                    if wanted is not None and version not in wanted:
                        continue
                    found = held.compare(vector, client_named(version), answer.trace)
                    answers += found is not None
                    untried += found is None
                    if isinstance(found, Failure):
                        failures.append(found)
    return Outcome(answers, untried, tuple(failures))


def _behaviour_of(document: Any) -> Behaviour:
    try:
        return behaviour_named(document["behaviour"])
    except (TypeError, KeyError) as error:
        raise UsageError(
            "A file of the folder holds no vectors: it names no behaviour.",
            "Name the folder that kafka-conformance vectors wrote, unchanged.",
        ) from error


class _Held:
    """A subject, and how it performs one behaviour on each version that was asked for."""

    def __init__(self, subject: Subject, behaviour: Behaviour) -> None:
        self._subject = subject
        self._behaviour = behaviour
        self._performers: dict[str, Performer] = {}

    def compare(
        self, vector: Vector, client: ClientVersion, expected: Trace
    ) -> Failure | bool | None:
        """A failure; True if it answers as expected; None if it cannot be asked."""
        subject, behaviour = self._subject, self._behaviour
        if subject.lacks(behaviour, client) is not None:
            return None
        narrowed = subject.narrowed(behaviour, vector.case)
        # As text, because narrowing makes tuples of what JSON has as lists.
        if narrowed is None or to_json(narrowed) != to_json(vector.case):
            return None
        if client.version not in self._performers:
            self._performers[client.version] = subject.performer(behaviour, client)
        try:
            answered = self._performers[client.version](vector.case)
        except CouldNotTryError:
            return None
        observable = subject.observable(behaviour, expected)
        answered = as_observed(answered, _OBSERVED)
        step = first_difference(observable, answered)
        if step is None:
            return True
        told = (
            f"step {step} of {len(expected)}: Java {client.version} gives "
            f"{_entry(observable, step)}, {subject.describe(client)} {_entry(answered, step)}"
        )
        return Failure(vector.identity, behaviour.name, client.version, told)


def _entry(trace: Trace, step: int) -> str:
    return to_json(trace[step]) if step < len(trace) else "nothing"

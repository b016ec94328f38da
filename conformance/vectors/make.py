"""Making the documents: choose cases, have the real clients answer them, write it all down."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from conformance.engine.run import default_jobs
from conformance.errors import SuiteError
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.subject import Performer, Subject
from conformance.processes.ctrl_c import FreshProcesses
from conformance.testees.narrow import narrow
from conformance.testees.protocol import as_observed
from conformance.vectors.choose import Chosen, choose
from conformance.vectors.document import (
    APART,
    FORMAT,
    OBSERVED,
    README_FILE,
    SCHEMA_FILE,
    Answer,
    Vector,
    behaviours_with_vectors,
    clients_with,
    document_text,
    identity_of,
    name_apart,
    plain_vector,
    source_of,
)
from conformance.vectors.files import schema_text
from conformance.vectors.flags import known_flags, note_of
from conformance.vectors.readme import readme_text

Progress = Callable[[str, int], None]
"""Told the name of a behaviour and the number of its vectors."""


def make_files(oracle: Subject, seed: int, progress: Progress) -> dict[str, str]:
    """The texts of all files of the vectors, by name, always the same for a seed.

    ``oracle`` gives the answers; it is the real Java clients. Choosing takes most of the time, and
    a core for each behaviour. Raises :class:`SuiteError` if anything cannot be performed.
    """
    behaviours = behaviours_with_vectors()
    documents: dict[str, dict[str, Any]] = {}
    for behaviour, cases in zip(behaviours, _choices(behaviours, seed), strict=True):
        vectors = _answered(behaviour, cases, oracle)
        progress(behaviour.name, len(vectors))
        documents |= _documents(behaviour, vectors, seed)
    files = {f"{name}.json": document_text(document) for name, document in documents.items()}
    files[SCHEMA_FILE] = schema_text()
    files[README_FILE] = readme_text(documents)
    return files


def _choices(behaviours: Sequence[Behaviour], seed: int) -> Iterator[list[Chosen]]:
    """What is chosen for each behaviour, in their order."""
    with FreshProcesses(default_jobs()) as pool:
        names = [behaviour.name for behaviour in behaviours]
        try:
            yield from pool.map(partial(choose, seed=seed), names)
        except BrokenProcessPool as error:
            raise SuiteError(
                "A process that chooses vectors died; nothing was written.",
                "Check free memory and try again.",
            ) from error


def _answered(behaviour: Behaviour, cases: list[Chosen], oracle: Subject) -> list[Vector]:
    """Chosen cases with the oracle's answers, versions that agree together."""
    performers = [
        (client, oracle.performer(behaviour, client)) for client in clients_with(behaviour)
    ]
    vectors = []
    for chosen in cases:
        having: dict[str, Performer] = {
            client.version: perform
            for client, perform in performers
            if behaviour.exists_in(client, chosen.case)
        }
        answers: list[Answer] = []
        for version, perform in having.items():
            trace = as_observed(perform(chosen.case), OBSERVED)
            same = next((at for at, one in enumerate(answers) if one.trace == trace), None)
            if same is None:
                answers.append(Answer((version,), trace))
            else:
                answers[same] = Answer((*answers[same].clients, version), trace)
        identity = identity_of(behaviour.name, chosen.case)
        vectors.append(Vector(identity, chosen.comment, chosen.flags, chosen.case, tuple(answers)))
    if len({vector.identity for vector in vectors}) < len(vectors):
        raise SuiteError(
            f"Two vectors of {behaviour.name} have the same id.",
            "Make ids longer, in conformance/vectors/document.py.",
        )
    return vectors


def _documents(behaviour: Behaviour, vectors: list[Vector], seed: int) -> dict[str, dict[str, Any]]:
    """The documents of a behaviour by their names: one, or two if some vectors stand apart."""
    plain = [vector for vector in vectors if not _is_apart(vector.case)]
    apart = [vector for vector in vectors if _is_apart(vector.case)]
    documents = {behaviour.name: _document(behaviour, plain, seed)}
    if apart:
        documents[name_apart(behaviour)] = _document(behaviour, apart, seed)
    return documents


def _is_apart(case: Case) -> bool:
    left = narrow(case, (APART,))
    return left is None or len(left["steps"]) < len(case["steps"])


def _document(behaviour: Behaviour, vectors: list[Vector], seed: int) -> dict[str, Any]:
    used = {flag for vector in vectors for flag in vector.flags}
    return {
        "$schema": SCHEMA_FILE,
        "format": FORMAT,
        "behaviour": behaviour.name,
        "summary": behaviour.summary,
        "source": source_of(behaviour, seed),
        "numberOfCases": len(vectors),
        "notes": {flag: note_of(flag) for flag in known_flags() if flag in used},
        "cases": [plain_vector(vector) for vector in vectors],
    }


def write_into(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files into a folder that exists."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", newline="\n")

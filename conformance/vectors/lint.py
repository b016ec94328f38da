"""What must be true of a folder of vectors without asking any client."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.draws import Draw
from conformance.engine.plan import behaviour_named
from conformance.model.behaviour import Behaviour
from conformance.vectors.document import (
    README_FILE,
    SCHEMA_FILE,
    behaviours_with_vectors,
    case_of,
    clients_with,
    identity_of,
    name_apart,
    source_of,
)
from conformance.vectors.files import read_document, schema_errors, schema_text, vector_files
from conformance.vectors.flags import known_flags, note_of, wrong_names
from conformance.vectors.readme import readme_text

_MOST_OF_ONE_KIND = 5
"""How many problems of a file are told."""


def lint(folder: Path) -> list[str]:
    """What is wrong with the files of a folder, one sentence each; empty if nothing is.

    Raises :class:`UsageError` for a folder without vectors, a file that is not JSON, or another
    format.
    """
    problems = wrong_names()
    seen: Counter[str] = Counter()
    documents = {path.stem: read_document(path) for path in vector_files(folder)}
    sound = True
    for name, document in documents.items():
        against_schema = list(schema_errors(document))
        sound &= not against_schema
        told = against_schema or list(_of_contents(name, document, seen))
        problems += [f"{name}.json: {problem}" for problem in told[:_MOST_OF_ONE_KIND]]
        if len(told) > _MOST_OF_ONE_KIND:
            problems.append(f"{name}.json: and {len(told) - _MOST_OF_ONE_KIND} more.")
    problems += [f"The id {identity} stands {n} times." for identity, n in seen.items() if n > 1]
    problems += [
        f"{behaviour.name}.json is missing."
        for behaviour in behaviours_with_vectors()
        if behaviour.name not in documents
    ]
    if not _is_text(folder / SCHEMA_FILE, schema_text()):
        problems.append(f"{SCHEMA_FILE} is not the suite's.")
    if sound and not _is_text(folder / README_FILE, readme_text(documents)):
        problems.append(f"{README_FILE} is not about these files.")
    return problems


def _is_text(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _of_contents(name: str, document: Mapping[str, Any], seen: Counter[str]) -> Iterator[str]:
    """What a schema cannot say; ids are counted over all documents."""
    cases, behaviour = document["cases"], behaviour_named(document["behaviour"])
    if name not in (behaviour.name, name_apart(behaviour)):
        yield f"The vectors of {behaviour.name} are not in a file of that name."
    if document["source"] != source_of(behaviour, document["source"]["seed"]):
        yield "source does not name this suite, its clients and their locked jars."
    if document["numberOfCases"] != len(cases):
        yield f"numberOfCases is {document['numberOfCases']}, but there are {len(cases)}."
    yield from _of_flags(document)
    for entry in cases:
        seen[entry["id"]] += 1
        yield from _of_case(behaviour, entry)


def _of_flags(document: Mapping[str, Any]) -> Iterator[str]:
    used = {flag for entry in document["cases"] for flag in entry["flags"]}
    notes = document["notes"]
    for flag in sorted(used - notes.keys()):
        yield f"The flag {flag} has no note."
    for flag in notes:
        if flag not in used:
            yield f"The note {flag} belongs to no case."
        if flag not in known_flags():
            yield f"The flag {flag} is unknown: it is not in conformance/vectors/flags.toml."
        elif notes[flag] != note_of(flag):
            yield f"The note {flag} differs from conformance/vectors/flags.toml."


def _of_case(behaviour: Behaviour, entry: Mapping[str, Any]) -> Iterator[str]:
    identity, steps, case = entry["id"], entry["steps"], case_of(entry)
    wanted = identity_of(behaviour.name, case)
    if identity != wanted:
        yield f"The id {identity} does not follow from the inputs: {wanted} does."
    clients = sorted(client for answer in entry["answers"] for client in answer["clients"])
    having = [one.version for one in clients_with(behaviour) if behaviour.exists_in(one, case)]
    if clients != sorted(having):
        yield f"{identity} has answers of {', '.join(clients)}, not of {', '.join(having)}."
    for answer in entry["answers"]:
        if len(answer["trace"]) != len(steps):
            yield f"{identity}: {len(answer['trace'])} answers to {len(steps)} steps."
        for step, given in zip(steps, answer["trace"], strict=False):
            yield from _of_draws(identity, step, given)


def _of_draws(identity: str, step: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    draws = step.get("draws", [])
    if ("draws" in step) != ("draws" in given):
        yield f"{identity}: a step and its answer do not both speak of draws."
    if given.get("draws", 0) > len(draws):
        yield f"{identity}: more is drawn than the step has."
    if draws and any(
        one != other for one, other in zip(draws, Draw(draws[0]).sequence(), strict=False)
    ):
        yield f"{identity}: draws that do not follow from the first."

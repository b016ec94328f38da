"""What must be true of a folder of vectors without asking any client."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.draws import Draw
from conformance.vectors.document import SCHEMA_FILE, case_of, identity_of
from conformance.vectors.files import read_document, schema_errors, schema_text, vector_files
from conformance.vectors.flags import known_flags, note_of, wrong_names

_MOST_OF_ONE_KIND = 5
"""How many problems of a file are told."""


def lint(folder: Path) -> list[str]:
    """What is wrong with the files of a folder, one sentence each; empty if nothing is.

    Raises :class:`UsageError` for a folder without vectors, a file that is not JSON, or another
    format.
    """
    problems = wrong_names()
    seen: Counter[str] = Counter()
    for path in vector_files(folder):
        document = read_document(path)
        told = list(schema_errors(document)) or list(_of_contents(document, seen))
        problems += [f"{path.name}: {problem}" for problem in told[:_MOST_OF_ONE_KIND]]
        if len(told) > _MOST_OF_ONE_KIND:
            problems.append(f"{path.name}: and {len(told) - _MOST_OF_ONE_KIND} more.")
    problems += [f"The id {identity} stands {n} times." for identity, n in seen.items() if n > 1]
    schema = folder / SCHEMA_FILE
    if not schema.is_file() or schema.read_text("utf-8") != schema_text():
        problems.append(f"{SCHEMA_FILE} is not the suite's.")
    return problems


def _of_contents(document: Mapping[str, Any], seen: Counter[str]) -> Iterator[str]:
    """What a schema cannot say; ids are counted over all documents."""
    cases = document["cases"]
    if document["numberOfCases"] != len(cases):
        yield f"numberOfCases is {document['numberOfCases']}, but there are {len(cases)}."
    yield from _of_flags(document)
    versions = set(document["source"]["methods"])
    for entry in cases:
        seen[entry["id"]] += 1
        yield from _of_case(document["behaviour"], entry, versions)


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


def _of_case(behaviour: str, entry: Mapping[str, Any], versions: set[str]) -> Iterator[str]:
    identity, steps = entry["id"], entry["steps"]
    if len(set(entry["flags"])) < len(entry["flags"]):
        yield f"{identity} has a flag twice."
    wanted = identity_of(behaviour, case_of(entry))
    if identity != wanted:
        yield f"The id {identity} does not follow from the inputs: {wanted} does."
    clients = [client for answer in entry["answers"] for client in answer["clients"]]
    if len(set(clients)) < len(clients) or not versions.issuperset(clients):
        yield f"{identity} has answers of {', '.join(clients)}; source has {', '.join(versions)}."
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

"""The page that lies beside the vectors, for whoever finds the folder first."""

from collections.abc import Mapping
from typing import Any

from conformance.behaviours.registry import BEHAVIOURS

_HEAD = """\
# Test vectors

Cases with the answers of the real Java clients, for ports of Kafka's producer partitioners and
record batches in any language. Usage: [docs/vectors.md](../docs/vectors.md); the meaning of the
behaviours: [docs/behaviours.md](../docs/behaviours.md); the schema:
[vectors.schema.json](vectors.schema.json).
`kafka-conformance vectors` writes all files here; do not edit them.

| file | cases | client versions |
| --- | --- | --- |
"""
_FLAGS = """
## Flags

A flag names a class of bugs. A port that has the bug fails at least one of the cases with its flag.

| flag | the bug in a port that fails it | seen in |
| --- | --- | --- |
"""


def readme_text(documents: Mapping[str, Mapping[str, Any]]) -> str:
    """The page, from all documents by their names, whose order does not matter."""
    places = {behaviour.name: place for place, behaviour in enumerate(BEHAVIOURS)}
    notes: dict[str, Any] = {}
    rows = []
    for name in sorted(documents, key=lambda one: (places[documents[one]["behaviour"]], one)):
        document = documents[name]
        versions = ", ".join(document["source"]["methods"])
        rows.append(f"| [{name}.json]({name}.json) | {document['numberOfCases']} | {versions} |\n")
        notes |= document["notes"]
    flags = [
        f"| {flag} | {note['bug']} | {', '.join(note['seenIn']) or '-'} |\n"
        for flag, note in notes.items()
    ]
    return _HEAD + "".join(rows) + _FLAGS + "".join(flags)

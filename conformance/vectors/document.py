"""The format of the vectors: documents as data, as text, and back.

A *document* is what one file holds (schema: ``vectors.schema.json``); a *vector* is one of its
cases, with what each client version answers. In a document a step has ``draws`` written out, as
in the testee protocol; in a :class:`Case` it has ``draw``, the numbers that they follow from.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.jars.lock import locked_release
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case
from conformance.model.client_version import ClientVersion
from conformance.model.trace import Trace
from conformance.model.values import to_json
from conformance.suite_version import suite_version
from conformance.testees.protocol import step_with_draws

FORMAT: Final = "kafka-conformance vectors 1"
SCHEMA_FILE: Final = "vectors.schema.json"
README_FILE: Final = "README.md"
OBSERVED: Final = ("draws", "state")
"""What a trace in a document has besides answers, where the behaviour has it."""
DRAWS_TO_SPARE: Final = 3
"""How many draws are written out beyond those that the clients take."""
APART: Final = "lone surrogates"
"""Vectors of this narrowing have a file of their own: strict JSON readers refuse such text."""
_WIDTH: Final = 140
_ID_BYTES: Final = 4


@dataclass(frozen=True)
class Answer:
    """What some client versions answer to a case, all the same."""

    clients: tuple[str, ...]
    trace: Trace
    """With errors by the protocol's kinds."""


@dataclass(frozen=True)
class Vector:
    """A case, why it is there, and its answers."""

    identity: str
    comment: str
    flags: tuple[str, ...]
    case: Case
    answers: tuple[Answer, ...]


def behaviours_with_vectors() -> list[Behaviour]:
    """The behaviours that have a file of vectors, in the order of the matrix.

    They are those for testees: what only some subjects have, no other port could be asked.
    """
    return [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]


def name_apart(behaviour: Behaviour) -> str:
    """The name of the file for a behaviour's vectors of :data:`APART`, if there are any."""
    return f"{behaviour.name}-{APART.replace(' ', '-')}"


def clients_with(behaviour: Behaviour) -> list[ClientVersion]:
    """The client versions that have a behaviour: those that a document has answers of."""
    return [client for client in CLIENT_VERSIONS if client.shows(behaviour.name)]


def source_of(behaviour: Behaviour, seed: int) -> dict[str, Any]:
    """Where the cases of a behaviour and their answers come from, as a document says it."""
    clients = clients_with(behaviour)
    jars = [locked_release(client.version).clients for client in clients]
    return {
        "suite": suite_version(),
        "seed": seed,
        "jars": [
            {"client": jar.version, "coordinates": jar.coordinates, "sha256": jar.sha256}
            for jar in jars
        ],
        "methods": {client.version: client.realised_by[behaviour.name] for client in clients},
    }


def identity_of(behaviour: str, case: Case) -> str:
    """A vector's id: it follows from the inputs alone, so no other vector can change it."""
    text = json.dumps([behaviour, json.loads(to_json(case))], sort_keys=True)
    return f"{behaviour}-{hashlib.blake2b(text.encode(), digest_size=_ID_BYTES).hexdigest()}"


def plain_vector(vector: Vector) -> dict[str, Any]:
    """A vector as it stands in a document."""
    case = vector.case
    taken = _draws_taken(vector)
    steps = [
        step_with_draws(operation, count + DRAWS_TO_SPARE)
        for operation, count in zip(case["steps"], taken, strict=True)
    ]
    return {
        "id": vector.identity,
        "comment": vector.comment,
        "flags": list(vector.flags),
        "config": case["config"],
        "metadata": case["metadata"],
        "steps": steps,
        "answers": [
            {"clients": list(answer.clients), "trace": answer.trace} for answer in vector.answers
        ],
    }


def _draws_taken(vector: Vector) -> list[int]:
    """How many values each step draws, on the client that draws most."""
    traces = [answer.trace for answer in vector.answers]
    return [max(step.get("draws", 0) for step in steps) for steps in zip(*traces, strict=True)]


def case_of(entry: Mapping[str, Any]) -> Case:
    """The case of a vector in a document, as subjects perform it."""
    return Case(
        config=entry["config"],
        metadata=entry["metadata"],
        steps=[_with_draw(operation) for operation in entry["steps"]],
    )


def _with_draw(operation: Mapping[str, Any]) -> dict[str, Any]:
    """The step with the first of its draws, from which in vectors all others follow."""
    rest = {name: value for name, value in operation.items() if name != "draws"}
    return {**rest, "draw": [operation["draws"][0], 0]} if "draws" in operation else rest


def vectors_of(document: Mapping[str, Any]) -> list[Vector]:
    """The vectors of a document that follows the schema."""
    return [
        Vector(
            identity=entry["id"],
            comment=entry["comment"],
            flags=tuple(entry["flags"]),
            case=case_of(entry),
            answers=tuple(
                Answer(tuple(answer["clients"]), answer["trace"]) for answer in entry["answers"]
            ),
        )
        for entry in document["cases"]
    ]


def document_text(document: Mapping[str, Any]) -> str:
    """A document as the text of its file: a line for each step, and for each answer to one."""
    return _text(json.loads(to_json(document)), "") + "\n"


def _text(value: Any, indent: str) -> str:
    line = json.dumps(value)
    if len(indent) + len(line) <= _WIDTH or _has_only_numbers(value):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        members = [f"{json.dumps(name)}: {_text(item, deeper)}" for name, item in value.items()]
        return _block("{", members, "}", indent)
    if isinstance(value, list):
        return _block("[", [_text(item, deeper) for item in value], "]", indent)
    return line


def _block(left: str, parts: Sequence[str], right: str, indent: str) -> str:
    inside = ",\n".join(f"{indent}  {part}" for part in parts)
    return f"{left}\n{inside}\n{indent}{right}"


def _has_only_numbers(value: Any) -> bool:
    """Numbers, and lists of lists of them: they stay in one line, however long it gets."""
    if isinstance(value, list):
        return all(map(_has_only_numbers, value))
    return value is None or isinstance(value, int)

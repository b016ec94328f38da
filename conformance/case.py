"""Cases: one generated input each, as plain data that can be written down and replayed.

A case has a configuration, a list of metadata snapshots and a list of steps. A step names its
operation, the snapshot it sees, what it may draw, and earlier answers by their position. The
vocabulary of each behaviour is in its module under :mod:`conformance.behaviours`.
"""

import json
from typing import Any, TypeAlias, TypedDict

Partition: TypeAlias = list[Any]
"""``[id, leader]``; the leader is a node id, or None for a leaderless partition."""

Metadata: TypeAlias = list[tuple[str, list[Partition]]]
"""One snapshot: topics with their partitions, in metadata order (pairs are lists in JSON)."""

Operation: TypeAlias = dict[str, Any]
"""One step: ``{"op": ..., ...}``."""


class Case(TypedDict):
    """One input that any subject can be given."""

    config: dict[str, Any]
    metadata: list[Metadata | None]
    steps: list[Operation]


def to_json(value: Any, *, indent: int | None = None) -> str:
    """Cases, traces and reports as JSON; bytes become ``{"hex": "..."}``, without loss."""
    return json.dumps(value, indent=indent, default=_encode)


def from_json(text: str) -> Any:
    """The inverse of :func:`to_json`; raises ``ValueError`` for anything that is not JSON."""
    return json.loads(text, object_hook=_decode)


def _encode(value: Any) -> dict[str, str]:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    raise TypeError(f"a case cannot hold {type(value).__name__} {value!r}")


def _decode(value: dict[str, Any]) -> Any:
    return bytes.fromhex(value["hex"]) if value.keys() == {"hex"} else value

"""Every example runs on the real Java client and on the port alike."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.case import Case, Operation
from conformance.model.subject import Subject
from conformance.model.trace import Trace
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort

Perform = Callable[..., Trace]


@pytest.fixture(params=["java", "port"])
def perform(request: pytest.FixtureRequest, java: JavaSubject, port: PythonPort) -> Perform:
    """Performs steps on the subject under test and answers the trace."""
    subject: Subject = java if request.param == "java" else port

    def run(
        behaviour: str,
        version: str,
        steps: list[Operation],
        *,
        topic: list[list[Any]] | None = None,
        metadata: list[Any] | None = None,
        config: dict[str, Any] | None = None,
    ) -> Trace:
        known: list[Any] = metadata or [None if topic is None else [("t", topic)]]
        case = Case(config=config or {}, metadata=known, steps=steps)
        return subject.performer(behaviour_named(behaviour), client_named(version))(case)

    return run


def led(*ids: int) -> list[list[Any]]:
    """Partitions with these ids, all with a leader."""
    return [[number, 0] for number in ids]


def record(*, key: bytes | None = None, draw: int = 0) -> Operation:
    """A record of topic t is partitioned."""
    return {"op": "partition", "topic": "t", "key": key, "metadata": 0, "draw": [draw, 0]}


def new_batch(previous: Any, *, draw: int = 0, tail: int = 0) -> Operation:
    """A batch of topic t was opened."""
    step = {"op": "new batch", "topic": "t", "previous": previous}
    return {**step, "metadata": 0, "draw": [draw, tail]}


def sent(key: bytes | None = None) -> Operation:
    """A record of topic t is sent by a producer."""
    return {"op": "send", "topic": "t", "key": key, "metadata": 0}


def answers(trace: Trace) -> list[Any]:
    """The answers of a trace."""
    return [step["answer"] for step in trace]

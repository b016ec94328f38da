"""A testee that serves the Python port through the protocol: the one that must conform.

Run as ``python port.py [BEHAVIOUR ...]``; without names it supports all.
"""

import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any

import python_impl
from conformance import draws
from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS
from conformance.model.values import from_json, is_error, to_json
from conformance.subjects.python_port import PythonPort
from conformance.testees.protocol import JAVA_ERRORS

EXACT = [behaviour for behaviour in BEHAVIOURS if behaviour.for_testees]
RECORDS = ("keyed", "round-robin")


class Given:
    """The draws as the protocol gives them."""

    def __init__(self, *values: int) -> None:
        self._values = values

    def sequence(self) -> Iterator[int]:
        return chain(self._values, iter(self._missing, None))

    def _missing(self) -> int:
        raise LookupError("more draws than were given")


def perform(message: dict[str, Any]) -> list[Any]:
    behaviour = next(one for one in EXACT if one.name == message["behaviour"])
    client = next(one for one in CLIENT_VERSIONS if one.version == message["client"])
    performer = PythonPort().performer(behaviour, client)
    return [[_told(step) for step in performer(_prepared(case))] for case in message["cases"]]


def _prepared(case: Any) -> Any:
    for step in case["steps"]:
        if "draws" in step:
            step["draw"] = step.pop("draws")
    return case


def _told(step: Any) -> Any:
    return {
        **step,
        "answer": _kind(step["answer"]),
        **({"state": {k: _kind(v) for k, v in step["state"].items()}} if "state" in step else {}),
    }


def _kind(answer: Any) -> Any:
    if is_error(answer):
        return {
            "error": JAVA_ERRORS.get(answer["error"], "other"),
            "message": answer["error"],
        }
    return answer


def partitions(message: dict[str, Any]) -> list[int]:
    count = len(message["partitions"])
    if message["behaviour"] == "keyed":
        return [python_impl.partition_for_key(bytes.fromhex(key), count) for key in message["keys"]]
    led = [number for number, leader in message["partitions"] if leader is not None]
    return [led[at % len(led)] for at in range(message["count"])]


def main() -> None:
    draws.Draw = Given  # type: ignore[assignment,misc]
    wanted = sys.argv[1:] or [behaviour.name for behaviour in EXACT]
    for line in sys.stdin:
        message = from_json(line)
        if message["type"] == "hello":
            support = {
                name: {"mode": "exact", "observes": ["draws", "state"], "records": name in RECORDS}
                for name in wanted
            }
            answer: dict[str, Any] = {
                "type": "hello",
                "protocol": 1,
                "name": "the Python port",
                "version": "0",
                "language": "Python",
                "behaviours": support,
            }
        elif message["type"] == "cases":
            answer = {"type": "traces", "id": message["id"], "traces": perform(message)}
        else:
            answer = {"type": "partitions", "id": message["id"], "partitions": partitions(message)}
        sys.stdout.write(to_json(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""The testee protocol, once for all Python adapters: lines in, lines out, until the input ends."""

import json
import platform
import sys
from typing import Any, Protocol

CANNOT_TRY = "could not try"
Message = dict[str, Any]


class CouldNotTry(Exception):  # noqa: N818 - not an error: the adapter has no way to ask
    """The adapter, not the library, has no way to ask this case."""


class Adapter(Protocol):
    """What an adapter has to offer."""

    name: str
    version: str
    behaviours: dict[str, Any]

    def new_case(self, case: Message) -> Any:
        """Something fresh whose method ``step(step)`` performs one step."""

    def records(self, message: Message) -> list[int]:
        """One partition for each record of a ``records`` message."""


def key_of(step: Message) -> bytes | None:
    """The step's key."""
    key = step.get("key")
    return None if key is None else bytes.fromhex(key["hex"])


def int32(number: int) -> int:
    """The same 32 bits as a signed number: Python's libraries answer hashes unsigned."""
    number &= 0xFFFFFFFF
    return number - (1 << 32) if number >> 31 else number


def error_of(error: Exception) -> Message:
    """The answer for what the library raised: the kind of Java exception that is nearest."""
    text = f"{type(error).__name__}: {error}"
    kind = "other"
    if isinstance(error, (TypeError, AttributeError)) and "None" in str(error):
        kind = "null"
    elif isinstance(error, ZeroDivisionError):
        kind = "arithmetic"
    elif isinstance(error, LookupError):
        kind = "index"
    elif isinstance(error, ValueError):
        kind = "argument"
    elif isinstance(error, AssertionError):
        kind = "assertion"
    return {"error": kind, "message": text[:2000]}


def _trace(adapter: Adapter, case: Message) -> Any:
    answers: list[Any] = []
    try:
        subject = adapter.new_case(case)
        for step in case["steps"]:
            try:
                answers.append(subject.step(step))
            except CouldNotTry:
                raise
            except Exception as error:
                answers.append(error_of(error))
    except CouldNotTry as reason:
        return {CANNOT_TRY: str(reason)}
    return answers


def _answer(adapter: Adapter, message: Message) -> Message:
    if message["type"] == "cases":
        traces = [_trace(adapter, case) for case in message["cases"]]
        return {"type": "traces", "id": message["id"], "traces": traces}
    answer: Message = {"type": "partitions", "id": message["id"]}
    try:
        answer["partitions"] = adapter.records(message)
    except CouldNotTry as reason:
        answer[CANNOT_TRY] = str(reason)
    return answer


def serve(adapter: Adapter) -> None:
    """Answer every line of standard input."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {
                "type": "hello",
                "protocol": 1,
                "name": adapter.name,
                "version": adapter.version,
                "language": f"Python {platform.python_version()}",
                "behaviours": adapter.behaviours,
            }
        elif message["type"] in ("cases", "records"):
            answer = _answer(adapter, message)
        else:
            print(f"not answered: a message of type {message['type']!r}", file=sys.stderr)
            continue
        sys.stdout.write(json.dumps(answer, separators=(",", ":")) + "\n")
        sys.stdout.flush()

"""Testees whose lines are no messages."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: ARG002

import json
import sys
from typing import Any

from tests.testees.broken.honest import (
    MEBIBYTE,
    Honest,
    Message,
    Middle,
    Spoiled,
    fault,
    flood,
    hang,
)


@fault("half a line")
class HalfALine(Middle):
    """Writes half a line, and nothing more."""

    def happen(self, message: Message) -> None:
        self.write(json.dumps(self.reply(message)).encode()[:30])
        hang()


@fault("half a line and exits")
class HalfALineAndExits(Spoiled):
    """Exits in the middle of a line."""

    def happen(self, message: Message) -> None:
        super().happen(message)
        sys.exit(0)

    def spoil(self, reply: Message) -> bytes:
        return json.dumps(reply).encode()[:30]


@fault("invalid UTF-8")
class InvalidUtf8(Spoiled):
    """Writes bytes that are no text."""

    def spoil(self, reply: Message) -> bytes:
        return b'{"type": "traces", "\xff\xfe\xc0\x80": 1}\n'


@fault("lone surrogates")
class LoneSurrogates(Honest):
    """Has messages of errors with half of a surrogate pair, as some languages' texts have."""

    def answer(self, step: Message, case: Message) -> Any:
        answer = super().answer(step, case)
        return {**answer, "message": "\ud83d"} if isinstance(answer, dict) else answer


@fault("NUL bytes")
class NulBytes(Spoiled):
    """Fills its lines up with NUL, as a fixed buffer does."""

    def spoil(self, reply: Message) -> bytes:
        return json.dumps(reply).encode() + b"\0\0\0\n"


@fault("a line of 100 MiB")
class HugeLine(Spoiled):
    """Writes a message that is valid, and of 100 MiB."""

    def spoil(self, reply: Message) -> bytes:
        return json.dumps({**reply, "filler": "x" * (100 * MEBIBYTE)}).encode() + b"\n"


@fault("endless output")
class EndlessOutput(Middle):
    """Writes a line without end."""

    def happen(self, message: Message) -> None:
        flood(sys.stdout.buffer, b"x" * 2**16)


@fault("endless lines")
class EndlessLines(Middle):
    """Writes valid lines without end, and without being asked."""

    def happen(self, message: Message) -> None:
        flood(sys.stdout.buffer, json.dumps(self.reply(message)).encode() + b"\n")


@fault("endless log")
class EndlessLog(Middle):
    """Writes to standard error without end instead of the third answer."""

    def happen(self, message: Message) -> None:
        flood(sys.stderr.buffer, b"DEBUG still working\n" * 4096)


@fault("endless log of one line")
class EndlessLogLine(Middle):
    """Writes one line to standard error, without end."""

    def happen(self, message: Message) -> None:
        flood(sys.stderr.buffer, b"." * 2**16)


@fault("JSON array")
class JsonArray(Spoiled):
    """Writes a list instead of an object."""

    def text(self, reply: Message) -> str:
        return json.dumps([reply])


@fault("JSON text")
class JsonText(Spoiled):
    """Writes its object within a text."""

    def text(self, reply: Message) -> str:
        return json.dumps(json.dumps(reply))


@fault("two objects on a line")
class TwoObjects(Spoiled):
    """Forgets the end of a line."""

    def text(self, reply: Message) -> str:
        return json.dumps(reply) * 2


@fault("Python instead of JSON")
class PythonText(Spoiled):
    """Prints its dictionary."""

    def text(self, reply: Message) -> str:
        return str(reply)


@fault("deeply nested")
class DeeplyNested(Spoiled):
    """Nests lists by the hundred thousand."""

    def text(self, reply: Message) -> str:
        return '{"type": "traces", "traces": ' + "[" * 100_000 + "]" * 100_000 + "}"


@fault("duplicate members")
class DuplicateMembers(Spoiled):
    """Gives two traces in one message, the wrong ones first."""

    def text(self, reply: Message) -> str:
        return '{"traces": [[0]], ' + json.dumps(reply)[1:]

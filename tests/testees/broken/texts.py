"""Testees whose texts would do something to a screen."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: ARG002, RUF012

import sys
from typing import Any

from tests.testees.broken.honest import HOSTILE, Honest, Message, Middle, Spoiled, Told, fault


@fault("hostile hello")
class HostileHello(Honest):
    """Has a name, a version, a language and claims that no terminal should be shown."""

    behaviours = {"keyed": {"mode": "exact", "claims": ["3.8.0", HOSTILE]}}

    def hello(self) -> Message:
        who = dict.fromkeys(("name", "version", "language"), HOSTILE)
        return {**super().hello(), **who}

    def partition(self, key: Any, count: int) -> Any:
        return 0  # diverges, so that its name is shown wherever it can be


@fault("name is markup")
class NameIsMarkup(Honest):
    """Has a name that closes a tag of the console's library which nobody opened."""

    def hello(self) -> Message:
        return {**super().hello(), "name": "a[/]b[bold]c", "version": "[/nothing] [red]"}


@fault("hostile reasons")
class HostileReasons(Honest):
    """Gives such reasons for what it could not try, and such messages of errors."""

    def trace(self, case: Message) -> Any:
        if len(case["steps"]) > 8:
            return {"could not try": HOSTILE}
        return super().trace(case)

    def answer(self, step: Message, case: Message) -> Any:
        answer = super().answer(step, case)
        return {**answer, "message": HOSTILE} if isinstance(answer, dict) else answer


@fault("hostile reason for everything")
class HostileRefusal(Honest):
    """Could try nothing, for such a reason."""

    def trace(self, case: Message) -> Any:
        return {"could not try": HOSTILE}


@fault("hostile log")
class HostileLog(Middle):
    """Exits with such lines on standard error."""

    def happen(self, message: Message) -> None:
        sys.stderr.buffer.write(HOSTILE.encode("utf-8", "surrogatepass") + b"\xff\xfe\n")
        sys.exit(2)


@fault("hostile line")
class HostileLine(Spoiled):
    """Writes such a text where a message should be."""

    def spoil(self, reply: Message) -> bytes:
        return HOSTILE.encode("utf-8", "replace") + b"\n"


@fault("hostile member")
class HostileMember(Told):
    """Has such a text for a trace, and such names of members."""

    def change(self, reply: Message) -> Message:
        return {**reply, "traces": [{HOSTILE: {HOSTILE: HOSTILE}}]}


@fault("hostile state")
class HostileState(Honest):
    """Shows a state that has such names."""

    behaviours = {"keyed": {"mode": "exact", "observes": ["state"]}}

    def trace(self, case: Message) -> Any:
        return [{"answer": answer, "state": {HOSTILE: 1}} for answer in super().trace(case)]

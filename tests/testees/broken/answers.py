"""Testees whose messages do not answer what was asked, or wrongly."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: ARG002, RUF012

import json
import random
from typing import Any

from tests.testees.broken.honest import (
    LONG,
    MEBIBYTE,
    Honest,
    Message,
    Middle,
    Told,
    child,
    fault,
    hang,
    murmur2,
)


@fault("unknown id")
class UnknownId(Told):
    """Counts for itself."""

    def change(self, reply: Message) -> Message:
        return {**reply, "id": self.asked}


@fault("id as text")
class IdAsText(Told):
    """Gives the id back as a text."""

    def change(self, reply: Message) -> Message:
        return {**reply, "id": str(reply["id"])}


@fault("no id")
class NoId(Told):
    """Forgets the id."""

    def change(self, reply: Message) -> Message:
        return {name: value for name, value in reply.items() if name != "id"}


@fault("duplicate answers")
class DuplicateAnswers(Honest):
    """Answers everything twice."""

    def respond(self, message: Message) -> None:
        self.write(2 * (json.dumps(self.reply(message)).encode() + b"\n"))


@fault("other kind of answer")
class OtherKind(Told):
    """Answers cases with partitions."""

    def change(self, reply: Message) -> Message:
        return {"type": "partitions", "id": reply["id"], "partitions": [0]}


@fault("too few traces")
class TooFewTraces(Told):
    """Leaves the last case of each question out."""

    def change(self, reply: Message) -> Message:
        return {**reply, "traces": reply["traces"][:-1]}


@fault("too many traces")
class TooManyTraces(Told):
    """Answers a case more than it was asked."""

    def change(self, reply: Message) -> Message:
        return {**reply, "traces": [*reply["traces"], [0]]}


@fault("too few steps")
class TooFewSteps(Honest):
    """Leaves the last step of each case out."""

    def trace(self, case: Message) -> Any:
        return super().trace(case)[:-1]


@fault("too many steps")
class TooManySteps(Honest):
    """Has one entry too many in each trace."""

    def trace(self, case: Message) -> Any:
        return [*super().trace(case), 0]


@fault("a trace that could not be tried")
class TraceNotTried(Honest):
    """Gives the trace as the reason why there is none."""

    def trace(self, case: Message) -> Any:
        return {"could not try": super().trace(case)}


@fault("unknown error")
class UnknownError(Honest):
    """Names its errors as it likes."""

    def answer(self, step: Message, case: Message) -> Any:
        answer = super().answer(step, case)
        return {"error": "ZeroDivisionError"} if isinstance(answer, dict) else answer


@fault("refuses everything")
class RefusesEverything(Honest):
    """Claims to be like 3.8.0, and can then try nothing."""

    behaviours = {"keyed": {"mode": "exact", "claims": ["3.8.0"]}}

    def trace(self, case: Message) -> Any:
        return {"could not try": "keys are not supported yet"}


@fault("refuses some")
class RefusesSome(Honest):
    """Cannot try keys of 100 bytes, and says so."""

    def trace(self, case: Message) -> Any:
        if any(len((step["key"] or {"hex": ""})["hex"]) >= 1000 for step in case["steps"]):
            return {"could not try": "the key is too long for my buffer"}
        return super().trace(case)


@fault("random")
class Random(Honest):
    """Claims exactness, and answers at random."""

    def partition(self, key: Any, count: int) -> Any:
        super().partition(key, count)
        return random.randrange(abs(count))


@fault("wrong now and then")
class WrongNowAndThen(Honest):
    """Is wrong at the hundredth partition of each process, and never again."""

    seen = 0

    def partition(self, key: Any, count: int) -> Any:
        partition = super().partition(key, count)
        self.seen += 1
        return partition if self.seen != 100 else partition + 1


@fault("wrong mask")
class WrongMask(Honest):
    """Takes the absolute value of the hash instead of masking it."""

    def partition(self, key: Any, count: int) -> Any:
        number = murmur2(key)
        return abs(number - 2**32 if number >= 2**31 else number) % abs(count)


@fault("always 0")
class AlwaysZero(Honest):
    """Sends everything to partition 0."""

    def partition(self, key: Any, count: int) -> Any:
        return 0


@fault("takes memory")
class TakesMemory(Middle):
    """Takes a quarter of a gibibyte instead of the third answer."""

    def happen(self, message: Message) -> None:
        self.hoard = b"x" * (256 * MEBIBYTE)
        hang()


@fault("its child takes memory")
class ChildTakesMemory(Middle):
    """Lets a child take a quarter of a gibibyte, in a session of its own."""

    def happen(self, message: Message) -> None:
        hoard = f"import time; hoard = b'x' * 2**28; time.sleep({LONG})"
        child(self.folder, hoard, start_new_session=True)
        hang()


@fault("diverges, then breaks a rule")
class DivergesThenBreaks(WrongMask):
    """Is wrong, and exits in the middle of its work as well."""

    def respond(self, message: Message) -> None:
        if self.asked == 5:
            self.write(b"enough\n")
        super().respond(message)

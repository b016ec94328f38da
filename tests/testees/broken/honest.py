"""The honest testee that all others are made of, and what several of them do."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: RUF012

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LONG = 600.0
"""Seconds that no test waits for."""
MEBIBYTE = 2**20
HOSTILE = (
    "[red]<b>&amp;[/] \x1b[31mred\x1b]0;title\x07 \x00 \x9b31m \u202egnp.exe \u2066 \u200b "
    "\r\b\b [link=x]"
)
"""Markup of several kinds, ANSI escapes of 7 and 8 bits, NUL, marks that turn the direction."""
_ERRORS = {TypeError: "null", ZeroDivisionError: "arithmetic"}

Message = dict[str, Any]


def murmur2(key: bytes) -> int:
    """The hash without its sign."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(key)
    end = len(key) // 4 * 4
    for at in range(0, end, 4):
        k = int.from_bytes(key[at : at + 4], "little") * m & mask
        h = (h * m ^ (k ^ k >> 24) * m) & mask
    if key[end:]:
        h = (h ^ int.from_bytes(key[end:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def keyed(key: bytes, count: int) -> int:
    """An index below the number of partitions."""
    return (murmur2(key) & 0x7FFFFFFF) % abs(count)


class Honest:
    """Does what the protocol says: keyed, and records without key by batches."""

    behaviours: Message = {"keyed": {"mode": "exact"}}

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.asked = 0
        # Of its own each time that it is started, and yet the same in each run of the tests.
        with (self.folder / "starts").open("ab") as starts:
            starts.write(b".")
            starts.flush()
            random.seed(starts.tell())

    def run(self) -> None:
        for line in sys.stdin.buffer:
            self.hear(json.loads(line))
        self.end()

    def hear(self, message: Message) -> None:
        if message["type"] == "hello":
            self.greet()
        else:
            self.asked += 1
            self.respond(message)

    def greet(self) -> None:
        self.say(self.hello())

    def hello(self) -> Message:
        who = {"name": "the honest one", "version": "1.0", "language": "Python"}
        return {"type": "hello", "protocol": 1, **who, "behaviours": self.behaviours}

    def respond(self, message: Message) -> None:
        self.say(self.reply(message))

    def reply(self, message: Message) -> Message:
        if message["type"] == "cases":
            traces = [self.trace(case) for case in message["cases"]]
            return {"type": "traces", "id": message["id"], "traces": traces}
        return {"type": "partitions", "id": message["id"], "partitions": self.records(message)}

    def trace(self, case: Message) -> Any:
        return [self.answer(step, case) for step in case["steps"]]

    def answer(self, step: Message, case: Message) -> Any:
        try:
            key = None if step["key"] is None else bytes.fromhex(step["key"]["hex"])
            if step["op"] == "partition for key":
                return self.partition(key, step["partitions"])
            topics = dict(case["metadata"][step["metadata"]])
            return self.partition(key, len(topics.get(step["topic"], [])))
        except tuple(_ERRORS) as error:
            return {"error": _ERRORS[type(error)], "message": str(error)}

    def partition(self, key: Any, count: int) -> Any:
        return keyed(key, count)

    def records(self, message: Message) -> list[Any]:
        if message["behaviour"] == "keyed":
            return [
                keyed(bytes.fromhex(key), len(message["partitions"])) for key in message["keys"]
            ]
        led = [number for number, leader in message["partitions"] if leader is not None]
        # Python's own generator, as a library has it.
        answers, now = [], {topic: random.choice(led) for topic in (0, 1)}
        topics = message.get("topics") or [0] * len(message["closes"])
        for topic, closes in zip(topics, message["closes"], strict=True):
            answers.append(now[topic])
            if closes:
                others = [number for number in led if number != now[topic]]
                now[topic] = random.choice(others or led)
        return answers

    def say(self, message: Message) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def end(self) -> None:
        pass


FAULTS: dict[str, type[Honest]] = {}
"""By their names on the command line."""


def fault(name: str) -> Callable[[type[Honest]], type[Honest]]:
    """Name a fault."""

    def named(cls: type[Honest]) -> type[Honest]:
        FAULTS[name] = cls
        return cls

    return named


def log(text: str) -> None:
    """One line to standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def hang() -> None:
    """Do nothing, for longer than anybody waits."""
    time.sleep(LONG)


def flood(stream: Any, block: bytes) -> None:
    """Write without end."""
    while True:
        stream.write(block)
        stream.flush()


FAULTS["honest"] = Honest


NOWHERE = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


def child(folder: Path, code: str = f"import time; time.sleep({LONG})", **options: Any) -> None:
    subprocess.Popen([sys.executable, "-I", "-S", "-c", code, str(folder)], **options)


class Middle(Honest):
    """Something happens instead of the third answer of each start."""

    def respond(self, message: Message) -> None:
        if self.asked == 3:
            self.happen(message)
        else:
            super().respond(message)

    def happen(self, message: Message) -> None:
        raise NotImplementedError


class Spoiled(Middle):
    """Writes something instead of the third answer."""

    def happen(self, message: Message) -> None:
        self.write(self.spoil(self.reply(message)))

    def spoil(self, reply: Message) -> bytes:
        return self.text(reply).encode() + b"\n"

    def text(self, reply: Message) -> str:
        return json.dumps(reply)


class Told(Honest):
    """Changes each of its answers a little."""

    def reply(self, message: Message) -> Message:
        return self.change(super().reply(message))

    def change(self, reply: Message) -> Message:
        raise NotImplementedError

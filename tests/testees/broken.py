"""Testees that are broken on purpose: ``python -I -S broken.py FAULT [FOLDER]``.

Each fault is a class that spoils one thing of :class:`Honest`; its docstring says what it does.
The verdicts are in catalogue.py. Nothing but the standard library, so that it starts at once.
FOLDER is a place to remember something in from one start to the next; every process that a fault
leaves behind has it on its command line, by which the tests find them.
"""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: ARG002, RUF012

import json
import os
import random
import resource
import select
import signal
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
        # Python's own generator, without a seed: as a library has it.
        answers, now = [], random.choice(led)
        for closes in message["closes"]:
            answers.append(now)
            if closes:
                now = random.choice([number for number in led if number != now])
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


# Starting.


@fault("exits at once")
class ExitsAtOnce(Honest):
    """Ends well before it has said anything."""

    def run(self) -> None:
        log("nothing to do")


@fault("exits at once badly")
class ExitsAtOnceBadly(Honest):
    """Ends with code 7 before it has said anything."""

    def run(self) -> None:
        log("cannot find libpartitioner.so")
        sys.exit(7)


@fault("killed at once")
class KilledAtOnce(Honest):
    """Is killed by a signal before its hello."""

    def run(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@fault("hangs at hello")
class HangsAtHello(Honest):
    """Reads the hello and never answers."""

    def greet(self) -> None:
        log("connecting to the broker")
        hang()


@fault("stops itself")
class StopsItself(Honest):
    """Is stopped, as by Ctrl-Z, so that it cannot even hear SIGTERM."""

    def greet(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)


@fault("banner")
class Banner(Honest):
    """Prints a banner first."""

    def greet(self) -> None:
        self.write(b"Welcome to my-testee 1.0!\n")
        super().greet()


@fault("empty lines")
class EmptyLines(Honest):
    """Prints an empty line before each message."""

    def say(self, message: Message) -> None:
        self.write(b"\n")
        super().say(message)


@fault("byte order mark")
class ByteOrderMark(Honest):
    """Begins with the byte order mark that Windows likes."""

    def greet(self) -> None:
        self.write(b"\xef\xbb\xbf")
        super().greet()


@fault("UTF-16")
class Utf16(Honest):
    """Writes UTF-16."""

    def greet(self) -> None:
        self.write((json.dumps(self.hello()) + "\n").encode("utf-16-le"))


@fault("half a hello")
class HalfAHello(Honest):
    """Exits in the middle of its hello."""

    def greet(self) -> None:
        self.write(json.dumps(self.hello())[:40].encode())
        sys.exit(0)


@fault("hello of several lines")
class PrettyHello(Honest):
    """Writes its hello nicely indented."""

    def greet(self) -> None:
        self.write(json.dumps(self.hello(), indent=2).encode() + b"\n")


@fault("hello is no hello")
class NoHello(Honest):
    """Says something else first."""

    def hello(self) -> Message:
        return {"type": "traces", "id": 1, "traces": []}


@fault("other version")
class OtherVersion(Honest):
    """Speaks version 2 of the protocol."""

    def hello(self) -> Message:
        return {**super().hello(), "protocol": 2}


@fault("version as text")
class VersionAsText(Honest):
    """Has the protocol's version as a text."""

    def hello(self) -> Message:
        return {**super().hello(), "protocol": "1"}


@fault("no version")
class NoVersion(Honest):
    """Does not say which version of the protocol it speaks."""

    def hello(self) -> Message:
        return {name: value for name, value in super().hello().items() if name != "protocol"}


@fault("huge version")
class HugeVersion(Honest):
    """Has a list of a mebibyte for the protocol's version."""

    def hello(self) -> Message:
        return {**super().hello(), "protocol": [0] * MEBIBYTE}


@fault("unknown behaviour")
class UnknownBehaviour(Honest):
    """Supports a behaviour that does not exist."""

    behaviours = {"keyde": {"mode": "exact"}}


@fault("no behaviours")
class NoBehaviours(Honest):
    """Supports nothing."""

    behaviours = {}


@fault("no mode")
class NoMode(Honest):
    """Does not say whether it takes draws."""

    behaviours = {"keyed": {}}


@fault("two hellos")
class TwoHellos(Honest):
    """Says hello twice."""

    def greet(self) -> None:
        self.write(2 * (json.dumps(self.hello()).encode() + b"\n"))


@fault("answers before questions")
class AnswersFirst(Honest):
    """Answers with the hello what it thinks that it will be asked."""

    def greet(self) -> None:
        guess = {"type": "traces", "id": 1, "traces": [[0]]}
        self.write(json.dumps(self.hello()).encode() + b"\n" + json.dumps(guess).encode() + b"\n")


@fault("changes its hello")
class ChangesItsHello(Honest):
    """Is somebody else at each start."""

    def hello(self) -> Message:
        return {**super().hello(), "version": str(os.getpid())}


# Ending.


class Middle(Honest):
    """Something happens instead of the third answer of each start."""

    def respond(self, message: Message) -> None:
        if self.asked == 3:
            self.happen(message)
        else:
            super().respond(message)

    def happen(self, message: Message) -> None:
        raise NotImplementedError


@fault("exits in the middle")
class ExitsInTheMiddle(Middle):
    """Exits with code 9 instead of the third answer."""

    def happen(self, message: Message) -> None:
        log("panic: too many questions")
        sys.exit(9)


@fault("exits well in the middle")
class ExitsWellInTheMiddle(Middle):
    """Exits with code 0 instead of the third answer."""

    def happen(self, message: Message) -> None:
        sys.exit(0)


@fault("raises")
class Raises(Middle):
    """Has a bug: its traceback goes to standard error."""

    def happen(self, message: Message) -> None:
        raise KeyError("no such partition")


@fault("dies once")
class DiesOnce(Middle):
    """Dies a single time in all its life, and is right otherwise."""

    def happen(self, message: Message) -> None:
        mark = self.folder / "died"
        if mark.exists():
            self.say(self.reply(message))
        else:
            mark.touch()
            os.kill(os.getpid(), signal.SIGABRT)


@fault("dies of one key")
class DiesOfOneKey(Honest):
    """Dies of SIGSEGV when a key begins with 0xff, as a careless use of a pointer would."""

    def partition(self, key: Any, count: int) -> Any:
        if key is not None and key.startswith(b"\xff"):
            log("Segmentation fault")
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().partition(key, count)


@fault("dies of its third step")
class DiesOfItsThirdStep(Honest):
    """Dies of the third step of a case, whatever it is, as one does that keeps count wrongly."""

    def trace(self, case: Message) -> Any:
        if len(case["steps"]) >= 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().trace(case)


@fault("dies of everything")
class DiesOfEverything(Honest):
    """Exits at each question."""

    def respond(self, message: Message) -> None:
        log("not implemented")
        sys.exit(3)


@fault("bad code after the last answer")
class BadCode(Honest):
    """Answers all, and exits with code 5."""

    def end(self) -> None:
        if self.asked:
            log("could not write statistics")
            sys.exit(5)


@fault("crashes at exit")
class CrashesAtExit(Honest):
    """Answers all, and dies of SIGSEGV at its exit."""

    def end(self) -> None:
        if self.asked:
            os.kill(os.getpid(), signal.SIGSEGV)


@fault("hangs in the middle")
class HangsInTheMiddle(Middle):
    """Never gives the third answer."""

    def happen(self, message: Message) -> None:
        log("waiting for a lock")
        hang()


@fault("hangs at exit")
class HangsAtExit(Honest):
    """Answers all, and does not exit."""

    def end(self) -> None:
        if self.asked:
            log("waiting for a thread")
            hang()


@fault("ignores SIGTERM")
class IgnoresSigterm(HangsInTheMiddle):
    """Never gives the third answer, and does not listen to signals."""

    def run(self) -> None:
        for which in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(which, signal.SIG_IGN)
        super().run()


@fault("ignores SIGTERM at exit")
class IgnoresSigtermAtExit(IgnoresSigterm):
    """Answers all, does not exit, and does not listen to signals."""

    def happen(self, message: Message) -> None:
        self.say(self.reply(message))

    def end(self) -> None:
        if self.asked:
            hang()


@fault("waits for the end")
class WaitsForTheEnd(Honest):
    """Reads everything before it answers anything."""

    def respond(self, message: Message) -> None:
        self.last = message

    def end(self) -> None:
        if self.asked:
            self.say(self.reply(self.last))


@fault("closes its output")
class ClosesOutput(Middle):
    """Closes its output instead of the third answer, and lives on."""

    def happen(self, message: Message) -> None:
        os.close(1)
        hang()


@fault("closes its input")
class ClosesInput(Honest):
    """Closes its input after the first question, which it still answers."""

    def respond(self, message: Message) -> None:
        super().respond(message)
        os.close(0)
        hang()


@fault("talks at its end")
class TalksAtItsEnd(Honest):
    """Says goodbye."""

    def end(self) -> None:
        if self.asked:
            self.write(b"Goodbye!\n")


# Children.


NOWHERE = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


def _child(folder: Path, code: str = f"import time; time.sleep({LONG})", **options: Any) -> None:
    subprocess.Popen([sys.executable, "-I", "-S", "-c", code, str(folder)], **options)


@fault("leaves a child")
class LeavesAChild(Honest):
    """Exits well, but a process that it started runs on, with its output still open."""

    def end(self) -> None:
        if self.asked:
            _child(self.folder)


@fault("leaves a child in a session of its own")
class LeavesASession(Honest):
    """Exits well, but a process that it started, in a session of its own, runs on."""

    def end(self) -> None:
        if self.asked:
            _child(self.folder, start_new_session=True, **NOWHERE)


@fault("leaves a daemon")
class LeavesADaemon(Honest):
    """Starts a daemon by forking twice, and exits well."""

    def end(self) -> None:
        if self.asked and os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                _child(self.folder, **NOWHERE)
            os._exit(0)


@fault("leaves a daemon without its environment")
class LeavesAWashedDaemon(Honest):
    """Starts a daemon by forking twice, which has nothing of its environment any more."""

    def end(self) -> None:
        if self.asked and os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                _child(self.folder, env={}, **NOWHERE)
            os._exit(0)


@fault("dies and leaves a child")
class DiesAndLeavesAChild(Middle):
    """Exits in the middle; a child of it keeps its output open."""

    def happen(self, message: Message) -> None:
        _child(self.folder, start_new_session=True)
        sys.exit(4)


@fault("hangs with children")
class HangsWithChildren(Middle):
    """Hangs, and so do its children, in sessions of their own."""

    def happen(self, message: Message) -> None:
        _child(self.folder)
        _child(self.folder, start_new_session=True)
        hang()


# Lines.


class Spoiled(Middle):
    """Writes something instead of the third answer."""

    def happen(self, message: Message) -> None:
        self.write(self.spoil(self.reply(message)))

    def spoil(self, reply: Message) -> bytes:
        return self.text(reply).encode() + b"\n"

    def text(self, reply: Message) -> str:
        return json.dumps(reply)


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


# Numbers.


class OneNumber(Honest):
    """Has something else where a partition is 3."""

    def partition(self, key: Any, count: int) -> Any:
        partition = super().partition(key, count)
        return self.instead if partition == 3 else partition

    instead: Any = None


class OneText(OneNumber):
    """The same for what the JSON library of Python does not write."""

    instead = "@"

    def write(self, data: bytes) -> None:
        super().write(data.replace(b'"@"', self.number))

    number = b""


@fault("NaN")
class NotANumber(OneNumber):
    """Answers NaN."""

    instead = float("nan")


@fault("infinity")
class Infinite(OneNumber):
    """Answers infinity."""

    instead = float("-inf")


@fault("floats")
class Floats(OneNumber):
    """Answers 3.0, as languages do that have only floating point."""

    instead = 3.0


@fault("exponents")
class Exponents(OneText):
    """Answers 3e0."""

    number = b"3e0"


@fault("numbers as texts")
class NumbersAsTexts(OneNumber):
    """Answers "3"."""

    instead = "3"


@fault("booleans")
class Booleans(OneNumber):
    """Answers true."""

    instead = True


@fault("beyond int32")
class BeyondInt32(OneNumber):
    """Forgets that hashes are signed."""

    instead = 2**31


@fault("beyond int64")
class BeyondInt64(OneNumber):
    """Answers a number of 100 digits."""

    instead = 10**100


@fault("5000 digits")
class ManyDigits(OneText):
    """Answers a number that takes long to read, were it read."""

    number = b"1" * 5000


@fault("null for a number")
class NullForANumber(OneNumber):
    """Answers null."""

    instead = None


# Answers.


class Told(Honest):
    """Changes each of its answers a little."""

    def reply(self, message: Message) -> Message:
        return self.change(super().reply(message))

    def change(self, reply: Message) -> Message:
        raise NotImplementedError


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
        if any(len((step["key"] or {"hex": ""})["hex"]) >= 200 for step in case["steps"]):
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
        _child(self.folder, hoard, start_new_session=True)
        hang()


# Records.


class Recorded(Honest):
    """Takes keys by the hundred thousand, too."""

    behaviours = {"keyed": {"mode": "exact", "records": True}}

    def records(self, message: Message) -> list[Any]:
        return self.spoil(super().records(message))

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return partitions


FAULTS["honest records"] = Recorded


@fault("too few partitions")
class TooFewPartitions(Recorded):
    """Leaves the last record out."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return partitions[:-1]


@fault("too many partitions")
class TooManyPartitions(Recorded):
    """Answers a record too many."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions, 0]


@fault("no such partition")
class NoSuchPartition(Recorded):
    """Sends the last record to a partition that does not exist."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions[:-1], 99]


@fault("negative partition")
class NegativePartition(Recorded):
    """Sends the last record to partition -1."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions[:-1], -1]


@fault("one key astray")
class OneKeyAstray(Recorded):
    """Sends one record of each message to the next partition."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions[:-1], partitions[-1] ^ 1]


@fault("records could not be tried")
class RecordsNotTried(Recorded):
    """Says that it takes records, and then does not."""

    def reply(self, message: Message) -> Message:
        if message["type"] == "records":
            why = "records are not written yet"
            return {"type": "partitions", "id": message["id"], "could not try": why}
        return super().reply(message)


class Statistical(Recorded):
    """Has randomness of its own."""

    behaviours = {"sticky": {"mode": "statistical"}}


FAULTS["honest statistical"] = Statistical


@fault("always the same partition")
class AlwaysTheSame(Statistical):
    """Sends every batch to one partition."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [0] * len(partitions)


@fault("partitions without leader")
class WithoutLeader(Statistical):
    """Does not look at leaders."""

    def records(self, message: Message) -> list[Any]:
        led = [[number, 0] for number, _ in message["partitions"]]
        return super().records({**message, "partitions": led})


@fault("moves within a batch")
class MovesWithinABatch(Statistical):
    """Chooses anew for each record."""

    def records(self, message: Message) -> list[Any]:
        return super().records({**message, "closes": [1] * len(message["closes"])})


@fault("statistical without distribution")
class NothingToSample(Statistical):
    """Has randomness of its own where Java has none."""

    behaviours = {"murmur2": {"mode": "statistical"}}


@fault("diverges, then breaks a rule")
class DivergesThenBreaks(WrongMask):
    """Is wrong, and exits in the middle of its work as well."""

    def respond(self, message: Message) -> None:
        if self.asked == 5:
            self.write(b"enough\n")
        super().respond(message)


# What is not broken.


@fault("shuffled")
class Shuffled(Honest):
    """Answers what it has at hand in any order."""

    def run(self) -> None:
        # Raw, so that the system knows what was not read yet.
        lines, rest = [], b""
        while True:
            waiting = select.select([0], [], [], 0.02 if lines else None)[0]
            data = os.read(0, MEBIBYTE) if waiting else b""
            *more, rest = (rest + data).split(b"\n")
            lines += more
            if not waiting or not data:
                random.shuffle(lines)
                for line in lines:
                    self.hear(json.loads(line))
                lines = []
            if waiting and not data:
                return


@fault("slow")
class Slow(Honest):
    """Takes half of the time that it has for each answer, and so more than that in all."""

    def respond(self, message: Message) -> None:
        time.sleep(0.5)
        super().respond(message)


@fault("byte by byte")
class ByteByByte(Honest):
    """Writes each byte for itself."""

    def write(self, data: bytes) -> None:
        for byte in data:
            os.write(1, bytes([byte]))


@fault("line ends of Windows")
class WindowsLines(Honest):
    """Ends its lines with CR LF, and has spaces where JSON allows them."""

    def say(self, message: Message) -> None:
        self.write(b" " + json.dumps(message, separators=(" ,\t", " : ")).encode() + b" \r\n")


@fault("unknown members")
class UnknownMembers(Honest):
    """Has members that only a later version of the protocol may know."""

    def say(self, message: Message) -> None:
        super().say({**message, "later": {"a": [1, None, "x"]}})


@fault("10 MiB of log for each answer")
class LongLog(Honest):
    """Writes 10 MiB to standard error for each answer."""

    def respond(self, message: Message) -> None:
        for _ in range(10):
            sys.stderr.buffer.write(b"DEBUG answered\n" * (MEBIBYTE // 15))
        super().respond(message)


@fault("tidies up")
class TidiesUp(Honest):
    """Has a child, which it ends before it exits."""

    def run(self) -> None:
        child = subprocess.Popen(["sleep", str(LONG)])
        super().run()
        child.kill()
        child.wait()


# Hostile texts.


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
        if len(case["steps"]) > 4:
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


def main() -> None:
    """Be the testee that the first argument names."""
    # No fault leaves a dump of its memory behind.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    FAULTS[sys.argv[1]](sys.argv[2]).run()


if __name__ == "__main__":
    main()

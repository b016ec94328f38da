"""Testees that do not even start as they should."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: RUF012

import json
import os
import signal
import sys

from tests.testees.broken.honest import MEBIBYTE, Honest, Message, fault, hang, log


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

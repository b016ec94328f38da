"""Testees that look strange, and are not broken."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.

import json
import os
import random
import select
import subprocess
import sys
import time

from tests.testees.broken.honest import LONG, MEBIBYTE, Honest, Message, fault


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

"""Testees that end, or do not end, when they should not."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: ARG002

import os
import signal
import sys
from typing import Any

from tests.testees.broken.honest import Honest, Message, Middle, fault, hang, log


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

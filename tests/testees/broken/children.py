"""Testees that leave processes behind."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: ARG002

import os
import sys

from tests.testees.broken.honest import NOWHERE, Honest, Message, Middle, child, fault, hang


@fault("leaves a child")
class LeavesAChild(Honest):
    """Exits well, but a process that it started runs on, with its output still open."""

    def end(self) -> None:
        if self.asked:
            child(self.folder)


@fault("leaves a child in a session of its own")
class LeavesASession(Honest):
    """Exits well, but a process that it started, in a session of its own, runs on."""

    def end(self) -> None:
        if self.asked:
            child(self.folder, start_new_session=True, **NOWHERE)


@fault("leaves a daemon")
class LeavesADaemon(Honest):
    """Starts a daemon by forking twice, and exits well."""

    def end(self) -> None:
        if self.asked and os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                child(self.folder, **NOWHERE)
            os._exit(0)


@fault("leaves a daemon without its environment")
class LeavesAWashedDaemon(Honest):
    """Starts a daemon by forking twice, which has nothing of its environment any more."""

    def end(self) -> None:
        if self.asked and os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                child(self.folder, env={}, **NOWHERE)
            os._exit(0)


@fault("dies and leaves a child")
class DiesAndLeavesAChild(Middle):
    """Exits in the middle; a child of it keeps its output open."""

    def happen(self, message: Message) -> None:
        child(self.folder, start_new_session=True)
        sys.exit(4)


@fault("hangs with children")
class HangsWithChildren(Middle):
    """Hangs, and so do its children, in sessions of their own."""

    def happen(self, message: Message) -> None:
        child(self.folder)
        child(self.folder, start_new_session=True)
        hang()

"""Mutated ports on written-down cases: each in a process of its own that may loop or crash."""

import gc
import os
import resource
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Generic, Protocol, TypeVar

from conformance.clients.versions import client_named
from conformance.engine.plan import behaviour_named
from conformance.model.port import Port
from conformance.model.results import Cell
from conformance.mutants.mutant import Mutant, load_with_kernel
from conformance.score.answers import Answers
from conformance.subjects.python_port import PythonPort

_CASE_SECONDS = 2.0
"""CPU time for one case; the slowest takes a tenth of it."""
_LOAD_SECONDS = 60.0
"""CPU time to import the port and, for its kernel, to compile it."""
_MEMORY = 12 * 2**30
"""Address space in bytes: a mutant that wants a number of a billion digits shall not have it."""


class Fate(StrEnum):
    """What became of a mutation."""

    KILLED = "killed"
    """It answered something else than the real client."""
    BROKEN = "broken"
    """It cannot even be imported: no test is needed."""
    NO_PROGRAM = "no program"
    """A syntax error: no mutant at all."""
    STOPPED = "stopped"
    """It ran out of time or memory, or crashed."""
    TESTED = "tested"
    """No case noticed, but a unit test of its file."""
    SURVIVED = "survived"


class Changed(Protocol):
    """A change of the port: a mutation, or a bug that somebody wrote."""

    def mutant(self) -> Mutant:
        """The port with it; raises :class:`SyntaxError` if that is no Python."""


ChangeT = TypeVar("ChangeT", bound=Changed)


@dataclass(frozen=True)
class Tried(Generic[ChangeT]):
    """A change and what became of it."""

    mutation: ChangeT
    outcome: Fate
    cell: Cell | None = None
    """The cell that noticed."""
    cases: int = 0
    """How many cases of that cell it took."""


Send = Callable[[Fate, Cell | None, int], None]


def try_mutations(
    mutations: Iterable[ChangeT], answers_for: Callable[[ChangeT], Sequence[Answers]], *, jobs: int
) -> Iterator[Tried[ChangeT]]:
    """Hold each mutation against the answers that can see it, ``jobs`` at a time.

    Each runs in a forked child, so what it breaks is gone with it. Must be called without a
    JVM in this process, which would not survive a fork.
    """
    gc.collect()
    gc.freeze()  # otherwise each child would copy all cases by collecting garbage
    waiting = list(mutations)
    running: dict[Connection, tuple[ForkProcess, ChangeT]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutation = waiting.pop(0)
            process, receiver = _fork(mutation, answers_for(mutation))
            running[receiver] = process, mutation
        for ready in connection.wait(list(running)):
            assert isinstance(ready, Connection)
            process, mutation = running.pop(ready)
            yield _outcome(mutation, ready)
            process.join()


def _fork(mutation: Changed, answers: Sequence[Answers]) -> tuple[ForkProcess, Connection]:
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(mutation, answers, sender))
    process.start()
    sender.close()  # so that the end of the child is the end of the pipe
    return process, receiver


def _outcome(mutation: ChangeT, receiver: Connection) -> Tried[ChangeT]:
    """What the child said last: before each cell it says which, in case it does not return."""
    said: tuple[Fate, Cell | None, int] = (Fate.STOPPED, None, 0)
    try:
        while True:
            said = receiver.recv()
    except EOFError:
        receiver.close()
    return Tried(mutation, *said)


def _child(mutation: Changed, answers: Sequence[Answers], sender: Connection) -> None:
    # A crash is an outcome; it shall not leave a core, nor a mutant write to the terminal.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    def send(outcome: Fate, cell: Cell | None = None, cases: int = 0) -> None:
        sender.send((outcome, cell, cases))

    _limit(_LOAD_SECONDS)
    try:
        mutant = mutation.mutant()
    except SyntaxError:
        send(Fate.NO_PROGRAM)
        os._exit(0)
    try:
        port = load_with_kernel(mutant)
    except BaseException:
        send(Fate.BROKEN)
        os._exit(0)
    send(*_first_difference(port, answers, send))
    os._exit(0)  # whatever the mutant left behind shall not be tidied up


def _first_difference(
    port: Port, answers: Sequence[Answers], send: Send
) -> tuple[Fate, Cell | None, int]:
    subject = PythonPort(port)
    for recorded in answers:
        cell = recorded.cell
        send(Fate.STOPPED, cell, 0)
        perform = subject.performer(behaviour_named(cell.behaviour), client_named(cell.client))
        for number, (case, expected) in enumerate(recorded.cases, 1):
            _limit(_CASE_SECONDS)
            if perform(case) != expected:
                return Fate.KILLED, cell, number
    return Fate.SURVIVED, None, 0


def _limit(seconds: float) -> None:
    """End this process after so much CPU time, also in the middle of one long instruction."""
    signal.setitimer(signal.ITIMER_PROF, seconds)

"""Behaviours: each is a named, separately checkable piece of a client's semantics.

There is one :class:`Behaviour` per row of the matrix. It says which cases are worth trying and
how a subject performs one: a real client by a :class:`~conformance.model.program.Program`,
the Python port by its public API. It never states the right answer; the engine compares
the traces of any two subjects.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import ClassVar, Protocol

from hypothesis.strategies import SearchStrategy

from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.dimension import Dimension
from conformance.model.port import Port
from conformance.model.program import Linker, Program
from conformance.model.trace import Answer, Trace, answer_of
from conformance.model.values import is_error
from conformance.model.ways import Limit, Member, Way


class Reader(Protocol):
    """Reads what a program emitted, in order."""

    def answer(self) -> Answer:
        """The next emitted value."""

    def tried(self) -> Answer:
        """The error of a call that was tried, or what it led to, which was emitted in any case."""
        tried, answer = self.answer(), self.answer()
        return tried if is_error(tried) else answer


class JavaPerformer(Protocol):
    """How one real client performs a behaviour; made once, used for every case."""

    def program(self, case: Case) -> Program:
        """The calls that perform a case."""

    def trace(self, case: Case, results: Reader) -> Trace:
        """The trace, from what the program emitted: an answer a step, unless it says otherwise."""
        return [{"answer": results.answer()} for _ in case["steps"]]


PortPerformer = Callable[[Case], Trace]
"""How a Python implementation performs a behaviour."""


def stateless(call: Callable[[Operation], Answer]) -> PortPerformer:
    """The performer of a behaviour whose steps are independent."""
    return lambda case: [{"answer": answer_of(call, operation)} for operation in case["steps"]]


class Behaviour(ABC):
    """One behaviour; instances are registered in :mod:`conformance.behaviours`."""

    name: ClassVar[str]
    """Its name on the command line and in the matrix."""
    summary: ClassVar[str]
    """One line for ``kafka-conformance list``."""
    operations: ClassVar[tuple[str, ...]]
    """The ``op`` of every step that its cases can have."""
    interesting: ClassVar[Mapping[str, str]]
    """The classes of cases that every default run must reach, each with its meaning."""
    tells: ClassVar[Mapping[str, str]] = {}
    """By operation: what the members of its answers are, where these are lists, for people."""
    dimensions: ClassVar[tuple[Dimension, ...]] = ()
    """What varies in its cases. Every default run must reach every range of each."""
    contexts: ClassVar[tuple[str, ...]] = ()
    """Those of :attr:`interesting` that explain for a single step why subjects may differ."""
    ways: ClassVar[tuple[Way, ...]]
    """How a jar can have it; if several ways apply, the first one counts."""
    arrived: ClassVar[str] = ""
    """Why releases that are too old for all of :attr:`ways` do not have it."""
    gone: ClassVar[str] = ""
    """Why later releases no longer have it."""
    limits: ClassVar[tuple[Limit, ...]] = ()
    """What some jars that have it cannot be asked."""
    only_with: ClassVar[Mapping[str, Member]] = {}
    """Operations that a jar has only if it has a certain member."""
    for_jars: ClassVar[bool] = True
    """Whether two jars can differ in it; False if it concerns a part that only the port has."""
    meaning: ClassVar[str]
    """The effect on a library's users if its answers are not Java's numbers."""
    about_keys: ClassVar[bool] = False
    """Whether a difference puts the records of a key on different partitions."""
    words: ClassVar[tuple[str, ...]] = ()
    """Texts that are answers themselves, so that a difference is named by them."""
    typed: ClassVar[bool] = False
    """Whether answers are also longs, doubles, bytes, text or maps; the protocol takes those of
    such behaviours only."""
    for_testees: ClassVar[bool] = True
    """Whether testees can be asked it; False if it concerns a part that only some subjects have."""
    sampled: ClassVar[bool] = False
    """Whether a testee with its own randomness can be judged by the distribution of its answers:
    something about it is random, and the protocol has records to ask for."""
    takes_records: ClassVar[bool] = False
    """Whether an exact testee can also be asked about many records at once."""
    only_null_keys: ClassVar[bool] = False
    """Whether it has no cases without records that have no key."""
    weight: ClassVar[float] = 1.0
    """The share of a profile's number of cases that this behaviour gets."""

    @abstractmethod
    def cases(self, client: ClientVersion) -> SearchStrategy[Case]:
        """The cases to try on that version."""

    def classes_of(self, client: ClientVersion) -> Collection[str]:
        """Those of :attr:`interesting` that cases of that version can belong to."""
        return self.interesting

    def dimensions_of(self, client: ClientVersion) -> tuple[Dimension, ...]:
        """Those of :attr:`dimensions` that cases of that version vary in."""
        return self.dimensions

    def exists_in(self, client: ClientVersion, case: Case) -> bool:
        """Whether a version that has the behaviour has every operation of a case, too."""
        return True

    def java_method(self, client: ClientVersion, operation: Operation) -> str:
        """The Java method that a step calls, for whoever has to read its source."""
        return client.realised_by[self.name]

    @abstractmethod
    def labels(self, case: Case, trace: Trace) -> Iterator[str]:
        """Which classes of :attr:`interesting` a case and the oracle's trace belong to."""

    def place(self, operation: Operation, expected: Answer, answered: Answer) -> str:
        """Where two long answers differ first, in a word or two; nothing if that tells nobody more.

        A difference is named by it. ``answered`` is anything that the protocol allows.
        """
        return ""

    def as_compared(self, case: Case, trace: Trace) -> Trace:
        """A testee's trace as it is compared, where that is not what the testee answered.

        Such as the records of a compressed batch: two right encoders may write other bytes. The
        answers are anything that the protocol allows.
        """
        return trace

    @abstractmethod
    def java(self, client: ClientVersion, link: Linker) -> JavaPerformer:
        """How that version's real client performs the behaviour."""

    @abstractmethod
    def port(self, client: ClientVersion, implementation: Port) -> PortPerformer:
        """How a Python implementation performs it, given its module for that version.

        ``implementation`` is :mod:`python_impl` or a package of the same shape, such as a
        mutant; only its public names are used.
        """

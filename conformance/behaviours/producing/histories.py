"""Histories of an accumulator and of a producer: what both have in common, step by step."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, Generic, Protocol, TypeVar

from conformance.draws import DrawSource
from conformance.model.behaviour import JavaPerformer, Reader
from conformance.model.case import Case, Operation
from conformance.model.program import Argument, Mode, Program
from conformance.model.trace import Answer, Step, Trace, answer_of


class HistorySymbols(Protocol):
    """What is called of a class of the suite's own Java, linked once."""

    @property
    def state(self) -> int:
        """Answers what can be seen after a step."""

    @property
    def observed(self) -> Mapping[str, int]:
        """By name: answers what can be seen after some steps."""

    @property
    def asked(self) -> Mapping[str, int]:
        """By operation: performs a step."""


class JavaHistory(Protocol):
    """One case on its way into a program for a real client."""

    @property
    def program(self) -> Program:
        """As far as it is written."""

    @property
    def history(self) -> Argument:
        """The object of the suite's own Java."""

    @property
    def symbols(self) -> HistorySymbols:
        """What is called of it."""

    def begin(self, draw: tuple[int, int]) -> None:
        """What the next step may draw."""


class PortHistory(Protocol):
    """One case on the port."""

    source: DrawSource

    def state(self, observes: tuple[str, ...]) -> dict[str, Answer]:
        """What can be seen after a step, and after those that have it observed."""


J = TypeVar("J", bound=JavaHistory)
P = TypeVar("P", bound=PortHistory)


class Performed(ABC, Generic[J, P]):
    """One operation: how it is asked of a real client, and of a port."""

    java_method: str
    """Of the client's class."""
    asks: str
    """Of the suite's own Java."""
    types: ClassVar[tuple[str, ...]] = ()
    observes: tuple[str, ...] = ()
    """What is observed after it, beside the state."""
    tells: str = ""
    """What the members of its answer are, if that is a list."""

    def emit(self, run: J, index: int, operation: Operation) -> None:
        """Write step ``index`` down."""
        arguments = self.arguments(run, index, operation)
        method = run.symbols.asked[operation["op"]]
        run.program.call(method, run.history, *arguments, mode=Mode.ANSWER)

    def arguments(self, run: J, index: int, operation: Operation) -> tuple[Argument, ...]:
        """What it is called with."""
        return ()

    def read(self, operation: Operation, results: Reader) -> Answer:
        """The answer, from what :meth:`emit` emitted."""
        return results.answer()

    @abstractmethod
    def perform(self, run: P, index: int, operation: Operation) -> Answer:
        """The port's answer."""


class Plain(Performed[J, P]):
    """An operation that takes nothing."""

    def __init__(
        self,
        java_method: str,
        asks: str,
        of: Callable[[P], Answer],
        observes: tuple[str, ...] = (),
    ) -> None:
        self.java_method, self.asks = java_method, asks
        self.observes = observes
        self._of = of

    def perform(self, run: P, index: int, operation: Operation) -> Answer:
        return self._of(run)


def tells_of(operations: Mapping[str, Performed[J, P]]) -> dict[str, str]:
    """By operation, for those whose answers are lists: what their members are."""
    return {name: performed.tells for name, performed in operations.items() if performed.tells}


def on_port(operations: Mapping[str, Performed[J, P]], run: P, case: Case) -> Trace:
    """The trace of a case that is performed on a port."""
    trace: Trace = []
    for index, operation in enumerate(case["steps"]):
        performed = operations[operation["op"]]
        run.source.begin(operation.get("draw"))
        answer = answer_of(performed.perform, run, index, operation)
        step: Step = {"answer": answer}
        if "draw" in operation:
            step["draws"] = run.source.count
        step["state"] = run.state(performed.observes)
        trace.append(step)
    return trace


class JavaHistories(JavaPerformer, Generic[J, P]):
    """Performs histories on a real client; ``state`` are the names of what can be seen."""

    def __init__(
        self,
        operations: Mapping[str, Performed[J, P]],
        state: tuple[str, ...],
        begun: Callable[[Case], J],
    ) -> None:
        self._operations, self._state, self._begun = operations, state, begun

    def program(self, case: Case) -> Program:
        run = self._begun(case)
        program = run.program
        for index, operation in enumerate(case["steps"]):
            name, draw = operation["op"], operation.get("draw")
            performed = self._operations[name]
            if draw is not None:
                run.begin(draw)
            performed.emit(run, index, operation)
            if draw is not None:
                program.draws()
            program.again(name, partial(_observe, run, performed.observes))
        return program

    def trace(self, case: Case, results: Reader) -> Trace:
        trace: Trace = []
        for operation in case["steps"]:
            performed = self._operations[operation["op"]]
            step: Step = {"answer": performed.read(operation, results)}
            if "draw" in operation:
                step["draws"] = results.answer()
            state: dict[str, Answer] = dict(zip(self._state, results.answer(), strict=True))
            for observed in performed.observes:
                state[observed] = results.answer()
            step["state"] = state
            trace.append(step)
        return trace


def _observe(run: JavaHistory, observes: tuple[str, ...]) -> None:
    """Write down what is looked at after a step."""
    run.program.call(run.symbols.state, run.history, mode=Mode.OBSERVE)
    for observed in observes:
        run.program.call(run.symbols.observed[observed], run.history, mode=Mode.OBSERVE)

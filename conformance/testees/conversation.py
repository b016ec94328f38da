"""Talking with a testee: questions out, answers back in any order, the rules held."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from conformance.case import Case
from conformance.testees.errors import TesteeDiedError, TesteeError
from conformance.testees.limits import Limits
from conformance.testees.process import TesteeProcess
from conformance.testees.protocol import (
    COULD_NOT_TRY,
    Hello,
    cases_line,
    hello_of,
    read_message,
    records_line,
    records_of,
    suite_hello,
)
from conformance.testees.text import inert

T = TypeVar("T")
CASES_IN_A_MESSAGE = 16
MESSAGES_UNDER_WAY = 4


class Conversation:
    """One testee from its start to its exit."""

    def __init__(
        self, command: Sequence[str], *, limits: Limits, folder: Path | None = None, run: str = ""
    ) -> None:
        self._limits = limits
        # No testee can guess it and answer what was not asked yet.
        self._asked = secrets.randbelow(2**31)
        self._process = TesteeProcess(command, limits=limits, folder=folder, run=run)
        try:
            self._process.send(suite_hello())
            line = self._process.receive(limits.hello_seconds, "before its hello")
            self.hello: Hello = self._checked(lambda: hello_of(read_message(line)))
        except BaseException:
            self._process.stop()
            raise

    def traces(self, behaviour: str, client: str, cases: Sequence[Case]) -> list[Any]:
        """What it answers to each case: the steps of a trace, or ``{"could not try": why}``."""
        chunks = [
            cases[at : at + CASES_IN_A_MESSAGE] for at in range(0, len(cases), CASES_IN_A_MESSAGE)
        ]
        answers: list[Any] = []
        for at in range(0, len(chunks), MESSAGES_UNDER_WAY):
            together = chunks[at : at + MESSAGES_UNDER_WAY]
            questions = {self._number(): (chunk, behaviour) for chunk in together}
            lines = [
                cases_line(number, behaviour, client, chunk)
                for number, (chunk, _) in questions.items()
            ]
            found = self._ask(lines, list(questions), "traces")
            for number, (chunk, _) in questions.items():
                traces = found[number]["traces"]
                self._check_lengths(number, chunk, traces)
                answers += traces
        return answers

    def partitions(
        self, behaviour: str, client: str, seed: int, members: Mapping[str, Any]
    ) -> list[int] | str:
        """Where it puts many records; a text if it could not try."""
        number = self._number()
        line = records_line(number, behaviour, client, seed, members)
        message = self._ask([line], [number], "partitions")[number]
        if COULD_NOT_TRY in message:
            return inert(message[COULD_NOT_TRY])
        answers: list[int] = message["partitions"]
        records = records_of(members)
        if len(answers) != records:
            self._violated(
                f"The testee answered id {number} with {len(answers)} partitions for {records} "
                "records"
            )
        return answers

    def finish(self) -> None:
        """End it; raises :class:`TesteeError` if it does not end as it should."""
        self._process.finish()

    def stop(self) -> None:
        """End it in any case."""
        self._process.stop()

    def _number(self) -> int:
        self._asked += 1
        return self._asked

    def _ask(
        self, lines: Sequence[bytes], numbers: Sequence[int], kind: str
    ) -> dict[int, dict[str, Any]]:
        """Send questions and collect the answer to each."""
        self._process.check_silent()
        for line in lines:
            self._process.send(line)
        waiting = set(numbers)
        found: dict[int, dict[str, Any]] = {}
        while waiting:
            what = f"while {len(waiting)} questions were open (id {min(waiting)} and so on)"
            if len(waiting) == 1:
                what = f"while it owed the answer with id {min(waiting)}"
            line = self._process.receive(self._limits.answer_seconds, what)
            message = self._checked(lambda: read_message(line))  # noqa: B023
            number = message.get("id")
            if number in found:
                self._violated(f"The testee answered id {number} twice")
            if number not in waiting:
                self._violated(f"The testee answered id {number!r}, which was not asked")
            if message["type"] != kind:
                self._violated(
                    f"The testee answered id {number} with {message['type']!r} instead of {kind!r}"
                )
            assert isinstance(number, int)
            waiting.remove(number)
            found[number] = message
        return found

    def _check_lengths(self, number: int, cases: Sequence[Case], traces: Sequence[Any]) -> None:
        if len(traces) != len(cases):
            self._violated(
                f"The testee answered id {number} with {len(traces)} traces for {len(cases)} cases"
            )
        for case, trace in zip(cases, traces, strict=True):
            if isinstance(trace, list) and len(trace) != len(case["steps"]):
                self._violated(
                    f"The testee answered a case of id {number} with {len(trace)} entries for "
                    f"{len(case['steps'])} steps"
                )

    def _checked(self, read: Callable[[], T]) -> T:
        """Reads a message; what is wrong with it is told with the testee's log."""
        try:
            return read()
        except TesteeDiedError:
            raise
        except TesteeError as error:
            raise type(error)(
                self._process.explain(error.what.rstrip(".")), error.remedy
            ) from error

    def _violated(self, what: str) -> None:
        raise TesteeError(self._process.explain(what))

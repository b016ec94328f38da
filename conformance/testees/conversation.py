"""Talking with a testee: questions out, answers back in any order, the rules held."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from conformance.model.case import Case
from conformance.testees.errors import TesteeDiedError, TesteeError
from conformance.testees.limits import Limits
from conformance.testees.message_bytes import BYTES_OF_A_CASE, bytes_of
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
from conformance.text import inert

T = TypeVar("T")
CASES_IN_A_MESSAGE = 16
MESSAGES_UNDER_WAY = 4


def _messages(cases: Sequence[Case]) -> list[list[Case]]:
    """The cases in as few messages as may be: not too many in one, nor too many bytes."""
    messages: list[list[Case]] = []
    left = 0
    for case in cases:
        size = bytes_of(case)
        if not messages or len(messages[-1]) == CASES_IN_A_MESSAGE or size > left:
            messages.append([])
            left = BYTES_OF_A_CASE
        messages[-1].append(case)
        left -= size
    return messages


class Conversation:
    """One testee from its start to its exit."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        limits: Limits,
        folder: Path | None = None,
        run: str = "",
        transcripts: Path | None = None,
    ) -> None:
        self._limits = limits
        # The first is no number that a testee could guess and answer before it is asked.
        self._asked = secrets.randbelow(2**31)
        self._process = TesteeProcess(
            command, limits=limits, folder=folder, run=run, transcripts=transcripts
        )
        try:
            self._process.send(suite_hello())
            line = self._process.receive(limits.hello_seconds, "before its hello")
            self.hello: Hello = self._checked(lambda: hello_of(read_message(line)))
        except BaseException:
            self._process.stop()
            raise

    def traces(
        self, behaviour: str, client: str, cases: Sequence[Case], *, typed: bool = False
    ) -> list[Any]:
        """What it answers to each case: the steps of a trace, or ``{"could not try": why}``.

        ``typed``: its answers may be of any type.
        """
        chunks = _messages(cases)
        answers: list[Any] = []
        for at in range(0, len(chunks), MESSAGES_UNDER_WAY):
            together = chunks[at : at + MESSAGES_UNDER_WAY]
            questions = {self._number(): (chunk, behaviour) for chunk in together}
            lines = [
                cases_line(number, behaviour, client, chunk)
                for number, (chunk, _) in questions.items()
            ]
            told = {
                number: f"the cases of {behaviour} {client}, {len(chunk)} of them with "
                f"{sum(len(case['steps']) for case in chunk)} steps"
                for number, (chunk, _) in questions.items()
            }
            found = self._ask(lines, told, "traces", typed=typed)
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
        told = {number: f"the records of {behaviour} {client}, {records_of(members)} of them"}
        message = self._ask([line], told, "partitions")[number]
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
        self,
        lines: Sequence[bytes],
        questions: Mapping[int, str],
        kind: str,
        *,
        typed: bool = False,
    ) -> dict[int, dict[str, Any]]:
        """Send questions, each with what it asks in words, and collect the answer to each."""
        self._process.check_silent()
        for line in lines:
            self._process.send(line)
        waiting = set(questions)
        found: dict[int, dict[str, Any]] = {}
        while waiting:
            more = f" (and {len(waiting) - 1} more)" if len(waiting) > 1 else ""
            first = min(waiting)
            what = f"while it owed the answer with id {first}{more}: {questions[first]}"
            line = self._process.receive(self._limits.answer_seconds, what)
            message = self._checked(lambda: read_message(line, typed=typed), what)  # noqa: B023
            number = message.get("id") if message["type"] != "hello" else None
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

    def _checked(self, read: Callable[[], T], when: str = "") -> T:
        """Reads a message; what is wrong with it is told with the testee's log."""
        try:
            return read()
        except TesteeDiedError:
            raise
        except TesteeError as error:
            what = ", ".join(filter(None, (error.what.removesuffix("."), when)))
            raise type(error)(self._process.explain(what), error.remedy) from error

    def _violated(self, what: str) -> None:
        raise TesteeError(self._process.explain(what))

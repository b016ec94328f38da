"""``kafka-conformance testee --protocol-only``: is a testee's every line as it should be?

Neither Java nor jars: the testee is asked what a run would ask it, and its answers are held to the
protocol. Whether they are right is not looked at.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console

from conformance.engine.generation import generate_cases
from conformance.engine.plan import Plan, behaviour_named
from conformance.errors import ExitCode
from conformance.model.behaviour import Behaviour
from conformance.model.case import Case, Operation
from conformance.model.client_version import ClientVersion
from conformance.model.subject import CouldNotTryError
from conformance.model.values import is_error
from conformance.subjects.testee import Testee
from conformance.testees.conversation import Conversation
from conformance.testees.errors import TesteeError
from conformance.testees.protocol import COULD_NOT_TRY, as_step

_CASES = 100


def check_protocol(console: Console, subject: Testee, plan: Plan) -> ExitCode:
    """Ask each behaviour of the plan in one version, and tell what was answered.

    Raises :class:`TesteeError` at the first line that breaks the protocol.
    """
    cells = {cell.behaviour: plan.client_of(cell) for cell in plan.cells}
    too_few = []
    for name, client in cells.items():
        behaviour = behaviour_named(name)
        scope = subject.scope(behaviour)
        talk = subject.talk_anew()
        try:
            if not scope.shows_only_partitions and not _cases(
                console, subject, talk, behaviour, client, plan.seed
            ):
                too_few.append(name)
            if scope.takes_records:
                _records(console, subject, talk, behaviour, client)
            talk.finish()
        finally:
            talk.stop()
    for name in too_few:
        told = f"{name}: more than half of its cases could not be tried; a run does not take that."
        console.print(told, style="bold", markup=False, soft_wrap=True)
    told = "The protocol is kept, and the testee ends with its input. No answer was compared: "
    console.print(f"{told}run it without --protocol-only for that.", markup=False, soft_wrap=True)
    return ExitCode.NOT_RUN if too_few else ExitCode.CONFORMS


def _cases(
    console: Console,
    subject: Testee,
    talk: Conversation,
    behaviour: Behaviour,
    client: ClientVersion,
    seed: int,
) -> bool:
    """Ask cases; whether enough of them could be tried."""
    cases: list[Case] = []
    generate_cases(
        behaviour.cases(client),
        subject.scope(behaviour).narrowed,
        lambda asked: cases.append(asked.case),
        cases=_CASES,
        seed=seed,
    )
    traces = talk.traces(behaviour.name, client.version, cases, typed=behaviour.typed)
    observes = talk.hello.behaviours[behaviour.name].observes
    answers: list[Any] = []
    refused = [trace[COULD_NOT_TRY] for trace in traces if isinstance(trace, dict)]
    for case, trace in zip(cases, traces, strict=True):
        if isinstance(trace, list):
            _check_observed(behaviour, case["steps"], trace, observes)
            answers += [as_step(entry)["answer"] for entry in trace]
    told = f"{behaviour.name}: {len(cases)} cases as {client.version}, {len(answers)} steps "
    told += f"answered ({_counted(map(_kind, answers))})"
    if refused:
        told += f"; {len(refused)} cases not tried ({_counted(refused)})"
    console.print(told, markup=False, soft_wrap=True)
    return 2 * len(refused) <= len(cases)


def _records(
    console: Console,
    subject: Testee,
    talk: Conversation,
    behaviour: Behaviour,
    client: ClientVersion,
) -> None:
    """Ask a block of records of each kind."""
    # Imported here because SciPy takes seconds, and cells with cases do not need it.
    from conformance.distributions.of_testees import distributions_of  # noqa: PLC0415
    from conformance.model.distribution import Block  # noqa: PLC0415

    scope = subject.scope(behaviour)
    for one in distributions_of(behaviour.name, scope.cannot, topics=scope.takes_topics):
        block = Block(0, 0, one.block_records, (0, 0, 0))
        try:
            answers = one.testee(client, talk.partitions)(block, one.inputs(block))
            told = f"{answers.size:,} partitions answered"
        except CouldNotTryError as error:
            told = f"not tried ({error.why})"
        console.print(f"{one.name}: records: {told}", markup=False, soft_wrap=True)


def _check_observed(
    behaviour: Behaviour, steps: Sequence[Operation], trace: Sequence[Any], observes: Sequence[str]
) -> None:
    """Raise :class:`TesteeError` for a step without what the hello says that traces have."""
    keeps = any(limit.cannot == "state" for limit in behaviour.limits)
    for at, (operation, entry) in enumerate(zip(steps, trace, strict=True)):
        of_a_topic = operation["op"] != "create" and operation.get("topic") is not None
        due = {"draws": "draw" in operation, "state": keeps and of_a_topic}
        for name in observes:
            there = isinstance(entry, dict) and name in entry
            if due[name] and not there:
                raise TesteeError(
                    f"The testee's hello says that it observes {name} of {behaviour.name}, but "
                    f"step {at}, {operation['op']!r}, has none: {str(entry)[:200]}."
                )


def _kind(answer: Any) -> str:
    """What kind of answer it is, in a word."""
    if is_error(answer):
        return f"error {answer['error']}"
    names = {int: "number", list: "list", str: "text", dict: "value", type(None): "null"}
    return names.get(type(answer), "value")


def _counted(words: Iterable[str]) -> str:
    return ", ".join(f"{word}: {count}" for word, count in Counter(words).most_common(8))

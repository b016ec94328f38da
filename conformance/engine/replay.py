"""Run the case of a saved divergence again."""

import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.engine.comparing import told_of
from conformance.engine.plan import behaviour_named
from conformance.errors import SuiteError, UsageError
from conformance.model.client_version import ClientVersion
from conformance.model.results import Divergence
from conformance.model.subject import Subject
from conformance.model.trace import Trace, death, first_difference, is_death
from conformance.processes.endings import how_it_ended
from conformance.processes.worker import Worker


def replay_within(
    seconds: float, saved: Divergence, client: ClientVersion, oracle: Subject, subject: Subject
) -> Divergence | None:
    """As :func:`replay_divergence`, in a process of its own, which either subject may end or hang.

    Each of the two has so many ``seconds``. Also raises :class:`SuiteError` where one does not
    answer; but if the subject did not survive the case before, that is the divergence.
    """
    worker = Worker(_replay, saved, client, oracle, subject)
    who, expected = oracle, None
    try:
        while True:
            if not worker.connection.poll(seconds):
                how = f"no answer for {seconds:g} s"
                break
            try:
                heard = worker.connection.recv()
            except (EOFError, OSError):
                code = worker.exit_code()
                how = f"its process {'stopped' if code is None else how_it_ended(code)}"
                break
            if isinstance(heard, _Expected):
                who, expected = subject, heard.trace
            elif isinstance(heard, SuiteError):
                raise heard
            else:
                again: Divergence | None = heard
                return again
    finally:
        worker.end()
    if expected is not None and any(is_death(step["answer"]) for step in saved.answered):
        answered: Trace = [{"answer": death(how, "client")}]
        return _again(saved, client, (oracle, subject), (expected, answered), ())
    raise SuiteError(
        f"{saved.cell}: whether it is fixed cannot be told. {who.describe(client)} does not "
        f"perform the case: {how}.",
        "It hangs or crashes on this case, or needs longer: --stall-seconds gives it more.",
    )


@dataclass(frozen=True)
class _Expected:
    """What the oracle answered: from now on, the subject is waited for."""

    trace: Trace


def _replay(connection: Any, saved: Divergence, *whom: Any) -> None:
    """What a worker does: it says what the oracle expects, and then what came of the replay."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business.
    try:
        again = replay_divergence(
            saved, *whom, tell=lambda trace: connection.send(_Expected(trace))
        )
    except SuiteError as error:
        connection.send(error)
    else:
        connection.send(again)


def replay_divergence(
    saved: Divergence,
    client: ClientVersion,
    oracle: Subject,
    subject: Subject,
    *,
    tell: Callable[[Trace], None] = lambda _expected: None,
) -> Divergence | None:
    """The divergence as it is now, or None if the two subjects agree by now.

    ``tell`` hears what the oracle expects, before the subject is asked.

    Raises :class:`SuiteError` if a subject cannot perform the case, or agrees though nothing is
    known that made a new subject differ, :class:`UsageError` for a
    behaviour that this suite does not know, or a case that is not one of it.
    """
    behaviour = behaviour_named(saved.cell.behaviour)
    unknown = {step["op"] for step in saved.case["steps"]} - {*behaviour.operations}
    if unknown:
        raise UsageError(
            f"Behaviour {behaviour.name} has no operation {', '.join(map(repr, unknown))}; "
            f"it has {', '.join(behaviour.operations)}.",
            "Give a file that kafka-conformance wrote, unchanged.",
        )
    expect, answer = oracle.performer(behaviour, client), subject.performer(behaviour, client)
    try:
        scope = subject.scope(behaviour)
        scope.check_asked(saved.case)
        expected = scope.observable(expect(saved.case))
        tell(expected)
        answered = [answer(case) for case in (*(saved.before or ()), saved.case)][-1]
        subject.finish()
    except SuiteError:
        raise
    except Exception as error:  # whatever a damaged case leads to
        raise UsageError(
            f"The case is not one of behaviour {behaviour.name}: {error!r}.",
            "Give a file that kafka-conformance wrote, unchanged.",
        ) from error
    step = first_difference(expected, answered)
    if step is None and saved.before is None:
        raise SuiteError(
            f"{saved.cell}: whether it is fixed cannot be told. {subject.describe(client)} answers "
            "this case as it should, but it did so before, too, when it was started anew.",
            f"Run the cell again: --behaviour {saved.cell.behaviour} --client {saved.cell.client} "
            f"--seed {saved.seed}.",
        )
    if step is None:
        return None
    remarks = [
        *told_of(behaviour, saved.case, expected, answered),
        *oracle.remarks(behaviour, client, saved.case),
    ]
    return _again(saved, client, (oracle, subject), (expected, answered), tuple(remarks))


def _again(
    saved: Divergence,
    client: ClientVersion,
    subjects: tuple[Subject, Subject],
    traces: tuple[Trace, Trace],
    remarks: tuple[str, ...],
) -> Divergence:
    oracle, subject = subjects
    return replace(
        saved,
        expected_of=oracle.describe(client),
        answered_by=subject.describe(client),
        expected=traces[0],
        answered=traces[1],
        step=first_difference(*traces) or 0,
        remarks=remarks,
    )

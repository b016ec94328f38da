"""Run the case of a saved divergence again."""

from dataclasses import replace

from conformance.engine.plan import behaviour_named
from conformance.errors import SuiteError, UsageError
from conformance.model.client_version import ClientVersion
from conformance.model.results import Divergence
from conformance.model.subject import Subject
from conformance.model.trace import first_difference


def replay_divergence(
    saved: Divergence, client: ClientVersion, oracle: Subject, subject: Subject
) -> Divergence | None:
    """The divergence as it is now, or None if the two subjects agree by now.

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
            "Give a file as kafka-conformance run wrote it, unchanged.",
        )
    expect, answer = oracle.performer(behaviour, client), subject.performer(behaviour, client)
    try:
        scope = subject.scope(behaviour)
        scope.check_asked(saved.case)
        expected = scope.observable(expect(saved.case))
        answered = [answer(case) for case in (*(saved.before or ()), saved.case)][-1]
        subject.finish()
    except SuiteError:
        raise
    except Exception as error:  # whatever a damaged case leads to
        raise UsageError(
            f"The case is not one of behaviour {behaviour.name}: {error!r}.",
            "Give a file as kafka-conformance run wrote it, unchanged.",
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
    return replace(
        saved,
        expected_of=oracle.describe(client),
        answered_by=subject.describe(client),
        expected=expected,
        answered=answered,
        step=step,
        remarks=tuple(oracle.remarks(behaviour, client, saved.case)),
    )

"""For a port in Python: the suite as a test in the author's own repository.

Ports in other languages use ``kafka-conformance testee``; :func:`check_testee` is that as a test.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from conformance.clients.versions import client_named
from conformance.engine.cell import Effort, run_cell
from conformance.engine.kept import usual_recordings
from conformance.engine.known import NOTHING_KNOWN, load_known
from conformance.engine.plan import behaviour_named, make_plan
from conformance.jars.store import JarStore
from conformance.model.case import Case, Metadata, Operation, Partition
from conformance.model.results import CellResult, Verdict
from conformance.reports.describe import describe_divergence
from conformance.sampling.cells import sample_cell
from conformance.subjects.function import Answers, FunctionTestee
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.testee import Testee
from conformance.subjects.with_hello import SubjectWithHello
from conformance.testees.protocol import Hello, Support

__all__ = ["check_behaviours", "check_keyed", "check_testee"]

_KEYED_CANNOT = ("null metadata", "unknown topics", "null topics", "null keys", "odd counts")


def check_keyed(
    partition: Callable[[bytes, Sequence[Partition]], int],
    *,
    clients: Sequence[str] = (),
    profile: str = "quick",
    seed: int = 0,
) -> None:
    """Hold a function from a key to its partition against the real Java clients.

    ``partition`` gets the key's bytes and the topic's partitions, ``[id, leader]`` in metadata
    order (leader None if it has none), and answers an int32. ``clients`` are versions of Java
    (none: all that the suite has). Raises ``AssertionError`` with the smallest counterexample,
    or with the reason if something could not be run (no Java, no jars).

    Paste this into your repository (``pip install kafka-partitioner-conformance``, Java 17)::

        from conformance.testing import check_keyed
        from my_port import murmur2  # yours

        def test_keys_go_where_java_sends_them() -> None:
            check_keyed(lambda key, partitions: (murmur2(key) & 0x7FFFFFFF) % len(partitions))
    """

    def answers(case: Case) -> list[int]:
        return [
            partition(operation["key"], _partitions(case, operation)) for operation in case["steps"]
        ]

    check_behaviours(
        {"keyed": answers},
        cannot={"keyed": _KEYED_CANNOT},
        clients=clients,
        profile=profile,
        seed=seed,
    )


def check_behaviours(
    functions: Mapping[str, Answers],
    *,
    cannot: Mapping[str, Sequence[str]] | None = None,
    clients: Sequence[str] = (),
    profile: str = "quick",
    seed: int = 0,
) -> None:
    """The same for any exact behaviours: functions from a case to one answer for each step.

    Cases and answers are those of docs/protocol.md as Python data, keys as ``bytes``, a step's
    draws as ``operation["draw"]`` (see :class:`conformance.draws.DrawSource`). ``cannot`` has, by
    behaviour, what cannot be asked. Raises ``AssertionError`` as :func:`check_keyed` does.
    """
    behaviours = {
        name: Support("exact", cannot=tuple((cannot or {}).get(name, ()))) for name in functions
    }
    subject = FunctionTestee(Hello("the function", "", "Python", behaviours), functions)
    _check(subject, clients=clients, profile=profile, seed=seed, known=None, records=None)


def check_testee(
    command: Sequence[str],
    *,
    clients: Sequence[str] = (),
    profile: str = "quick",
    seed: int = 0,
    known: Path | None = None,
    records: int | None = None,
) -> None:
    """Hold a testee, a command that speaks docs/protocol.md, against the real Java clients.

    Every version that it claims must conform (without claims: every version that has the
    behaviour), but for what the file ``known`` excuses. Raises ``AssertionError``, or
    :class:`SuiteError` if the testee does not start::

        from conformance.testing import check_testee

        def test_our_partitioner_is_javas() -> None:
            check_testee(["./build/testee"], clients=["3.8.0"])
    """
    subject = Testee(command)
    try:
        _check(subject, clients=clients, profile=profile, seed=seed, known=known, records=records)
    finally:
        subject.stop_everywhere()


def _check(
    subject: SubjectWithHello,
    *,
    clients: Sequence[str],
    profile: str,
    seed: int,
    known: Path | None,
    records: int | None,
) -> None:
    oracle = JavaSubject(JarStore(None))
    plan = make_plan(
        clients=clients,
        behaviours=list(subject.hello.behaviours),
        profile=profile,
        seed=seed,
        subjects=(oracle, subject),
    )
    excused = NOTHING_KNOWN if known is None else load_known(known)
    kept = usual_recordings(plan, subject)
    results = []
    for cell in plan.cells:
        cases, recording = plan.cases_of(cell), kept.get(cell)
        effort = Effort(
            cases,
            seed,
            len(plan.cells),
            records,
            excused,
            recording=recording,
            sample=sample_cell,
            share=plan.profile.records,
        )
        behaviour, client = behaviour_named(cell.behaviour), client_named(cell.client)
        results.append(run_cell(behaviour, client, oracle, subject, effort))
    problems = [
        _problem(result)
        for result in results
        if result.verdict not in (Verdict.CONFORMS, Verdict.KNOWN)
    ]
    problems += excused.outdated(results, whole=not clients)
    if not clients:
        untried = subject.untried({cell.behaviour for cell in plan.cells})
        problems += [f"{name}: none of the versions that it claims was tried" for name in untried]
    assert not problems, "\n\n".join(problems)


def _problem(result: CellResult) -> str:
    if result.verdict is Verdict.NOT_RUN:
        return f"{result.cell} was not run: {result.reason}"
    told = [
        f"{result.cell}: {test.test}: {test.detail}"
        for test in result.tests
        if test.verdict is Verdict.DIVERGES
    ]
    if result.divergence is not None:
        again = "run this test again; the seed is fixed"
        told.insert(0, describe_divergence(result.divergence, again))
    return "\n".join(told) or f"{result.cell} diverges: {', '.join(result.differences)}"


def _partitions(case: Case, operation: Operation) -> list[Partition]:
    if operation["op"] == "partition for key":
        return [[number, 0] for number in range(operation["partitions"])]
    snapshot: Metadata = case["metadata"][operation["metadata"]] or []
    return next(parts for topic, parts in snapshot if topic == operation["topic"])

"""The distributions by which two jars can be held to each other, and what their tests say."""

from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

from conformance.clients.client_version import ClientVersion
from conformance.ctrl_c import FreshProcesses
from conformance.distributions import DISTRIBUTIONS
from conformance.distributions.distribution import Block, Distribution, checked_answers
from conformance.distributions.results import RECORD_BY_RECORD
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.plan import unknown
from conformance.engine.results import Cell, CellResult, TestResult, Verdict
from conformance.statistics.verdicts import Judged
from conformance.subjects.client_jar import ClientJarSubject
from conformance.subjects.two_jars import TwoJars

CONFORMS, DIVERGES, NOT_RUN = Verdict.CONFORMS, Verdict.DIVERGES, Verdict.NOT_RUN
_PROBED = 4096


def distributions_named(names: Sequence[str]) -> list[Distribution]:
    """These distributions, or all; raises :class:`UsageError` for a name that does not exist."""
    for name in names:
        distribution_named(name)
    return [one for one in DISTRIBUTIONS if not names or one.name in names]


def distribution_named(name: str) -> Distribution:
    """The distribution; raises :class:`UsageError` if there is none of that name."""
    known = {one.name: one for one in DISTRIBUTIONS}
    if name not in known:
        raise unknown("distribution", name, known)
    return known[name]


def not_sampled(jars: TwoJars, client: ClientVersion, names: Sequence[str]) -> dict[str, str]:
    """Which of these distributions one of the jars cannot show, and why.

    Tried for a few records in a process of its own; if that dies, in one for each distribution.
    """
    if not names:
        return {}
    with FreshProcesses(1) as pool:
        try:
            return pool.submit(_tried, jars, client, names).result()
        except BrokenProcessPool:
            pass
    if len(names) > 1:
        alone = (not_sampled(jars, client, [name]) for name in names)
        return {name: reason for found in alone for name, reason in found.items()}
    return {names[0]: "the JVM died while it was tried"}


def _tried(jars: TwoJars, client: ClientVersion, names: Sequence[str]) -> dict[str, str]:
    found = {}
    subjects = jars.subjects
    for distribution in distributions_named(names):
        tried = (_cannot_be_sampled(distribution, client, one) for one in subjects)
        reason = next(filter(None, tried), None)
        if reason is not None:
            found[distribution.name] = reason
    return found


def _cannot_be_sampled(
    distribution: Distribution, client: ClientVersion, subject: ClientJarSubject
) -> str | None:
    """Why a jar cannot show a distribution, or None if it did, for a few records."""
    records = min(_PROBED, distribution.block_records)
    if distribution.whole_blocks:
        records = distribution.block_records
    block = Block(0, 0, records, (0, 0, 0))
    try:
        inputs = distribution.inputs(block)
        answers = subject.sampler(distribution, client)(block, inputs)
        shape = distribution.shape(block, inputs)
        distribution.measure(block, inputs, checked_answers(answers, shape))
    except Exception as error:  # whatever a jar of tomorrow leads to
        return f"{subject.describe(client)} cannot be driven: {error}".splitlines()[0]
    return None


def compared(
    cell: Cell,
    old: Sequence[Judged],
    new: Sequence[Judged],
    accepted: KnownDivergences = NOTHING_KNOWN,
) -> CellResult:
    """What the tests of a distribution, by which the cell is called, say of two jars.

    The same tests were made of both; some hold the candidate's records against the baseline's.
    Where both fail the same test, nothing says that they fail it alike, but the comparison of all
    their records.
    """
    before = {one.outcome.test: one for one in old}
    after = {one.outcome.test: one for one in new}
    record_by_record = after.get(RECORD_BY_RECORD)
    alike = record_by_record is not None and record_by_record.verdict is CONFORMS
    tests = tuple(
        _of_both(before.get(name), after.get(name), alike=alike) for name in {**after, **before}
    )
    differences = {test.difference: 1 for test in tests if test.verdict is DIVERGES}
    unclear = [f"{test.test}: {test.detail}" for test in tests if test.verdict is NOT_RUN]
    verdict = CONFORMS if tests else NOT_RUN
    if differences:
        verdict = accepted.verdict(cell, differences)
    if unclear and verdict is not DIVERGES:
        verdict = NOT_RUN
    return CellResult(
        cell,
        verdict,
        records=max((judged.outcome.records for judged in new), default=0),
        reason="; ".join(unclear) or "there are no tests" if verdict is NOT_RUN else "",
        differences=differences,
        tests=tests,
    )


def _of_both(old: Judged | None, new: Judged | None, *, alike: bool) -> TestResult:
    """What a test says of two jars: conforms if the same.

    A test that only one has is one of the candidate against the baseline, or tells of a crash.
    ``alike``: all their records are the same.
    """
    has = [judged for judged in (old, new) if judged is not None]
    told = has[-1].result
    not_run = next((judged.outcome.not_run for judged in has if judged.outcome.not_run), None)
    if not_run is not None:
        return replace(told, verdict=NOT_RUN, detail=not_run)
    if new is None and told.verdict is CONFORMS:
        return replace(told, verdict=NOT_RUN, detail="not made of the candidate")
    if new is None:
        return replace(told, detail=f"of the baseline alone: {told.detail}")
    if old is None or new.verdict is old.verdict is CONFORMS:
        return told
    if new.verdict is old.verdict:
        verdict = CONFORMS if alike else NOT_RUN
        return replace(told, verdict=verdict, detail="neither is as expected")
    worse = f"no longer as expected: {told.detail}".rstrip(": ")
    detail = worse if new.verdict is DIVERGES else "as expected now, and was not"
    return replace(told, verdict=DIVERGES, detail=detail)

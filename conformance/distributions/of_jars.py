"""The distributions by which two jars can be held to each other, and what their tests say."""

from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool

from conformance.clients.client_version import ClientVersion
from conformance.ctrl_c import FreshProcesses
from conformance.distributions import DISTRIBUTIONS
from conformance.distributions.distribution import Block, Distribution, checked_answers
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.plan import unknown
from conformance.engine.results import Cell, CellResult, TestResult, Verdict
from conformance.errors import OracleError
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

    Tried for a few records, in a process of its own, so that one costs no other. Raises
    :class:`OracleError` if that died.
    """
    if not names:
        return {}
    with FreshProcesses(1) as pool:
        try:
            return pool.submit(_tried, jars, client, names).result()
        except BrokenProcessPool as error:
            raise OracleError(
                "The JVM died while it tried the distributions.",
                "Choose others with --distribution, or check that this Java runs.",
            ) from error


def _tried(jars: TwoJars, client: ClientVersion, names: Sequence[str]) -> dict[str, str]:
    found = {}
    for distribution in distributions_named(names):
        tried = (_cannot_be_sampled(distribution, client, one) for one in jars.subjects)
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
        checked_answers(answers, distribution.shape(block, inputs))
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
    Where both fail the same test, nothing says that they fail it alike.
    """
    before = {judged.outcome.test: judged.verdict for judged in old}
    records = max((judged.outcome.records for judged in new), default=0)
    changed = tuple(
        TestResult(cell.behaviour, one.outcome.test, DIVERGES, records, _told(one, before))
        for one in new
        if _differs(one, before)
    )
    if changed:
        differences = {test.difference: 1 for test in changed}
        verdict = accepted.verdict(cell, differences)
        return CellResult(cell, verdict, records=records, differences=differences, tests=changed)
    unclear = {
        one.outcome.test: one.outcome.not_run or "neither is as expected"
        for one in (*old, *new)
        if one.verdict is not CONFORMS
    }
    if unclear or not new:
        told = "; ".join(f"{test}: {why}" for test, why in unclear.items()) or "there are no tests"
        return CellResult(cell, NOT_RUN, records=records, reason=told)
    return CellResult(cell, CONFORMS, records=records)


def _differs(judged: Judged, before: dict[str, Verdict]) -> bool:
    """Whether a test says of the candidate what it does not say of the baseline."""
    verdicts = {judged.verdict, before.get(judged.outcome.test, CONFORMS)}
    return verdicts == {CONFORMS, DIVERGES}


def _told(judged: Judged, before: dict[str, Verdict]) -> str:
    test = judged.outcome.test
    if test not in before:
        return judged.outcome.detail or "the candidate differs from the baseline"
    if judged.verdict is DIVERGES:
        return f"no longer as expected: {judged.outcome.detail}".rstrip(": ")
    return "as expected now, and was not"

"""The distributions by which two jars can be held to each other, and what their tests say."""

from collections.abc import Collection, Sequence

from conformance.clients.client_version import ClientVersion
from conformance.distributions import DISTRIBUTIONS
from conformance.distributions.distribution import Block, Distribution, checked_answers
from conformance.engine.gate import Change, Outcome
from conformance.engine.plan import unknown
from conformance.engine.results import Verdict
from conformance.errors import UsageError
from conformance.statistics.verdicts import Judged
from conformance.subjects.client_jar import ClientJarSubject

_PROBED = 4096


def distributions_of(behaviours: Collection[str], names: Sequence[str]) -> list[Distribution]:
    """The distributions of some behaviours, all or those that are named.

    Raises :class:`UsageError` for a name that does not exist, and when none is left.
    """
    known = {one.name: one for one in DISTRIBUTIONS}
    for name in names:
        if name not in known:
            raise unknown("distribution", name, known)
    left = [
        one
        for one in known.values()
        if one.behaviour in behaviours and one.name in (names or known)
    ]
    if not left:
        raise UsageError(
            "The two jars have none of these distributions in common.",
            "Choose other distributions or jars.",
        )
    return left


def cannot_be_sampled(
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


def outcome_of_distribution(
    name: str, records: int, old: Sequence[Judged], new: Sequence[Judged]
) -> Outcome:
    """What the tests of a distribution say of two jars.

    The same tests were made of both; some hold the candidate's records against the baseline's.
    Where both fail the same test, nothing says that they fail it alike.
    """
    before = {judged.outcome.test: judged.verdict for judged in old}
    changed = [_told(one, before) for one in new if _differs(one, before)]
    if changed:
        return Outcome(name, Change.CHANGED, "; ".join(changed), records, records)
    unclear = {
        one.outcome.test: one.outcome.not_run or "neither is as expected"
        for one in (*old, *new)
        if one.verdict is not Verdict.CONFORMS
    }
    if unclear or not new:
        told = "; ".join(f"{test}: {why}" for test, why in unclear.items()) or "there are no tests"
        return Outcome(name, Change.NOT_COMPARABLE, told, records, records)
    return Outcome(name, Change.SAME, "", records, records)


def _differs(judged: Judged, before: dict[str, Verdict]) -> bool:
    """Whether a test says of the candidate what it does not say of the baseline."""
    verdicts = {judged.verdict, before.get(judged.outcome.test, Verdict.CONFORMS)}
    return verdicts == {Verdict.CONFORMS, Verdict.DIVERGES}


def _told(judged: Judged, before: dict[str, Verdict]) -> str:
    test = judged.outcome.test
    if test not in before:
        return f"{test}: {judged.outcome.detail or 'the candidate differs from the baseline'}"
    if judged.verdict is Verdict.DIVERGES:
        return f"{test}: no longer as expected. {judged.outcome.detail}".rstrip()
    return f"{test}: as expected now, and was not"

"""The distributions by which two jars can be held to each other, and what their tests say."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Block, Distribution, checked_answers
from conformance.model.results import Cell, CellResult, TestResult, Verdict
from conformance.processes.alone import Ended, in_fresh_process
from conformance.sampling.judging import RECORD_BY_RECORD
from conformance.sampling.order import distribution_named
from conformance.statistics.verdicts import Judged
from conformance.subjects.client_jar import ClientJarSubject
from conformance.subjects.pair_of_jars import TwoJars

CONFORMS, DIVERGES, NOT_RUN = Verdict.CONFORMS, Verdict.DIVERGES, Verdict.NOT_RUN
_PROBED = 4096


class Tried(NamedTuple):
    """What came of a few records of a distribution."""

    failed: str
    """Why one of the jars cannot show it; empty if both did."""
    repeats: bool = False
    """Whether both answered the same again, given the same seed: then all draws are controlled."""


def tried(jars: TwoJars, client: ClientVersion, names: Sequence[str]) -> dict[str, Tried]:
    """Both jars tried with these distributions, for a few records, in another process."""
    found = in_fresh_process(partial(_try, jars, client), names)
    return dict(zip(names, map(_unless_ended, found), strict=True))


def _unless_ended(found: Tried | Ended) -> Tried:
    if not isinstance(found, Ended):
        return found
    last = f" after class {found.about} was loaded" if found.about else ""
    return Tried(f"it cannot be tried: {found.how}{last}")


def _try(jars: TwoJars, client: ClientVersion, name: str) -> Tried:
    both = [_sampled(distribution_named(name), client, one) for one in jars.subjects]
    failed = next((one.failed for one in both if one.failed), "")
    return Tried(failed, all(one.repeats for one in both))


def _sampled(distribution: Distribution, client: ClientVersion, subject: ClientJarSubject) -> Tried:
    records = min(_PROBED, distribution.block_records)
    if distribution.whole_blocks:
        records = distribution.block_records
    block = Block(0, 0, records, (0, 0, 0))
    try:
        inputs = distribution.inputs(block)
        sampler = subject.sampler(distribution, client)
        # The first time fills what Kafka keeps for the process.
        answers = [sampler(block, inputs).copy() for _ in range(3)]
        shape = distribution.shape(block, inputs)
        distribution.measure(block, inputs, checked_answers(answers[0], shape))
    except Exception as error:  # whatever a jar of tomorrow leads to
        return Tried(f"{subject.describe(client)} cannot be driven: {' '.join(str(error).split())}")
    return Tried("", repeats=np.array_equal(answers[1], answers[2]))


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
    result = accepted.result_of_tests(cell, tests)
    unclear = [f"{test.test}: {test.detail}" for test in tests if test.verdict is NOT_RUN]
    told = "; ".join(unclear) or "there are no tests"
    return replace(
        result,
        records=max((judged.outcome.records for judged in new), default=0),
        reason=told if result.verdict is NOT_RUN else "",
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

"""Whole default runs on simulated subjects, judged as a real run is."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from conformance.model.distribution import Distribution, Measures
from conformance.model.outcome import Outcome
from conformance.sampling.blocks import DIFFERENCES, Key
from conformance.sampling.judging import judge_totals
from conformance.sampling.order import make_order
from conformance.statistics.verdicts import FALSE_ALARMS, Judged
from conformance.subjects.python_port import PythonPort
from tests.statistics.sources import Rule, Source, generator, source_of

# Judging asks the subjects for nothing but their names.
_SUBJECTS = (PythonPort(), PythonPort())


def simulated_run(*seed: int, share: float = 1.0) -> tuple[Judged, ...]:
    """The verdicts of a run in which every subject is as it should be, by default a whole one."""
    order, _ = make_order(share=share)
    totals: dict[Key, Measures] = {}
    for number, distribution in enumerate(order.distributions):
        source = source_of(distribution, order.records[distribution.name])
        given = source.given(generator(*seed, number, 0))
        measures = Measures()
        for version, client in enumerate(order.clients[distribution.name]):
            for place in range(len(_SUBJECTS)):
                # Where nothing is random, one for all.
                if not distribution.exact or not measures.records:
                    own = generator(*seed, number, 1 + version, 1 + place)
                    measures = source.measures(source.rule, given, own)
                    measures.counts[DIFFERENCES] = np.zeros(1, np.int64)
                totals[Key(distribution.name, client.version, place)] = measures
    judged, _ = judge_totals(order, totals, _SUBJECTS)
    return judged


@cache
def tests_of_a_run() -> int:
    """How many statistical tests a default run has, over all versions and both subjects."""
    return sum(judged.outcome.p is not None for judged in simulated_run(0))


def strictest_level() -> float:
    """The p below which Holm's correction finds a test diverging, whatever the others say."""
    return FALSE_ALARMS / tests_of_a_run()


def outcomes(source: Source, rule: Rule, *seed: int) -> list[Outcome]:
    """The tests of one subject that follows a rule, in a run of its own."""
    given = source.given(generator(*seed, 0))
    measures = source.measures(rule, given, generator(*seed, 1))
    found = list(source.distribution.judge(measures))
    if type(source.distribution).compare is not Distribution.compare:
        oracle = source.measures(source.rule, given, generator(*seed, 2))
        found += source.distribution.compare(oracle, measures)
    return found


def alarms(found: Sequence[Outcome], level: float) -> list[str]:
    """The tests that failed, or whose p is not above the level."""
    return [
        outcome.test
        for outcome in found
        if outcome.failed or (outcome.p is not None and outcome.p <= level)
    ]

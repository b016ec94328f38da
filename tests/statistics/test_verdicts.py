"""Verdicts of a whole run: Holm's correction, and what was not run."""

import numpy as np
import pytest

from conformance.model.outcome import Kind, Outcome
from conformance.model.results import Verdict
from conformance.statistics.tests import exact_test, uniform_test
from conformance.statistics.verdicts import FALSE_ALARMS, POWER, Subjected, judge_all

OF = Subjected("some", "3.8.0", "subject", "subject")
# Wikipedia, "Holm-Bonferroni method", example: at 0.05 the hypotheses of 0.005 and 0.01 are
# rejected, 0.03 and 0.04 are not. The corrected values are 4 x 0.005, 3 x 0.01, and 2 x 0.03
# twice, because they may not decrease.
P_VALUES = (0.01, 0.04, 0.03, 0.005)
CORRECTED = (0.03, 0.06, 0.06, 0.02)


def with_p(p: float) -> Outcome:
    """An outcome of which only p matters."""
    return Outcome("t", Kind.STATISTICAL, 1, p=p)


def test_holm_on_a_published_example() -> None:
    judged = judge_all([(OF, with_p(p)) for p in P_VALUES], false_alarms=0.05)
    assert [one.corrected_p for one in judged] == pytest.approx(CORRECTED)
    assert [one.verdict is Verdict.DIVERGES for one in judged] == [True, False, False, True]


def test_the_level_is_of_the_whole_run() -> None:
    # A p that would do alone does not do among a hundred.
    lonely = judge_all([(OF, with_p(0.0005))])
    assert [one.verdict for one in lonely] == [Verdict.DIVERGES]
    many = judge_all([(OF, with_p(0.0005)), *[(OF, with_p(0.5))] * 99])
    assert {one.verdict for one in many} == {Verdict.CONFORMS}
    strictest = judge_all([(OF, with_p(FALSE_ALARMS / 100)), *[(OF, with_p(0.5))] * 99])
    assert [one.verdict for one in strictest][:2] == [Verdict.DIVERGES, Verdict.CONFORMS]


def test_only_statistical_tests_that_were_made_are_counted() -> None:
    few = uniform_test("few", np.ones(4, np.int64))
    exact = exact_test("exact", 10, failures=0, detail="none")
    broken = exact_test("exact", 10, failures=1, detail="one")
    judged = judge_all([(OF, outcome) for outcome in (few, exact, broken, with_p(0.0009))])
    assert [one.verdict for one in judged] == [
        Verdict.NOT_RUN,
        Verdict.CONFORMS,
        Verdict.DIVERGES,
        Verdict.DIVERGES,
    ]
    assert [one.corrected_p for one in judged] == [None, None, None, pytest.approx(0.0009)]


def test_nothing_but_tests_that_were_not_run() -> None:
    judged = judge_all([(OF, uniform_test("few", np.ones(4, np.int64)))])
    assert [one.verdict for one in judged] == [Verdict.NOT_RUN]
    assert judged[0].smallest_bias is None
    assert judge_all([]) == []


def test_what_a_test_can_find_is_at_the_strictest_level() -> None:
    # Two partitions of which one gets (1 + b) / 2: the normal approximation of the power.
    counts = np.full(2, 500_000)
    others = [(OF, with_p(0.5))] * 9
    alone, among = judge_all([(OF, uniform_test("t", counts))])[0], None
    among = judge_all([(OF, uniform_test("t", counts)), *others])[0]
    assert alone.smallest_bias is not None
    assert among.smallest_bias is not None
    assert alone.smallest_bias < among.smallest_bias
    from scipy.stats import norm

    for judged, tests in ((alone, 1), (among, 10)):
        reach = norm.isf(FALSE_ALARMS / tests / 2) + norm.isf(1 - POWER)
        assert judged.smallest_bias == pytest.approx(reach / 1000, rel=1e-3)

"""Verdicts: by intervals of repetitions, never by eye, and never of what was not run."""

import math
import random

import pytest
from scipy import stats

from conformance.experiments.claims import Claim, Judged, holds, judge, more_to_slow
from conformance.experiments.judgement import (
    Verdict,
    judge_holds,
    judge_less,
    judge_more,
    mean_interval,
    proportion_interval,
)
from conformance.experiments.measures import Measured, measure
from tests.experiments.made import batch, records, told


def test_an_interval_of_the_mean_is_students() -> None:
    numbers = [1.61, 1.72, 1.84, 1.7]
    interval = mean_interval(numbers)
    low, high = stats.t.interval(0.95, 3, loc=sum(numbers) / 4, scale=stats.sem(numbers))
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert interval.count == 4


def test_one_number_says_nothing_of_where_the_mean_is() -> None:
    assert mean_interval([3.0]).low == -math.inf
    assert math.isnan(mean_interval([]).mean)


def test_an_interval_of_a_proportion_is_clopper_and_pearsons() -> None:
    for successes, count in ((0, 5), (3, 7), (10, 10)):
        exact = stats.binomtest(successes, count).proportion_ci(0.95, method="exact")
        interval = proportion_interval(successes, count)
        assert (interval.low, interval.high) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ([1.6, 1.7, 1.8], Verdict.REPRODUCED),
        ([0.98, 1.0, 1.02], Verdict.NOT_REPRODUCED),
        ([1.0, 1.1, 1.2], Verdict.UNDECIDED),
        ([1.6, 1.7], Verdict.UNDECIDED),
    ],
)
def test_more_is_decided_by_the_interval(numbers: list[float], verdict: Verdict) -> None:
    assert judge_more(numbers, 1.05)[0] is verdict


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ([0.4, 0.5, 0.45], Verdict.REPRODUCED),
        ([1.4, 1.5, 1.45], Verdict.NOT_REPRODUCED),
        ([0.9, 0.95, 1.0], Verdict.UNDECIDED),
    ],
)
def test_less_is_the_mirror_image(numbers: list[float], verdict: Verdict) -> None:
    judged, interval = judge_less(numbers, 0.95)
    assert judged is verdict
    assert interval.low <= interval.mean <= interval.high


@pytest.mark.parametrize(
    ("held", "of", "verdict"),
    [
        (6, 6, Verdict.REPRODUCED),
        (5, 5, Verdict.UNDECIDED),
        (0, 6, Verdict.NOT_REPRODUCED),
        (5, 10, Verdict.UNDECIDED),
    ],
)
def test_what_holds_must_hold_in_most_repetitions_that_there_could_be(
    held: int, of: int, verdict: Verdict
) -> None:
    assert judge_holds([True] * held + [False] * (of - held))[0] is verdict


def test_a_true_effect_of_nothing_is_seldom_called_one() -> None:
    drawn = random.Random(0)
    wrong = sum(
        judge_more([drawn.gauss(1.05, 0.1) for _ in range(10)], 1.05)[0] is Verdict.REPRODUCED
        for _ in range(2000)
    )
    assert wrong < 2000 * 0.035  # 2.5 % are expected


def _measured(partitions: list[int]) -> Measured:
    sent = records(partitions)
    batches = [
        batch(partitions[one], partitions[one], one, 1, at_ms=one + 1, request=one)
        for one in range(len(partitions))
    ]
    return measure(told(sent, batches, {0: 0, 1: 1}), [1], linger_ms=0, interval_ns=0)


def _judged(claim: Claim, ones: list[list[int]], missing: int = 0) -> Judged:
    rounds = [{"3.2.3": _measured(one)} for one in ones]
    return judge(claim, [*rounds, *({} for _ in range(missing))])


def test_a_claim_is_about_the_share_of_slow_brokers() -> None:
    more = _judged(more_to_slow("3.2.3"), [[1, 1, 1, 0]] * 3)
    assert more.verdict is Verdict.REPRODUCED
    assert more.numbers == [1.5] * 3
    assert _judged(more_to_slow("3.2.3"), [[0, 1]] * 3).verdict is Verdict.NOT_REPRODUCED


def test_a_repetition_that_lacks_a_run_is_told_and_does_not_count() -> None:
    judged = _judged(more_to_slow("3.2.3"), [[1, 1, 1, 0]] * 3, missing=2)
    assert judged.verdict is Verdict.REPRODUCED
    assert judged.note == "2 repetitions left out: a run does not count"


def test_what_hardly_ran_is_not_run() -> None:
    claim = holds("3.2.3", "anything", lambda _: True)
    assert _judged(claim, [[0, 1]], missing=1).verdict is Verdict.NOT_RUN
    assert _judged(claim, [], missing=3).verdict is Verdict.NOT_RUN

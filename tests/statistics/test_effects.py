"""How large an effect is, how sure of it one can be, and which one would have been found."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from statsmodels.stats.power import GofChisquarePower

from conformance.model.outcome import Effect, Outcome
from conformance.statistics.tests import (
    detectable_w,
    equal_shares_test,
    rows_test,
    uniform_test,
)
from tests.statistics.sources import generator

LOW, HIGH = 0.025, 0.975


def counts_with(statistic: float, cells: int = 6, each: int = 10**6) -> np.ndarray:
    """Counts of which Pearson's statistic is about that."""
    counts = np.full(cells, each)
    off = round(math.sqrt(statistic * each / 2))
    counts[0] += off
    counts[1] -= off
    return counts


def effect_of(outcome: Outcome) -> Effect:
    """The effect, which there must be."""
    assert outcome.effect is not None
    return outcome.effect


@pytest.mark.parametrize("statistic", [20.0, 100.0, 1e4, 1e5])
def test_the_interval_inverts_the_noncentral_chi_square(statistic: float) -> None:
    outcome = uniform_test("t", counts_with(statistic))
    effect = effect_of(outcome)
    low, high = effect.low**2 * outcome.records, effect.high**2 * outcome.records
    assert scipy.stats.ncx2.cdf(outcome.statistic, 5, low) == pytest.approx(HIGH, abs=1e-6)
    assert scipy.stats.ncx2.cdf(outcome.statistic, 5, high) == pytest.approx(LOW, abs=1e-6)
    assert effect.low < effect.w < effect.high


@pytest.mark.parametrize("each", [10**8, 10**10])
@pytest.mark.parametrize("statistic", [1e6, 1e7, 1e8])
def test_the_interval_of_an_enormous_statistic(statistic: float, each: int) -> None:
    outcome = uniform_test("t", counts_with(statistic, each=each))
    effect = effect_of(outcome)
    # Then the root of the statistic is normal, with variance 1, around the root of what is true.
    root = math.sqrt(statistic)
    reach = scipy.stats.norm.ppf(HIGH)
    assert effect.low * math.sqrt(outcome.records) == pytest.approx(root - reach, rel=1e-4)
    assert effect.high * math.sqrt(outcome.records) == pytest.approx(root + reach, rel=1e-4)


def test_an_effect_that_chance_explains_is_none() -> None:
    exactly_even = effect_of(uniform_test("t", np.full(6, 1000)))
    assert (exactly_even.w, exactly_even.low, exactly_even.high) == (0, 0, 0)
    usual = effect_of(uniform_test("t", counts_with(5.0)))
    assert usual.low == 0 < usual.high


def test_the_interval_of_equal_shares_inverts_the_noncentral_f() -> None:
    rows = generator(1).normal([1010, 1000, 995, 995], 20, (80, 4))
    outcome = equal_shares_test("t", rows, 1000)
    assert outcome.noncentrality_per_w2 is not None
    effect = effect_of(outcome)
    for end, quantile in ((effect.low, HIGH), (effect.high, LOW)):
        noncentrality = end**2 * outcome.noncentrality_per_w2
        cdf = scipy.stats.ncf.cdf(outcome.statistic, 3, 77, noncentrality)
        assert cdf == pytest.approx(quantile, abs=1e-6)


@pytest.mark.parametrize("bias", [0.0, 0.02, 0.1])
def test_the_interval_covers_the_truth_as_often_as_it_says(bias: float) -> None:
    shares = np.full(5, 0.2) + 0.2 * bias * np.array([1, -0.25, -0.25, -0.25, -0.25])
    truth = math.sqrt(((shares - 0.2) ** 2 / 0.2).sum())
    effects = [
        effect_of(uniform_test("t", counts))
        for counts in generator(2).multinomial(20_000, shares, 2000)
    ]
    covered = sum(effect.low <= truth <= effect.high for effect in effects)
    # If there is no effect at all the lower end cannot be wrong.
    expected = 0.95 if bias else 0.975
    assert scipy.stats.binomtest(covered, len(effects), expected).pvalue > 1e-4
    assert np.mean([effect.w**2 for effect in effects]) >= truth**2 * 0.98


@pytest.mark.parametrize("bias", [0.02, 0.1])
def test_the_interval_of_equal_shares_covers_the_truth(bias: float) -> None:
    # Multinomial blocks: what a plain chi-square would see, so the truth is known.
    shares = np.full(4, 0.25) + 0.25 * bias * np.array([1, -1 / 3, -1 / 3, -1 / 3])
    truth = math.sqrt(((shares - 0.25) ** 2 / 0.25).sum())
    source = generator(3)
    effects = [
        effect_of(equal_shares_test("t", source.multinomial(400, shares, 100).astype(float), 1))
        for _ in range(1000)
    ]
    covered = sum(effect.low <= truth <= effect.high for effect in effects)
    assert scipy.stats.binomtest(covered, len(effects), 0.95).pvalue > 1e-4
    assert np.mean([effect.w**2 for effect in effects]) == pytest.approx(truth**2, rel=0.15)


def test_bias_is_the_effect_in_words() -> None:
    # One partition of 12 one per cent too often, at exact counts: w is what bias() takes back.
    counts = np.full(12, 1 / 12) * (1 - 0.01 / 11)
    counts[0] = 1.01 / 12
    w = math.sqrt(((counts - 1 / 12) ** 2 * 12).sum())
    assert Effect(w, w, w, choices=12).bias(w) == pytest.approx(0.01)
    assert Effect(0, 0, 0, choices=1).bias(1) == 0


@pytest.mark.parametrize("level", [0.05, 1e-5])
@pytest.mark.parametrize("cells", [2, 5, 12])
def test_the_detectable_effect_is_statsmodels(level: float, cells: int) -> None:
    outcome = uniform_test("t", np.full(cells, 10_000))
    expected = GofChisquarePower().solve_power(
        nobs=outcome.records, alpha=level, power=0.999, n_bins=cells
    )
    found = detectable_w(outcome, level=level, power=0.999)
    assert found == pytest.approx(float(expected), rel=1e-4)


def test_the_detectable_effect_is_found_so_often() -> None:
    level, power = 0.01, 0.9
    source = generator(4)
    rows = source.multinomial(400, np.full(4, 0.25), 100).astype(float)
    w = detectable_w(equal_shares_test("t", rows, 1), level=level, power=power)
    assert w is not None
    assert isinstance(w, float)
    bias = w * math.sqrt(3)
    shares = np.full(4, 0.25) + 0.25 * bias * np.array([1, -1 / 3, -1 / 3, -1 / 3])
    found = 0
    for _ in range(1000):
        outcome = equal_shares_test("t", source.multinomial(400, shares, 100).astype(float), 1)
        found += outcome.p is not None and outcome.p <= level
    assert found / 1000 == pytest.approx(power, abs=0.05)


def test_what_was_not_tested_detects_nothing() -> None:
    assert detectable_w(uniform_test("t", np.ones(4, int)), level=0.05, power=0.9) is None
    impossible = rows_test("t", np.array([[5, 1]]), np.array([[1.0, 0.0]]))
    assert detectable_w(impossible, level=0.05, power=0.9) is None

"""Statistics that are far from anything that chance gives must not break what is told of them."""

import numpy as np

from conformance.statistics.tests import detectable_w, equal_shares_test


def test_a_partition_that_hardly_gets_anything_is_measured_too() -> None:
    generator = np.random.default_rng(3)
    rows = generator.multinomial(10**9, [0.25, 0.25, 0.25, 0.25 - 1e-7, 1e-7], 200).astype(float)
    outcome = equal_shares_test("t", rows, 200 * 10**9)
    assert outcome.statistic is not None
    assert (outcome.statistic > 1e8, outcome.p) == (True, 0)
    assert outcome.effect is not None
    # Four partitions for five: w is 0.5.
    assert outcome.effect.low <= 0.5 <= outcome.effect.high
    assert abs(outcome.effect.w - 0.5) < 0.05
    assert detectable_w(outcome, level=1e-5, power=0.999) is not None

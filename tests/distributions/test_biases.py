"""What a verdict says that it would have found is found: biases planted in simulated subjects."""

import pytest

from conformance.distributions.of_testees import distributions_of
from conformance.sampling.cells import smallest_bias
from conformance.statistics.verdicts import Subjected, judge_all
from tests.distributions.simulated import totals_of

SEEDS = range(1, 4)


@pytest.mark.parametrize("behaviour", ["sticky", "built-in", "adaptive"])
def test_a_bias_of_the_reported_size_is_found(behaviour: str) -> None:
    distribution = distributions_of(behaviour, ())[0]
    of = Subjected(distribution.name, "3.8.0", "simulated", "simulated")

    def diverging(seed: int, bias: float) -> tuple[set[str], float | None]:
        totals = totals_of(distribution, seed=seed, bias=bias, share=0.5)
        judged = judge_all([(of, outcome) for outcome in distribution.judge(totals)])
        assert not [one.outcome.not_run for one in judged if one.outcome.not_run]
        results = [one.result for one in judged]
        failed = {one.test for one in results if one.verdict == "diverges"}
        return failed, smallest_bias(distribution, results)

    failed, reported = diverging(0, 0.0)
    assert not failed
    assert reported is not None
    assert 0.005 < reported < 0.1
    for seed in SEEDS:
        assert diverging(seed, reported)[0] & set(distribution.tells_bias)
        assert not diverging(seed, reported / 10)[0]

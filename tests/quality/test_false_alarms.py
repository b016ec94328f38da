"""Statistics must keep quiet: default runs of simulated subjects that are all as they should be."""

from collections.abc import Sequence
from typing import Any

import pytest
import scipy.stats

from conformance.model.results import Verdict
from conformance.statistics.verdicts import FALSE_ALARMS, Judged
from tests.landing import nightly
from tests.statistics.runs import simulated_run

# How seldom a chunk of a suite that is as it should be fails here.
UNLUCKY = 1e-4
RATES = (FALSE_ALARMS, 0.01, 0.05)
CHUNKS = 4
RUNS_EVERY_DAY = 160
RUNS_TO_PUBLISH = 2_600


@nightly
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_runs_of_correct_subjects_are_quiet(
    chunk: int, pytestconfig: pytest.Config, measure: Any
) -> None:
    total = RUNS_TO_PUBLISH if pytestconfig.getoption("write_tables") else RUNS_EVERY_DAY
    runs = total // CHUNKS
    seed = pytestconfig.getoption("conformance_seed")
    alarms = dict.fromkeys(RATES, 0)
    found: dict[str, list[float]] = {}
    for number in range(runs):
        judged = simulated_run(seed, chunk, number)
        assert {one.verdict for one in judged} <= {Verdict.CONFORMS, Verdict.DIVERGES}
        smallest = min(one.corrected_p for one in judged if one.corrected_p is not None)
        for rate in RATES:
            alarms[rate] += smallest <= rate
        assert not any(one.outcome.failed for one in judged)
        for name, values in _different(judged).items():
            found.setdefault(name, []).extend(values)
    figures = {
        "order": chunk,
        "runs": runs,
        "tests": sum(one.outcome.p is not None for one in judged),
        "alarms": {str(rate): alarms[rate] for rate in RATES},
        "p": found,
    }
    measure("quiet", f"chunk {chunk}", figures)
    for rate in RATES:
        assert alarms[rate] <= scipy.stats.binom.isf(UNLUCKY, runs, rate), rate
    for name, p_values in found.items():
        assert scipy.stats.kstest(p_values, "uniform").pvalue > UNLUCKY / len(found), name


def _different(judged: Sequence[Judged]) -> dict[str, set[float]]:
    """The p-values by test, each value of a run once: what is not random is equal for subjects."""
    found: dict[str, set[float]] = {}
    for one in judged:
        if one.outcome.p is not None:
            name = f"{one.of.distribution}: {one.outcome.test}"
            found.setdefault(name, set()).add(one.outcome.p)
    return found

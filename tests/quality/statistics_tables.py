"""The tables of docs/statistics-quality.md, from what the quality tests measured."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

from conformance.statistics.tests import CONFIDENCE
from conformance.statistics.verdicts import FALSE_ALARMS
from tests.quality.reading import read
from tests.statistics.faults import HIDDEN

_HEAD = """# How good are the statistics?

`kafka-conformance stats` judges millions of choices of a partitioner by statistical tests. Such a
test can be wrong in two ways, and both can be measured. This page is written by `tox -e quality`;
the figures are from its last run.

A **false alarm** is a run that says *diverges* although nothing is wrong. Choices are random, and
now and then a perfectly fair partitioner looks unfair, as a fair coin can show ten heads in a row.
The allowed rate is decided beforehand: this suite allows a false alarm in
{rate} of a thousand runs. These are whole runs, not single tests, however many tests they have;
Holm's correction for the number of tests ensures that.

**Power** is the probability that a test finds a real fault. A die that shows six a little too
often looks fair for a hundred throws, not for a million. The default run is large enough to find
a partition that is chosen 1 % too often in at least 999 of 1000 runs.

Both are measured by simulation. A program that chooses exactly as Kafka's documents say, or
exactly as a planted fault would, is sampled as often as a default run samples a real client. The
counts go through the same tests with the same correction. This needs no JVM and no Kafka, so it
can be repeated thousands of times, each time with another seed. Nothing here is a claim about real
clients: this page measures the measuring instrument.

"""
_ALARMS = """## False alarms

{runs:,} default runs of {tests:,} statistical tests each (all distributions, all versions, both
subjects), with correct subjects only. The same runs were also judged at laxer levels than the
suite uses: the effect of the correction shows better where alarms are allowed more often than
{rate:g}. The true rate lies between the ends in the last column with 95 % confidence.
It should be below the allowed one: keys are hashed alike by all versions and subjects, so many
tests are identical, and the correction, which does not rely on that, is conservative.

| allowed rate | runs with an alarm | measured rate | true rate |
| --- | --- | --- | --- |
"""
_P_VALUES = """
### Every test by itself

If nothing is wrong, the p-value of a good test is below 0.01 in one case of a hundred, and
likewise for every other number. A test whose column is far above its heading gives false alarms;
one far below it wastes power. *Uniform* is the p-value of the Kolmogorov-Smirnov test for all of
these: among so many tests some are small, but none should be below 0.0001. Values shared by
several subjects of a run are counted once.

| test | p-values | below 0.01 | below 0.001 | below 0.0001 | uniform |
| --- | --- | --- | --- | --- | --- |
"""
_POWER = """
## Power

Each fault was planted in each distribution that can have it, {repetitions:,} times, with as many
records as the default run samples. It counts as found if an exact test fails, or if a
p-value is not above {level:.2g}: what Holm's correction asks for if nothing else is wrong in the
whole run, the hardest case. *Found by* says which tests noticed, in how many repetitions of 100.

| fault | in | what is wrong | records | found | found by |
| --- | --- | --- | --- | --- | --- |
"""
_NEEDS = """
Faults that are found less often, with the reason:

| fault | in | why |
| --- | --- | --- |
"""
_HIDDEN = """
## What no statistics can find

Two exchanged partitions. Where all partitions should get the same share, exchanging two names
changes no count: the tests pass, and rightly. This applies to {hidden}.
Comparisons of single choices find it all the same: keys record by record, here (*record by
record*) and in `kafka-conformance run`; sticky and built-in choices draw by draw, in
`kafka-conformance run`. Under load partitions are *not* alike, and there the statistics do find
it: *exchanged* above.
"""


def write_statistics_tables(folder: Path, page: Path) -> None:
    """Write the page from the measurements in a folder, if there are any."""
    quiet, power = read(folder / "quiet"), read(folder / "power")
    if quiet and power:
        parts = [
            _HEAD.format(rate=f"{FALSE_ALARMS * 1000:g}"),
            _alarm_table(quiet),
            _p_value_table(quiet),
            _power_table(power),
            _HIDDEN.format(hidden=", ".join(fault.distribution.name for fault in HIDDEN)),
        ]
        page.write_text("".join(parts), encoding="utf-8")


def _alarm_table(quiet: list[dict[str, Any]]) -> str:
    runs = sum(chunk["runs"] for chunk in quiet)
    lines = []
    for rate in quiet[0]["alarms"]:
        alarms = sum(chunk["alarms"][rate] for chunk in quiet)
        ends = scipy.stats.binomtest(alarms, runs).proportion_ci(CONFIDENCE)
        lines.append(
            f"| {float(rate):g} | {alarms} | {alarms / runs:.4f} "
            f"| {ends.low:.4f} to {ends.high:.4f} |\n"
        )
    head = _ALARMS.format(runs=runs, tests=quiet[0]["tests"], rate=FALSE_ALARMS)
    return head + "".join(lines)


def _p_value_table(quiet: list[dict[str, Any]]) -> str:
    lines = []
    for name in quiet[0]["p"]:
        values = np.concatenate([chunk["p"][name] for chunk in quiet])
        below = " | ".join(f"{(values < bound).mean():.5f}" for bound in (0.01, 0.001, 0.0001))
        uniform = scipy.stats.kstest(values, "uniform").pvalue
        lines.append(f"| {name} | {len(values):,} | {below} | {uniform:.3f} |\n")
    return _P_VALUES + "".join(lines)


def _power_table(power: list[dict[str, Any]]) -> str:
    lines = []
    for one in power:
        by = Counter(dict(one["by"]))
        found_by = ", ".join(
            f"{test} {100 * count / one['repetitions']:.0f}" for test, count in by.most_common()
        )
        lines.append(
            f"| {one['fault']} | {one['distribution']} | {one['what']} | {one['records']:,} "
            f"| {one['found']} of {one['repetitions']} | {found_by or '-'} |\n"
        )
    first = power[0]
    table = _POWER.format(repetitions=first["repetitions"], level=first["level"]) + "".join(lines)
    needing = [one for one in power if one["needs"]]
    if not needing:
        return table
    rows = [f"| {one['fault']} | {one['distribution']} | {one['needs']} |\n" for one in needing]
    return table + _NEEDS + "".join(rows)

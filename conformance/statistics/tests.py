"""The tests: counts in, an :class:`~conformance.model.outcome.Outcome` out.

SciPy and statsmodels do the statistics. Ours, because neither has it, is the sum of Pearson's
statistic over the rows of a table of known probabilities (:func:`rows_test`) and the one for
sums of multinomials (:func:`pooled_test`); both reduce to SciPy's for a single row, and
tests/statistics holds them to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.optimize
import scipy.special
import scipy.stats
from statsmodels.stats.multivariate import test_mvmean, test_mvmean_2indep

from conformance.model.outcome import Effect, Kind, Outcome

SMALLEST_EXPECTED = 20
"""With fewer expected counts in a cell the far tail of chi-square cannot be trusted."""
CONFIDENCE = 0.95
_ROUNDING = 1e-12
"""What the arithmetic of doubles may leave of nothing, of a share."""
_FAR_FROM_CHANCE = 1e8
_NEAR_EQUALITY = 100.0
_BEYOND_DOUBT = 1e-9
BLOCKS_OF_CHOICE = 10
"""Blocks that Hotelling's test wants for each column, for its rows to be normal on average."""
CHI_SQUARE = "chi-square"
Array = npt.NDArray[np.float64] | npt.NDArray[np.int64]


def furthest(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome of several of the same test, such as of topics: of the one that is furthest off.

    Its p is corrected for their number (Bonferroni), and what it could have found is told of the
    first one. If one could not be made, none is passed; it fails if another fails beyond doubt.
    """
    failed = next((one for one in outcomes if one.failed), None)
    made = [one for one in outcomes if one.p is not None]
    if failed is not None or not made:
        return failed or outcomes[0]
    worst = min(made, key=lambda one: one.p or 0.0)
    p = min(1.0, len(outcomes) * (worst.p or 0.0))
    open_ones = [one for one in outcomes if one.not_run is not None]
    if open_ones and p > _BEYOND_DOUBT:
        return open_ones[0]
    records = sum(one.records for one in outcomes)
    return replace(worst, records=records, p=p, first_of=(outcomes[0], len(outcomes)))


def uniform_test(test: str, counts: Array) -> Outcome:
    """Pearson's test that every cell of ``counts`` (k) is equally likely."""
    shares = np.full(len(counts), 1 / len(counts))
    return rows_test(test, counts[np.newaxis, :], shares[np.newaxis, :])


def rows_test(test: str, counts: Array, shares: Array, *, both_sides: bool = False) -> Outcome:
    """Test a table whose rows are samples, each with known probabilities.

    ``counts`` and ``shares`` (rows, k); each row of ``shares`` adds up to 1, and a share of 0 is
    a cell that does not exist, which must be empty. The sum of Pearson's statistic over the
    rows, whose totals are taken as given; rows without a record do not count. On ``both_sides``,
    counts that are closer to their shares than chance would have them are unlikely, too.
    """
    totals = counts.sum(axis=1, keepdims=True)
    possible = shares > 0
    records = int(totals.sum())
    impossible = int(counts[~possible].sum())
    if impossible:
        detail = f"{impossible:,} of {records:,}, but none is allowed"
        return exact_test(test, records, failures=impossible, detail=detail)
    used = possible & (totals > 0)
    expected = (totals * shares)[used]
    too_few = _too_few(test, records, expected)
    if too_few is not None:
        return too_few
    statistic = float((((counts[used] - expected) ** 2) / expected).sum())
    df = int(used.sum()) - int((totals > 0).sum())
    if df == 0:
        return _no_choice(test, records)
    choices = used.sum() / (totals > 0).sum()
    outcome = _chi_square_outcome(test, records, statistic, df, choices=float(choices))
    return _on_both_sides(outcome) if both_sides else outcome


def pooled_test(test: str, counts: Array, shares: Array) -> Outcome:
    """Test whether any column gets more than its share, over rows of different probabilities.

    Arguments as for :func:`rows_test`. The sum of the rows' deviations has, under the
    hypothesis, the sum of their multinomial covariances; its quadratic form is chi-square. It has
    one degree of freedom less than there are columns; if each row chooses within one of several
    groups of columns, one less for each group. It pools what :func:`rows_test` spreads over many
    degrees of freedom, so it finds a small bias of one partition everywhere.
    """
    totals = counts.sum(axis=1, keepdims=True)
    records = int(totals.sum())
    expected = totals * shares
    too_few = _too_few(test, records, expected.sum(axis=0))
    if too_few is not None:
        return too_few
    deviation = (counts - expected).sum(axis=0)
    covariance = np.diag(expected.sum(axis=0)) - shares.T @ expected
    variances, directions = np.linalg.eigh(covariance)
    random = variances > _ROUNDING * variances.max()
    df = int(random.sum())
    if df == 0:
        return _no_choice(test, records)
    statistic = float(((deviation @ directions[:, random]) ** 2 / variances[random]).sum())
    return _chi_square_outcome(test, records, statistic, df, choices=counts.shape[1])


def memory_test(test: str, triples: Array) -> Outcome:
    """Test that what comes next depends on the present choice only, not on the one before.

    ``triples`` (k, k, k) count (before, present, next). For each present choice, Pearson's test
    of independence of the two others, over the rows and columns that occur; their sum.
    """
    records = int(triples.sum())
    statistic, df, cells, tables = 0.0, 0, 0, 0
    for present in range(triples.shape[1]):
        table = triples[:, present, :]
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(table.shape, default=0) < 2:
            continue
        result = scipy.stats.chi2_contingency(table, correction=False)
        too_few = _too_few(test, records, result.expected_freq)
        if too_few is not None:
            return too_few
        statistic += float(result.statistic)
        df += int(result.dof)
        cells += table.shape[1]
        tables += 1
    if df == 0:
        return _no_choice(test, records)
    return _chi_square_outcome(test, records, statistic, df, choices=cells / tables)


def equal_shares_test(test: str, rows: npt.NDArray[np.float64], records: int) -> Outcome:
    """Test that every column gets the same on average, however its rows came about.

    ``rows`` (blocks, k): what each of k partitions got in each of many independent blocks, such
    as bytes. Hotelling's T-square of the k - 1 contrasts with the rows' mean; nothing is assumed
    of how the amounts vary or depend on each other inside a block.
    """
    blocks, k = rows.shape
    if blocks < BLOCKS_OF_CHOICE * k:
        return _too_few_blocks(test, records, blocks, k)
    contrasts = _contrasts(rows)
    rigid = _rigid(test, records, contrasts / rows.mean())
    if rigid is not None:
        return rigid
    if k == 2:
        # One contrast, which statsmodels does not take: then Hotelling's test is Student's.
        result = _squared(scipy.stats.ttest_1samp(contrasts[:, 0], 0))
    else:
        result = test_mvmean(contrasts, np.zeros(k - 1))
    return _hotelling_outcome(test, records, result, rows, blocks, rows.mean(axis=0))


def same_shares_test(
    test: str, rows: npt.NDArray[np.float64], others: npt.NDArray[np.float64], records: int
) -> Outcome:
    """Test that columns get the same on average as with another subject, whatever that is.

    ``rows`` and ``others`` as for :func:`equal_shares_test`, of two independent samples.
    """
    k = rows.shape[1]
    blocks = min(len(rows), len(others))
    if blocks < BLOCKS_OF_CHOICE * k:
        return _too_few_blocks(test, records, blocks, k)
    both = np.concatenate([rows, others])
    mine, theirs = _contrasts(rows), _contrasts(others)
    rigid = _rigid(test, records, (mine - theirs.mean(axis=0)) / both.mean())
    if rigid is not None:
        return rigid
    if k == 2:
        result = _squared(scipy.stats.ttest_ind(mine[:, 0], theirs[:, 0]))
    else:
        result = test_mvmean_2indep(mine, theirs)
    worth = len(rows) * len(others) / len(both)
    off = rows.mean(axis=0) / rows.mean() - others.mean(axis=0) / others.mean()
    return _hotelling_outcome(test, records, result, both, worth, (1 + off) * both.mean())


def _contrasts(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How much more than its row's mean each column got; one column less, which follows."""
    contrasts: npt.NDArray[np.float64] = rows[:, :-1] - rows.mean(axis=1, keepdims=True)
    return contrasts


@dataclass(frozen=True)
class _Squared:
    """Student's test in the form of statsmodels' ``HotellingResult``."""

    statistic: float
    df: tuple[float, float]
    pvalue: float


def _squared(student: Any) -> _Squared:
    return _Squared(float(student.statistic) ** 2, (1, float(student.df)), float(student.pvalue))


def _rigid(test: str, records: int, contrasts: npt.NDArray[np.float64]) -> Outcome | None:
    """The outcome where shares do not vary from block to block, so no chance is involved.

    ``contrasts`` are in units of an equal share.
    """
    spread = np.atleast_2d(np.cov(contrasts, rowvar=False))
    tolerance = max(_ROUNDING**2, _ROUNDING * float(np.abs(spread).max()))
    if np.linalg.matrix_rank(spread, tol=tolerance) == contrasts.shape[1]:
        return None
    off = float(np.abs(contrasts.mean(axis=0)).max())
    detail = f"shares that do not vary from block to block, off by {off:.2%} on average"
    return exact_test(test, records, failures=int(off > _ROUNDING), detail=detail)


def _hotelling_outcome(
    test: str,
    records: int,
    result: Any,
    rows: npt.NDArray[np.float64],
    blocks: float,
    columns: npt.NDArray[np.float64],
) -> Outcome:
    """What statsmodels' ``HotellingResult`` says; ``rows`` tell what a block is worth.

    ``columns`` (k) are the means whose shares are off.
    """
    k = rows.shape[1]
    df, df_error = (float(part) for part in result.df)
    statistic = float(result.statistic)
    # Of a column's deviation from its row's mean; that of m multinomial records over k columns
    # is mean^2 (k - 1) / m, which tells how many such records a block is worth.
    variance = float((rows - rows.mean(axis=1, keepdims=True)).var(axis=0, ddof=1).mean())
    per_w2 = float(blocks * rows.mean() ** 2 * (k - 1) / variance)
    low, high = (
        _f_noncentrality(statistic, df, df_error, quantile)
        for quantile in ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    )
    noncentrality = max(statistic * df * (df_error - 2) / df_error - df, 0.0)
    # Near equality noncentrality is effect. Far from it a partition that gets next to nothing does
    # not vary either, which inflates the statistic; what the shares say themselves does not lie.
    scale = 1 / per_w2
    if noncentrality > _NEAR_EQUALITY:
        scale = float(np.mean((columns / columns.mean() - 1) ** 2)) / noncentrality
    return Outcome(
        test,
        Kind.STATISTICAL,
        records,
        statistic_name="F (Hotelling)",
        statistic=statistic,
        df=df,
        df_error=df_error,
        p=float(result.pvalue),
        effect=Effect(
            (noncentrality * scale) ** 0.5, (low * scale) ** 0.5, (high * scale) ** 0.5, choices=k
        ),
        noncentrality_per_w2=per_w2,
    )


def _f_noncentrality(statistic: float, df: float, df_error: float, quantile: float) -> float:
    """The noncentrality of which ``statistic`` is that quantile; 0 if none makes it so small.

    By SciPy's distribution and root finder: its ``ncfdtrinc`` ends at 10,000.
    """

    def above(noncentrality: float) -> float:
        return float(scipy.stats.ncf.cdf(statistic, df, df_error, noncentrality)) - quantile

    if scipy.stats.f.cdf(statistic, df, df_error) <= quantile:
        return 0.0
    if statistic > _FAR_FROM_CHANCE:
        # SciPy's cdf ends here, too; what varies is then the denominator alone.
        return float(statistic * df * scipy.stats.chi2.isf(quantile, df_error) / df_error)
    high = max(1.0, statistic * df)
    while above(high) > 0:
        high *= 2
    return float(scipy.optimize.brentq(above, 0.0, high, xtol=1e-9 * high))


def _too_few_blocks(test: str, records: int, blocks: int, k: int) -> Outcome:
    needed = BLOCKS_OF_CHOICE * k
    reason = f"{blocks} blocks of records, at least {needed} are needed: use more records"
    return Outcome(test, Kind.STATISTICAL, records, not_run=reason)


def exact_test(test: str, records: int, *, failures: int, detail: str) -> Outcome:
    """The outcome of something that may not happen even once."""
    return Outcome(
        test,
        Kind.EXACT,
        records,
        statistic_name="failures",
        statistic=float(failures),
        failed=failures > 0,
        detail=detail,
    )


def _on_both_sides(outcome: Outcome) -> Outcome:
    """The same of chi-square, where too small a statistic is as unlikely as too large a one."""
    below, above = float(scipy.stats.chi2.cdf(outcome.statistic, outcome.df)), outcome.p or 0.0
    told = f"more even than expected by chance, in {outcome.records:,} choices"
    detail = told if below < above else ""
    return replace(outcome, p=min(1.0, 2 * min(below, above)), even=detail)


def detectable_w(outcome: Outcome, *, level: float, power: float) -> float | None:
    """The smallest effect size that the test finds with that probability at that level."""
    if outcome.first_of is not None:
        outcome, among = outcome.first_of
        level /= among
    if outcome.p is None or outcome.df is None or outcome.noncentrality_per_w2 is None:
        return None
    if outcome.df_error is None:
        critical = scipy.stats.chi2.isf(level, outcome.df)
        noncentrality = scipy.special.chndtrinc(critical, outcome.df, 1 - power)
    else:
        critical = scipy.stats.f.isf(level, outcome.df, outcome.df_error)
        noncentrality = _f_noncentrality(critical, outcome.df, outcome.df_error, 1 - power)
    return float((noncentrality / outcome.noncentrality_per_w2) ** 0.5)


def merge_rare(expected: npt.NDArray[np.float64], smallest: float) -> list[slice]:
    """Neighbouring cells joined until each expects at least ``smallest`` records."""
    edges: list[int] = [0]
    amount = 0.0
    for cell, share in enumerate(expected):
        amount += share
        if amount >= smallest:
            edges.append(cell + 1)
            amount = 0.0
    edges[-1] = len(expected)
    return [slice(first, last) for first, last in pairwise(edges)]


def _too_few(test: str, records: int, expected: Array) -> Outcome | None:
    smallest = float(expected.min()) if expected.size else 0.0
    if smallest >= SMALLEST_EXPECTED:
        return None
    reason = (
        f"{smallest:.1f} records are expected in a cell, at least {SMALLEST_EXPECTED} are needed: "
        "use more records"
    )
    return Outcome(test, Kind.STATISTICAL, records, not_run=reason)


def _no_choice(test: str, records: int) -> Outcome:
    return Outcome(test, Kind.STATISTICAL, records, not_run="there is only one way to choose")


def _chi_square_outcome(
    test: str, records: int, statistic: float, df: int, *, choices: float
) -> Outcome:
    bounds: Sequence[float] = [
        # Where even no effect at all makes so small a statistic unlikely, the bound is 0.
        float(scipy.special.chndtrinc(statistic, df, quantile))
        if scipy.stats.chi2.cdf(statistic, df) > quantile
        else 0.0
        for quantile in ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    ]
    low, high = ((bound / records) ** 0.5 for bound in bounds)
    return Outcome(
        test,
        Kind.STATISTICAL,
        records,
        statistic_name=CHI_SQUARE,
        statistic=statistic,
        df=df,
        p=float(scipy.stats.chi2.sf(statistic, df)),
        # Chance alone gives the statistic its degrees of freedom: what is above them is effect.
        effect=Effect((max(statistic - df, 0.0) / records) ** 0.5, low, high, choices=choices),
        noncentrality_per_w2=records,
    )

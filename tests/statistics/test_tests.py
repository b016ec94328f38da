"""The tests against published examples, against SciPy, and against brute force."""

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
from statsmodels.stats import multivariate

from conformance.model.outcome import Kind, Outcome
from conformance.statistics.tests import (
    SMALLEST_EXPECTED,
    detectable_w,
    equal_shares_test,
    exact_test,
    furthest,
    memory_test,
    merge_rare,
    pooled_test,
    rows_test,
    same_shares_test,
    uniform_test,
)
from tests.statistics.sources import generator

# How often each digit occurs among the first million decimals of pi: Data and Story Library, "Pi",
# an exercise of De Veaux, Velleman and Bock, Stats: Data and Models. The squared deviations from
# 100000 add up to 550908.
DIGITS_OF_PI = (99959, 99758, 100026, 100229, 100230, 100359, 99548, 99800, 99985, 100106)
# Mendel's peas (1866), the textbooks' example: 9:3:3:1 expected, chi-square 0.470 of 3 degrees of
# freedom, p 0.925.
PEAS = (315, 108, 101, 32)
# Perspiration of 20 women: sweat rate, sodium, potassium. Johnson and Wichern, Applied
# Multivariate Statistical Analysis, example 5.2: T-square 9.74 for means of 4, 50 and 10.
SWEAT = """
3.7 48.5 9.3  5.7 65.1 8.0  3.8 47.2 10.9 3.2 53.2 12.0 3.1 55.5 9.7
4.6 36.1 7.9  2.4 24.8 14.0 7.2 33.1 7.6  6.7 47.4 8.5  5.4 54.1 11.3
3.9 36.9 12.7 4.5 58.8 12.3 3.5 27.8 9.8  4.5 40.2 8.4  1.5 13.5 10.1
8.5 56.4 7.1  4.5 71.6 8.2  6.5 52.8 10.9 4.1 44.1 11.2 5.5 40.9 9.4
"""
REPETITIONS = 4000


def tail_is_right(values: list[float], bounds: tuple[float, ...] = (0.5, 0.1, 0.01)) -> bool:
    """Whether p-values are below each bound as often as the bound says."""
    counts = [sum(value <= bound for value in values) for bound in bounds]
    return all(
        scipy.stats.binomtest(count, len(values), bound).pvalue > 1e-4
        for count, bound in zip(counts, bounds, strict=True)
    )


def test_the_digits_of_pi_are_uniform() -> None:
    outcome = uniform_test("digits", np.array(DIGITS_OF_PI))
    assert outcome.statistic == pytest.approx(5.50908)
    assert (outcome.df, outcome.records) == (9, 1_000_000)
    assert outcome.p == pytest.approx(scipy.stats.chisquare(DIGITS_OF_PI).pvalue)


def test_mendels_peas() -> None:
    outcome = rows_test("peas", np.array([PEAS]), np.array([[9, 3, 3, 1]]) / 16)
    assert outcome.statistic == pytest.approx(0.470, abs=5e-4)
    assert outcome.p == pytest.approx(0.925, abs=5e-4)


def some_table() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Three rows of different probabilities, one of them with a cell that does not exist."""
    shares = np.array([[0.25, 0.25, 0.25, 0.25], [0.1, 0.2, 0.3, 0.4], [0.5, 0.3, 0.2, 0]])
    return generator(1).multinomial([1000, 2000, 3000], shares), shares


def test_rows_add_up_to_scipys_tests_of_each() -> None:
    counts, shares = some_table()
    single = [
        scipy.stats.chisquare(row[part > 0], row.sum() * part[part > 0])
        for row, part in zip(counts, shares, strict=True)
    ]
    outcome = rows_test("rows", counts, shares)
    assert outcome.statistic == pytest.approx(sum(float(one.statistic) for one in single))
    assert outcome.df == 3 + 3 + 2
    assert outcome.p == pytest.approx(scipy.stats.chi2.sf(outcome.statistic, 8))
    empty = rows_test("rows", np.vstack([counts, np.zeros(4, int)]), np.vstack([shares, shares[0]]))
    assert (empty.statistic, empty.df) == (outcome.statistic, outcome.df)


def test_an_impossible_cell_fails_by_arithmetic() -> None:
    counts, shares = some_table()
    counts[2, 3] = 1
    outcome = rows_test("rows", counts, shares)
    assert (outcome.kind, outcome.failed, outcome.statistic) == (Kind.EXACT, True, 1)
    assert outcome.p is None
    assert outcome.detail == "1 of 6,001, but none is allowed"


def not_run() -> dict[str, Outcome]:
    """Tests that have too little to go by."""
    few = np.array([SMALLEST_EXPECTED, SMALLEST_EXPECTED - 1])
    quarter = np.full((1, 2), 0.5)
    triples = np.full((2, 2, 2), SMALLEST_EXPECTED - 1)
    rows = generator(2).normal(100, 1, (29, 3))
    return {
        "uniform": uniform_test("t", few),
        "rows": rows_test("t", few[np.newaxis], quarter),
        "pooled": pooled_test("t", few[np.newaxis], quarter),
        "memory": memory_test("t", triples),
        "equal shares": equal_shares_test("t", rows, 1000),
        "same shares": same_shares_test("t", rows, generator(3).normal(100, 1, (500, 3)), 1000),
        "nothing": uniform_test("t", np.zeros(4, np.int64)),
        "one way": rows_test("t", np.array([[100, 0]]), np.array([[1.0, 0.0]])),
        "one way each": pooled_test("t", np.eye(2) * 100, np.eye(2)),
        "one memory": memory_test("t", np.full((1, 1, 1), 1000)),
    }


@pytest.mark.parametrize("outcome", not_run().values(), ids=not_run())
def test_what_cannot_be_judged_is_not_run(outcome: Outcome) -> None:
    assert outcome.not_run
    assert (outcome.p, outcome.statistic, outcome.failed) == (None, None, False)


def test_just_enough_is_run() -> None:
    assert uniform_test("t", np.full(2, SMALLEST_EXPECTED)).p == 1
    assert equal_shares_test("t", generator(2).normal(100, 1, (30, 3)), 1000).p is not None


def test_pooled_is_pearson_for_a_single_row() -> None:
    counts, shares = some_table()
    for row in range(2):
        outcome = pooled_test("one", counts[[row]], shares[[row]])
        expected = counts[row].sum() * shares[row]
        pearson = scipy.stats.chisquare(counts[row], expected)
        assert outcome.statistic == pytest.approx(float(pearson.statistic))
        assert outcome.p == pytest.approx(float(pearson.pvalue))


def test_pooled_is_a_z_test_for_two_columns() -> None:
    # Of the first column's sum: binomial variances of the rows add up.
    chance = np.array([0.1, 0.5, 0.8])
    sizes = np.array([1000, 500, 2000])
    hits = np.array([120, 240, 1650])
    z = (hits - sizes * chance).sum() / np.sqrt((sizes * chance * (1 - chance)).sum())
    outcome = pooled_test(
        "two",
        np.stack([hits, sizes - hits], axis=1),
        np.stack([chance, 1 - chance], axis=1),
    )
    assert outcome.statistic == pytest.approx(z**2)
    assert outcome.p == pytest.approx(2 * scipy.stats.norm.sf(abs(z)))


def test_pooled_p_values_are_uniform_over_different_rows() -> None:
    _, shares = some_table()
    assert tail_is_right(_pooled_p_values(shares, df=shares.shape[1] - 1))


def test_pooled_p_values_are_uniform_over_rows_that_choose_within_two_groups() -> None:
    # As in a rack: what goes to one of the first three never goes to one of the last two.
    shares = np.array([[0.2, 0.3, 0.5, 0, 0], [0.6, 0.1, 0.3, 0, 0], [0, 0, 0, 0.7, 0.3]])
    assert tail_is_right(_pooled_p_values(shares, df=3))


def _pooled_p_values(shares: npt.NDArray[np.float64], df: int) -> list[float]:
    source = generator(4)
    values = []
    for _ in range(REPETITIONS):
        outcome = pooled_test("p", source.multinomial([300, 200, 400], shares), shares)
        assert outcome.df == df
        assert outcome.p is not None
        values.append(outcome.p)
    return values


def test_memory_is_the_sum_of_tests_of_independence() -> None:
    triples = generator(5).poisson(100, (4, 4, 4))
    single = [scipy.stats.chi2_contingency(triples[:, present]) for present in range(4)]
    outcome = memory_test("memory", triples)
    assert outcome.statistic == pytest.approx(sum(float(one.statistic) for one in single))
    assert (outcome.df, outcome.records) == (4 * 9, int(triples.sum()))


def test_memory_by_hand() -> None:
    # Present choice 0: 60 and 40 after 0, 40 and 60 after 1, 50 expected everywhere: 4 x 100/50.
    # Present choice 1: 70 everywhere, so nothing.
    triples = np.zeros((2, 2, 2), np.int64)
    triples[:, 0, :] = [[60, 40], [40, 60]]
    triples[:, 1, :] = 70
    outcome = memory_test("memory", triples)
    assert (outcome.statistic, outcome.df) == (pytest.approx(8), 2)
    assert outcome.p == pytest.approx(np.exp(-4))  # chi-square of 2 degrees of freedom


def test_memory_leaves_out_what_never_happens() -> None:
    # A choice never repeats, so its row and column are empty: (k - 2)^2 degrees of freedom each.
    k = 5
    triples = np.full((k, k, k), 100)
    for present in range(k):
        triples[present, present, :] = triples[:, present, present] = 0
    outcome = memory_test("memory", triples)
    assert (outcome.statistic, outcome.df) == (pytest.approx(0), k * (k - 2) ** 2)


def sweat_rows() -> npt.NDArray[np.float64]:
    """Amounts whose contrasts are the sweat data's deviations from 4, 50 and 10."""
    deviations = np.array(SWEAT.split(), float).reshape(-1, 3) - [4, 50, 10]
    return 1000 + np.column_stack([deviations, -deviations.sum(axis=1)])


def test_equal_shares_on_a_published_example() -> None:
    # Every woman twice, because 20 rows are too few: T-square is then (2 n - 1) / (n - 1) times
    # as large, with n of 20.
    outcome = equal_shares_test("sweat", np.tile(sweat_rows(), (2, 1)), 40)
    t_square = 9.74 * 39 / 19
    assert outcome.statistic == pytest.approx(t_square * 37 / (39 * 3), rel=1e-3)
    assert (outcome.df, outcome.df_error) == (3, 37)
    assert outcome.p == pytest.approx(scipy.stats.f.sf(outcome.statistic, 3, 37))


def test_equal_shares_is_hotellings_formula() -> None:
    rows = generator(6).normal([100, 101, 99], [5, 9, 7], (60, 3))
    outcome = equal_shares_test("three", rows, 6000)
    differences = rows[:, :2] - rows[:, 2:]
    mean = differences.mean(axis=0)
    t_square = 60 * mean @ np.linalg.inv(np.cov(differences.T)) @ mean
    assert outcome.statistic == pytest.approx(t_square * 58 / (59 * 2))
    assert outcome.p == pytest.approx(scipy.stats.f.sf(outcome.statistic, 2, 58))


def test_same_shares_is_statsmodels_test_of_the_contrasts() -> None:
    source = generator(8)
    rows, others = source.normal(100, 5, (90, 4)), source.normal(101, 5, (70, 4))
    outcome = same_shares_test("four", rows, others, 6000)
    # Any three contrasts tell the same; these are against the last column.
    result = multivariate.test_mvmean_2indep(
        rows[:, :3] - rows[:, 3:], others[:, :3] - others[:, 3:]
    )
    assert outcome.statistic == pytest.approx(float(result.statistic))
    assert outcome.p == pytest.approx(float(result.pvalue))


def uneven_blocks(source: np.random.Generator, blocks: int) -> npt.NDArray[np.float64]:
    """Fair shares of blocks of all sizes, whose columns depend on each other."""
    sizes = source.integers(50, 5000, blocks)
    amounts = source.multinomial(sizes, np.full(5, 0.2)) + source.poisson(30, (blocks, 1))
    return amounts.astype(np.float64)


def test_p_values_of_equal_shares_are_uniform_whatever_the_blocks() -> None:
    source = generator(9)
    values = []
    for _ in range(REPETITIONS):
        outcome = equal_shares_test("blocks", uneven_blocks(source, 60), 1000)
        assert outcome.p is not None
        values.append(outcome.p)
    assert tail_is_right(values)


def test_p_values_of_same_shares_are_uniform_whatever_the_shares() -> None:
    source = generator(10)
    more = np.array([1.3, 1, 1, 1, 0.7])
    values = []
    for _ in range(REPETITIONS):
        rows, others = uneven_blocks(source, 60) * more, uneven_blocks(source, 90) * more
        outcome = same_shares_test("blocks", rows, others, 1000)
        assert outcome.p is not None
        values.append(outcome.p)
    assert tail_is_right(values)


def test_blocks_without_any_variation_are_judged_by_arithmetic() -> None:
    balanced = np.tile([8.0, 8.0, 8.0], (60, 1))
    off = np.tile([9.0, 8.0, 7.0], (60, 1))
    same = equal_shares_test("t", balanced, 1000)
    assert (same.kind, same.failed) == (Kind.EXACT, False)
    assert equal_shares_test("t", off, 1000).failed
    assert same_shares_test("t", off, balanced, 1000).failed
    assert not same_shares_test("t", off, off, 1000).failed


def test_equal_shares_that_do_not_vary_are_the_same_whatever_the_blocks() -> None:
    thirds = np.array([[10.0, 10.0, 11.0]])
    assert not same_shares_test("t", thirds.repeat(50, 0), thirds.repeat(60, 0), 1000).failed


def test_two_columns_are_a_t_test() -> None:
    rows = generator(11).normal([100, 101], [5, 9], (60, 2))
    outcome = equal_shares_test("two", rows, 6000)
    assert outcome.p == pytest.approx(float(scipy.stats.ttest_rel(*rows.T).pvalue))


def test_exact_tests_have_no_p() -> None:
    outcome = exact_test("t", 10, failures=0, detail="none")
    assert (outcome.failed, outcome.p, outcome.effect, outcome.statistic) == (False, None, None, 0)
    assert exact_test("t", 10, failures=1, detail="one").failed


def test_rare_cells_are_merged_with_their_neighbours() -> None:
    expected = np.array([1.0, 9, 20, 3, 3, 3, 3, 50, 2])
    cells = merge_rare(expected, 10)
    assert cells == [slice(0, 2), slice(2, 3), slice(3, 7), slice(7, 9)]
    assert all(expected[cell].sum() >= 10 for cell in cells)


@pytest.mark.parametrize("columns", [5, 8, 12])
def test_who_always_takes_one_partition_does_not_have_equal_shares(columns: int) -> None:
    for seed in range(20):
        rows = np.zeros((400, columns))
        rows[:, 0] = generator(seed).binomial(512, 0.4, 400)
        outcome = equal_shares_test("one", rows, int(rows.sum()))
        assert outcome.failed
        assert "off by" in outcome.detail


def test_on_both_sides_what_is_too_even_is_as_unlikely_as_what_is_not_even() -> None:
    shares = np.full((1, 4), 0.25)
    even = rows_test("t", np.array([[250, 250, 250, 250]]), shares, both_sides=True)
    assert even.p == 0
    assert "more even than expected by chance" in even.even
    counts = np.array([[240, 260, 255, 245]])
    one, both = rows_test("t", counts, shares), rows_test("t", counts, shares, both_sides=True)
    assert one.p is not None
    assert both.p == pytest.approx(2 * (1 - one.p))
    odd = np.array([[290, 210, 250, 250]])
    one, both = rows_test("t", odd, shares), rows_test("t", odd, shares, both_sides=True)
    assert one.p is not None
    assert (both.p, both.even) == (pytest.approx(2 * one.p), "")


def test_of_several_outcomes_the_furthest_is_told_and_corrected() -> None:
    even, odd, few = (
        uniform_test("t", np.array(counts)) for counts in ([250] * 4, [290, 210, 250, 250], [3, 4])
    )
    none = uniform_test("t", np.array([1000, 0, 0, 0]))
    assert odd.p is not None
    told = furthest([even, odd])
    assert told.p == pytest.approx(2 * odd.p)
    assert (told.records, told.first, told.statistic) == (2000, even, odd.statistic)
    alone = detectable_w(even, level=0.01, power=0.99)
    assert detectable_w(told, level=0.02, power=0.99) == pytest.approx(alone)
    # What could not be made is not passed, but hides nothing that is beyond doubt.
    assert furthest([even, odd, few]).not_run == few.not_run
    assert furthest([few, none]).p == 0
    broken = exact_test("t", 9, failures=1, detail="d")
    assert furthest([even, broken, few]) is broken

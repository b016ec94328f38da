"""What a run of distributions is reported as: tables, sentences, files, plots. No JVM, no Spark."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.stats
from rich.console import Console

from conformance.clients.versions import CLIENT_VERSIONS
from conformance.distributions.key_file import KeyFile
from conformance.distributions.registry import DISTRIBUTIONS
from conformance.model.distribution import Measures
from conformance.model.outcome import Kind, Outcome
from conformance.model.results import Verdict
from conformance.reports import plots
from conformance.reports import statistics_console as report
from conformance.reports.compared import compare
from conformance.reports.console import make_console
from conformance.reports.keys_console import keys_told, partition_tables
from conformance.sampling.judging import StatisticsResult
from conformance.sampling.order import least_records
from conformance.statistics.verdicts import Subjected, judge_all
from conformance.subjects.python_port import PythonPort
from tests.fast.statistics_samples import (
    QUICK,
    RECORDS,
    Biased,
    conforming,
    diverging,
    sampled,
    sampled_of,
)


@pytest.fixture(scope="module")
def good() -> StatisticsResult:
    return conforming()


@pytest.fixture(scope="module")
def bad() -> StatisticsResult:
    return diverging()


def shown(renderable: object, width: int = 120) -> str:
    """What a table looks like in a log."""
    console = Console(width=width, no_color=True)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def line_of(text: str, *parts: str) -> str:
    """The one line that holds all of these."""
    (found,) = [line for line in text.splitlines() if all(part in line for part in parts)]
    return found


def test_the_matrix_has_a_column_for_each_version_and_subject(
    good: StatisticsResult, bad: StatisticsResult
) -> None:
    matrix = shown(report.distribution_matrix(good))
    assert line_of(matrix, "sticky").count("conforms") == 4
    assert line_of(matrix, "built-in ").count(" - ") == 2
    assert "the version does not have it" in matrix
    told = line_of(shown(report.distribution_matrix(bad)), "keyed/uuid")
    assert (told.count("conforms"), told.count("DIVERGES")) == (2, 2)


def test_a_matrix_of_all_versions_fits_into_a_log() -> None:
    names = ("keyed/uuid", "round-robin-null-key/wrap")
    few = sampled(PythonPort(), *names, records=300, versions=CLIENT_VERSIONS)
    matrix = shown(report.distribution_matrix(few))
    assert line_of(matrix, "keyed/uuid").count(" conforms ") == 2 * len(CLIENT_VERSIONS)
    assert line_of(matrix, "round-robin-null-key/wrap").count(" NOT RUN ") == 2


def test_the_short_table_has_a_line_for_each_distribution_and_test(
    good: StatisticsResult, bad: StatisticsResult
) -> None:
    short = shown(report.tests_table(good, everything=False))
    assert line_of(short, "keyed/uuid").split()[1:5] == ["distinct", "keys", "4", f"{RECORDS:,}"]
    assert "record by record" not in short
    assert all(len(line) <= 120 for line in short.splitlines())
    exact = sum(judged.outcome.kind is Kind.EXACT for judged in good.tests)
    assert f"{exact} exact tests also conform" in short
    assert "DIVERGES" in line_of(
        shown(report.tests_table(bad, everything=False)), "record by record", "uuid"
    )


def test_the_long_table_has_every_test(good: StatisticsResult) -> None:
    assert shown(report.tests_table(good, everything=True)).count("conforms") == len(good.tests)


def test_no_color_is_respected(bad: StatisticsResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    for setting, coloured in (("1", False), ("", True)):
        monkeypatch.setenv("NO_COLOR", setting)
        console = make_console()
        with console.capture() as capture:
            console.print(report.distribution_matrix(bad))
        assert ("\x1b[31m" in capture.get() or "\x1b[1;31m" in capture.get()) is coloured


def test_what_is_worth_telling_is_told_once_for_all_who_say_it(good: StatisticsResult) -> None:
    (told,) = report.told_details(good)
    assert told.startswith("round-robin/producer, 4 subjects: partitions without a record")


def test_a_conforming_run_has_no_problems(good: StatisticsResult) -> None:
    assert report.describe_problems(good) == []


def test_the_summary_says_how_much_and_how_often_it_is_wrong(good: StatisticsResult) -> None:
    summary = report.summary_line(good)
    assert f"{len(good.tests)} tests: {len(good.tests)} conform, 0 diverge, 0 not run" in summary
    assert f"{good.records:,} answers in 2.0 s ({good.records / 2:,.0f}/s)" in summary
    assert "seed 7" in summary
    assert "one run of conforming subjects in 1,000" in summary


def test_a_problem_is_told_with_its_figures(bad: StatisticsResult) -> None:
    problems = report.describe_problems(bad)
    (keys,) = [text for text in problems if "keyed/uuid" in text and "'distinct keys'" in text]
    counts = bad.measures[
        Subjected("keyed/uuid", "3.8.0", PythonPort().describe(CLIENT_VERSIONS[2]), "Python port")
    ]
    assert "the Python port of 3.2.3, the Python port of 3.8.0 DIVERGE" in keys
    assert f"partition 1 stands out most, with {counts.counts['partition'][1]:,} keys" in keys
    assert "where 12,500 were expected" in keys
    judged = next(
        t
        for t in bad.tests
        if t.outcome.test == "distinct keys"
        and t.outcome.p is not None
        and t.verdict is Verdict.DIVERGES
    )
    assert judged.outcome.statistic is not None
    assert f"chi-square {judged.outcome.statistic:.6g}" in keys
    assert f"corrected p {judged.corrected_p:.2g}" in keys
    assert "150,000 records" in keys


def test_an_exact_problem_says_what_was_seen(bad: StatisticsResult) -> None:
    (text,) = [
        text
        for text in report.describe_problems(bad)
        if "round-robin: " in text and "by rec" in text
    ]
    differences = next(
        measures.counts["differences"][0]
        for of, measures in bad.measures.items()
        if of.distribution == "round-robin" and "port" in of.subject
    )
    assert f"{differences:,} of 150,000 records go elsewhere than with Java" in text
    assert f"{differences:,} failures in 150,000 records" in text


def test_a_crash_is_told_and_not_drawn(bad: StatisticsResult) -> None:
    (text,) = [
        text for text in report.describe_problems(bad) if text.startswith("adaptive: the Python")
    ]
    assert "RuntimeError: a [bold] bug" in text
    figure = plots.adaptive(bad)
    assert figure is not None
    assert [axes.get_title("left") for axes in figure.axes[:1]] == ["Java 3.8.0"]
    assert "Python port 3.8.0 DIVERGES" in figure.get_suptitle().replace("\n", " ")


def test_what_was_not_run_is_told_once_for_all_whom_it_concerns(bad: StatisticsResult) -> None:
    (text,) = [text for text in report.describe_problems(bad) if "NOT RUN" in text]
    tests = [judged for judged in bad.tests if judged.verdict is Verdict.NOT_RUN]
    assert text.startswith(f"{len(tests)} tests were NOT RUN:\n")
    told = line_of(text, "sticky, 'batches', ")
    assert "Java 3.2.3, the Python port of 3.2.3, Java 3.8.0" in told
    assert ": 19 blocks of records, at least 50 are needed: use more records." in told
    assert told.endswith("Nobody knows whether every partition gets equally many batches.")
    least = least_records([one for one in DISTRIBUTIONS if one.name in QUICK])
    assert text.endswith(f"{least:,} records are enough for all: --records {least}.")


def test_comparisons_agree_with_the_tests(good: StatisticsResult) -> None:
    """What the messages call expected is what the tests expected: the statistic is the same."""
    checked = set()
    for judged in good.tests:
        table = compare(judged.of.distribution, judged.outcome.test, good.measures[judged.of])
        pooled = judged.of.distribution == "adaptive" and judged.outcome.test == "partitions"
        if table is None or judged.outcome.statistic_name != "chi-square" or pooled:
            continue
        if judged.outcome.test == "bytes of a stay":  # which has other classes in the test
            continue
        possible = table.expected > 0
        gap = (table.counts - table.expected)[possible] ** 2 / table.expected[possible]
        statistic = gap.sum()
        if judged.outcome.test == "transitions":  # which looks at first choices, too
            first = good.measures[judged.of].counts["first"]
            statistic += scipy.stats.chisquare(first).statistic
        assert statistic == pytest.approx(judged.outcome.statistic), judged
        checked.add((judged.of.distribution, judged.outcome.test))
    assert len(checked) == 11


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sticky", {"sticky-transitions", "shares"}),
        ("keyed/zipf", {"keyed"}),
        ("round-robin/wrap", {"round-robin"}),
    ],
)
def test_plots_of_what_was_not_sampled_are_left_out(name: str, expected: set[str]) -> None:
    result = sampled(PythonPort(), name, records=1000)
    assert {plot for plot, draw in plots.PLOTS.items() if draw(result) is not None} == expected


def test_a_plot_says_what_it_shows(good: StatisticsResult, bad: StatisticsResult) -> None:
    figures = [plots.keyed(result) for result in (good, bad)]
    titles = [figure.get_suptitle().replace("\n", " ") for figure in figures if figure is not None]
    assert "every family is spread evenly" in titles[0]
    assert "Python port 3.2.3, Python port 3.8.0 DIVERGE (keyed/uuid" in titles[1]


def skewed(
    path: Path, *, against: PythonPort | None = None, partitions: int = 12
) -> StatisticsResult:
    """A run of a user's own keys, of which every second one is the same."""
    keys = ["often" if number % 2 else f"key {number}" for number in range(2000)]
    pq.write_table(pa.table({"key": keys}), path)
    distribution = KeyFile.of(str(path), None, partitions=partitions)
    return sampled_of(against or PythonPort(), [distribution], records=len(keys))


def test_keys_of_a_user_are_one_table(tmp_path: Path) -> None:
    result = skewed(tmp_path / "keys.parquet")
    (table,) = partition_tables(result)
    rows = [line.split() for line in shown(table).splitlines() if "%" in line][:-1]
    counts = next(iter(result.measures.values())).counts["partition"]
    fullest = int(counts.argmax())
    assert [row[:3] for row in rows] == [[str(p), f"{counts[p]:,}", "167"] for p in range(12)]
    assert rows[fullest][3] == f"{counts[fullest] / 2000:.2%}"
    low, high = (float(rows[fullest][at].rstrip("%")) for at in (4, 6))
    # Twice the standard error on either side, about.
    share = counts[fullest] / 2000
    assert high - low == pytest.approx(400 * (share * (1 - share) / 2000) ** 0.5, rel=0.05)
    assert list(keys_told(result)) == [
        "Every one of 2,000 keys goes where Java sends it: the Python port of 3.2.3, the Python "
        "port of 3.8.0."
    ]


def test_subjects_that_send_keys_elsewhere_have_a_table_of_their_own(tmp_path: Path) -> None:
    result = skewed(tmp_path / "keys.parquet", against=Biased())
    titles = [table.title for table in partition_tables(result)]
    assert titles == [
        "Records by partition: Java 3.2.3, Java 3.8.0",
        "Records by partition: the Python port of 3.2.3, the Python port of 3.8.0",
    ]
    assert list(keys_told(result)) == []


def test_of_many_partitions_the_fullest_and_the_emptiest_are_shown(tmp_path: Path) -> None:
    result = skewed(tmp_path / "keys.parquet", partitions=1000)
    (table,) = partition_tables(result)
    counts = next(iter(result.measures.values())).counts["partition"]
    assert table.row_count == 20
    assert shown(table).splitlines()[4].split()[:2] == [str(counts.argmax()), f"{counts.max():,}"]
    assert "20 of 1,000 partitions: the fullest and the emptiest" in str(table.caption)


def test_a_plot_of_what_is_not_judged_says_so(tmp_path: Path) -> None:
    figure = plots.keyed(skewed(tmp_path / "keys.parquet"))
    assert figure is not None
    title, note = figure.get_suptitle().replace("\n", " "), figure.get_supxlabel()
    assert title == "Keys: each goes where Java sends it; how evenly they are spread is not judged"
    assert "Grey" not in note
    assert not figure.axes[0].patches  # the grey band


def test_partitions_that_no_record_was_meant_for_have_no_cross() -> None:
    result = sampled(PythonPort(), "round-robin/producer", records=4 * 8192)
    figure = plots.producer_starving(result)
    assert figure is not None
    crosses = [[line.get_marker() for line in axes.lines].count("x") for axes in figure.axes]
    told = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert crosses == [4, 4, 0, 0, 0]  # for 2 and 3 partitions, of each of four subjects
    assert told == [[], [], *[["not run:\ntoo few records"]] * 3]
    assert "no block for 3 partitions" in figure.get_suptitle().replace("\n", " ")


@pytest.mark.parametrize(
    ("orders", "title"),
    [
        (["in-turn"], "every partition gets equal bytes"),
        (["one-slow"], "a slow broker gets what it gets with Java"),
        (
            ["in-turn", "one-slow"],
            "every partition gets equal bytes; a slow broker gets what it gets with Java",
        ),
    ],
)
def test_a_plot_of_orders_tells_of_those_that_are_in_it(orders: list[str], title: str) -> None:
    few = sampled(PythonPort(), *(f"built-in/{order}" for order in orders), records=9000)
    tests = tuple(replace(judged, verdict=Verdict.CONFORMS) for judged in few.tests)
    figure = plots.producer_bytes(replace(few, tests=tests))
    assert figure is not None
    told = figure.get_suptitle().replace("\n", " ")
    assert told == f"Built-in, in a producer: {title}"
    assert ("slow broker" in figure.get_supxlabel().replace("\n", " ")) is ("one-slow" in orders)


def test_unknown_distributions_are_reported_and_not_drawn() -> None:
    of = Subjected("double-call", "3.8.0", "Java 3.8.0", "Java")
    judged = judge_all([(of, Outcome("half", Kind.EXACT, 9, failed=True, detail="odd [x]"))])
    counts = {"calls": np.arange(9)}
    result = StatisticsResult(tuple(judged), {of: Measures(9, counts)}, {}, 0, 0.0, "local")
    assert all(draw(result) is None for draw in plots.PLOTS.values())
    assert "Seen: odd [x]." in report.describe_problems(result)[0]
    assert "double-call" in shown(report.tests_table(result, everything=False))

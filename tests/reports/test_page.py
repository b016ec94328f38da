"""What a page says, and that all of it can be reached."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.model.difference import AnswerKind, AnswerSort, Difference, Part
from conformance.model.results import Cell, Verdict, plain
from conformance.reports.html.documents import load_documents
from conformance.reports.html.meanings import meanings
from conformance.reports.html.page import page_text
from conformance.reports.html.words import evidence
from conformance.reports.statistics_files import results_text
from tests.fast.statistics_samples import diverging as statistics
from tests.landing import nightly
from tests.reports.pages import Page
from tests.reports.samples import (
    A_NUMBER,
    absent,
    conforming,
    crowd,
    differing,
    diverging,
    loaded,
    not_run,
    page_of,
    report,
    sampled,
    usual,
    written,
)


def told(page: Page, said: str) -> str:
    """The text that a sign of the matrix leads to."""
    sign = page.signs()[said]
    return " ".join(page.by_id(sign.get("href").removeprefix("#")).text.split())


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return page_of(tmp_path, usual())


def test_every_cell_has_a_sign_a_word_and_a_place(page: Page) -> None:
    shown = {said: sign.text for said, sign in page.signs().items()}
    assert shown == {
        "keyed, client 2.3.1: conforms": "✓2.3.1",
        "keyed, client 3.8.0: diverges": "✗3.8.0",
        "sticky, client 3.2.3: known to diverge": "K3.2.3",
        "built-in, client 3.8.0: not run": "?3.8.0",
    }
    for sign in page.signs().values():
        page.by_id(sign.get("href").removeprefix("#"))
    titles = [one.text.split() for one in page.all("summary")]
    assert ["✗", "keyed,", "3.8.0:", "diverges"] in titles


def test_what_was_tried_in_part_only_is_seen_at_once(tmp_path: Path) -> None:
    partly = conforming("keyed", "2.3.1", refused=149, refusals=("too long",))
    page = page_of(tmp_path, report([partly, conforming("keyed", "3.8.0")]))
    shown = page.signs()
    said = "keyed, client 2.3.1: conforms, 149 of 299 cases not tried"
    assert {name: sign.text for name, sign in shown.items()} == {
        said: "✓*2.3.1",
        "keyed, client 3.8.0: conforms": "✓3.8.0",
    }
    assert "partly" in shown[said].get("class").split()
    assert "149 more cases could not be tried: too long" in told(page, said)
    [alert] = page.all("p", "alert")
    assert "Not everything was tried." in alert.text
    assert "a library" in alert.text
    titles = [one.text.split() for one in page.all("summary")]
    assert ["keyed,", "2.3.1:", "conforms,", "149", "of", "299", "cases", "not", "tried"] in [
        t[1:] for t in titles
    ]


def test_what_a_testee_cannot_be_asked_is_seen_at_once(tmp_path: Path) -> None:
    page = page_of(tmp_path, report([conforming("murmur2", "3.8.0", limit="only toPositive")]))
    [(said, sign)] = page.signs().items()
    assert said == "murmur2, client 3.8.0: conforms, only toPositive"
    assert sign.text == "✓*3.8.0"
    assert "a library" in page.all("p", "alert")[0].text
    titles = [" ".join(one.text.split()) for one in page.all("summary")]
    assert "✓ murmur2, 3.8.0: conforms, only toPositive" in titles


def test_who_is_like_some_versions_only_does_not_look_as_if_it_conformed(tmp_path: Path) -> None:
    cells = [conforming("keyed", "2.3.1"), diverging()]
    document = report(cells, unclaimed=(Cell("keyed", "3.8.0"),))
    assert document["exit_code"] == 1  # as the run alone says it
    page = page_of(tmp_path, document | {"exit_code": 0})
    [end] = [one.text for one in page.all("td") if one.get("data-label") == "In all"]
    assert " ".join(end.split()) == "≈ like some versions"
    assert "In all: like some versions." in page.by_id("t0").text
    [told] = page.all("p", "alert")
    assert told.text == "Not counted: keyed[3.8.0] diverges. It is not claimed."
    # The filter for what did not end with "conforms" shows it.
    assert {one.get("data-end") for one in page.elements if one.get("data-end")} == {"some"}
    # But a divergence that counts, or something that was not run, is worse.
    for code, word in ((1, "diverges"), (3, "not run")):
        page = page_of(tmp_path, document | {"exit_code": code})
        assert f"In all: {word}." in page.by_id("t0").text


def test_a_report_of_the_port_says_what_was_not_tried_in_its_likeness(tmp_path: Path) -> None:
    page = page_of(tmp_path, report([conforming("keyed", "3.8.0", refused=50)], None))
    cells = {one.get("data-label"): one.text.strip() for one in page.all("td")}
    assert cells["Keys"] == "Matches Java 3.8.0 (50 of 200 cases not tried)"


def test_all_links_inside_lead_somewhere_and_no_name_is_there_twice(page: Page) -> None:
    names = [one.get("id") for one in page.elements if one.get("id")]
    assert len(names) == len(set(names))
    inside = {one.get("href")[1:] for one in page.all("a") if one.get("href").startswith("#")}
    assert inside <= set(names)
    labelled = {one.get("aria-labelledby") for one in page.elements} - {""}
    assert labelled <= set(names)


def test_a_divergence_has_its_case_its_meaning_and_its_replay(page: Page) -> None:
    text = told(page, "keyed, client 3.8.0: diverges")
    for part in (
        "joins, compaction and per-key order break",
        "a library differs from Java 3.8.0 at step 0 of 1",
        "Java 3.8.0: answers 1",
        "a library: answers 2",
        "kafka-conformance replay conformance-results/keyed-3.8.0.json -- perl testee.pl",
        "150, 1,234 steps in all; 12 differ",
        "7, quick",
        "null keys",
        "3 more cases could not be tried: an empty key: it cannot be sent",
    ):
        assert part in text


def test_a_distribution_has_its_tests_in_words_and_plots(page: Page) -> None:
    text = told(page, "sticky, client 3.2.3: known to diverge")
    for part in (
        "smaller batches, more requests",
        "1,048,576 from Java and as many from the subject",
        "moved on 629,131 of 629,131 times",
        "chance does not explain it (corrected p below 10⁻³⁰⁰); a large effect, Cohen's w = 0.546",
        "as chance would have it (corrected p = 1); a tiny effect",
        "Records in a row to one partition, on average: Java 2.50, This subject 1.00",
    ):
        assert part in text
    pictures = [one.get("aria-label") for one in page.all("svg")]
    assert len(pictures) == 3
    assert all(one.get("role") == "img" for one in page.all("svg"))
    titles = [one.text for one in page.all("title")][1:]
    assert titles == ["Java", "This subject", "Share of each partition (sticky/by record)"]
    words = [one.text for one in page.all("text")]
    assert "share of the records" in words
    assert "partition" in words
    assert pictures[0].startswith("Java: after 4: 0, 25, 25, 25, 25; after 0: 25, 0")
    assert "This subject: 36.0, 20.0, 16.0, 16.0, 12.0" in pictures[2]


def test_load_stats_are_drawn_each_for_itself(tmp_path: Path) -> None:
    page = page_of(tmp_path, report([loaded()]))
    captions = [one.text for one in page.all("figcaption")]
    assert captions == [f"Share of each partition, queues {row}" for row in ("8 3 14", "1 1 1")]


def test_a_known_divergence_has_cause_and_link(page: Page) -> None:
    assert "Known: It takes turns." in told(page, "sticky, client 3.2.3: known to diverge")
    assert "https://example.org/issue/1" in [one.get("href") for one in page.all("a")]


def test_what_was_not_run_never_looks_like_passed(tmp_path: Path, page: Page) -> None:
    assert "Not run: it died" in told(page, "built-in, client 3.8.0: not run")
    (alert,) = page.all("p", "alert")
    assert "a library" in alert.text
    assert not page.signs()["built-in, client 3.8.0: not run"].get("class").count("ok")
    stopped = page_of(tmp_path, report([conforming("keyed", "3.8.0")], interrupted=True))
    assert "(interrupted)" in stopped.all("p", "alert")[0].text


def test_nothing_to_worry_about_has_no_alert(tmp_path: Path) -> None:
    assert page_of(tmp_path, report([conforming("keyed", "3.8.0")])).all("p", "alert") == []


def test_absent_is_said_with_its_reason_and_leads_nowhere(page: Page) -> None:
    dashes = {one.get("aria-label"): one for one in page.all("span", "absent")}
    assert "sticky, client 2.3.1: absent" not in dashes  # absent everywhere: there is no column
    two = [report([absent(), sampled()], "one"), report([sampled(client="2.3.1")], "two")]
    assert two[0]["cells"][0]["verdict"] == "absent"


def test_absent_beside_somebody_who_has_it(tmp_path: Path) -> None:
    page = page_of(tmp_path, report([absent()], "one"), report([sampled(client="2.3.1")], "two"))
    (dash,) = [one for one in page.all("span", "absent") if one.get("role") == "img"]
    assert dash.get("aria-label") == "sticky, client 2.3.1: absent"
    assert dash.get("title") == "arrived in 2.4 (KIP-480)"


def test_rows_are_grouped_by_language(tmp_path: Path) -> None:
    names = (("b", "Go 1.22"), ("a", "Perl 5"), ("c", "Go (tiny)"))
    documents = [report([diverging()], name, language=said) for name, said in names]
    page = page_of(tmp_path, *documents)
    assert [one.text for one in page.all("h2")][-2:] == ["Go", "Perl"]
    assert [one.text.split()[0] for one in page.all("h3")] == ["b", "c", "a"]


def test_the_summary_says_which_java_each_is_like(tmp_path: Path) -> None:
    lines = (
        "keyed: matches Java 2.3.1",
        "records without key: matches no Java version",
        "murmur2: matches Java 3.8.0",
    )
    page = page_of(tmp_path, report([diverging()], likeness=lines, outdated=("sticky: gone",)))
    cells = {one.get("data-label"): one.text.strip() for one in page.all("td")}
    assert cells["Keys"] == "Matches Java 2.3.1"
    assert cells["Records without key"] == "Matches no Java version"
    assert "murmur2: Matches Java 3.8.0" in page.by_id("t0").text
    assert "Known, but no longer occurs: sticky: gone" in [
        one.text for one in page.all("p", "alert")
    ]


def test_the_port_needs_no_hello(tmp_path: Path) -> None:
    cells = [conforming("keyed", "3.8.0"), diverging("sticky", "3.2.3")]
    page = page_of(tmp_path, report(cells, None))
    assert "Python port" in page.by_id("t0").text
    found = told(page, "sticky, client 3.2.3: diverges")
    assert "replay conformance-results/sticky-3.2.3.json" in found
    assert {one.get("data-label"): one.text for one in page.all("td")}[
        "Keys"
    ].strip() == "Matches Java 3.8.0"


def test_statistics_have_a_matrix_and_what_failed(tmp_path: Path) -> None:
    page = page_of(tmp_path, json.loads(results_text(statistics())))
    assert page.signs()["sticky, the Python port of 3.2.3: diverges"].text.startswith("✗")
    assert page.signs()["keyed/uuid, Java 3.2.3: conforms"].text.startswith("✓")
    assert [one.text for one in page.all("h3")] == ["What did not conform", "All tests"]
    assert "crashed in the block of record" in told(
        page, "adaptive, the Python port of 3.8.0: diverges"
    )
    assert any("more than its share" in one.text for one in page.all("td"))


@nightly
def test_fifty_testees_are_less_than_two_megabytes(tmp_path: Path) -> None:
    text = page_text(load_documents(written(tmp_path, *crowd(50))))
    assert len(text.encode()) < 2_000_000
    assert len(Page(text).signs()) == 12


def test_the_same_files_give_the_same_page(tmp_path: Path) -> None:
    paths = written(tmp_path, usual(), usual("another"))
    assert page_text(load_documents(paths)) == page_text(load_documents(paths))


def _error(java_class: str) -> AnswerKind:
    return AnswerKind(AnswerSort.ERROR, f"error {java_class}")


@pytest.mark.parametrize(
    ("behaviour", "difference", "part"),
    [
        ("murmur2", differing(A_NUMBER, A_NUMBER), "The hash differs"),
        ("keyed", differing(A_NUMBER, A_NUMBER), "per-key order break"),
        ("keyed", differing(_error("arithmetic"), A_NUMBER), "this library goes on"),
        ("keyed", differing(A_NUMBER, _error("other")), "this library fails"),
        ("keyed", differing(_error("arithmetic"), _error("null")), "Both refuse"),
        ("sticky", Difference("partition", Part.STATE), "remembers or draws"),
        ("sticky", Difference("partition", Part.DRAWS), "remembers or draws"),
        ("sticky", differing(A_NUMBER, A_NUMBER), "batches may be smaller"),
        ("keyed", differing(A_NUMBER, AnswerKind(AnswerSort.DEATH, "died")), "crashed instead"),
        ("keyed", Difference("partition", Part.NOTHING), "crashed instead"),
        ("keyed", Difference("partition", Part.MORE), "crashed instead"),
        ("of tomorrow", differing(A_NUMBER, A_NUMBER), "answer differs from the Java client"),
    ],
)
def test_differences_have_a_meaning(behaviour: str, difference: Difference, part: str) -> None:
    (cell,) = report([diverging(behaviour, difference=difference)])["cells"]
    (meaning,) = meanings(cell)
    assert part in meaning


def _with_kinds(*kinds: Difference) -> dict[str, Any]:
    (cell,) = report([diverging()])["cells"]
    cell["kinds"] = {str(kind): plain(kind) for kind in kinds}
    cell["differences"] = dict.fromkeys(cell["kinds"], 1)
    return dict(cell)


def test_what_breaks_data_comes_first() -> None:
    kinds = (differing(A_NUMBER, _error("other")), differing(A_NUMBER, A_NUMBER))
    told = meanings(_with_kinds(*kinds))
    assert "joins" in told[0]
    assert len(told) == 2


def test_what_was_seen_only_in_some_contexts_says_so() -> None:
    kinds = [
        differing(A_NUMBER, A_NUMBER, "ids with gaps"),
        differing(A_NUMBER, A_NUMBER, "a", "b"),
    ]
    (meaning,) = meanings(_with_kinds(*kinds))
    assert meaning.endswith("order break. Seen only with: a, b; ids with gaps.")
    (meaning,) = meanings(_with_kinds(*kinds, differing(A_NUMBER, A_NUMBER)))
    assert meaning.endswith("order break.")


def test_not_run_with_a_divergence_that_was_known(tmp_path: Path) -> None:
    # A testee that ends badly after a known divergence: not run, and both are told.
    document = report([diverging(verdict=Verdict.KNOWN), not_run()])
    document["cells"][0] |= {"verdict": "not run", "reason": "it exited with code 7"}
    text = told(page_of(tmp_path, document), "keyed, client 3.8.0: not run")
    assert "it exited with code 7" in text
    assert "a library: answers 2" in text


@pytest.mark.parametrize(
    ("p", "part"),
    [
        (None, "exact: every record counts"),
        (1.0, "as chance would have it (corrected p = 1)"),
        (0.02, "as chance would have it (corrected p = 0.02)"),
        (0.0005, "unlikely by chance: one run in 2,000 (corrected p = 0.0005)"),
        (1e-20, "chance does not explain it (corrected p = 1e-20)"),
        (0.0, "chance does not explain it (corrected p below 10⁻³⁰⁰)"),
    ],
)
def test_p_values_in_words(p: float | None, part: str) -> None:
    assert evidence({"verdict": "conforms", "detail": "", "corrected_p": p}) == part


@pytest.mark.parametrize(
    ("w", "size"), [(0.04, "tiny"), (0.1, "small"), (0.3, "medium"), (0.9, "large")]
)
def test_effects_in_words(w: float, size: str) -> None:
    test = {"verdict": "diverges", "detail": "d", "corrected_p": 0.5, "w": w, "smallest_w": 0.01}
    told = f"a {size} effect, Cohen's w = {w:.3f}, one of 0.010 would have been found"
    assert evidence(test) == f"d; as chance would have it (corrected p = 0.5); {told}"

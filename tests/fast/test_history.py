"""The history's logic on made-up outcomes: spans, letters, what is not known, what is said."""

import re
from dataclasses import replace

from conformance.errors import ExitCode
from conformance.gate.history import Release, State, neighbours, rows_of
from conformance.gate.setting_defaults import changed_settings, defaults_over_time
from conformance.model.results import Verdict
from conformance.reports.history_page import history_page
from conformance.reports.history_plot import history_svg
from conformance.reports.history_words import default_in_words, signs, story
from tests.fast.history_samples import NAMES, history, missing, passage, release

SAME, CHANGED, NOT_RUN = Verdict.CONFORMS, Verdict.DIVERGES, Verdict.NOT_RUN


def keyed(*versions: str) -> list[Release]:
    return [release(version, "keyed") for version in versions]


def test_what_is_the_same_between_neighbours_is_one_span() -> None:
    a, b, c = keyed("1.0", "2.0", "3.0")
    found = history([a, b, c], [passage(a, b, keyed=SAME), passage(b, c, keyed=SAME)])
    row = found.rows[0]
    assert signs(row) == ["A", "A", "A"]
    assert [(one.versions, one.what) for one in story(row)] == [("1.0 to 3.0", "the same")]
    assert found.exit_code is ExitCode.CONFORMS


def test_a_change_begins_a_span_and_shows_its_smallest_case() -> None:
    a, b, c = keyed("1.0", "2.0", "3.0")
    found = history([a, b, c], [passage(a, b, keyed=CHANGED), passage(b, c, keyed=SAME)])
    assert signs(found.rows[0]) == ["A", "B", "B"]
    assert story(found.rows[0])[1].what == (
        "changed since 1.0: partition: error java.lang.NullPointerException for a number "
        "(2 cases), then the same"
    )
    page = history_page(found)
    assert (
        "| keyed | 1.0, 2.0 | after 1 other: partition: topic 't', key null, with metadata: null: "
        "kafka-clients 1.0 answers 0, 0 draws; kafka-clients 2.0 throws "
        "java.lang.NullPointerException, 0 draws |"
    ) in page
    assert found.exit_code is ExitCode.CONFORMS, "a change is no failure of a history"


def test_what_comes_and_goes() -> None:
    a, c = keyed("1.0", "3.0")
    b = release("2.0", "keyed", "sticky")
    found = history([a, b, c], [passage(a, b, keyed=SAME), passage(b, c, keyed=SAME)])
    sticky = found.rows[1]
    assert signs(sticky) == ["-", "(A)", "-"], "no case of it was run: it has no neighbour"
    assert [point.state for point in sticky.points] == [State.ABSENT, State.NEW, State.GONE]
    new, gone = story(sticky)
    assert "new, 1.0 did not have it, not driven" in new.what
    assert gone.what == "gone: 3.0 has no sticky"


def test_what_could_not_be_compared_is_never_the_same() -> None:
    a, b, c = keyed("1.0", "2.0", "3.0")
    found = history([a, b, c], [passage(a, b, keyed=NOT_RUN), passage(b, c, keyed=SAME)])
    assert signs(found.rows[0]) == ["(A)", "B?", "B?"]
    assert story(found.rows[0])[1].what.startswith("not comparable with 1.0: its JVM died")
    assert found.exit_code is ExitCode.NOT_RUN


def test_what_an_inspection_cannot_tell_is_neither_there_nor_gone() -> None:
    a, c = keyed("1.0", "3.0")
    b = release("2.0", "keyed")
    assert b.inspected is not None
    unknown = replace(b.inspected.client, realised_by={}, absent={})
    b = replace(b, inspected=replace(b.inspected, client=unknown))
    found = history([a, b, c], [], names=["keyed"])
    assert [point.state for point in found.rows[0].points] == [
        State.FIRST,
        State.NOT_COMPARABLE,
        State.NOT_COMPARABLE,
    ]
    assert "cannot be told whether 2.0 has it" in found.rows[0].points[2].what
    assert found.exit_code is ExitCode.NOT_RUN


def test_a_missing_version_is_stepped_over_and_said_to_be_missing() -> None:
    a, c = keyed("1.0", "3.0")
    b = missing("2.0")
    assert neighbours([a, b, c]) == [(a, c)]
    found = history([a, b, c], [passage(a, c, keyed=CHANGED)], defaults={"1.0": {}, "3.0": {}})
    assert signs(found.rows[0]) == ["A", "not run", "B"]
    assert found.rows[0].points[2].before == "1.0"
    assert "- 2.0 was not run: no such jar" in history_page(found)
    assert found.exit_code is ExitCode.NOT_RUN


def test_a_pair_that_an_interruption_left_out_is_not_the_same() -> None:
    a, b, c = keyed("1.0", "2.0", "3.0")
    [row] = rows_of([a, b, c], ["keyed"], [passage(a, b, keyed=SAME)])
    assert [point.state for point in row.points][2] is State.NOT_COMPARABLE
    assert "interrupted" in row.points[2].what


def test_nothing_driven_is_no_success() -> None:
    a, b = keyed("1.0", "2.0")
    assert history([a, b], [], names=["sticky"]).exit_code is ExitCode.NOT_RUN
    unread = history([a, b], [passage(a, b, keyed=SAME)], defaults={"1.0": {}})
    assert unread.exit_code is ExitCode.NOT_RUN, "the settings of 2.0 could not be read"
    assert "2.0: its settings could not be read" in history_page(unread)


def test_notes_tell_what_was_asked_of_some_versions_only() -> None:
    a = release("1.0", "keyed", cannot={"keyed": ("uuid keys",)})
    b = release("2.0", "keyed")
    c = release("3.0", "keyed", shown_by="Other.method")
    [row] = rows_of([a, b, c], ["keyed"], [])
    assert row.notes == (
        "shown by Some.method in 1.0 to 2.0",
        "shown by Other.method in 3.0",
        "uuid keys: asked of 2.0 to 3.0 only, because the jars allow no more",
    )


def test_defaults_are_told_in_stretches() -> None:
    releases = keyed("1.0", "2.0", "3.0", "4.0")
    settings = [{"linger.ms": "0"}, {"linger.ms": "0"}, {"linger.ms": "5", "new": ""}]
    known = dict(zip(("1.0", "2.0", "3.0"), settings, strict=True))
    found = history(releases, [], defaults=known)
    linger = [default_in_words(one) for one in defaults_over_time(found, "linger.ms")]
    assert linger == ["0 from 1.0 to 2.0", "5 in 3.0"]
    new = [default_in_words(one) for one in defaults_over_time(found, "new")]
    assert new == ["not there from 1.0 to 2.0", "empty in 3.0"]
    assert changed_settings(found) == ["linger.ms", "new"]


def test_the_page_shows_what_markdown_would_read() -> None:
    a = release("1.0", "keyed", shown_by="a|b")
    b = release("2.0", "keyed", shown_by="<script>*")
    page = history_page(history([a, b], [passage(a, b, keyed=SAME)]))
    assert "shown by a\\|b in 1.0" in page
    assert "shown by \\<script\\>\\* in 2.0" in page


def test_the_picture_says_in_letters_what_it_says_in_colours() -> None:
    a, b, c = (release(version, *NAMES) for version in ("1.0", "2.0", "3.0"))
    d = release("4.0", "keyed")
    found = history(
        [a, b, c, missing("3.5"), d],
        [
            passage(a, b, keyed=SAME, sticky=CHANGED),
            passage(b, c, keyed=NOT_RUN, sticky=SAME),
            passage(c, d, keyed=SAME),
        ],
    )
    picture = history_svg(found)
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", picture)
    for row in found.rows:
        assert row.behaviour in texts
    letters = [text for text in texts if text in ("A", "B", "C", "A?", "B?")]
    assert sorted(letters) == ["A", "A", "A", "B", "B", "B?", "B?"]
    assert {"1.0", "2.0", "3.0", "3.5", "4.0", "gone"} <= set(texts)
    assert {"version of kafka-clients", "behaviour"} <= set(texts)
    assert picture == history_svg(found), "the same history gives the same bytes"
    described = picture[picture.index("<desc") : picture.index("</desc")]
    assert "sticky A 1.0, B 2.0 to 3.0, not run 3.5." in described

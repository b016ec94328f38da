"""Texts that others wrote are shown, and nothing else."""

from pathlib import Path

import pytest

from conformance.reports.html.documents import load_documents
from conformance.reports.html.page import page_text
from conformance.reports.html.text import cut, cut_lines, inert, visible, web_address
from tests.reports.hostile import LONG, MARKUP, PILED, hostile
from tests.reports.pages import Page
from tests.reports.samples import usual, written


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    paths = written(tmp_path_factory.mktemp("hostile"), *hostile())
    return page_text(load_documents(paths), MARKUP)


def test_markup_stays_text(source: str) -> None:
    page = Page(source)
    assert len(page.all("script")) == 1
    assert page.all("img") == []
    assert MARKUP in page.by_id("t0").text
    handlers = [name for one in page.elements for name in one.attributes if name.startswith("on")]
    assert handlers == []


def test_only_web_addresses_are_links(source: str, tmp_path: Path) -> None:
    outside = [one.get("href") for one in Page(source).all("a") if one.get("href")[:1] != "#"]
    assert outside == []
    usual_page = Page(page_text(load_documents(written(tmp_path, usual()))))
    (link,) = [one for one in usual_page.all("a") if one.get("href")[:1] != "#"]
    assert link.get("rel") == "noopener noreferrer"


def test_what_cannot_be_seen_is_shown(source: str) -> None:
    hidden = {char for char in source if char != "\n" and not char.isprintable()}
    assert hidden == set()
    for shown in ("⟨U+202E⟩", "⟨U+0000⟩", "⟨U+001B⟩[31m", "⟨U+200B⟩", "⟨U+E0041⟩"):
        assert shown in source


def test_templates_are_not_evaluated(source: str) -> None:
    assert "{{ 7 * 7 }}" in source
    assert " 49 " not in source


def test_what_is_long_is_cut_and_its_length_told(source: str) -> None:
    assert "W" * 3_000 not in source
    assert "characters)" in source
    assert "lines)" in source
    assert len(source) < 1_000_000


def test_nothing_is_fetched_and_only_our_script_may_run(source: str) -> None:
    page = Page(source)
    (policy,) = [one for one in page.all("meta") if one.get("http-equiv")]
    assert policy.get("content").startswith("default-src 'none'; style-src 'unsafe-inline'; ")
    assert "'sha256-" in policy.get("content")
    assert all(not one.get("src") for one in page.elements)
    assert page.all("link") == []
    assert "url(" not in source
    assert "@import" not in source


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\nb", "a\nb"),
        ("a\tb\rc", "a⟨U+0009⟩b⟨U+000D⟩c"),
        ("a\n\n\0\0\0", "a\n\n⟨U+0000, 3 times⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("\u00a0", "⟨U+00A0⟩"),
        ("\u061c\u200f\u2069", "⟨U+061C⟩⟨U+200F⟩⟨U+2069⟩"),
        ("naïve ✓ 漢字 שלום", "naïve ✓ 漢字 שלום"),
        ("e\u0301", "e\u0301"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_marks_do_not_pile_up() -> None:
    assert visible(PILED) == "z⟨U+0301, 500 times⟩"
    assert visible("e\u0301\u0302\u0303") == "e\u0301\u0302⟨U+0303⟩"


def test_cut_tells_how_long_it_was() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc… (4 characters)"
    assert cut_lines("a\n" * 9, lines=2) == "a\na\n… (10 lines)"
    assert len(inert(LONG)) < 70_000
    assert inert(7) == 7


@pytest.mark.parametrize(
    ("text", "followed"),
    [
        ("https://example.org/a?b=c#d", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("JaVaScRiPt:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("https://example.org/\u202e", False),
        ("https://example.org/a b", False),
        ("https://" + "a" * 600, False),
        ("file:///etc/passwd", False),
        ("https://example.org\n", False),
    ],
)
def test_web_addresses(text: str, followed: bool) -> None:
    assert (web_address(text) is not None) is followed

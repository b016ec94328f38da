"""The page in a real browser: phone and desktop, with and without its script, dark and printed."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.reports.html.documents import load_documents
from conformance.reports.html.page import page_text
from conformance.reports.statistics_files import results_text
from tests.experiments.made_results import CONDITION, STICKY, document_of, result_of
from tests.fast.statistics_samples import diverging as statistics
from tests.reports.browser import PROGRAM, Browser, started
from tests.reports.hostile import hostile
from tests.reports.samples import crowd, loaded, report, usual, written

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="chromium is not installed (apt-get install chromium)"
)
PHONE, DESKTOP = 375, 1280
MATRICES = ("usual", "crowd", "hostile", "statistics")
KINDS = (*MATRICES, "experiments")  # an experiment has pictures and claims, but no matrix
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
_SIGNS = "document.querySelectorAll('.matrix a.v').length"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind."""
    documents = {
        "usual": [usual(), usual("another", language="Go 1.22"), report([loaded()], "a third")],
        "crowd": crowd(20),
        "hostile": hostile(),
        "statistics": [json.loads(results_text(statistics()))],
        "experiments": [document_of(result_of(STICKY), result_of(CONDITION, failed="it hung"))],
    }
    paths = {}
    for kind, mine in documents.items():
        folder = tmp_path_factory.mktemp(kind)
        paths[kind] = folder / "page.html"
        paths[kind].write_text(page_text(load_documents(written(folder, *mine))), "utf-8")
    return paths


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as one:
        yield one


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [320, PHONE, 768, DESKTOP])
def test_nothing_overflows(browser: Browser, pages: dict[str, Path], kind: str, width: int) -> None:
    browser.show(pages[kind], width=width)
    browser.evaluate(_OPEN_ALL)
    assert browser.evaluate("innerWidth") == width
    assert browser.evaluate(_OVERFLOW) <= 0


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_requested_but_the_page(
    browser: Browser, pages: dict[str, Path], kind: str
) -> None:
    browser.show(pages[kind], width=DESKTOP)
    browser.evaluate(_OPEN_ALL)
    assert browser.requested() == [pages[kind].as_uri()]


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("scripts", [True, False])
def test_each_sign_opens_its_details(
    browser: Browser, pages: dict[str, Path], kind: str, scripts: bool
) -> None:
    browser.show(pages[kind], width=PHONE, scripts=scripts)
    signs = browser.evaluate(_SIGNS)
    assert signs > 0
    assert browser.evaluate("document.querySelectorAll('details[open]').length") == 0
    for at in range(0, signs, max(signs // 20, 1)):
        browser.evaluate(f"document.querySelectorAll('.matrix a.v')[{at}].click()")
        shown = (
            "(() => { const one = document.querySelector(location.hash);"
            " return one.closest('details').open && one.getBoundingClientRect().height > 20; })()"
        )
        assert browser.evaluate(shown), at


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_all_can_be_read_without_script(
    browser: Browser, pages: dict[str, Path], width: int
) -> None:
    browser.show(pages["usual"], width=width, scripts=False)
    text = browser.evaluate("document.body.innerText")
    for part in ("Which Java client is each like?", "a library", "Not everything was run."):
        assert part in text
    assert "Show names with" not in text  # what needs a script is not there without
    browser.evaluate(_OPEN_ALL)
    opened = browser.evaluate("document.body.innerText")
    assert "joins, compaction and per-key order break" in opened
    # innerText has what is displayed: on a phone each sign says its version and behaviour.
    visible = "[...document.querySelectorAll('.matrix a.v i')].every((one) => one.offsetWidth > 0)"
    assert browser.evaluate(visible) is (width == PHONE)


def test_signs_are_large_enough_to_touch_and_do_not_overlap(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.show(pages["crowd"], width=PHONE)
    boxes = browser.evaluate(
        "[...document.querySelectorAll('.matrix tr:nth-child(2) a.v')].map((one) => {"
        " const box = one.getBoundingClientRect();"
        " return [box.left, box.top, box.right, box.bottom]; })"
    )
    assert len(boxes) > 5
    for index, (left, top, right, bottom) in enumerate(boxes):
        assert 0 <= left < right <= PHONE
        assert right - left >= 24
        assert bottom - top >= 20
        for other in boxes[:index]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_from_what_is_behind(
    browser: Browser, pages: dict[str, Path], dark: bool
) -> None:
    """WCAG's contrast of at least 4.5, for each sign and for the text of the page."""
    browser.show(pages["usual"], width=DESKTOP, dark=dark)
    contrast = """
    (() => {
      const light = (text) => {
        const parts = text.match(/[\\d.]+/g).slice(0, 3).map((part) => {
          const share = part / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const behind = (one) => {
        const colour = getComputedStyle(one).backgroundColor;
        const clear = colour === 'rgba(0, 0, 0, 0)' && one.parentElement;
        return clear ? behind(one.parentElement) : colour;
      };
      return ['.v.ok', '.v.bad', '.v.known', '.v.unrun', 'p', 'a', '.group th', '.alert', 'pre']
        .flatMap((css) => [...document.querySelectorAll(css)].slice(0, 3).map((one) => {
          const both = [getComputedStyle(one).color, behind(one)].map(light);
          return [css, (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)];
        }));
    })()
    """
    found = browser.evaluate(contrast)
    assert len(found) > 15
    assert [one for one in found if one[1] < 4.5] == []


def test_the_filter_hides_rows_and_says_how_many_are_left(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.show(pages["usual"], width=DESKTOP)
    assert browser.evaluate("document.getElementById('shown').textContent") == "3 of 3 shown"
    browser.evaluate(
        "(() => { const words = document.getElementById('words'); words.value = 'ANOTHER';"
        " words.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
    assert browser.evaluate("document.getElementById('shown').textContent") == "1 of 3 shown"
    shown = "[...document.querySelectorAll('article')].filter((one) => one.offsetHeight).length"
    assert browser.evaluate(shown) == 1


def test_hostile_texts_do_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["hostile"], width=DESKTOP)
    browser.evaluate(_OPEN_ALL)
    assert browser.evaluate("document.title") == "Kafka partitioner conformance"
    assert browser.evaluate("document.scripts.length") == 1
    dialogs = [event for event in browser.events if "javascriptDialog" in str(event.get("method"))]
    assert dialogs == []
    tallest = "Math.max(...[...document.querySelectorAll('pre')].map((one) => one.offsetHeight))"
    assert browser.evaluate(tallest) < 600


def test_printing_shows_what_diverges(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["usual"], width=DESKTOP)
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        browser.evaluate("dispatchEvent(new Event('beforeprint'))")
        text = browser.evaluate("document.body.innerText")
        assert "joins, compaction and per-key order break" in text
        assert "Show names with" not in text
        printed = browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        assert len(printed["data"]) > 10_000
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")

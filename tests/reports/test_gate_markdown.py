"""A gate's summary in Markdown, read by a real parser: all there, and nothing else."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from conformance.gate.outcomes import BehaviourChange, Change
from conformance.jars.client_jar import ClientJar
from conformance.model.results import RunResult
from conformance.reports.gate_markdown import gate_markdown
from tests.reports.hostile import LONG, NAMES, TALL
from tests.reports.samples import diverging

TICKS = "``` ` ```` |a|b| @everyone <img src=x> [a](http://evil.example) **bold** #1\n# head"
TAGS = {
    *("h3", "table", "thead", "tbody", "tr", "th", "td", "p", "strong", "code", "pre"),
    *("details", "summary", "ul", "li"),
}


class Page(HTMLParser):
    """The tags of a page, and its text outside of code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.plain = ""
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs or tag in ("code", "td", "th")  # its language, its side
        self.tags.append(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" not in self._open:
            self.plain += data


def summary_of(text: str, *, command: str = "kafka-conformance replay x.json") -> str:
    """A summary with a text of others wherever there is one."""
    changed = diverging(
        topic=text, key=text.encode("utf-8", "surrogatepass"), answer={"error": text},
        by=text, remarks=(text,), difference=text or "?",
    )  # fmt: skip
    old, new = (ClientJar(text, Path("x.jar"), "0" * 64, ()) for _ in range(2))
    return gate_markdown(
        (old, new),
        [
            BehaviourChange("keyed", Change.CHANGED, text, 150, 150),
            BehaviourChange("sticky", Change.GONE, text),
            BehaviourChange("built-in", Change.NOT_COMPARABLE, f"{text}\n  {text}", 7, 150),
        ],
        [text],
        RunResult((changed,), 1.0, 1),
        {"keyed[3.8.0]": command},
        "Profile quick, seed 0, 157 cases",
    )


@pytest.mark.parametrize("text", [*NAMES, TICKS, LONG, TALL])
def test_texts_of_others_do_nothing(text: str) -> None:
    told = summary_of(text)
    page = Page(MarkdownIt("commonmark").enable("table").render(told))
    assert set(page.tags) <= TAGS
    assert page.tags.count("tr") == 1 + 3
    assert page.tags.count("td") == 4 * 3
    assert page.tags.count("pre") == 1
    for word in ("@everyone", "evil", "owned", "bold", "alert"):
        assert word not in page.plain
    assert len(told) < 20_000


def _lines(told: str) -> Iterator[str]:
    yield from (line.strip() for line in told.splitlines())


def test_a_summary_has_the_changes_the_case_and_the_command() -> None:
    told = summary_of("4.1.0")
    assert told.startswith(
        "### kafka-clients `4.1.0` → `4.1.0`: 1 changed, 1 gone, 1 not comparable\n"
    )
    assert "| keyed | **changed** | 150 | `4.1.0` |" in _lines(told)
    assert "| built-in | **not comparable** | 7 of 150 | `4.1.0 4.1.0` |" in _lines(told)
    assert "0. partition: topic '4.1.0'" in told
    assert "Replay: kafka-conformance replay x.json" in _lines(told)
    assert "- `4.1.0`" in _lines(told)


def test_the_command_is_there_however_long_the_case() -> None:
    assert "Replay: kafka-conformance replay x.json" in _lines(summary_of(TALL + LONG))

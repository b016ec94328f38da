"""A history as Markdown: letters, what they stand for, smallest cases, defaults of settings."""

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from conformance.gate.history import History, State
from conformance.gate.setting_defaults import SETTINGS, changed_settings, defaults_over_time
from conformance.reports.history_words import (
    LEGEND,
    default_in_words,
    not_run,
    signs,
    smallest_case,
    story,
)

_WIDTH: Final = 110
"""Of lines of prose, as in the other pages."""


def history_page(history: History) -> str:
    """The tables, each below a heading of the third level."""
    return "\n".join(
        [
            *_letters(history),
            *_stories(history),
            *_changes(history),
            *_notes(history),
            *_defaults(history),
        ]
    )


def _letters(history: History) -> Iterator[str]:
    versions = [release.version for release in history.releases]
    yield from wrap(f"Profile {history.profile}, seed {history.seed}. {LEGEND}", _WIDTH)
    yield ""
    yield from _table(
        ["behaviour", *versions], [[row.behaviour, *signs(row)] for row in history.rows]
    )
    for line in not_run(history):
        yield f"- {_cell(line)}"
    yield ""


def _stories(history: History) -> Iterator[str]:
    yield "### Behaviour by behaviour"
    yield ""
    rows = [
        [row.behaviour if first else "", told.versions, told.what]
        for row in history.rows
        for first, told in zip([True, *[False] * len(row.points)], story(row), strict=False)
    ]
    yield from _table(["behaviour", "versions", "what"], rows)
    yield ""


def _changes(history: History) -> Iterator[str]:
    yield "### The smallest case of each change"
    yield ""
    changed = [
        [row.behaviour, f"{point.before}, {point.version}", smallest_case(point)]
        for row in history.rows
        for point in row.points
        if point.state is State.CHANGED
    ]
    if changed:
        yield from _table(["behaviour", "between", "case"], changed)
    else:
        yield "Nothing that could be compared changed."
    yield ""


def _notes(history: History) -> Iterator[str]:
    noted = [[row.behaviour, note] for row in history.rows for note in row.notes]
    if noted:
        yield "### What only some versions could be asked"
        yield ""
        yield from _table(["behaviour", "note"], noted)
        yield ""


def _defaults(history: History) -> Iterator[str]:
    yield "### Defaults of the producer's settings"
    yield ""
    rows = [
        [setting, "; ".join(map(default_in_words, defaults_over_time(history, setting)))]
        for setting in SETTINGS
    ]
    yield from _table(["setting", "default"], rows)
    others = [name for name in changed_settings(history) if name not in SETTINGS]
    yield ""
    yield (
        f"{len(others)} other settings were added, removed or got another default; `--json` has "
        "them all."
    )


def _table(header: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"| {' | '.join('---' for _ in header)} |"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    """As it is, in one line of a table; what Markdown would read as its own is shown."""
    plain = " ".join(text.split())
    return "".join(f"\\{char}" if char in "|<>*`\\" else char for char in plain)

"""A history in words: the sentences and signs that the console, the page and the plot share."""

from collections.abc import Iterator
from string import ascii_uppercase
from typing import NamedTuple

from conformance.gate.history import History, Point, Row, Span, State
from conformance.gate.setting_defaults import Default
from conformance.reports.describe import in_one_line

LEGEND = (
    "Each version is compared with the one before it. The same letter: the same answers. The next "
    "letter: the answers changed. With ?: the version has the behaviour, but could not be compared "
    "with the one before. In (): it has the behaviour, but no case was run. -: it does not have "
    "the behaviour. not run: there was no jar."
)


class Told(NamedTuple):
    """One line of a behaviour's history."""

    versions: str
    what: str
    state: State


def signs(row: Row) -> list[str]:
    """For each version the letter of its span, as :data:`LEGEND` explains."""
    found = []
    letter = -1
    doubt = ""
    for point in row.points:
        if point.state is State.NOT_RUN:
            found.append("not run")
        elif not point.state.is_there:
            found.append("-")
        else:
            if point.state is not State.SAME:
                letter += 1
                doubt = "?" if point.state is State.NOT_COMPARABLE else ""
            sign = f"{ascii_uppercase[letter % 26]}{doubt}"
            found.append(sign if point.driven else f"({sign})")
    return found


def story(row: Row) -> list[Told]:
    """The spans of a behaviour in order, and where it is gone."""
    told = [(span.began.version, _span(span)) for span in row.spans]
    told += [
        (point.version, Told(point.version, f"gone: {point.what}", point.state))
        for point in row.points
        if point.state is State.GONE
    ]
    order = [point.version for point in row.points]
    return [one for _, one in sorted(told, key=lambda pair: order.index(pair[0]))] or [
        Told("", "in none of these versions", State.ABSENT)
    ]


def _span(span: Span) -> Told:
    began = span.began
    alone = span.last == began.version
    versions = began.version if alone else f"{began.version} to {span.last}"
    rest = "" if alone else ", then the same"
    if not began.driven and began.state is not State.NOT_COMPARABLE:
        rest = ", not driven: no version beside it has the behaviour"
    what = {
        State.FIRST: "there" if alone else "the same",
        State.NEW: f"new, {began.before} did not have it",
        State.CHANGED: f"changed since {began.before}: {began.what}",
        State.NOT_COMPARABLE: f"not comparable with {began.before or 'any'}: {began.what}",
    }[began.state]
    if began.state is State.FIRST and began.driven:
        rest = ""
    return Told(versions, what + rest, began.state)


def smallest_case(point: Point) -> str:
    """The smallest case of a change in one line; empty if there is none."""
    return "" if point.divergence is None else in_one_line(point.divergence)


def not_run(history: History) -> Iterator[str]:
    """A line for each version that is not available, with the reason."""
    for release in history.releases:
        if release.inspected is None:
            yield f"{release.version} was not run: {release.reason}"
        elif release.version not in history.defaults:
            yield f"{release.version}: its settings could not be read"


def default_in_words(default: Default) -> str:
    """Such as ``5 from 4.0.0 to 4.1.1``."""
    value = "absent" if default.value is None else default.value or "empty"
    if default.first == default.last:
        return f"{value} in {default.first}"
    return f"{value} from {default.first} to {default.last}"

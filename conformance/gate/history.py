"""When each behaviour changed: release lines side by side, each held against the one before.

What is the same from A to B, and from B to C, was compared on other cases each time: that A and C
are the same follows for what the cases reach, and is not run again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby, pairwise

from conformance.clients.inspected import Inspected
from conformance.errors import ExitCode
from conformance.gate.outcomes import kinds_of
from conformance.model.results import Divergence, RunResult, Verdict


@dataclass(frozen=True)
class Release:
    """One version of the list."""

    version: str
    inspected: Inspected | None
    """What its jar has; None if that could not be found out."""
    reason: str = ""
    """Why it could not."""
    remedy: str = ""
    """What can be done about it."""
    sha256: str = ""


@dataclass(frozen=True)
class Passage:
    """What came of the behaviours that two neighbours both have."""

    before: Release
    after: Release
    run: RunResult | None
    """None if they have none in common."""


class State(StrEnum):
    """What is known of a behaviour in one version, seen from the version before it."""

    FIRST = "first"
    """It is there, and there is no version before."""
    NEW = "new"
    SAME = "same"
    CHANGED = "changed"
    NOT_COMPARABLE = "not comparable"
    """Both versions have it; it was not, or not wholly, found out whether it is the same."""
    GONE = "gone"
    ABSENT = "absent"
    """Not there, and not there before."""
    NOT_RUN = "not run"
    """The version itself could not be looked at."""

    @property
    def is_there(self) -> bool:
        """Whether the version has the behaviour."""
        return self not in (State.GONE, State.ABSENT, State.NOT_RUN)


COMPARED = (State.SAME, State.CHANGED)
_OF_VERDICT = {Verdict.CONFORMS: State.SAME, Verdict.DIVERGES: State.CHANGED}
"""Whatever else becomes of a cell, it does not say that the behaviour is the same."""


@dataclass(frozen=True)
class Point:
    """A behaviour in one version."""

    version: str
    state: State
    before: str = ""
    """The version that it was held against; empty for the first."""
    what: str = ""
    """How many cases agreed, the kinds of differences, or why there is nothing to tell."""
    divergence: Divergence | None = None
    """The smallest case of a change."""
    driven: bool = False
    """Whether this version performed cases of it, beside a neighbour."""


@dataclass(frozen=True)
class Span:
    """A stretch of versions between which nothing changed; starts at its first point."""

    began: Point
    last: str


@dataclass(frozen=True)
class Row:
    """The history of one behaviour."""

    behaviour: str
    points: tuple[Point, ...]
    """One for each version."""
    notes: tuple[str, ...] = ()
    """What could not be asked of which versions, and what shows the behaviour in which."""

    @property
    def spans(self) -> list[Span]:
        """The stretches in which it is there; a version that was not run ends none."""
        found: list[Span] = []
        for point in self.points:
            if point.state is State.SAME:
                found[-1] = Span(found[-1].began, point.version)
            elif point.state.is_there:
                found.append(Span(point, point.version))
        return found

    def first(self, state: State) -> Point | None:
        """The first point of a state."""
        return next((point for point in self.points if point.state is state), None)


@dataclass(frozen=True)
class History:
    """All rows, over all versions."""

    releases: tuple[Release, ...]
    rows: tuple[Row, ...]
    profile: str
    seed: int
    defaults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By version, the producer's settings with their defaults."""

    @property
    def exit_code(self) -> ExitCode:
        """Changes are what a history is made of; what was not compared is no success."""
        states = {point.state for row in self.rows for point in row.points}
        unknown = states & {State.NOT_RUN, State.NOT_COMPARABLE}
        complete = not unknown and any(p.driven for row in self.rows for p in row.points)
        missing = any(r.inspected and r.version not in self.defaults for r in self.releases)
        return ExitCode.CONFORMS if complete and not missing else ExitCode.NOT_RUN


def neighbours(releases: Sequence[Release]) -> list[tuple[Release, Release]]:
    """The pairs to hold against each other; a version that could not be had is stepped over."""
    return list(pairwise(one for one in releases if one.inspected is not None))


def shared_behaviours(before: Release, after: Release, names: Sequence[str]) -> list[str]:
    """Those that both have."""
    return [name for name in names if _has(before, name) and _has(after, name)]


def rows_of(
    releases: Sequence[Release], names: Sequence[str], passages: Sequence[Passage]
) -> tuple[Row, ...]:
    """The history of each behaviour. A passage that is missing was not run."""
    known = {
        (passage.before.version, passage.after.version): _points(passage) for passage in passages
    }
    return tuple(_row(name, releases, known) for name in names)


def _row(
    name: str, releases: Sequence[Release], known: Mapping[tuple[str, str], Mapping[str, Point]]
) -> Row:
    points: list[Point] = []
    before: Release | None = None
    for release in releases:
        if release.inspected is None:
            points.append(Point(release.version, State.NOT_RUN, what=release.reason))
            continue
        points.append(_point(name, before, release, known))
        before = release
    return Row(name, _driven(points), (*_ways(name, releases), *_limits(name, releases)))


def _point(
    name: str,
    before: Release | None,
    after: Release,
    known: Mapping[tuple[str, str], Mapping[str, Point]],
) -> Point:
    has = _has(after, name)
    for one in (after, *([before] if before is not None and has else [])):
        if _is_unknown(one, name):
            told = f"it cannot be told whether {one.version} has it"
            held = "" if before is None else before.version
            return Point(after.version, State.NOT_COMPARABLE, held, told)
    lacking = "" if has or after.inspected is None else after.inspected.client.absent[name]
    if before is None:
        return Point(after.version, State.FIRST if has else State.ABSENT, what=lacking)
    had = _has(before, name)
    if had and has:
        nothing = Point(
            after.version,
            State.NOT_COMPARABLE,
            before.version,
            "The run was interrupted before its end.",
        )
        return known.get((before.version, after.version), {}).get(name, nothing)
    state = {(True, False): State.GONE, (False, True): State.NEW}.get((had, has), State.ABSENT)
    return Point(after.version, state, before.version, lacking)


def _points(passage: Passage) -> dict[str, Point]:
    if passage.run is None:
        return {}
    return {
        result.cell.behaviour: Point(
            passage.after.version,
            _OF_VERDICT.get(result.verdict, State.NOT_COMPARABLE),
            passage.before.version,
            kinds_of(result) or result.reason or f"{result.cases} cases",
            result.divergence,
        )
        for result in passage.run.results
    }


def _driven(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points, with those that performed cases marked: beside the one before, or after."""
    performed: set[str] = set()
    for point in points:
        if point.state in COMPARED:
            performed |= {point.before, point.version}
    return tuple(replace(point, driven=point.version in performed) for point in points)


def _has(release: Release, name: str) -> bool:
    return release.inspected is not None and release.inspected.client.shows(name)


def _is_unknown(release: Release, name: str) -> bool:
    """Whether its inspection says neither that it has the behaviour nor that it lacks it."""
    seen = release.inspected
    return seen is not None and name not in {*seen.client.realised_by, *seen.client.absent}


def _ways(name: str, releases: Sequence[Release]) -> list[str]:
    """Which method shows it in which versions, if not the same in all."""
    shown = [
        (release.version, release.inspected.client.realised_by[name])
        for release in releases
        if release.inspected is not None and _has(release, name)
    ]
    groups = [
        (method, [version for version, _ in group])
        for method, group in groupby(shown, key=lambda one: one[1])
    ]
    if len(groups) < 2:
        return []
    return [f"shown by {method} in {_stretch(versions)}" for method, versions in groups]


def _limits(name: str, releases: Sequence[Release]) -> list[str]:
    """What could be asked of some versions only: it was compared among those alone."""
    there = [release.inspected for release in releases if release.inspected is not None]
    there = [one for one in there if one.client.shows(name)]
    words = dict.fromkeys(
        word
        for one in there
        for word in (*one.cannot.get(name, ()), *one.lacks_operations.get(name, ()))
    )
    notes = []
    for word in words:
        asked = [
            one.client.version
            for one in there
            if word not in one.cannot.get(name, ())
            and word not in one.lacks_operations.get(name, ())
        ]
        where = f"asked of {_stretch(asked)} only" if asked else "asked of none"
        notes.append(f"{word}: {where}, because the jars allow no more")
    return notes


def _stretch(versions: Sequence[str]) -> str:
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"

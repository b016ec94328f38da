"""Which version of Java a testee is like, if any: said of behaviours, or of the kinds of record."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from conformance.errors import ExitCode
from conformance.model.results import (
    Cell,
    CellResult,
    RunResult,
    Verdict,
    exit_code_of,
    untried_cases,
)

WITHOUT_KEY = "records without key"
_SUCCESSIVE = ("round-robin-null-key", "sticky", "built-in")
"""What Java did with records without key, one behaviour after the other."""
UNTRIED = "because this suite has none of the versions that it claims"
"""Why a claimed behaviour is not run."""


@dataclass(frozen=True)
class Likeness:
    """What became of one behaviour, over the versions that were tried."""

    what: str
    behaviours: tuple[str, ...]
    like: tuple[str, ...]
    """The versions that it is like, with the behaviour where it is one of several."""
    closest: str = ""
    """Of those that it is not like."""
    differs: str = ""
    """Where it differs from the closest."""
    not_run: bool = False
    known: bool = False
    """Whether all that it is not like is known."""
    in_part: str = ""
    """What of it nothing is said about, in brackets: what it is not asked, or could not try."""

    @property
    def verdict(self) -> Verdict:
        """What it comes to if no version is claimed: being like one of them is enough."""
        if self.like:
            return Verdict.CONFORMS
        if self.not_run:
            return Verdict.NOT_RUN
        return Verdict.KNOWN if self.known else Verdict.DIVERGES

    def __str__(self) -> str:
        if self.like:
            rest = "; something was not run" if self.not_run else ""
            return f"{self.what}: matches Java {', '.join(self.like)}{rest}{self.in_part}"
        if self.not_run:
            return f"{self.what}: unknown, because something was not run"
        told = f"the closest is {self.closest}{self.in_part}, differs in: {self.differs}"
        return f"{self.what}: matches no Java version; {told}"


def likenesses(results: Sequence[CellResult]) -> list[Likeness]:
    """For each behaviour that was tried; those of records without key are one thing."""
    return [_likeness(what, group) for what, group in _groups(results).items()]


def exit_code_of_testee(
    results: Sequence[CellResult], claimed: Collection[str], *, interrupted: bool = False
) -> ExitCode:
    """What is claimed must hold in each version; what is not must be like one of them."""
    decisive = {result.verdict for result in results if result.cell.behaviour in claimed}
    for likeness in likenesses(results):
        if not set(likeness.behaviours) <= set(claimed):
            decisive.add(likeness.verdict)
    # A cell that should have been run and was not is no success, whatever the others are like.
    decisive |= {Verdict.NOT_RUN for result in results if result.verdict is Verdict.NOT_RUN}
    code = exit_code_of(decisive)
    return ExitCode.NOT_RUN if interrupted and code is ExitCode.CONFORMS else code


def unclaimed_divergences(
    results: Sequence[CellResult], claimed: Collection[str]
) -> dict[Cell, str]:
    """Cells whose divergence :func:`exit_code_of_testee` does not count, each with the reason."""
    found = {}
    for what, group in _groups(results).items():
        likeness = _likeness(what, group)
        if likeness.verdict is Verdict.DIVERGES:
            continue
        for result in group:
            if result.verdict is Verdict.DIVERGES and result.cell.behaviour not in claimed:
                found[result.cell] = f"The testee does not claim this version. {likeness}"
    return found


@dataclass(frozen=True)
class TesteeOutcome:
    """What a whole run comes to: the exit code, and all that decides it."""

    alike: tuple[Likeness, ...]
    outdated: tuple[str, ...]
    """What is known to diverge, and does not."""
    untried: tuple[str, ...]
    """Behaviours with claims, none of them of a version that there is."""
    unclaimed: Mapping[Cell, str]
    """See :func:`unclaimed_divergences`; empty if they were to count."""
    exit_code: ExitCode

    @property
    def not_counted(self) -> str:
        """Which divergences decided nothing, why, and how they would; empty if there are none."""
        if not self.unclaimed:
            return ""
        verb = "diverges" if len(self.unclaimed) == 1 else "diverge"
        return (
            f"Not counted: {', '.join(map(str, self.unclaimed))} {verb}. The testee claims no "
            "version for this, so one match is enough. Name the versions that it must match as "
            "claims in its hello, or count every divergence with --fail-on-unclaimed."
        )


def outcome_of_testee(
    result: RunResult,
    claimed: Collection[str],
    *,
    outdated: Sequence[str] = (),
    untried: Sequence[str] = (),
    fail_on_unclaimed: bool = False,
) -> TesteeOutcome:
    """As :func:`exit_code_of_testee`; what is outdated or untried is no success either.

    ``fail_on_unclaimed``: every divergence counts, but for those that are known.
    """
    code = exit_code_of_testee(result.results, claimed, interrupted=result.interrupted)
    if code is ExitCode.CONFORMS and outdated:
        code = ExitCode.DIVERGES
    if code is ExitCode.CONFORMS and untried:
        code = ExitCode.NOT_RUN
    unclaimed = unclaimed_divergences(result.results, claimed)
    if unclaimed and fail_on_unclaimed:
        code, unclaimed = ExitCode.DIVERGES, {}
    return TesteeOutcome(
        tuple(likenesses(result.results)),
        tuple(outdated),
        tuple(untried),
        unclaimed,
        code,
    )


def _groups(results: Sequence[CellResult]) -> dict[str, list[CellResult]]:
    """What is like a version, or is not, as one thing: a behaviour, or records without key."""
    groups: dict[str, list[CellResult]] = {}
    for result in results:
        if result.verdict is not Verdict.ABSENT:
            name = result.cell.behaviour
            # One that takes draws says which class it is of, so each must be like one.
            together = name in _SUCCESSIVE and not result.cases
            groups.setdefault(WITHOUT_KEY if together else name, []).append(result)
    return groups


def _likeness(what: str, group: Sequence[CellResult]) -> Likeness:
    behaviours = tuple(dict.fromkeys(one.cell.behaviour for one in group))
    like = tuple(_name(what, one) for one in group if one.verdict is Verdict.CONFORMS)
    unlike = [one for one in group if one.verdict in (Verdict.DIVERGES, Verdict.KNOWN)]
    not_run = any(one.verdict is Verdict.NOT_RUN for one in group)
    if like or not unlike:
        told = untried_cases(sum(one.refused for one in group), sum(one.cases for one in group))
        limits = [one.limit for one in group if one.verdict is Verdict.CONFORMS]
        return Likeness(
            what, behaviours, like, not_run=not_run, in_part=_in_brackets(*limits, told)
        )
    closest = min(unlike, key=_distance)
    return Likeness(
        what,
        behaviours,
        (),
        closest=_name(what, closest),
        differs="; ".join(sorted(closest.differences, key=lambda d: -closest.differences[d])[:3]),
        not_run=not_run,
        known=all(one.verdict is Verdict.KNOWN for one in unlike),
        in_part=_in_brackets(closest.in_part),
    )


def _in_brackets(*told: str) -> str:
    parts = dict.fromkeys(filter(None, told))
    return f" ({'; '.join(parts)})" if parts else ""


def _name(what: str, result: CellResult) -> str:
    cell = result.cell
    return f"{cell.client} ({cell.behaviour})" if what == WITHOUT_KEY else cell.client


def _distance(result: CellResult) -> float:
    """0 to 1: the share of cases, or of tests, that differ."""
    if result.agreement is not None:
        return 1 - result.agreement
    failed = sum(test.verdict is Verdict.DIVERGES for test in result.tests)
    return failed / max(1, len(result.tests))

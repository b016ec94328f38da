"""Which version of Java a testee is like, if any: said of behaviours, or of the kinds of record."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from conformance.engine.results import CellResult, Verdict, exit_code_of
from conformance.errors import ExitCode

WITHOUT_KEY = "records without key"
_SUCCESSIVE = ("round-robin-null-key", "sticky", "built-in")
"""What Java did with records without key, one behaviour after the other."""


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
    untried: str = ""
    """How much of what was asked it could not try."""

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
            return f"{self.what}: as Java {', '.join(self.like)}{rest}{self.untried}"
        if self.not_run:
            return f"{self.what}: not known, for something was not run"
        return f"{self.what}: like none; the closest is {self.closest}, differs at: {self.differs}"


def likenesses(results: Sequence[CellResult]) -> list[Likeness]:
    """For each behaviour that was tried; those of records without key are one thing."""
    groups: dict[str, list[CellResult]] = {}
    for result in results:
        if result.verdict is not Verdict.ABSENT:
            name = result.cell.behaviour
            # One that takes draws says which class it is of, so each must be like one.
            together = name in _SUCCESSIVE and not result.cases
            groups.setdefault(WITHOUT_KEY if together else name, []).append(result)
    return [_likeness(what, group) for what, group in groups.items()]


def exit_code_of_testee(
    results: Sequence[CellResult], claimed: Collection[str], *, interrupted: bool = False
) -> ExitCode:
    """What is claimed must hold in each version; what is not must be like one of them."""
    verdicts = {result.verdict for result in results if result.cell.behaviour in claimed}
    for likeness in likenesses(results):
        if not set(likeness.behaviours) <= set(claimed):
            verdicts.add(likeness.verdict)
    # A cell that should have been run and was not is no success, whatever the others are like.
    verdicts |= {Verdict.NOT_RUN for result in results if result.verdict is Verdict.NOT_RUN}
    code = exit_code_of(verdicts)
    return ExitCode.NOT_RUN if interrupted and code is ExitCode.CONFORMS else code


def _likeness(what: str, group: Sequence[CellResult]) -> Likeness:
    behaviours = tuple(dict.fromkeys(one.cell.behaviour for one in group))
    like = tuple(_name(what, one) for one in group if one.verdict is Verdict.CONFORMS)
    unlike = [one for one in group if one.verdict in (Verdict.DIVERGES, Verdict.KNOWN)]
    not_run = any(one.verdict is Verdict.NOT_RUN for one in group)
    if like or not unlike:
        refused = sum(one.refused for one in group)
        asked = refused + sum(one.cases for one in group)
        untried = f" ({refused} of {asked} cases not tried)" if refused else ""
        return Likeness(what, behaviours, like, not_run=not_run, untried=untried)
    closest = min(unlike, key=_distance)
    return Likeness(
        what,
        behaviours,
        (),
        closest=_name(what, closest),
        differs="; ".join(sorted(closest.differences, key=lambda d: -closest.differences[d])[:3]),
        not_run=not_run,
        known=all(one.verdict is Verdict.KNOWN for one in unlike),
    )


def _name(what: str, result: CellResult) -> str:
    cell = result.cell
    return f"{cell.client} ({cell.behaviour})" if what == WITHOUT_KEY else cell.client


def _distance(result: CellResult) -> float:
    """0 to 1: the share of cases, or of tests, that differ."""
    if result.agreement is not None:
        return 1 - result.agreement
    failed = sum(test.verdict is Verdict.DIVERGES for test in result.tests)
    return failed / max(1, len(result.tests))

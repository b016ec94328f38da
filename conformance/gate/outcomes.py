"""A regression gate: the plan for two jars, and what each behaviour's result says of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from conformance.behaviours.registry import OF_JARS
from conformance.clients.inspected import Inspected
from conformance.engine.known import NOTHING_KNOWN, KnownDivergences
from conformance.engine.plan import Plan, behaviour_named, profile_named
from conformance.errors import ExitCode, UsageError
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, RunResult, Verdict
from conformance.names import unique

GONE = "gone"
"""What files of accepted changes call it that a candidate lacks a behaviour."""


class Change(StrEnum):
    """What became of a behaviour from one jar to the other."""

    SAME = "same"
    CHANGED = "changed"
    CHANGE_ACCEPTED = "changed (accepted)"
    GONE = GONE
    LOSS_ACCEPTED = "gone (accepted)"
    NEW = "new"
    NEITHER = "in neither"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class BehaviourChange:
    """One behaviour's change."""

    behaviour: str
    change: Change
    what: str
    """Which kinds of differences there are, what is missing, or why nothing was compared."""
    cases: int = 0
    """How many cases both jars were given."""
    planned: int = 0
    """How many they would have been given with time enough."""


def comparable(behaviours: Sequence[str]) -> list[str]:
    """These behaviours, each once; raises :class:`UsageError` for one that no two jars have."""
    asked = [behaviour_named(name) for name in unique(behaviours)]
    for behaviour in asked:
        if not behaviour.for_jars:
            raise UsageError(
                f"{behaviour.name} is a behaviour of the Python port: two jars cannot differ in "
                "it.",
                f"Choose from {', '.join(one.name for one in OF_JARS)}.",
            )
    return [behaviour.name for behaviour in asked]


@dataclass(frozen=True)
class InBoth:
    """What two jars have in common of some behaviours, and what became of the others."""

    shared: tuple[str, ...]
    client: ClientVersion
    """The baseline's version, with what both have."""
    settled: dict[str, tuple[Verdict, str]]
    """The behaviours that cannot be compared: absent or not run, and why."""

    def settled_as(self, cell: Cell, behaviour: str) -> CellResult:
        """The result of a cell that shows one of these."""
        verdict, reason = self.settled[behaviour]
        return CellResult(cell, verdict, reason=reason)


def in_both(before: Inspected, after: Inspected, names: Sequence[str]) -> InBoth:
    """See :class:`InBoth`.

    Raises :class:`UsageError` when the jars have nothing in common; :class:`OracleError` when
    nothing of what they may have in common can be loaded.
    """
    old, new = before.client, after.client
    # All of them, whichever were asked for: what both have decides which cases there are.
    everything = [behaviour.name for behaviour in OF_JARS]
    both = [name for name in everything if old.shows(name) and new.shows(name)]
    ways = {name: new.realised_by[name] for name in both}
    shared = tuple(name for name in names if name in ways)
    # Why it cannot be told of some whether both jars have them.
    told = {**after.broken, **before.broken}
    broken = {name: told[name] for name in names if name in told}
    absent = {
        name: _lacking(name, before, after) for name in names if name not in {*shared, *broken}
    }
    if broken and not shared:
        raise next(iter(broken.values()))
    if not shared:
        raise UsageError(
            "The two jars have none of these behaviours in common: "
            + "; ".join(f"{name}: {reason}" for name, reason in absent.items()),
            "Choose other behaviours or jars.",
        )
    client = ClientVersion(old.version, port="", realised_by=ways, absent=absent)
    settled = {name: (Verdict.ABSENT, reason) for name, reason in absent.items()}
    return InBoth(
        shared,
        client,
        settled | {name: (Verdict.NOT_RUN, str(error)) for name, error in broken.items()},
    )


def gate_plan(
    before: Inspected, after: Inspected, behaviours: Sequence[str], *, profile: str, seed: int
) -> Plan:
    """A cell for each behaviour that both jars have.

    Raises :class:`UsageError` for a name that does not exist, for a behaviour of the Python port
    alone, and whatever :func:`in_both` does.
    """
    effort = profile_named(profile)
    both = in_both(before, after, comparable(behaviours))
    version = both.client.version
    return Plan(
        tuple(Cell(name, version) for name in both.shared),
        tuple(both.settled_as(Cell(name, version), name) for name in both.settled),
        effort,
        seed,
        (both.client,),
    )


def with_what_is_gone(before: Inspected, run: RunResult) -> list[CellResult]:
    """The results with what is gone as one more kind of difference, for accepting it."""
    return [
        as_gone(result)
        if result.verdict is Verdict.ABSENT and before.client.shows(result.cell.behaviour)
        else result
        for result in run.results
    ]


def as_gone(result: CellResult) -> CellResult:
    """The result of something absent as a difference."""
    return replace(result, verdict=Verdict.DIVERGES, differences={GONE: 1})


def outdated_changes(
    accepted: KnownDivergences, before: Inspected, plan: Plan, run: RunResult, *, whole: bool
) -> list[str]:
    """Changes that were accepted and are not there; ``whole``: no behaviour was left out.

    A cell whose time was over before its last case says nothing.
    """
    told = [
        result
        for result in with_what_is_gone(before, run)
        if GONE in result.differences or not 0 < result.cases < plan.cases_of(result.cell)
    ]
    return accepted.outdated(told, whole=whole and len(told) == len(run.results))


def changes_of(
    before: Inspected,
    after: Inspected,
    plan: Plan,
    run: RunResult,
    accepted: KnownDivergences = NOTHING_KNOWN,
) -> list[BehaviourChange]:
    """What each behaviour of a run says of the jars, in the order of the matrix."""
    return [
        outcome_of(
            result,
            (result.cases, plan.cases_of(result.cell)),
            tuple(jar.client.shows(result.cell.behaviour) for jar in (before, after)),
            accepted,
        )
        for result in run.results
    ]


def exit_code_of_gate(outcomes: Sequence[BehaviourChange], outdated: Sequence[str]) -> ExitCode:
    """What is gone is a change; what could not be compared is never the same.

    ``outdated`` are changes that were accepted and are not there.
    """
    changes = {one.change for one in outcomes}
    if outdated or changes & {Change.CHANGED, Change.GONE}:
        return ExitCode.DIVERGES
    if Change.NOT_COMPARABLE in changes or not changes & {Change.SAME, Change.CHANGE_ACCEPTED}:
        return ExitCode.NOT_RUN
    return ExitCode.CONFORMS


def outcome_of(
    result: CellResult,
    counted: tuple[int, int],
    has: tuple[bool, ...],
    accepted: KnownDivergences = NOTHING_KNOWN,
) -> BehaviourChange:
    """What a result says of two jars.

    ``counted``: how much was compared, and how much was to be; ``has``: which of the two have it.
    """
    name = result.cell.behaviour
    if result.verdict is Verdict.ABSENT:
        if not has[0]:
            change = Change.NEW if has[1] else Change.NEITHER
            return BehaviourChange(name, change, result.reason)
        why = accepted.excuse(result.cell, GONE)
        if why is None:
            return BehaviourChange(name, Change.GONE, result.reason)
        return BehaviourChange(
            name, Change.LOSS_ACCEPTED, f"{result.reason}; {why.cause} ({why.link})"
        )
    untried = f"{result.untried}: {'; '.join(result.refusals)}" if result.refused else ""
    if result.verdict is Verdict.NOT_RUN:
        return BehaviourChange(name, Change.NOT_COMPARABLE, untried or result.reason, *counted)
    if result.verdict is Verdict.CONFORMS:
        return BehaviourChange(name, Change.SAME, untried, *counted)
    change = Change.CHANGED if result.verdict is Verdict.DIVERGES else Change.CHANGE_ACCEPTED
    return BehaviourChange(name, change, kinds_of(result, accepted), *counted)


def kinds_of(result: CellResult, accepted: KnownDivergences = NOTHING_KNOWN) -> str:
    """The kinds of differences, what was seen of each, and which of them are intended."""
    seen = {test.difference: f": {test.detail}" for test in result.tests}
    told = []
    for kind, number in result.differences.items():
        excuse = accepted.excuse(result.cell, kind)
        why = f": {excuse.cause} ({excuse.link})" if excuse is not None else ""
        cases = f" ({number} {'case' if number == 1 else 'cases'})"
        told.append(f"{kind}{seen.get(kind, cases)}{why}")
    return "; ".join(told)


def _lacking(name: str, before: Inspected, after: Inspected) -> str:
    """Which of the two lacks what."""
    if name in before.lacking and name in after.lacking:
        return f"neither has {before.lacking[name]}"
    return before.client.absent.get(name) or after.client.absent[name]

"""A regression gate: the plan for two jars, and what each behaviour's result says of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from conformance.clients.client_version import ClientVersion
from conformance.clients.inspected import WAYS, Inspected
from conformance.engine.plan import Plan, behaviour_named, unique, unknown
from conformance.engine.profiles import PROFILES
from conformance.engine.results import Cell, CellResult, RunResult, Verdict
from conformance.errors import UsageError


class Change(StrEnum):
    """What became of a behaviour from one jar to the other."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    NEW = "new"
    NEITHER = "in neither"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Outcome:
    """One behaviour's change."""

    behaviour: str
    change: Change
    what: str
    """How many cases agreed, which kinds of differences there are, or why nothing was compared."""


def comparable(behaviours: Sequence[str]) -> list[str]:
    """These behaviours, each once; raises :class:`UsageError` for one that no two jars have."""
    names = [behaviour_named(name).name for name in unique(behaviours)]
    for name in names:
        if name not in WAYS:
            raise UsageError(
                f"{name} is a behaviour of the Python port: two jars cannot differ in it.",
                f"Choose from {', '.join(WAYS)}.",
            )
    return names


def gate_plan(
    before: Inspected, after: Inspected, behaviours: Sequence[str], *, profile: str, seed: int
) -> Plan:
    """A cell for each behaviour that both jars have.

    Raises :class:`UsageError` for a name that does not exist, for a behaviour of the Python port
    alone, and when the jars have nothing in common.
    """
    if profile not in PROFILES:
        raise unknown("profile", profile, PROFILES)
    old, new = before.client, after.client
    names = comparable(behaviours)
    shared = {name: new.realised_by[name] for name in names if _in_both(name, old, new)}
    absent = {name: _lacking(name, old, new) for name in names if name not in shared}
    if not shared:
        raise UsageError(
            "The two jars have none of these behaviours in common: "
            + "; ".join(f"{name}: {reason}" for name, reason in absent.items()),
            "Choose other behaviours or jars.",
        )
    client = ClientVersion(old.version, port="", realised_by=shared, absent=absent)
    return Plan(
        tuple(Cell(name, old.version) for name in shared),
        tuple(
            CellResult(Cell(name, old.version), Verdict.ABSENT, reason=reason)
            for name, reason in absent.items()
        ),
        PROFILES[profile],
        seed,
        (client,),
    )


def changes_of(before: Inspected, after: Inspected, run: RunResult) -> list[Outcome]:
    """What each behaviour of a run says of the jars, in the order of the matrix."""
    return [_outcome(before.client, after.client, result) for result in run.results]


def _outcome(old: ClientVersion, new: ClientVersion, result: CellResult) -> Outcome:
    name = result.cell.behaviour
    if result.verdict is Verdict.ABSENT:
        change = Change.NEITHER
        if name in old.realised_by:
            change = Change.GONE
        elif name in new.realised_by:
            change = Change.NEW
        return Outcome(name, change, result.reason)
    if result.verdict is Verdict.NOT_RUN:
        return Outcome(name, Change.NOT_COMPARABLE, result.reason)
    if result.verdict is Verdict.DIVERGES:
        kinds = "; ".join(f"{kind} ({n} cases)" for kind, n in result.differences.items())
        return Outcome(name, Change.CHANGED, kinds)
    return Outcome(name, Change.SAME, f"{result.cases} cases")


def _in_both(name: str, old: ClientVersion, new: ClientVersion) -> bool:
    return name in old.realised_by and name in new.realised_by


def _lacking(name: str, old: ClientVersion, new: ClientVersion) -> str:
    return "; ".join(one.absent[name] for one in (old, new) if name in one.absent)

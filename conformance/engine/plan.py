"""Which cells a run has, from what the user asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.behaviours.registry import BEHAVIOURS
from conformance.clients.versions import CLIENT_VERSIONS, client_named
from conformance.engine.profiles import PROFILES, Profile
from conformance.errors import UsageError
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.results import Cell, CellResult, Verdict
from conformance.model.subject import Subject
from conformance.names import named, unique


@dataclass(frozen=True)
class Plan:
    """The cells to run, those that need no run, and the effort and seed of it all."""

    cells: tuple[Cell, ...]
    absent: tuple[CellResult, ...]
    """What a version lacks, or a jar cannot show."""
    profile: Profile
    seed: int
    clients: tuple[ClientVersion, ...] = CLIENT_VERSIONS
    """Those that the cells speak of, and maybe more."""

    def client_of(self, cell: Cell) -> ClientVersion:
        """The client version of a cell."""
        return next(client for client in self.clients if client.version == cell.client)

    def cases_of(self, cell: Cell) -> int:
        """The number of cases of a cell."""
        return self.profile.cases_of(behaviour_named(cell.behaviour))


def make_plan(
    *,
    clients: Sequence[str] = (),
    behaviours: Sequence[str] = (),
    profile: str = "default",
    seed: int = 0,
    subjects: Sequence[Subject] = (),
) -> Plan:
    """The plan for some client versions and behaviours (none named: all).

    A cell is absent if the version does not have the behaviour, or one of ``subjects`` does
    not support it. Raises :class:`UsageError` for a name that does not exist, with the
    closest one, and when nothing is left to run.
    """
    chosen_clients = [client_named(name) for name in unique(clients)] or list(CLIENT_VERSIONS)
    chosen = [behaviour_named(name) for name in unique(behaviours)] or list(BEHAVIOURS)
    effort = profile_named(profile)
    cells = []
    absent = []
    for behaviour in chosen:
        for client in chosen_clients:
            cell = Cell(behaviour.name, client.version)
            reasons = [subject.lacks(behaviour, client) for subject in subjects]
            reason = next(filter(None, [client.absent.get(behaviour.name), *reasons]), None)
            if reason is None:
                cells.append(cell)
            else:
                absent.append(CellResult(cell, Verdict.ABSENT, reason=reason))
    if not cells:
        raise UsageError(
            "There is nothing to run: "
            + "; ".join(f"{result.cell}: {result.reason}" for result in absent),
            "Choose other versions or behaviours (kafka-conformance list shows which has which).",
        )
    return Plan(tuple(cells), tuple(absent), effort, seed)


def profile_named(name: str) -> Profile:
    """A profile by its name; raises :class:`UsageError` for one that does not exist."""
    return named("profile", name, PROFILES)


def behaviour_named(name: str) -> Behaviour:
    """A behaviour by its name; raises :class:`UsageError` for one that does not exist."""
    return named("behaviour", name, {behaviour.name: behaviour for behaviour in BEHAVIOURS})

"""What became of the settings of producer and consumer from one jar to the other."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine.known import KnownDivergences
from conformance.errors import SuiteError
from conformance.gate.outcomes import BehaviourChange, outcome_of
from conformance.model.results import Cell, CellResult, TestResult, Verdict
from conformance.model.settings import Setting, Settings
from conformance.names import unknown

OF_SETTINGS: Final = {f"{client}-settings": client for client in ("producer", "consumer")}
"""What the gate calls them, and whose they are."""
_EMPTY: Final = "(empty)"


def changeable(name: str) -> None:
    """Raises :class:`UsageError` for a name of nothing that a gate can find changed."""
    names = [*(behaviour.name for behaviour in BEHAVIOURS), *OF_SETTINGS]
    if name not in names:
        raise unknown("behaviour", name, names)


def compared_settings(
    version: str,
    old: Settings | SuiteError,
    new: Settings | SuiteError,
    accepted: KnownDivergences,
) -> list[tuple[CellResult, BehaviourChange]]:
    """A result, and what it says, for each of :data:`OF_SETTINGS`; ``version``: the baseline's."""
    compared = []
    for name, client in OF_SETTINGS.items():
        cell = Cell(name, version)
        added: list[str] = []
        broken = next((one for one in (old, new) if isinstance(one, SuiteError)), None)
        if isinstance(old, SuiteError) or isinstance(new, SuiteError):
            result = CellResult(cell, Verdict.NOT_RUN, reason=str(broken))
        else:
            tests = tuple(_differences(old[client], new[client]))
            same = CellResult(cell, Verdict.CONFORMS)
            result = accepted.result_of_tests(cell, tests) if tests else same
            added = sorted(new[client].keys() - old[client].keys())
        outcome = outcome_of(result, (0, 0), (True, True), accepted)
        told = [outcome.what, f"new: {', '.join(added)}" if added else ""]
        compared.append((result, replace(outcome, what="; ".join(filter(None, told)))))
    return compared


def _differences(old: Mapping[str, Setting], new: Mapping[str, Setting]) -> list[TestResult]:
    """What is gone, and each part of a setting that is not as it was; new ones are none."""
    found = []
    for name, before in sorted(old.items()):
        after = new.get(name)
        if after is None:
            found.append(TestResult(name, "gone", Verdict.DIVERGES, 0, f"was {before.default}"))
            continue
        found += [
            TestResult(
                name, part, Verdict.DIVERGES, 0, f"{now or '(empty)'} for {was or '(empty)'}"
            )
            for part, was, now in zip(Setting._fields, before, after, strict=True)
            if was != now
        ]
    return found

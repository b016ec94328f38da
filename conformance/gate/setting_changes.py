"""What became of settings and serializers from one jar to the other: compared without cases."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from conformance.behaviours.registry import BEHAVIOURS
from conformance.engine.known import KnownDivergences
from conformance.errors import SuiteError
from conformance.gate.outcomes import BehaviourChange, outcome_of
from conformance.model.results import Cell, CellResult, TestResult, Verdict
from conformance.model.settings import Settings
from conformance.names import unknown

OF_SETTINGS: Final = {f"{client}-settings": client for client in ("producer", "consumer")}
"""What the gate calls them, and whose they are."""
SERIALIZERS: Final = "serializers"
OUTRIGHT: Final = (*OF_SETTINGS, SERIALIZERS)
"""What is compared without cases."""
_EMPTY: Final = "(empty)"
_ASKED: Final = "can be asked"

_Parts: TypeAlias = Mapping[str, Mapping[str, str] | SuiteError]
"""By name, each part; or why that one cannot be asked."""


def changeable(name: str) -> None:
    """Raises :class:`UsageError` for a name of nothing that a gate can find changed."""
    names = [*(behaviour.name for behaviour in BEHAVIOURS), *OUTRIGHT]
    if name not in names:
        raise unknown("behaviour", name, names)


@dataclass(frozen=True)
class Declared:
    """What a jar says of itself, or why it cannot be asked."""

    settings: Settings | SuiteError
    serialized: _Parts | SuiteError
    """By serializer and by value: the bytes."""


def compared_outright(
    version: str, old: Declared, new: Declared, accepted: KnownDivergences
) -> list[tuple[CellResult, BehaviourChange]]:
    """A result, and what it says, for each of :data:`OUTRIGHT`; ``version``: the baseline's."""
    compared = []
    for name in OUTRIGHT:
        cell = Cell(name, version)
        added: list[str] = []
        before, after = (_of(one, name) for one in (old, new))
        if isinstance(before, SuiteError) or isinstance(after, SuiteError):
            broken = before if isinstance(before, SuiteError) else after
            result = CellResult(cell, Verdict.NOT_RUN, reason=str(broken))
        else:
            tests = tuple(_differences(before, after))
            same = CellResult(cell, Verdict.CONFORMS)
            result = accepted.result_of_tests(cell, tests) if tests else same
            unasked = [test.detail for test in tests if test.verdict is Verdict.NOT_RUN]
            result = replace(result, reason="; ".join(unasked))
            added = sorted(after.keys() - before.keys())
        outcome = outcome_of(result, (0, 0), (True, True), accepted)
        told = [outcome.what, f"new: {', '.join(added)}" if added else ""]
        compared.append((result, replace(outcome, what="; ".join(filter(None, told)))))
    return compared


def _of(declared: Declared, name: str) -> _Parts | SuiteError:
    """The parts of each setting, or what each serializer makes of each value."""
    if name == SERIALIZERS:
        return declared.serialized
    if isinstance(declared.settings, SuiteError):
        return declared.settings
    settings = declared.settings[OF_SETTINGS[name]]
    return {name: setting._asdict() for name, setting in settings.items()}


def _differences(old: _Parts, new: _Parts) -> list[TestResult]:
    """What is gone, and each part that is not as it was; what is new is no difference.

    One that could be asked before and cannot be now is a difference.
    """
    found = []
    for name, before in sorted(old.items()):
        after = new.get(name)
        if isinstance(before, SuiteError):
            found.append(TestResult(name, _ASKED, Verdict.NOT_RUN, 0, before.what))
            continue
        if isinstance(after, SuiteError):
            found.append(TestResult(name, _ASKED, Verdict.DIVERGES, 0, after.what))
            continue
        if after is None:
            was = f"was {before['default']}" if "default" in before else ""
            found.append(TestResult(name, "gone", Verdict.DIVERGES, 0, was))
            continue
        found += [
            TestResult(name, part, Verdict.DIVERGES, 0, f"{after[part] or _EMPTY} for {was}")
            for part, was in ((part, was or _EMPTY) for part, was in before.items())
            if after[part] != before[part]
        ]
    return found

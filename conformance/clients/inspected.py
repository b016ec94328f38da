"""What a kafka-clients jar of any version shows, found out from what is in it.

Versions are not asked for their number but for what they have, so that a build of tomorrow is tried
as well. What has the right classes but another shape of methods or fields inside is found out when
the behaviour links them (:class:`~conformance.model.program.Linker`), and is *not run*.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from conformance.behaviours.registry import OF_JARS
from conformance.errors import OracleError
from conformance.model.behaviour import Behaviour
from conformance.model.client_version import ClientVersion
from conformance.model.ways import Member, Way


@dataclass(frozen=True)
class Inspected:
    """A jar as the gate sees it."""

    client: ClientVersion
    cannot: Mapping[str, tuple[str, ...]]
    """By behaviour, what it cannot be asked, in the words of the testee protocol."""
    lacks_operations: Mapping[str, tuple[str, ...]]
    """By behaviour, operations that it does not have."""
    lacking: Mapping[str, str] = field(default_factory=dict)
    """By behaviour that it does not have, what it would have to have."""
    broken: Mapping[str, OracleError] = field(default_factory=dict)
    """By behaviour that it may or may not have, why that cannot be told."""

    def without(self, broken: Mapping[str, OracleError]) -> "Inspected":
        """The same without some behaviours, of which it cannot be told whether it has them."""
        shown = {k: v for k, v in self.client.realised_by.items() if k not in broken}
        client = replace(self.client, realised_by=shown)
        return replace(self, client=client, broken={**self.broken, **broken})


def inspected(
    version: str, has: Callable[[Member], bool], behaviours: Iterable[Behaviour] = OF_JARS
) -> Inspected:
    """What a jar shows, and how, given what it has; ``version`` is what it calls itself.

    ``has`` raises :class:`OracleError` for a class that is there and cannot be loaded.
    """
    shown: dict[str, str] = {}
    lacking: dict[str, str] = {}
    cannot: dict[str, tuple[str, ...]] = {}
    lacks_operations: dict[str, tuple[str, ...]] = {}
    broken: dict[str, OracleError] = {}
    for behaviour in behaviours:
        name = behaviour.name
        try:
            way = next((one for one in behaviour.ways if all(map(has, one.has))), None)
            if way is None:
                lacking[name] = _wanted(behaviour.ways)
                continue
            words = tuple(one.cannot for one in behaviour.limits if not has(one.lacking))
            without = tuple(one for one, member in behaviour.only_with.items() if not has(member))
        except OracleError as error:
            broken[name] = error
            continue
        shown[name] = way.shown_by
        if words:
            cannot[name] = words
        if without:
            lacks_operations[name] = without
    absent = {name: f"{version} has no {wanted}" for name, wanted in lacking.items()}
    client = ClientVersion(version, port="", realised_by=shown, absent=absent)
    return Inspected(client, cannot, lacks_operations, lacking, broken)


def _wanted(ways: Iterable[Way]) -> str:
    return " or ".join(str(member) for way in ways for member in way.has)

"""What changed between two jars, and whether a behaviour drives it.

A class is *driven* if each of its methods that is new or changed was entered in the candidate while
cases were performed. It says that the cases got there, not that they would notice every change.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.model.classes import ChangedClass, ClassChange

_KAFKA: Final = "org.apache.kafka."
_FIRST: Final = ("producer", "consumer", "admin", "clients", "common")
"""The order in which parts of the library are told of; any others follow."""


@dataclass(frozen=True)
class ClassOutcome:
    """One class that is not the same in both jars."""

    name: str
    change: ClassChange
    driven: bool
    idle: tuple[str, ...] = ()
    """Which of the methods that are new or changed never ran; empty where the change is beside
    methods, and where there is no code."""

    @property
    def part(self) -> str:
        """Of the library: producer, consumer, common ..."""
        first, *further = self.name.removeprefix(_KAFKA).split(".")
        return further[0] if first == "clients" and len(further) > 1 else first


@dataclass(frozen=True)
class Classes:
    """All such classes of two jars, the producer's first."""

    outcomes: tuple[ClassOutcome, ...]
    fail: bool = False
    """Whether one that no behaviour drives fails the gate."""

    @property
    def undriven(self) -> list[ClassOutcome]:
        """Those of which something changed that no behaviour drives."""
        return [one for one in self.outcomes if not one.driven]

    @property
    def fails(self) -> bool:
        """Whether they make the gate fail."""
        return self.fail and bool(self.undriven)

    @property
    def summary(self) -> str:
        """How many changed and how many of them are driven, by the parts of the library."""
        if not self.outcomes:
            return "No class changed."
        parts: dict[str, list[bool]] = defaultdict(list)
        for one in self.outcomes:
            parts[one.part].append(one.driven)
        told = [
            f"{len(driven):,} {'class' if len(driven) == 1 else 'classes'} of {_named(part)} "
            f"changed, {sum(driven):,} of them driven"
            for part, driven in parts.items()
        ]
        return f"{'; '.join(told)}."


def driven_classes(
    changed: Sequence[ChangedClass], ran: Collection[int], *, fail: bool = False
) -> Classes:
    """What became of the changed classes, given the numbers of the probes that ran."""
    outcomes = [_outcome(one, ran) for one in changed]
    parts = {one.part for one in outcomes}
    order = [*_FIRST, *sorted(parts - {*_FIRST})]
    outcomes.sort(key=lambda one: (order.index(one.part), one.name))
    return Classes(tuple(outcomes), fail)


def _outcome(one: ChangedClass, ran: Collection[int]) -> ClassOutcome:
    idle = tuple(method for number, method in enumerate(one.probed, one.first) if number not in ran)
    # What has no code cannot be driven, and what is gone neither.
    return ClassOutcome(
        one.name, one.change, bool(one.probed) and not idle, tuple(filter(None, idle))
    )


def _named(part: str) -> str:
    return f"the {part}" if part in ("producer", "consumer", "admin") else part

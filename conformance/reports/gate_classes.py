"""The changed classes that no behaviour drives, as lines."""

from conformance.gate.driven import Classes, ClassOutcome
from conformance.model.classes import ClassChange
from conformance.text import listed

_METHODS = 4
"""So many are told by name."""


def undriven_lines(classes: Classes, most: int) -> list[str]:
    """A line for each, ``most`` lines of classes at most, and what is left out."""
    undriven = classes.undriven
    lines = [undriven_class(one) for one in undriven[:most]]
    left = len(undriven) - most
    return [*lines, f"and {left:,} more: --json lists all"] if left > 0 else lines


def undriven_class(one: ClassOutcome) -> str:
    """What became of one, and which of its methods did not run."""
    what = "" if one.change is ClassChange.CHANGED else f" ({one.change})"
    if not one.idle:
        return f"{one.name}{what}"
    return f"{one.name}{what}: {listed(one.idle, _METHODS)} did not run"

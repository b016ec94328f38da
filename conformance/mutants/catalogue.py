"""All planted bugs: the tables of each area's ``*.toml``, each under the name of its bug.

A table has the other members of a :class:`Mutant`; what stands above a file's tables is said of
each that does not say otherwise.
"""

import tomllib
from pathlib import Path
from typing import Final

from conformance.mutants.mutant import Mutant

_FOLDER: Final = Path(__file__).parent
_FILES: Final = {
    "partitioning": (
        *("keyed", "keyed_columns", "explicit_partition", "round_robin", "producer_sends"),
        *("sticky", "built_in", "load_stats", "adaptive", "rack_aware", "once_held_out"),
    ),
    "records": ("sizes", "ratio", "batch", "columns", "reading", "streams", "segments"),
    "producing": (
        *("queues", "sending", "batches", "sender_loop", "producer_send", "plugins"),
        *("errors_of_brokers", "returned_buffers", "sequences", "sequences_blind"),
        *("settings", "blind"),
    ),
}
"""By area."""


def _planted_in(file: Path) -> list[Mutant]:
    document = tomllib.loads(file.read_text("utf-8"))
    common = {member: text for member, text in document.items() if isinstance(text, str)}
    return [Mutant(name, **common | bug) for name, bug in document.items() if name not in common]


MUTANTS: Final = [
    bug
    for area, names in _FILES.items()
    for name in names
    for bug in _planted_in(_FOLDER / area / f"{name}.toml")
]
"""In the order of the files, then as they stand there."""

SOMETIMES: Final = _planted_in(_FOLDER / "sometimes.toml")
"""Bugs that most of the score's seeds find: it does not count them."""

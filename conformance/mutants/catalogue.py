"""All planted bugs: the tables of ``partitioning/*.toml``, each under the name of its bug.

A table has the other members of a :class:`Mutant`; what stands above a file's tables is said of
each that does not say otherwise.
"""

import tomllib
from pathlib import Path
from typing import Final

from conformance.mutants.mutant import Mutant

_FOLDER: Final = Path(__file__).with_name("partitioning")
_FILES: Final = (
    *("keyed", "keyed_columns", "explicit_partition", "round_robin", "producer_sends", "sticky"),
    *("built_in", "load_stats", "adaptive", "rack_aware", "once_held_out"),
)


def _planted_in(file: Path) -> list[Mutant]:
    document = tomllib.loads(file.read_text("utf-8"))
    common = {member: text for member, text in document.items() if isinstance(text, str)}
    return [Mutant(name, **common | bug) for name, bug in document.items() if name not in common]


MUTANTS: Final = [bug for name in _FILES for bug in _planted_in(_FOLDER / f"{name}.toml")]
"""In the order of the files, then as they stand there."""

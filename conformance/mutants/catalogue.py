"""All planted bugs: the ``[[bug]]`` entries of ``partitioning/*.toml``.

An entry has the members of a :class:`Mutant`; what stands above a file's entries is said of each
that does not say otherwise.
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
    common = tomllib.loads(file.read_text("utf-8"))
    bugs = common.pop("bug")
    return [Mutant(**{**common, **bug}) for bug in bugs]


MUTANTS: Final = [bug for name in _FILES for bug in _planted_in(_FOLDER / f"{name}.toml")]
"""In the order of the files, then as they stand there."""

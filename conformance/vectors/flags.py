"""The flags of vectors: classes of bugs, each with what goes wrong in a port that has one.

They stand in ``flags.toml``, by name. Where a bug was seen comes from the planted bugs.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from conformance.engine.plan import behaviour_named
from conformance.errors import SuiteError
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import Mutant


def flag_of(mutant: Mutant) -> str:
    """The class of a planted bug; raises :class:`SuiteError` if it has none, or several."""
    found = [name for name, flag in _flags().items() if mutant.name in flag["planted"]]
    if len(found) != 1:
        wrong = f"has the flags {', '.join(found)}" if found else "has no flag"
        raise SuiteError(
            f"The planted bug {mutant.name!r} {wrong}, not one.",
            "Name it once in conformance/vectors/flags.toml, under a class of bugs or a new one.",
        )
    return found[0]


def note_of(flag: str) -> dict[str, Any]:
    """What a document says of a flag: what goes wrong, and the ports that had it."""
    known = _flags()[flag]
    planted = [mutant for mutant in MUTANTS if mutant.name in known["planted"]]
    seen = {port: None for mutant in planted for port in mutant.seen_in.split(", ") if port}
    return {"bug": known["bug"], "seenIn": list(seen)}


def known_flags() -> list[str]:
    """Every flag that a vector can have."""
    return list(_flags())


def wrong_names() -> list[str]:
    """What is wrong with the planted bugs that the file names, a sentence each.

    Those of behaviours that no port can be asked have no vectors, and so no class.
    """
    planted = {mutant.name for mutant in MUTANTS}
    problems = [
        f"conformance/vectors/flags.toml: {flag} names {name!r}, which is not a planted bug."
        for flag, known in _flags().items()
        for name in known["planted"]
        if name not in planted
    ]
    for mutant in MUTANTS:
        if behaviour_named(mutant.behaviour).for_testees:
            try:
                flag_of(mutant)
            except SuiteError as error:
                problems.append(error.what)
    return problems


@cache
def _flags() -> Mapping[str, Any]:
    file = resources.files("conformance.vectors") / "flags.toml"
    return tomllib.loads(file.read_text("utf-8"))

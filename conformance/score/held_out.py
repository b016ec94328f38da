"""Bugs that nobody has read who works on the cases: which share of them the suite finds.

``held_out.toml`` was written from the port and Kafka's sources alone, blind to strategies,
catalogue and tests. Whoever reads it can no longer write strategies without a bug in mind: only
its numbers are for everybody.
"""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from conformance.mutants.mutant import Mutant, compile_kernel
from conformance.mutants.mutation import source_of
from conformance.mutants.sight import cells_seeing
from conformance.score.answers import Answers
from conformance.score.measure import PROFILE, record_all
from conformance.score.measured import Kept
from conformance.score.trial import Fate, try_mutations

HELD_OUT_SEEDS: Final = (1, 2, 3, 4, 5)
_CATALOGUE: Final = Path(__file__).with_name("held_out.toml")


@dataclass(frozen=True)
class HeldOut:
    """One of the bugs."""

    name: str
    bug: str
    file: str
    before: str
    after: str
    client: str
    """A version whose users meet it."""
    demo: str
    """Python that sets ``result``, which the bug changes; ``{package}`` is the port's name."""

    def mutant(self) -> Mutant:
        """The port with the bug."""
        name = f"held out {self.name}"
        return Mutant(name, self.bug, self.file, self.before, self.after, "", self.client)


@dataclass(frozen=True)
class Noticed:
    """Whether the suite noticed one of the bugs."""

    name: str
    file: str
    seeds: tuple[bool, ...]
    """Seed by seed of :data:`HELD_OUT_SEEDS`."""

    @classmethod
    def of(cls, figures: dict[str, Any]) -> "Noticed":
        """From what ``dataclasses.asdict`` makes of it and JSON of that."""
        return cls(figures["name"], figures["file"], tuple(figures["seeds"]))


@cache
def held_out() -> tuple[HeldOut, ...]:
    """The catalogue; raises :class:`OSError` for one that cannot be read."""
    entries = tomllib.loads(_CATALOGUE.read_text("utf-8"))["bug"]
    return tuple(
        HeldOut(**{one.name: entry[one.name] for one in fields(HeldOut)}) for entry in entries
    )


def measure_held_out(*, jobs: int, kept: Kept, tell: Callable[[str], None]) -> list[Noticed]:
    """Hold each bug against what a default run of each seed asks of its file.

    Raises :class:`LookupError` for a bug that has no place in the port any more.
    """
    found: dict[str, list[bool]] = {bug.name: [] for bug in held_out()}
    for seed in HELD_OUT_SEEDS:
        for bug, noticed in _measure_seed(seed, jobs=jobs, kept=kept):
            found[bug.name].append(noticed)
        share = sum(one[-1] for one in found.values())
        tell(f"held out, seed {seed}: {share} of {len(found)} bugs")
    return [Noticed(bug.name, bug.file, tuple(found[bug.name])) for bug in held_out()]


def _measure_seed(seed: int, *, jobs: int, kept: Kept) -> Iterator[tuple[HeldOut, bool]]:
    def what(bug: HeldOut) -> tuple[object, ...]:
        return ("held out", bug, cells_seeing(bug.file), PROFILE, seed)

    known = {bug: kept.get(*what(bug)) for bug in held_out()}
    wanted = [bug for bug, figure in known.items() if figure is None]
    # Now: a bug without a place, noticed in a child, would count as one that is found.
    for bug in wanted:
        bug.mutant().patched(source_of(bug.file))
    cells = sorted({cell for bug in wanted for cell in cells_seeing(bug.file)})
    answers = {one.cell: one for one in record_all(cells, jobs=jobs, seed=seed)}
    compile_kernel()

    def seeing(bug: HeldOut) -> Sequence[Answers]:
        return [answers[cell] for cell in cells_seeing(bug.file)]

    for one in try_mutations(wanted, seeing, jobs=jobs):
        noticed = one.outcome is not Fate.SURVIVED
        kept.put(noticed, *what(one.mutation))
        known[one.mutation] = noticed
    yield from known.items()

"""The score: every planted bug and every mutation, measured; what is wrong with it, if anything."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

from conformance.errors import UsageError
from conformance.model.results import Cell
from conformance.mutants.catalogue import MUTANTS
from conformance.mutants.mutant import compile_kernel
from conformance.mutants.mutation import Mutation, excluded, files, tried_of
from conformance.mutants.sight import TESTED_BY, cells_seeing
from conformance.score.answers import Answers
from conformance.score.explanations import Explanation, stale, unexplained
from conformance.score.held_out import Noticed
from conformance.score.in_tests import CLONE, try_in_tests
from conformance.score.measure import PROFILE, SEEDS, Measured, hold_all, measure_all, record_all
from conformance.score.measured import Kept
from conformance.score.trial import Fate, Tried, try_mutations
from conformance.suite_version import digest_of_sources

Tell = Callable[[str], None]
"""Told what goes on, a line now and then."""


@dataclass(frozen=True)
class FileScore:
    """What became of the mutations of one file."""

    file: str
    outcomes: dict[str, int]
    excluded: int
    """Left out by rule."""
    survivors: tuple[Mutation, ...]
    cells: dict[str, int] = field(default_factory=dict)
    """How many each behaviour killed, by answer, time or crash."""


@dataclass(frozen=True)
class Score:
    """All of it."""

    planted: tuple[Measured, ...]
    automatic: tuple[FileScore, ...]
    held_out: tuple[Noticed, ...] = ()


def score_planted(*, jobs: int, kept: Kept, tell: Tell) -> tuple[Measured, ...]:
    """Measure the catalogue, what is not kept."""
    known = {mutant.name: kept.get("planted", mutant, SEEDS, PROFILE) for mutant in MUTANTS}
    found = {name: Measured.of(figure) for name, figure in known.items() if figure is not None}
    wanted = [mutant for mutant in MUTANTS if mutant.name not in found]
    for mutant, measured in zip(wanted, measure_all(wanted, jobs=jobs), strict=True):
        kept.put(asdict(measured), "planted", mutant, SEEDS, PROFILE)
        found[mutant.name] = measured
        if len(found) % 20 == 0:
            tell(f"{len(found)} of {len(MUTANTS)} planted bugs measured")
    return tuple(found[mutant.name] for mutant in MUTANTS)


def with_vectors(planted: Sequence[Measured], folder: Path, *, jobs: int) -> tuple[Measured, ...]:
    """The same with what the vectors in a folder find."""
    mutants = {mutant.name: mutant for mutant in MUTANTS}
    found = hold_all([mutants[one.name] for one in planted], folder, jobs=jobs)
    return tuple(replace(one, vectors=by) for one, by in zip(planted, found, strict=True))


def score_automatic(
    *, jobs: int, kept: Kept, tell: Tell, chosen: Sequence[str] = ()
) -> Iterator[FileScore]:
    """Try all mutations that are not kept, file by file; ``chosen`` names some files only.

    What survives the cases is held against the tests of its file, if :data:`TESTED_BY` names some.
    """
    wanted = chosen or files()
    tried = {file: _kept_of(file, kept) for file in wanted}
    rest = {file: [one for one in tried_of(file) if one not in tried[file]] for file in wanted}
    seeing = {file: cells_seeing(file) for file in wanted if rest[file]}
    cells = sorted({cell for some in seeing.values() for cell in some})
    tell(f"asking the real clients about {len(cells)} behaviours and versions")
    answers: dict[Cell, Answers] = {one.cell: one for one in record_all(cells, jobs=jobs)}
    compile_kernel()
    for file in wanted:
        seen = [answers[cell] for cell in seeing.get(file, ())]
        found = try_mutations(rest[file], lambda _: seen, jobs=jobs)  # noqa: B023
        for one in _with_tests(found, TESTED_BY.get(file, ()), jobs=jobs):
            cell = one.cell and (one.cell.behaviour, one.cell.client)
            kept.put([one.outcome, cell, one.cases], *_of(one.mutation))
            tried[file][one.mutation] = one
        summary = summarise(file, list(tried[file].values()), excluded(file))
        tell(f"{file}: {len(tried[file])} mutations, {len(summary.survivors)} survived")
        yield summary


def _with_tests(
    found: Iterable[Tried[Mutation]], tests: Sequence[str], *, jobs: int
) -> Iterator[Tried[Mutation]]:
    survivors = []
    for one in found:
        if tests and one.outcome is Fate.SURVIVED:
            survivors.append(one)
        else:
            yield one
    yield from try_in_tests(survivors, tests, jobs=jobs)


def _of(mutation: Mutation) -> tuple[object, ...]:
    """What a mutation's figure depends on, beside all sources."""
    tests = _digest_of_tests(mutation.file)
    return ("by machine", mutation, cells_seeing(mutation.file), tests, PROFILE)


@cache
def _digest_of_tests(file: str) -> str:
    """Of the unit tests of a file, as they were when it was first asked for."""
    return digest_of_sources([CLONE / test for test in TESTED_BY.get(file, ())], CLONE)


def _kept_of(file: str, kept: Kept) -> dict[Mutation, Tried[Mutation]]:
    """What is kept of a file's mutations."""
    found = {}
    for mutation in tried_of(file):
        figure = kept.get(*_of(mutation))
        if figure is not None:
            outcome, cell, cases = figure
            found[mutation] = Tried(mutation, Fate(outcome), cell and Cell(*cell), cases)
    return found


def summarise(file: str, tried: Sequence[Tried[Mutation]], left_out: int) -> FileScore:
    """The counts of one file."""
    outcomes = Counter(str(one.outcome) for one in tried)
    cells = Counter(one.cell.behaviour for one in tried if one.cell is not None)
    survivors = [one.mutation for one in tried if one.outcome is Fate.SURVIVED]
    survivors.sort(key=lambda one: (one.line, one.operator, one.occurrence))
    return FileScore(file, dict(outcomes), left_out, tuple(survivors), dict(cells))


def complaints(score: Score, explanations: Sequence[Explanation]) -> list[str]:
    """What keeps the score from being published: bugs that live, and reasons that are stale."""
    alive = [
        f"{one.name}: survived {one.killed.count(False)} of {len(one.killed)} seeds"
        for one in score.planted
        if not all(one.killed)
    ]
    survivors = [mutation for file in score.automatic for mutation in file.survivors]
    tried = {file.file for file in score.automatic}
    about = [one for one in explanations if one.file in tried]
    return [
        *alive,
        *(
            f"survived, and nobody has explained why: {one}"
            for one in unexplained(survivors, about)
        ),
        *(f"explained, but nothing of it survives: {one}" for one in stale(survivors, about)),
    ]


def to_file(score: Score, path: Path) -> None:
    """Keep the raw figures, so that the page can be written again without measuring."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(score), indent=1), encoding="utf-8")


def from_file(path: Path) -> Score:
    """The inverse of :func:`to_file`; raises :class:`UsageError` where there is none."""
    if not path.exists():
        raise UsageError(f"There is no last run: {path} is missing.", "Run it without --again.")
    figures = json.loads(path.read_text("utf-8"))
    automatic = [
        FileScore(**{**one, "survivors": tuple(Mutation(**each) for each in one["survivors"])})
        for one in figures["automatic"]
    ]
    planted = (Measured.of(one) for one in figures["planted"])
    held_out = (Noticed.of(one) for one in figures.get("held_out", ()))
    return Score(tuple(planted), tuple(automatic), tuple(held_out))

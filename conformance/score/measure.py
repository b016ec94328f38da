"""How fast the suite kills what people planted, and what fixed vectors make of the same bugs."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from conformance.clients.versions import client_named
from conformance.engine.check import check_cell
from conformance.engine.plan import behaviour_named
from conformance.engine.profiles import PROFILES
from conformance.errors import SuiteError
from conformance.jars.store import JarStore
from conformance.model.results import Cell, CellResult, Verdict
from conformance.model.values import to_json
from conformance.mutants.mutant import Mutant, load_with_kernel
from conformance.processes.ctrl_c import FreshProcesses
from conformance.score.answers import Answers, record_answers
from conformance.score.fixed_vectors import (
    FixedTest,
    expected_by,
    is_noticed,
    kafkas_own,
    twelve_vectors,
)
from conformance.subjects.java_client import JavaSubject
from conformance.subjects.python_port import PythonPort
from conformance.vectors.check import hold
from conformance.vectors.files import read_documents

SEEDS = tuple(range(1, 11))
PROFILE = "default"


@dataclass(frozen=True)
class Measured:
    """One planted bug: what finds it, and after how much."""

    name: str
    killed: tuple[bool, ...]
    """By the suite, seed by seed."""
    cases: tuple[int, ...]
    """How many cases it took (or were tried), seed by seed."""
    steps: int
    """Of the first seed's counterexample, shrunk; 0 without one."""
    characters: int
    """Of the same, as JSON."""
    kafkas: bool
    """Whether Kafka's own vectors fail."""
    twelve: bool
    """Whether twelve vectors as other ports have them fail."""
    vectors: bool | None = None
    """Whether this project's vectors fail; None if they were not run."""

    @classmethod
    def of(cls, figures: Mapping[str, Any]) -> "Measured":
        """From what ``dataclasses.asdict`` makes of it and JSON of that."""
        pairs = {name: tuple(figures[name]) for name in ("killed", "cases")}
        return cls(**{**figures, **pairs})

    @property
    def median(self) -> float:
        """Cases needed: the median over the seeds."""
        return statistics.median(self.cases)


def check_mutant(mutant: Mutant, java: JavaSubject, *, seed: int, shrink: bool) -> CellResult:
    """Hold a mutant against the real client, as a default run of its behaviour does."""
    behaviour = behaviour_named(mutant.behaviour)
    return check_cell(
        behaviour,
        client_named(mutant.client),
        java,
        PythonPort(load_with_kernel(mutant), mutant.name),
        cases=PROFILES[PROFILE].cases_of(behaviour),
        seed=seed,
        shrink=shrink,
    )


def measure(mutant: Mutant, java: JavaSubject, seeds: Sequence[int] = SEEDS) -> Measured:
    """The figures of one mutant, but for this project's vectors, which :func:`hold_all` runs.

    Raises :class:`SuiteError` if a cell was not run: that is no figure.
    """
    results = []
    for seed in seeds:
        result = check_mutant(mutant, java, seed=seed, shrink=seed == seeds[0])
        if result.verdict is Verdict.NOT_RUN:
            raise SuiteError(f"{mutant.name}: {result.reason}", "Without it there is no score.")
        results.append(result)
    case = results[0].divergence.case if results[0].divergence else None
    subject = PythonPort(mutant.load(), mutant.name)
    kafkas, twelve = _fixed(java)
    return Measured(
        mutant.name,
        tuple(result.verdict is Verdict.DIVERGES for result in results),
        tuple(result.cases for result in results),
        len(case["steps"]) if case else 0,
        len(to_json(case)) if case else 0,
        is_noticed(subject, kafkas),
        is_noticed(subject, twelve),
    )


def measure_all(mutants: Sequence[Mutant], *, jobs: int) -> Iterator[Measured]:
    """The figures of some mutants, in their order, each worker with a JVM of its own."""
    with FreshProcesses(jobs) as pool:
        yield from pool.map(_measure, mutants)


def hold_all(mutants: Sequence[Mutant], folder: Path, *, jobs: int) -> Iterator[bool]:
    """Whether the vectors in a folder find each of some mutants, in their order; without Java."""
    with FreshProcesses(jobs) as pool:
        yield from pool.map(_is_found, mutants, [folder] * len(mutants))


def record_all(cells: Sequence[Cell], *, jobs: int, seed: int = 0) -> Iterator[Answers]:
    """The answers of the real client in those cells, for one seed."""
    with FreshProcesses(jobs) as pool:
        yield from pool.map(_record, cells, [seed] * len(cells))


@cache
def _java() -> JavaSubject:
    return JavaSubject(JarStore())


_Expected = list[tuple[FixedTest, Any]]


@cache
def _fixed(java: JavaSubject) -> tuple[_Expected, _Expected]:
    return expected_by(java, kafkas_own()), expected_by(java, twelve_vectors())


def _measure(mutant: Mutant) -> Measured:
    return measure(mutant, _java())


_documents = cache(read_documents)


def _is_found(mutant: Mutant, folder: Path) -> bool:
    subject = PythonPort(load_with_kernel(mutant), mutant.name)
    # Its own behaviour's first: one that fails is enough.
    documents = sorted(_documents(folder), key=lambda one: one["behaviour"] != mutant.behaviour)
    return any(hold([document], subject).failures for document in documents)


def _record(cell: Cell, seed: int) -> Answers:
    return record_answers(_java(), cell, profile=PROFILE, seed=seed)

"""Computes blocks: every subject answers; the answers are compared and counted.

Nothing here depends on Spark. An order says what to sample; a :class:`BlockRunner` computes any
block of it independently; its result depends only on the order and the block's number.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from conformance.errors import SuiteError
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import (
    Answers,
    Block,
    Distribution,
    Measures,
    Sampler,
    checked_answers,
)
from conformance.model.subject import Subject

DIFFERENCES = "differences"
CRASH = "crash"


class Key(NamedTuple):
    """The subject, version and distribution of some measures."""

    distribution: str
    client: str
    place: int
    """0 for the oracle, 1 for the subject that is compared with it."""


@dataclass(frozen=True)
class Order:
    """What to sample: how many records of which distributions, on which versions."""

    distributions: tuple[Distribution, ...]
    records: Mapping[str, int]
    """By the names of the distributions."""
    clients: Mapping[str, tuple[ClientVersion, ...]]
    """The versions that have each distribution, by its name."""
    seed: int
    one_seed: frozenset[str] = frozenset()
    """The names of distributions in which both subjects get the same randomness, so that all their
    records can be compared."""

    def compares(self, distribution: Distribution) -> bool:
        """Whether the answers of two subjects must be equal, record by record."""
        return distribution.exact or distribution.name in self.one_seed

    def blocks_of(self, distribution: Distribution) -> int:
        """How many blocks a distribution has."""
        return -(-self.records[distribution.name] // distribution.block_records)

    def block(self, distribution: Distribution, number: int) -> Block:
        """One block; the last is shorter unless blocks must be whole."""
        first = number * distribution.block_records
        left = self.records[distribution.name] - first
        records = (
            distribution.block_records
            if distribution.whole_blocks
            else min(distribution.block_records, left)
        )
        name = zlib.crc32(distribution.name.encode())
        return Block(number, first, records, (self.seed % 2**64, name, number))

    def sampled(self, distribution: Distribution) -> int:
        """The actual number of records, rounded up to whole blocks."""
        blocks = self.blocks_of(distribution)
        if distribution.whole_blocks:
            return blocks * distribution.block_records
        return self.records[distribution.name]

    def seconds_of(self, distribution: Distribution) -> float:
        """Roughly how long one core needs for a distribution."""
        versions = len(self.clients[distribution.name])
        return self.sampled(distribution) * distribution.cost * versions / 1e6


@dataclass(frozen=True, slots=True)
class Task:
    """Some consecutive blocks of one distribution."""

    distribution: str
    first_block: int
    blocks: int


def split(order: Order, tasks: int) -> list[Task]:
    """Cut an order into about this many tasks of equal duration; any cut gives the same counts."""
    costs = {d.name: order.seconds_of(d) for d in order.distributions}
    total = sum(costs.values())
    cut = []
    for distribution in order.distributions:
        blocks = order.blocks_of(distribution)
        pieces = min(blocks, max(1, round(tasks * costs[distribution.name] / total)))
        edges = [blocks * piece // pieces for piece in range(pieces + 1)]
        cut += [Task(distribution.name, first, last - first) for first, last in pairwise(edges)]
    return cut


class BlockRunner:
    """Computes blocks of an order on two subjects, the first of which is the oracle."""

    def __init__(self, order: Order, oracle: Subject, against: Subject) -> None:
        self._order = order
        self._subjects = (oracle, against)
        self._distributions = {known.name: known for known in order.distributions}
        self._samplers: dict[tuple[str, str, int], Sampler] = {}

    def run(
        self, task: Task, tell: Callable[[int], None] = lambda _records: None
    ) -> dict[Key, Measures]:
        """All blocks of a task, added up; ``tell`` gets the records of each finished block."""
        totals: dict[Key, Measures] = {}
        distribution = self._distributions[task.distribution]
        for number in range(task.first_block, task.first_block + task.blocks):
            block = self._order.block(distribution, number)
            add_all(totals, self.block(distribution, block))
            tell(block.records)
        return totals

    def block(self, distribution: Distribution, block: Block) -> dict[Key, Measures]:
        """The measures of one block, for each client and subject."""
        inputs = distribution.inputs(block)
        found: dict[Key, Measures] = {}
        for client in self._order.clients[distribution.name]:
            expected: Answers | None = None
            for place in range(len(self._subjects)):
                # Java beside Java must not draw alike, unless the order asks for it.
                dice = 0 if distribution.name in self._order.one_seed else place
                own = replace(block, seed=(*block.seed, dice))
                try:
                    given = self._sampler(place, distribution, client)(own, inputs)
                    answers = checked_answers(given, distribution.shape(block, inputs))
                    measures = distribution.measure(block, inputs, answers)
                    if expected is not None:
                        _compare(distribution, block, inputs, (expected, answers), measures)
                    elif self._order.compares(distribution):
                        expected = answers
                except Exception as error:
                    if place == 0 or isinstance(error, SuiteError):
                        raise
                    # A subject that crashes, or answers nonsense, has given a wrong answer.
                    crash = f"{type(error).__name__}: {error}"
                    measures = Measures(block.records, first={CRASH: (block.first, crash)})
                found[Key(distribution.name, client.version, place)] = measures
        return found

    def _sampler(self, place: int, distribution: Distribution, client: ClientVersion) -> Sampler:
        key = (distribution.name, client.version, place)
        if key not in self._samplers:
            self._samplers[key] = self._subjects[place].sampler(distribution, client)
        return self._samplers[key]


def add_all(totals: dict[Key, Measures], more: Mapping[Key, Measures]) -> None:
    """Add measures to those of the same key."""
    for key, measures in more.items():
        totals.setdefault(key, Measures()).add(measures)


def _compare(
    distribution: Distribution,
    block: Block,
    inputs: object,
    both: tuple[Answers, Answers],
    measures: Measures,
) -> None:
    """Compare the answers of oracle and subject record by record; note how many differ."""
    expected, answers = both
    differ = np.flatnonzero((expected != answers).any(axis=tuple(range(1, answers.ndim))))
    measures.counts[DIFFERENCES] = np.array([len(differ)])
    if len(differ):
        event = int(differ[0])
        given = distribution.show(inputs, event)
        told = f"{given}: {expected[event]} expected, {answers[event]} answered"
        measures.first[DIFFERENCES] = (block.first + event, told)

"""Simulated subjects, at the level of counts: what a run would measure, without a run.

A :class:`Source` stands for every subject of one distribution. Its *rule* holds the
probabilities by which partitions are chosen; a planted fault is another rule. Like real subjects,
all sources of a run share what they are given (sizes of batches, load vectors, keys) and have a
randomness of their own. They need no JVM, no port and no Spark.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.distributions import adaptive, built_in, drains, sticky
from conformance.distributions.adaptive import Adaptive
from conformance.distributions.built_in import BuiltIn
from conformance.distributions.double_call import SCENARIOS, DoubleCall
from conformance.distributions.drains import ORDERS, Drains, Traffic
from conformance.distributions.key_families import ZIPF_KEYS
from conformance.distributions.keyed import Keyed, KeyedWithRepeats
from conformance.distributions.rack_aware import RackAware
from conformance.distributions.round_robin import TOPICS, RoundRobin
from conformance.distributions.sticky import Sticky
from conformance.model.distribution import Block, Distribution, Measures
from conformance.sampling.blocks import Order
from tests.statistics.kernels import bounds, walk_appends, walk_batches, walk_producer

Rule = npt.NDArray[np.float64]


def generator(*seed: int) -> np.random.Generator:
    """A fast generator for simulations."""
    return np.random.Generator(np.random.SFC64(seed))


@dataclass(frozen=True)
class Source(ABC):
    """The subjects of one distribution, given so many records."""

    distribution: Distribution
    records: int

    @property
    def blocks(self) -> int:
        """How many blocks the records fill."""
        order = Order((self.distribution,), {self.distribution.name: self.records}, {}, 0)
        return order.blocks_of(self.distribution)

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """The probabilities of a correct subject."""

    @abstractmethod
    def given(self, shared: np.random.Generator) -> Any:
        """What all subjects of a run are given."""

    @abstractmethod
    def measures(self, rule: Rule, given: Any, own: np.random.Generator) -> Measures:
        """What is counted of a subject that follows the rule."""


class KeyedSource(Source):
    """A hash that spreads different keys evenly. ``rule`` (partitions): their shares.

    The answers depend on nothing but the keys, so all subjects of a run get the same counts.
    """

    @property
    def rule(self) -> Rule:
        assert isinstance(self.distribution, Keyed)
        return np.full(self.distribution.partitions, 1 / self.distribution.partitions)

    def given(self, shared: np.random.Generator) -> int:
        return int(shared.integers(2**63))

    def measures(self, rule: Rule, given: int, own: np.random.Generator) -> Measures:
        del own
        counts = generator(given).multinomial(self.records, rule)
        return Measures(self.records, {"partition": counts})


class RepeatingSource(KeyedSource):
    """The same, where keys come again: it is the different keys that are spread evenly.

    How often each key comes is taken for independent Poisson numbers, which it is but for the
    fixed total.
    """

    def measures(self, rule: Rule, given: int, own: np.random.Generator) -> Measures:
        del own
        source = generator(given)
        weights = 1 / np.arange(1, ZIPF_KEYS + 1)
        comes = source.random(ZIPF_KEYS) < -np.expm1(-self.records * weights / weights.sum())
        partitions = np.searchsorted(np.cumsum(rule)[:-1], source.random(ZIPF_KEYS), side="right")
        seen = np.zeros((len(rule), ZIPF_KEYS), np.bool_)
        seen[partitions[comes], np.flatnonzero(comes)] = True
        bits = np.packbits(seen, axis=1).view(np.int64)
        return Measures(self.records, seen={"keys": bits})


class StickySource(Source):
    """A chain of batches. ``rule`` (before, present, next)."""

    @property
    def rule(self) -> Rule:
        k = sticky.PARTITIONS
        moves = (1 - np.eye(k)) / (k - 1)
        return np.broadcast_to(moves, (k, k, k)).copy()

    def given(self, shared: np.random.Generator) -> npt.NDArray[np.int8]:
        """The sizes of the batches, which do not depend on the choices."""
        uniform = shared.random((self.blocks, self.distribution.block_records), np.float32)
        return (1 + np.floor(sticky.LARGEST_BATCH * uniform**2)).astype(np.int8)

    def measures(self, rule: Rule, given: Any, own: np.random.Generator) -> Measures:
        bits = own.integers(0, 2**32, given.shape, np.uint32)
        pairs, triples, batches, records = walk_batches(bounds(rule), bits, given)
        rows = {"batches": dict(enumerate(batches)), "records": dict(enumerate(records))}
        counts = {"pairs": pairs, "triples": triples, "first": first_choices(self, own)}
        return Measures(given.size, counts, rows=rows)


def first_choices(source: "Source", own: np.random.Generator) -> npt.NDArray[np.int64]:
    """Where each block's new subject begins: anywhere."""
    partitions = source.rule.shape[0]
    return own.multinomial(source.blocks, np.full(partitions, 1 / partitions))


class Appended(NamedTuple):
    """Sizes of records, and whether the batch was ready; each (blocks, records)."""

    sizes: npt.NDArray[np.int16]
    ready: npt.NDArray[np.bool_]


class BuiltInSource(Source):
    """Stays of records. ``rule`` (before, present, next): where a stay that ends leads."""

    @property
    def rule(self) -> Rule:
        return np.full((built_in.PARTITIONS,) * 3, 1 / built_in.PARTITIONS)

    def given(self, shared: np.random.Generator) -> Appended:
        shape = (self.blocks, self.distribution.block_records)
        smallest, largest = built_in.SMALLEST_RECORD, built_in.LARGEST_RECORD
        sizes = shared.integers(smallest, largest, shape, np.int16, endpoint=True)
        ready = shared.integers(0, 256, shape, np.uint8) < built_in.READY * 256
        return Appended(sizes, ready)

    def measures(self, rule: Rule, given: Appended, own: np.random.Generator) -> Measures:
        blocks, records = given.sizes.shape
        # A stay takes at least BATCH_SIZE / LARGEST_RECORD records: one.
        bits = own.integers(0, 2**32, (blocks, records * 5 // 8), np.uint32)
        chosen, pairs, triples, lengths, amounts = walk_appends(
            bounds(rule), bits, *given, stays_counted(self.distribution)
        )
        counts = {
            "first": first_choices(self, own),
            "stays": chosen,
            "pairs": pairs,
            "triples": triples,
            "bytes of a stay": lengths,
            "wrong moves": np.zeros(1, np.int64),
        }
        return Measures(given.sizes.size, counts, rows={"bytes": dict(enumerate(amounts))})


class AdaptiveSource(Source):
    """Choices under load vectors. ``rule`` (vectors, partitions): the shares under each."""

    @property
    def rule(self) -> Rule:
        assert isinstance(self.distribution, Adaptive)
        return np.array([vector.shares for vector in self.distribution.vectors])

    def given(self, shared: np.random.Generator) -> npt.NDArray[np.int64]:
        """How many choices are made under each vector."""
        groups = self.blocks * self.distribution.block_records // adaptive.DRAWS
        vectors = len(self.rule)
        return shared.multinomial(groups, np.full(vectors, 1 / vectors)) * adaptive.DRAWS

    def measures(self, rule: Rule, given: Any, own: np.random.Generator) -> Measures:
        return Measures(int(given.sum()), {"choices": own.multinomial(given, rule)})


class RoundRobinSource(Source):
    """Turns. ``rule`` (topics, turn, partition): which part of a turn's records goes where."""

    @property
    def rule(self) -> Rule:
        widest = max(TOPICS.values())
        return np.broadcast_to(np.eye(widest), (len(TOPICS), widest, widest)).copy()

    def given(self, shared: np.random.Generator) -> npt.NDArray[np.int64]:
        del shared
        assert isinstance(self.distribution, RoundRobin)
        return _turns(self.distribution, self.records)

    def measures(self, rule: Rule, given: Any, own: np.random.Generator) -> Measures:
        del own
        # (topics, blocks, partitions): nothing is random, so rounding is all that is needed.
        so_far = np.rint(given.cumsum(axis=1) @ rule).astype(np.int64)
        blocks = np.diff(so_far, axis=1, prepend=0).transpose(1, 0, 2)
        rows = {number: cells.ravel() for number, cells in enumerate(blocks)}
        return Measures(self.records, {"records": so_far[:, -1]}, rows={"records": rows})


@cache
def _turns(distribution: RoundRobin, records: int) -> npt.NDArray[np.int64]:
    """The turns that each partition has (topics, blocks, partitions)."""
    order = Order((distribution,), {distribution.name: records}, {}, 0)
    turns = np.zeros((len(TOPICS), order.blocks_of(distribution), max(TOPICS.values())), np.int64)
    for number in range(turns.shape[1]):
        block = order.block(distribution, number)
        topics = np.bincount(distribution.inputs(block), minlength=len(TOPICS))
        counters = distribution.counters(block)
        for topic, (name, partitions) in enumerate(TOPICS.items()):
            values = (counters[name] + np.arange(topics[topic])) & (2**31 - 1)
            turns[topic, number] = np.bincount(values % partitions, minlength=turns.shape[2])
    return turns


@cache
def stays_counted(distribution: Distribution) -> int:
    """How many stays of a block the distribution counts, as it says itself."""
    block = Block(0, 0, distribution.block_records, (0,))
    given = distribution.inputs(block)
    # Every record its own stay: more of them than are ever counted.
    answers = np.tile(np.array([0, 1], np.int32), (block.records, 1))
    return int(distribution.measure(block, given, answers).counts["stays"].sum())


class DrainsSource(Source):
    """A producer with queues. ``rule`` (before, present, next), as for the built-in one.

    A rule whose rows add up to 2 (twice a rule) moves on with every new batch, as 2.4 did.
    """

    @property
    def rule(self) -> Rule:
        return np.full((drains.PARTITIONS,) * 3, 1 / drains.PARTITIONS)

    def given(self, shared: np.random.Generator) -> Traffic:
        """Values and orders of all blocks."""
        assert isinstance(self.distribution, Drains)
        shape = (self.blocks, self.distribution.block_records)
        smallest, largest = drains.SMALLEST_VALUE, drains.LARGEST_VALUE
        values = shared.integers(smallest, largest, shape, np.int32, endpoint=True)
        order = ORDERS[self.distribution.order]
        return Traffic(values, np.array([order(shared, shape[1]) for _ in range(shape[0])]))

    def measures(self, rule: Rule, given: Traffic, own: np.random.Generator) -> Measures:
        by_batch = rule[0, 0].sum() > 1.5
        blocks, records = given.values.shape
        bits = own.integers(0, 2**32, (blocks, 2 * records), np.uint32)
        table = bounds(rule / 2 if by_batch else rule)
        amounts, runs = walk_producer(table, bits, *given, by_batch)
        rows = {"bytes": dict(enumerate(amounts)), "runs": dict(enumerate(runs))}
        return Measures(given.values.size, rows=rows)


class DoubleCallSource(Source):
    """Turns that are skipped. ``rule`` (scenarios, partitions): each one's part of the records."""

    @property
    def rule(self) -> Rule:
        widest = max(scenario.partitions for scenario in SCENARIOS)
        rule = np.zeros((len(SCENARIOS), widest))
        for row, scenario in enumerate(SCENARIOS):
            even = scenario.partitions % 2 == 0
            rule[row, : scenario.partitions][1 if even else 0 :: 2 if even else 1] = 1
        return np.asarray(rule / rule.sum(axis=1, keepdims=True))

    def given(self, shared: np.random.Generator) -> int:
        del shared
        return self.blocks * self.distribution.block_records

    def measures(self, rule: Rule, given: int, own: np.random.Generator) -> Measures:
        del own
        counts = np.rint(rule * given / len(SCENARIOS)).astype(np.int64)
        return Measures(given, {"records": counts})


_SOURCES: dict[type[Distribution], type[Source]] = {
    Keyed: KeyedSource,
    KeyedWithRepeats: RepeatingSource,
    Sticky: StickySource,
    BuiltIn: BuiltInSource,
    Adaptive: AdaptiveSource,
    RackAware: AdaptiveSource,
    RoundRobin: RoundRobinSource,
    DoubleCall: DoubleCallSource,
    Drains: DrainsSource,
}


def source_of(distribution: Distribution, records: int | None = None) -> Source:
    """The source for a distribution, of the size of a default run unless told otherwise."""
    size = distribution.records if records is None else records
    return _SOURCES[type(distribution)](distribution, size)

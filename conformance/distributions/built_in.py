"""The built-in partitioner without load: how long does it stay, and where does it go then?"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.distributions.samplers import empty_answers, java_draws, port_random
from conformance.distributions.sticky import successions, transitions_test
from conformance.java.sources import java_source
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Answers, Block, Distribution, Measures, Sampler, tally
from conformance.model.outcome import Kind, Outcome
from conformance.model.port import BuiltInRelease, Port, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.internals import add_built_in_maker
from conformance.oracle.kafka_classes import BUILT_IN, INTERNALS
from conformance.oracle.objects import direct_buffer, java_cluster
from conformance.statistics.tests import (
    SMALLEST_EXPECTED,
    equal_shares_test,
    exact_test,
    memory_test,
    merge_rare,
    rows_test,
    uniform_test,
)

PARTITIONS = 4
BATCH_SIZE = 1000
SMALLEST_RECORD = 300
LARGEST_RECORD = 1299
LONGEST = BATCH_SIZE * 2 + LARGEST_RECORD
"""More bytes than any stay can have."""
READY = 0.75
"""How often the batch is ready when enough bytes were produced, so that a switch is allowed."""
_LENGTH_CLASSES = 25
"""Into about how many classes of equally frequent lengths the bytes of a stay are put."""
_TOPIC = "t"
_STAYS = 0.44
"""Stays counted for each record of a block; it has about 0.49, so they are always there."""


class Appends(NamedTuple):
    """The records of a block: bytes (int32), and whether the batch was ready after each (uint8)."""

    sizes: npt.NDArray[np.int32]
    ready: npt.NDArray[np.uint8]


class BuiltIn(Distribution):
    """``BuiltInPartitioner`` without load stats, as records of random sizes are appended."""

    name = "built-in"
    summary = "stays for batch.size bytes, up to twice that, then goes anywhere, also nowhere"
    behaviour = "built-in"
    records = 6_500_000
    block_records = 8192
    least = SMALLEST_EXPECTED * PARTITIONS * block_records  # each block has a first stay
    numbers = 2
    whole_blocks = True
    cost = 1.1

    def inputs(self, block: Block) -> Appends:
        """Sizes of 300 to 1299 bytes, all alike; ready three times out of four."""
        generator = block.generator("appends")
        sizes = generator.integers(SMALLEST_RECORD, LARGEST_RECORD + 1, block.records)
        ready = generator.random(block.records) < READY
        return Appends(sizes.astype(np.int32), ready.astype(np.uint8))

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """The package-private methods that ``RecordAccumulator.append`` calls."""
        driver = BuiltInDriver(java, BATCH_SIZE, PARTITIONS)

        def sample(block: Block, inputs: Appends) -> Answers:
            answers = empty_answers(block.records, 2)
            buffers = [direct_buffer(array) for array in (*inputs, answers)]
            with java_draws(block, client):
                driver.helper.run(driver.partitioner(), driver.cluster, *buffers)
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's methods of the same names."""
        release: BuiltInRelease = release_of(implementation, client)
        partitioner = release.BuiltInPartitioner
        cluster = implementation.Cluster.of(**{_TOPIC: PARTITIONS})

        def sample(block: Block, inputs: Appends) -> Answers:
            built_in = partitioner(
                _TOPIC, BATCH_SIZE, random=port_random(block, client, block.records)
            )
            answers = []
            sizes, ready = inputs.sizes.tolist(), inputs.ready.astype(bool).tolist()
            for size, is_ready in zip(sizes, ready, strict=True):
                info = built_in.peek(cluster)
                built_in.update_partition_info(info, size, cluster, is_ready)
                answers.append((info.partition(), built_in.is_partition_changed(info)))
            return np.array(answers)

        return sample

    def measure(self, block: Block, inputs: Appends, answers: Answers) -> Measures:
        """Stays: which partition followed which, and how many bytes each got."""
        partitions, moved_on = answers[:, 0], answers[:, 1].astype(bool)
        produced = np.cumsum(inputs.sizes, dtype=np.int64)
        # A number of stays that is fixed beforehand: to take all that the records happened to
        # complete would prefer short ones.
        ends = np.flatnonzero(moved_on)[: int(block.records * _STAYS)]
        stays = partitions[ends]
        lengths = np.diff(produced[ends], prepend=0)
        wrong = moved_on != _must_move_on(produced, moved_on, inputs.ready.astype(bool))
        return Measures(
            block.records,
            counts={
                **successions(stays, PARTITIONS)._asdict(),
                "first": tally(partitions[:1], PARTITIONS),
                "stays": tally(stays, PARTITIONS),
                "bytes of a stay": tally(lengths.clip(max=LONGEST), LONGEST + 1),
                "wrong moves": np.array([wrong.sum()]),
            },
            rows={"bytes": {block.number: tally(partitions, PARTITIONS, inputs.sizes)}},
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """All partitions alike, the present one too; no memory; the bytes of a stay."""
        alike = np.full((PARTITIONS, PARTITIONS), 1 / PARTITIONS)
        wrong = int(totals.counts["wrong moves"][0])
        detail = f"too early or too late after {wrong:,} of {totals.records:,} records"
        return [
            exact_test("moves on", totals.records, failures=wrong, detail=detail),
            uniform_test("partitions", totals.counts["stays"]),
            transitions_test(totals.counts["first"], totals.counts["pairs"], alike),
            memory_test("no memory", totals.counts["triples"]),
            stay_test(totals.counts["bytes of a stay"]),
            equal_shares_test("bytes", totals.table("bytes"), totals.records),
        ]


class BuiltInDriver:
    """What drives a real ``BuiltInPartitioner``.

    ``racks`` are those of partitions' leaders; in ``rack`` is a producer that prefers its own.
    """

    def __init__(
        self,
        java: LoadedClient,
        batch_size: int,
        partitions: int,
        racks: Sequence[str | None] = (),
        *,
        rack: str | None = None,
    ) -> None:
        maker: Any = add_built_in_maker(java)  # first, for Stays names it
        self.maker = maker.only()
        self.helper = java.neighbour(java_source("Stays"), f"{INTERNALS}.Stays", BUILT_IN)
        self.cluster = java_cluster(java, {_TOPIC: range(partitions)}, racks=racks)
        self._batch_size = batch_size
        self._rack = rack

    def partitioner(self) -> Any:
        """A new one for the topic."""
        if self._rack is None:
            return self.maker.create(_TOPIC, self._batch_size)
        return self.maker.create(_TOPIC, self._batch_size, True, self._rack)


def _must_move_on(
    produced: npt.NDArray[np.int64], moved_on: npt.NDArray[np.bool_], ready: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """After which records KIP-794's rule ends the stay, given where the stays before ended."""
    stay = np.concatenate([[0], np.cumsum(moved_on)[:-1]])
    held = produced - np.concatenate([[0], produced[moved_on]])[stay]
    enough: npt.NDArray[np.bool_] = ((held >= BATCH_SIZE) & ready) | (held >= 2 * BATCH_SIZE)
    return enough


def stay_test(lengths: npt.NDArray[np.int64]) -> Outcome:
    """Whether the bytes of a stay are distributed as the rule of switching says.

    ``lengths`` count the stays of each number of bytes; rare numbers are taken together.
    """
    name, records = "bytes of a stay", int(lengths.sum())
    shares = stay_shares()
    impossible = int(lengths[shares == 0].sum())
    if impossible:
        detail = f"{impossible:,} of {records:,} stays of a length that cannot be"
        return exact_test(name, records, failures=impossible, detail=detail)
    cells = merge_rare(shares * records, max(SMALLEST_EXPECTED, records / _LENGTH_CLASSES))
    if len(cells) < 2:
        return Outcome(name, Kind.STATISTICAL, records, not_run=f"{records:,} stays are too few")
    merged_shares = np.array([shares[cell].sum() for cell in cells])
    merged = np.array([lengths[cell].sum() for cell in cells])
    return rows_test(name, merged[np.newaxis], merged_shares[np.newaxis])


@cache
def stay_shares() -> npt.NDArray[np.float64]:
    """The probability of each number of bytes (index) of a stay, from 0 on.

    A stay ends with the first record that makes it ``BATCH_SIZE`` bytes or more while the batch
    is ready, or twice ``BATCH_SIZE`` in any case (KIP-794). With records of independent sizes
    the probability that a stay ever holds exactly b bytes follows from those of fewer.
    """
    sizes = np.arange(SMALLEST_RECORD, LARGEST_RECORD + 1)
    ends, goes_on = np.zeros(LONGEST + 1), np.zeros(LONGEST + 1)
    goes_on[0] = 1
    for held in range(1, LONGEST + 1):
        before = held - sizes[sizes <= held]
        reached = goes_on[before].sum() / len(sizes)
        stops = 0.0 if held < BATCH_SIZE else READY if held < BATCH_SIZE * 2 else 1.0
        ends[held] = reached * stops
        goes_on[held] = reached * (1 - stops)
    return ends

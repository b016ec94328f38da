"""Sticky partitioning by batches: where does the next batch of records without key go?"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.distributions.samplers import empty_answers, java_draws, port_random
from conformance.java.sources import java_source
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import (
    Answers,
    Block,
    Distribution,
    IntArray,
    Measures,
    Sampler,
    tally,
)
from conformance.model.outcome import Outcome
from conformance.model.port import Port, StickyRelease, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.objects import direct_buffer, java_cluster, strings
from conformance.statistics.tests import (
    SMALLEST_EXPECTED,
    equal_shares_test,
    exact_test,
    memory_test,
    rows_test,
)

PARTITIONS = 5
LARGEST_BATCH = 64
_TOPIC = "t"


class Sticky(Distribution):
    """``DefaultPartitioner`` without keys; a new batch is opened again and again."""

    name = "sticky"
    summary = "each new batch goes to one of the other partitions, whatever came before"
    behaviour = "sticky"
    records = 4_000_000
    block_records = 8192
    least = SMALLEST_EXPECTED * PARTITIONS * block_records  # each block has a first batch
    whole_blocks = True
    cost = 0.9

    def inputs(self, block: Block) -> IntArray:
        """How many records each batch has: 1 to 64, small ones more often (batches)."""
        uniform = block.generator("batch sizes").random(block.records)
        return (1 + np.floor(LARGEST_BATCH * uniform**2)).astype(np.int64)

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """The partitioner's public methods, called as the producer calls them."""
        partitioner = java.java_class(client.class_of(self.behaviour))
        helper = java.helper(java_source("StickyRecords"), "StickyRecords")
        cluster, topics = java_cluster(java, {_TOPIC: range(PARTITIONS)}), strings([_TOPIC])

        def sample(block: Block, inputs: IntArray) -> Answers:
            del inputs
            answers = empty_answers(block.records)
            records = np.zeros(block.records, np.int32), np.ones(block.records, np.uint8)
            with java_draws(block, client):
                helper.run(partitioner(), topics, cluster, *map(direct_buffer, (*records, answers)))
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's ``DefaultPartitioner``, likewise."""
        release: StickyRelease = release_of(implementation, client)
        partitioner = release.DefaultPartitioner
        cluster = implementation.Cluster.of(**{_TOPIC: PARTITIONS})

        def sample(block: Block, inputs: IntArray) -> Answers:
            del inputs
            sticky = partitioner(random=port_random(block, client, 2 * block.records))
            answers = []
            for _ in range(block.records):
                partition = sticky.partition(_TOPIC, None, cluster)
                answers.append(partition)
                sticky.on_new_batch(_TOPIC, cluster, partition)
            return np.array(answers)

        return sample

    def measure(self, block: Block, inputs: IntArray, answers: Answers) -> Measures:
        """Successions of three partitions; batches and records per partition, by block."""
        return Measures(
            block.records,
            counts={
                **successions(answers, PARTITIONS)._asdict(),
                "first": tally(answers[:1], PARTITIONS),
            },
            rows={
                "batches": {block.number: tally(answers, PARTITIONS)},
                "records": {block.number: tally(answers, PARTITIONS, inputs)},
            },
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Never the same, all others alike, no memory, and everybody's share."""
        pairs = totals.counts["pairs"]
        stayed = int(np.trace(pairs))
        others = (1 - np.eye(PARTITIONS)) / (PARTITIONS - 1)
        moves = int(pairs.sum())
        detail = f"{stayed:,} of {moves:,} new batches stayed on their partition"
        return [
            exact_test("moves on", moves, failures=stayed, detail=detail),
            transitions_test(totals.counts["first"], pairs - np.diag(np.diag(pairs)), others),
            memory_test("no memory", totals.counts["triples"]),
            equal_shares_test("batches", totals.table("batches"), totals.records),
            equal_shares_test("records", totals.table("records"), totals.records),
        ]


def transitions_test(first: IntArray, pairs: IntArray, shares: npt.NDArray[np.float64]) -> Outcome:
    """Whether it goes from each partition where it should (``shares``), and at first anywhere."""
    anywhere = np.full((1, len(first)), 1 / len(first))
    counts = np.concatenate([first[np.newaxis], pairs])
    return rows_test("transitions", counts, np.concatenate([anywhere, shares]))


class Successions(NamedTuple):
    """How often one partition followed another: (from, to) and (before, from, to)."""

    pairs: IntArray
    triples: IntArray


def pairs_of(chosen: Answers, partitions: int) -> IntArray:
    """How often each partition (row) was followed by each, in a sequence of choices."""
    tally(chosen, partitions)
    wide = chosen.astype(np.int64)
    pairs = wide[:-1] * partitions + wide[1:]
    return np.bincount(pairs, minlength=partitions**2).reshape(partitions, partitions)


def successions(chosen: Answers, partitions: int) -> Successions:
    """Count which partition followed which, in a sequence of choices."""
    wide = chosen.astype(np.int64)
    triples = (wide[:-2] * partitions + wide[1:-1]) * partitions + wide[2:]
    return Successions(
        pairs_of(chosen, partitions),
        np.bincount(triples, minlength=partitions**3).reshape(partitions, partitions, partitions),
    )

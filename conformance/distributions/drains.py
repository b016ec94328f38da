"""The built-in partitioner in a producer: equal bytes, in whatever order batches are sent?

KIP-794's promise. 2.4's sticky partitioner broke it: a broker whose batches leave late fills
them, and so gets more. It is kept as long as all brokers are served alike. Where one is slow, the
real 3.8.0 still gives it a little more, because a switch waits for a full batch, and the slow
broker's queue is the one that has an unfinished batch most often. So there the port is held to
what Java does. The real client is a real ``RecordAccumulator`` around its partitioner.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.distributions.samplers import empty_answers, java_draws, port_random
from conformance.java.sources import java_source
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import (
    Answers,
    Block,
    Distribution,
    ImpossibleAnswerError,
    Measures,
    Sampler,
    tally,
)
from conformance.model.outcome import Outcome
from conformance.model.port import AccumulatorRelease, Port, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.objects import direct_buffer, java_cluster
from conformance.statistics.tests import (
    BLOCKS_OF_CHOICE,
    equal_shares_test,
    exact_test,
    same_shares_test,
)
from conformance.strategies.integers import INT32_MAX

PARTITIONS = 4
BATCH_SIZE = 1000
SMALLEST_VALUE = 100
LARGEST_VALUE = 399
ONE_SLOW = "one-slow"
OWN, NONE = -2, -1
"""After a record is sent: a batch of the partition that it went to, or nothing."""
BATCH_OVERHEAD = 61
"""Bytes of an empty batch."""
_RECORD_OVERHEAD = 9
"""Bytes around a value of 100 to 399 bytes without a key, in a batch of fewer than 64 records."""
_TOPIC = "t"
_MEMORY = 64 << 20
_Orders = npt.NDArray[np.int32]


def _at_once(generator: np.random.Generator, records: int) -> _Orders:
    del generator
    return np.full(records, OWN, np.int32)


def _in_turn(generator: np.random.Generator, records: int) -> _Orders:
    del generator
    orders = np.full(records, NONE, np.int32)
    orders[::2] = np.arange(len(orders[::2])) % PARTITIONS
    return orders


def _at_random(generator: np.random.Generator, records: int) -> _Orders:
    orders = generator.integers(0, PARTITIONS, records)
    return np.where(generator.random(records) < 0.5, orders, NONE).astype(np.int32)


def _one_slow(generator: np.random.Generator, records: int) -> _Orders:
    # Partition 0 has less sent than it gets: its queue grows all the time.
    orders = generator.choice(PARTITIONS, records, p=[0.04, 0.32, 0.32, 0.32])
    return np.where(generator.random(records) < 0.5, orders, NONE).astype(np.int32)


ORDERS: dict[str, Callable[[np.random.Generator, int], _Orders]] = {
    "at-once": _at_once,
    "in-turn": _in_turn,
    "at-random": _at_random,
    ONE_SLOW: _one_slow,
}
_SUMMARIES = {
    "at-once": "equal bytes per partition when each batch is sent with its first record",
    "in-turn": "equal bytes per partition when the brokers are served in turn",
    "at-random": "equal bytes per partition when the brokers are served at random",
    ONE_SLOW: "a broker whose batches are sent late gets a little more, as much as with Java",
}


class Traffic(NamedTuple):
    """The records of a block: bytes of each value, and what is sent after each (int32)."""

    values: npt.NDArray[np.int32]
    orders: _Orders


class Drains(Distribution):
    """Records without key, and batches that leave in one of the :data:`ORDERS`."""

    behaviour = "built-in"
    records = 600_000
    block_records = 2048
    least = BLOCKS_OF_CHOICE * PARTITIONS * block_records
    numbers = 2
    whole_blocks = True
    cost = 9.0

    def __init__(self, order: str) -> None:
        self.order = order
        if order == ONE_SLOW:
            self.records = 2_400_000  # what it looks for is small
        self.name = f"built-in/{order}"
        self.summary = _SUMMARIES[order]

    def inputs(self, block: Block) -> Traffic:
        """Values of 100 to 399 bytes, and the order of sending."""
        generator = block.generator("traffic")
        values = generator.integers(SMALLEST_VALUE, LARGEST_VALUE + 1, block.records)
        return Traffic(values.astype(np.int32), ORDERS[self.order](generator, block.records))

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """``RecordAccumulator.append`` without a partition, ``drain`` for one broker at a time."""
        helper = java.helper(java_source("Accumulator") + java_source("Drains"), "Drains")
        cluster = java_cluster(java, {_TOPIC: range(PARTITIONS)})

        def sample(block: Block, inputs: Traffic) -> Answers:
            answers = empty_answers(block.records, 2)
            buffers = [direct_buffer(array) for array in (*inputs, answers)]
            with java_draws(block, client):
                helper.run(cluster, BATCH_SIZE, *buffers)
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's accumulator, in the same way."""
        release: AccumulatorRelease = release_of(implementation, client)
        cluster = cluster_of_nodes(implementation)

        def sample(block: Block, inputs: Traffic) -> Answers:
            random = port_random(block, client, block.records)
            return run_port(sized_accumulator(implementation, release, random), cluster, inputs)

        return sample

    def measure(self, block: Block, inputs: Traffic, answers: Answers) -> Measures:
        """Bytes and records per partition, of each block."""
        partitions, appended = answers[:, 0], answers[:, 1]
        around = appended - inputs.values - _RECORD_OVERHEAD
        if not np.isin(around, (0, BATCH_OVERHEAD)).all():
            raise ImpossibleAnswerError("appended other bytes than the record's, or a new batch's")
        # A run of records on one partition is one stay there, or several.
        starts = np.flatnonzero(np.diff(partitions, prepend=-1))
        return Measures(
            block.records,
            counts={"records": tally(partitions, PARTITIONS)},
            rows={
                "bytes": {block.number: tally(partitions, PARTITIONS, appended)},
                "runs": {block.number: tally(partitions[starts], PARTITIONS)},
            },
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Whether all partitions got equally many bytes; of a slow one, how many it got."""
        rows = totals.table("bytes")
        if self.order != ONE_SLOW:
            return [equal_shares_test("bytes", rows, totals.records)]
        # A stay ends at twice batch.size in any case, and at batch.size if nothing waits.
        share = float(rows.sum(axis=0)[0] / rows.mean(axis=1).sum())
        detail = f"the slow broker gets {share:.3f} times its share of the bytes"
        failures = int(not share <= 2)
        outcome = exact_test("slow broker", totals.records, failures=failures, detail=detail)
        return [replace(outcome, told=True)]

    def compare(self, expected: Measures, measured: Measures) -> Sequence[Outcome]:
        """Whether a slow broker gets what it gets with Java."""
        if self.order != ONE_SLOW:
            return ()
        rows, others = measured.table("bytes"), expected.table("bytes")
        return [
            same_shares_test("bytes as with Java", rows, others, measured.records),
            # Where stays lead is noise here; how long they are is what a slow broker changes.
            same_shares_test(
                "runs as with Java", _run_bytes(measured), _run_bytes(expected), measured.records
            ),
        ]


def _run_bytes(totals: Measures) -> npt.NDArray[np.float64]:
    """Bytes of a run with the slow broker and with the others, by block (blocks, 2)."""
    amounts, runs = totals.table("bytes"), totals.table("runs")
    slow = amounts[:, 0] / np.maximum(runs[:, 0], 1)
    others = amounts[:, 1:].sum(axis=1) / np.maximum(runs[:, 1:].sum(axis=1), 1)
    return np.stack([slow, others], axis=1)


def cluster_of_nodes(implementation: Port) -> Any:
    """The port's cluster of the topic; each partition has its own node."""
    info = implementation.PartitionInfo
    return implementation.Cluster([info(_TOPIC, at, leader=at) for at in range(PARTITIONS)])


def sized_accumulator(implementation: Port, release: Any, random: Callable[[], int]) -> Any:
    """A port's accumulator, whose batches keep sizes only."""
    return release.RecordAccumulator(
        release.BufferPool(_MEMORY, BATCH_SIZE),
        batch_size=BATCH_SIZE,
        adaptive=False,
        random=random,
        builder=implementation.records.SizedRecordsBuilder,
    )


def run_port(accumulator: Any, cluster: Any, traffic: Traffic) -> Answers:
    """Append each record wherever the accumulator likes, then send as the traffic says."""
    answers = []
    values = [bytes(size) for size in range(LARGEST_VALUE + 1)]
    pairs = zip(traffic.values.tolist(), traffic.orders.tolist(), strict=True)
    for size, order in pairs:
        appended = accumulator.append(
            _TOPIC, None, 0, None, values[size], cluster=cluster, now_ms=0
        )
        answers.append((appended.partition, appended.appended_bytes))
        if order == NONE:
            continue
        node = appended.partition if order == OWN else order
        for batch in accumulator.drain(cluster, (node,), INT32_MAX, 0)[node]:
            batch.complete(0)
            accumulator.deallocate(batch)
    return np.array(answers)

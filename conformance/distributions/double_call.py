"""Round robin in a producer: which partitions starve when the partitioner is asked twice?

From 2.4 to 3.9 ``KafkaProducer.doSend`` asks the partitioner again whenever a record would open
a batch (KIP-480). ``RoundRobinPartitioner`` counts both calls, so it skips partitions: KAFKA-9965.
A conforming port repeats it; that is what is checked here, and which partitions it hits is told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from conformance.distributions.samplers import empty_answers
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Answers, Block, Distribution, Measures, Sampler, tally
from conformance.model.outcome import Kind, Outcome
from conformance.model.port import Port, RoundRobinRelease, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.internals import add_sending_producer
from conformance.oracle.objects import direct_buffer, java_cluster
from conformance.statistics.tests import exact_test

_TOPIC = "t"


class Scenario(NamedTuple):
    """A topic's partitions, and the records after which a batch is full, and sent."""

    partitions: int
    batch_records: int


SCENARIOS = tuple(
    Scenario(partitions, batch_records)
    for partitions in (2, 3, 6, 9, 10)
    for batch_records in (1, 2, 5)
)
_WIDEST = max(scenario.partitions for scenario in SCENARIOS)


class DoubleCall(Distribution):
    """``RoundRobinPartitioner`` on a real accumulator; each block is one producer's history."""

    name = "round-robin/producer"
    summary = "asked twice for each new batch, it skips partitions (KAFKA-9965)"
    behaviour = "round-robin"
    records = 500_000
    block_records = 8192
    least = len(SCENARIOS) * block_records
    whole_blocks = True
    exact = True
    cost = 11.0
    absent: ClassVar[Mapping[str, str]] = {
        "4.4.0": "since 4.0 a producer asks its partitioner once: no partition starves"
    }

    def inputs(self, block: Block) -> Scenario:
        """The scenario of a block; they take turns."""
        return SCENARIOS[block.number % len(SCENARIOS)]

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """``KafkaProducer.send`` with ``RoundRobinPartitioner``; nothing leaves a batch."""
        helper: Any = add_sending_producer(java)
        clusters = {
            scenario.partitions: java_cluster(java, {_TOPIC: range(scenario.partitions)})
            for scenario in SCENARIOS
        }

        def sample(block: Block, inputs: Scenario) -> Answers:
            answers = empty_answers(block.records)
            producer = helper.fresh(inputs.batch_records)
            producer.use(clusters[inputs.partitions])
            producer.sendMany(_TOPIC, direct_buffer(answers))
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's partitioner in the port's producer; there is no key, nor any in Java."""
        port: RoundRobinRelease = release_of(implementation, client)

        def sample(block: Block, inputs: Scenario) -> Answers:
            producer = port.ProducerSends(port.RoundRobinPartitioner(), inputs.batch_records)
            cluster = implementation.Cluster.of(**{_TOPIC: inputs.partitions})
            return np.array([producer.send(_TOPIC, None, cluster) for _ in range(block.records)])

        return sample

    def measure(self, block: Block, inputs: Scenario, answers: Answers) -> Measures:
        """Records per partition of each scenario."""
        counts = np.zeros((len(SCENARIOS), _WIDEST), np.int64)
        counts[block.number % len(SCENARIOS), : inputs.partitions] = tally(
            answers, inputs.partitions
        )
        return Measures(block.records, {"records": counts})

    def show(self, inputs: Scenario, event: int) -> str:
        """The topic, and where in the history the record stands."""
        return (
            f"record {event} to {inputs.partitions} partitions, "
            f"{inputs.batch_records} records a batch"
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """An even number of partitions: every second one starves. An odd one: none does.

        Whatever a batch holds: the counter advances by two for a new batch, and the records that
        find an open batch advance it as often as there are open batches in between.
        """
        failures = 0
        starving = {}
        for scenario, used in zip(SCENARIOS, totals.counts["records"], strict=True):
            mine = used[: scenario.partitions]
            if mine.sum() < scenario.partitions * scenario.batch_records:
                reason = f"no block for {scenario.partitions} partitions: use more records"
                return [Outcome("starves", Kind.EXACT, totals.records, not_run=reason)]
            unused = np.flatnonzero(mine == 0)
            every_second = np.arange(0, scenario.partitions, 2)
            expected = every_second if scenario.partitions % 2 == 0 else every_second[:0]
            failures += len(np.setxor1d(unused, expected))
            if len(unused):
                names = " ".join(map(str, unused.tolist()))
                starving[scenario.partitions] = f"{names} of {scenario.partitions}"
        detail = (
            f"partitions without a record (KAFKA-9965): {'; '.join(starving.values()) or 'none'}"
        )
        outcome = exact_test("starves", totals.records, failures=failures, detail=detail)
        return [replace(outcome, told=True)]

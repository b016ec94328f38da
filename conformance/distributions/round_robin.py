"""Round robin: is every partition used equally, to the record, also where the counter wraps?"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from conformance.distributions.samplers import empty_answers
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
from conformance.model.outcome import Kind, Outcome
from conformance.model.port import Port, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.objects import direct_buffer, java_cluster, set_counters, strings
from conformance.statistics.tests import exact_test

TOPICS = {f"topic-{partitions}": partitions for partitions in (1, 2, 3, 5, 8, 12, 50)}
BEFORE_THE_WRAP = 2**31 - 50_000
"""Where each topic's counter starts if it is to wrap."""
_WIDEST = max(TOPICS.values())
_MASK = 2**31 - 1


class RoundRobin(Distribution):
    """One long history of records over seven topics, block after block, counters and all."""

    records = 1_000_000
    least = block_records = 8192
    exact = True
    cost = 0.6

    def __init__(self, behaviour: str, *, wraps: bool) -> None:
        self.behaviour = behaviour  # type: ignore[misc]  # two behaviours, one class
        self.name = f"{behaviour}/wrap" if wraps else behaviour
        self.summary = (
            "the same where the counter leaves the positive numbers: two balanced runs"
            if wraps
            else "every record goes to the next partition: balanced to the record, at any time"
        )
        self.start = BEFORE_THE_WRAP if wraps else 0
        if wraps:
            self.least = len(TOPICS) * (2**31 - BEFORE_THE_WRAP + 1)

    def counters(self, block: Block) -> dict[str, int]:
        """Each topic's counter before a block: its records so far, on top of the start.

        Record i of the run is of topic i modulo their number, wherever it stands in its block.
        """
        count = len(TOPICS)
        started = {
            topic: self.start + (block.first - number + count - 1) // count
            for number, topic in enumerate(TOPICS)
        }
        return {topic: (value + 2**31) % 2**32 - 2**31 for topic, value in started.items()}

    def inputs(self, block: Block) -> npt.NDArray[np.int32]:
        """The number of the topic of each record, in random order."""
        numbers = np.arange(block.first, block.first + block.records) % len(TOPICS)
        return block.generator("order").permutation(numbers).astype(np.int32)

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """The partitioner, its counters set before the block."""
        name = client.class_of(self.behaviour)
        partitioner = java.java_class(name)
        helper = java.helper(java_source("Turns"), "Turns")
        cluster = java_cluster(java, {topic: range(count) for topic, count in TOPICS.items()})
        topics = strings(TOPICS)

        def sample(block: Block, inputs: IntArray) -> Answers:
            subject = partitioner()
            set_counters(java, subject, self.counters(block))
            answers = empty_answers(block.records)
            buffers = [direct_buffer(array) for array in (inputs, answers)]
            helper.run(subject, topics, cluster, *buffers)
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's partitioner, likewise; a random start is drawn in the order of topics."""
        module = release_of(implementation, client)
        cluster = implementation.Cluster.of(**TOPICS)
        names = list(TOPICS)

        def sample(block: Block, inputs: IntArray) -> Answers:
            counters = self.counters(block)
            if self.behaviour == "round-robin":
                subject = module.RoundRobinPartitioner(counters=counters)
            else:
                # This one draws a topic's start when it first sees the topic.
                first_seen = dict.fromkeys(inputs.tolist())
                starts = iter([counters[names[number]] for number in first_seen])
                subject = module.DefaultPartitioner(random=starts.__next__)
            partition = subject.partition
            answers = [partition(names[number], None, cluster) for number in inputs.tolist()]
            return np.array(answers)

        return sample

    def measure(self, block: Block, inputs: IntArray, answers: Answers) -> Measures:
        """Records per topic and partition, of each block."""
        tally(answers, _WIDEST)
        cells = tally(inputs * _WIDEST + answers, len(TOPICS) * _WIDEST)
        return Measures(
            block.records,
            counts={"records": cells.reshape(-1, _WIDEST)},
            rows={"records": {block.number: cells}},
        )

    def show(self, inputs: npt.NDArray[np.int32], event: int) -> str:
        """The topic of the record."""
        return list(TOPICS)[int(inputs[event])]

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Balance at the end of each block, topic by topic."""
        by_block = totals.table("records").astype(np.int64).reshape(-1, len(TOPICS), _WIDEST)
        so_far = by_block.cumsum(axis=0)
        if self.start:
            return [self._judge_wrap(totals.records, so_far[-1])]
        if int(so_far[-1].sum(axis=1).min()) < _WIDEST:
            reason = f"a topic has fewer than {_WIDEST} records: use more"
            return [Outcome("balance", Kind.EXACT, totals.records, not_run=reason)]
        worst = 0
        for number, partitions in enumerate(TOPICS.values()):
            used = so_far[:, number, :partitions]
            worst = max(worst, int((used.max(axis=1) - used.min(axis=1)).max()))
        astray = _beyond(so_far[-1])
        detail = (
            f"largest difference between two partitions: {worst}, at the end of "
            f"{len(so_far):,} stretches and of {len(TOPICS)} topics; {astray} records astray"
        )
        failures = max(worst - 1, 0) + astray
        return [exact_test("balance", totals.records, failures=failures, detail=detail)]

    def _judge_wrap(self, records: int, used: IntArray) -> Outcome:
        """Each side of the wrap is a balanced run; the mask joins them as 2^31 - 1, 0, 1 ..."""
        smallest = int(used.sum(axis=1).min())
        if self.start + smallest <= 2**31:
            reason = f"no counter has wrapped after {records:,} records: use more records"
            return Outcome("balance around the wrap", Kind.EXACT, records, not_run=reason)
        failures, worst = _beyond(used), 0
        for number, partitions in enumerate(TOPICS.values()):
            values = np.arange(self.start, self.start + int(used[number].sum())) & _MASK
            expected = tally(values % partitions, partitions)
            mine = used[number, :partitions]
            failures += int(np.abs(mine - expected).sum())
            worst = max(worst, int(mine.max() - mine.min()))
        detail = (
            f"largest difference between two partitions: {worst} (2 runs, 1 each); "
            f"{failures} records elsewhere than the masked counter says"
        )
        failures += max(worst - 2, 0)
        return exact_test("balance around the wrap", records, failures=failures, detail=detail)


def _beyond(used: IntArray) -> int:
    """Records in partitions that their topic does not have."""
    return sum(
        int(used[number, partitions:].sum()) for number, partitions in enumerate(TOPICS.values())
    )

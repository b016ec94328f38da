"""Records without key, as anybody sees them: a partition for each, and nothing of what is inside.

A port in another language has randomness of its own and shows only where records go. What a
version of Java may do there is a rule that says, from the records alone, where a choice was free;
so everything else must stay (or come in turn), and the free choices have a distribution. The rule
is held against the real client in the same run.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.distributions.samplers import (
    asked,
    direct_buffer,
    empty_answers,
    seed_of_java,
)
from conformance.distributions.sticky import successions
from conformance.java.sources import java_source
from conformance.model.case import Partition
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import (
    Answers,
    Ask,
    Block,
    Distribution,
    IntArray,
    Measures,
    Sampler,
)
from conformance.model.outcome import Outcome
from conformance.model.port import Port, release_of
from conformance.model.program import LoadedClient
from conformance.statistics.tests import (
    SMALLEST_EXPECTED,
    equal_shares_test,
    exact_test,
    memory_test,
)

TOPIC = "t"
PARTITIONS: tuple[Partition, ...] = tuple([number, number % 3] for number in range(5))
"""Each has a leader."""
SOME_LED: tuple[Partition, ...] = tuple(
    [number, leader]
    for number, leader in ((4, 0), (0, 1), (9, None), (1, 2), (7, None), (2, 0), (3, 1))
)
"""Ids out of order and with gaps; two without a leader."""
BATCH_SIZE = 1000
SMALLEST_RECORD = 300
LARGEST_RECORD = 1299
CLOSES = 0.4
"""How often a batch is closed after a record."""
_PARTS = 8
"""Into how many the choices of a block are cut where there are too few blocks to compare shares.
Only two choices of some 400 then lie beside each other in two parts, which is next to nothing."""


class Records(NamedTuple):
    """The records of a block: bytes (int32), and whether a batch is closed after each (uint8)."""

    sizes: npt.NDArray[np.int32]
    closes: npt.NDArray[np.uint8]


class WithoutKey(Distribution):
    """One topic, records without key; a subclass is a rule of where choices are free."""

    records = 1_048_576
    block_records = 8192
    whole_blocks = True

    def __init__(self, partitions: Sequence[Partition] = PARTITIONS) -> None:
        self.partitions = list(partitions)
        self.available = [number for number, leader in self.partitions if leader is not None]
        self.all_led = len(self.available) == len(self.partitions)
        self.name = f"{self.behaviour}/{'by record' if self.all_led else 'leaders missing'}"
        if not self.all_led:
            # As many blocks as above would be as many fresh starts: a second each for some testees.
            self.records = WithoutKey.records // 8

    def inputs(self, block: Block) -> Records:
        """Sizes of 300 to 1299 bytes, all alike; a batch is closed two times out of five."""
        generator = block.generator("records")
        sizes = generator.integers(SMALLEST_RECORD, LARGEST_RECORD + 1, block.records)
        closes = generator.random(block.records) < CLOSES
        return Records(sizes.astype(np.int32), closes.astype(np.uint8))

    @abstractmethod
    def members(self, inputs: Records) -> Mapping[str, Any]:
        """What a question to a testee says of the records."""

    @abstractmethod
    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """Before which records the partition is chosen anew."""

    def testee(self, client: ClientVersion, ask: Ask) -> Sampler:
        """See :class:`Distribution`."""

        def sample(block: Block, inputs: Records) -> Answers:
            question = {"partitions": self.partitions, **self.members(inputs)}
            return asked(ask, self.behaviour, client, block, question)

        return sample

    def cluster(self, java: LoadedClient) -> Any:
        """The topic's metadata for a real client."""
        # Imported here so that the suite's other half works without a JVM.
        from conformance.oracle.objects import java_cluster  # noqa: PLC0415

        leaderless = [number for number, leader in self.partitions if leader is None]
        return java_cluster(java, {TOPIC: [number for number, _ in self.partitions]}, leaderless)

    def by_partitioner(
        self,
        client: ClientVersion,
        java: LoadedClient,
        helper: str,
        topic: Any,
        column: Callable[[Records], npt.NDArray[Any]],
    ) -> Sampler:
        """How a real client's public partitioner answers.

        It is called by the Java class ``helper``, which is told the topic (or topics) and
        ``column``, a number for each record.
        """
        # Imported here so that the suite's other half works without a JVM.
        from conformance.oracle.jvm import thread_random_seed  # noqa: PLC0415

        partitioner = java.java_class(client.class_of(self.behaviour))
        run = java.helper(java_source(helper), helper).run
        cluster = self.cluster(java)

        def sample(block: Block, inputs: Records) -> Answers:
            answers = empty_answers(block.records)
            numbers = column(inputs)
            with thread_random_seed(block.seed_for(seed_of_java(client))):
                run(partitioner(), topic, cluster, *map(direct_buffer, (numbers, answers)))
            return answers

        return sample

    def port_class(self, client: ClientVersion, implementation: Port) -> Any:
        """The port's class with the name of the real client's."""
        name = client.class_of(self.behaviour).rpartition(".")[2]
        return getattr(release_of(implementation, client), name)

    def port_cluster(self, implementation: Port) -> Any:
        """The topic's metadata for the Python port."""
        return implementation.Cluster(
            implementation.PartitionInfo(TOPIC, number, leader)
            for number, leader in self.partitions
        )

    def measure(self, block: Block, inputs: Records, answers: Answers) -> Measures:
        """Where records went, which choice followed which, and what moved without being free.

        A choice that is not available says nothing of how available ones are chosen: the
        successions that it is part of are left out. First choices are too few to judge where
        leaders are missing.
        """
        places = self._places(answers)
        free = self.free(inputs)
        free[0] = True
        moved = np.concatenate([[False], answers[1:] != answers[:-1]])
        chosen = places[free]
        count = len(self.available)
        pairs, triples = successions(chosen, count + 1)
        parts = np.array_split(chosen, 1 if self.all_led else _PARTS)
        row = block.number * len(parts)
        return Measures(
            block.records,
            counts={
                "pairs": pairs[:count, :count],
                "triples": triples[:count, :count, :count],
                "first": self._tally(chosen[: int(self.all_led)]),
                "astray": np.array([(places == count).sum()]),
                "moved": np.array([(moved & ~free).sum()]),
                "bound": np.array([(~free).sum()]),
                "stays": np.array([1 + moved.sum()]),
            },
            rows={"choices": {row + at: self._tally(part) for at, part in enumerate(parts)}},
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Only available partitions; stays where it must; the free choices."""
        astray, bound, moved = (int(totals.counts[one][0]) for one in ("astray", "bound", "moved"))
        detail = (
            f"{astray:,} of {totals.records:,} records went to partitions that are not available"
        )
        outcomes = [exact_test("available", totals.records, failures=astray, detail=detail)]
        if bound:
            mean = totals.records / int(totals.counts["stays"][0])
            detail = (
                f"moved on {moved:,} of {bound:,} times where Java stays; "
                f"{mean:.2f} records in a row to one partition"
            )
            outcomes.append(exact_test("stays", bound, failures=moved, detail=detail))
        pairs = totals.counts["pairs"]
        if astray and pairs.sum() < SMALLEST_EXPECTED * pairs.size:
            # Hardly anything available is chosen, so nothing can be said of how.
            return outcomes
        return [*outcomes, *self.free_choices(totals)]

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """The tests of where free choices go; a subclass adds those of its rule."""
        return [
            memory_test("no memory", totals.counts["triples"]),
            equal_shares_test("choices", totals.table("choices"), totals.records),
        ]

    def show(self, inputs: Records, event: int) -> str:
        """The record."""
        return f"record {event} of {inputs.sizes[event]} bytes"

    def _places(self, answers: Answers) -> Answers:
        """Answers as positions among the available partitions, and one past them for others."""
        order = np.argsort(self.available)
        ids = np.array(self.available)[order]
        at = np.searchsorted(ids, answers).clip(max=len(ids) - 1)
        return np.where(ids[at] == answers, order[at], len(ids)).astype(np.int32)

    def _tally(self, places: Answers) -> IntArray:
        """How many are at each position of an available partition."""
        return np.bincount(places, minlength=len(self.available) + 1)[:-1]

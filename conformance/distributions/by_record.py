"""Records without key, as anybody sees them: a partition for each, and nothing of what is inside.

A port in another language has randomness of its own and shows only where records go. What a
version of Java may do there is a rule that says, from the records alone, where a choice was free;
so everything else must stay (or come in turn), and the free choices have a distribution. The rule
is held against the real client in the same run.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.case import Partition
from conformance.clients import ClientVersion
from conformance.distributions.built_in import JavaBuiltIn
from conformance.distributions.distribution import (
    Answers,
    Ask,
    Block,
    Distribution,
    Measures,
    Sampler,
)
from conformance.distributions.samplers import (
    asked,
    direct_buffer,
    empty_answers,
    java_source,
    port_random,
    seed_of_java,
)
from conformance.distributions.sticky import successions, transitions_test
from conformance.statistics.outcome import Kind, Outcome
from conformance.statistics.tests import equal_shares_test, exact_test, memory_test, uniform_test

if TYPE_CHECKING:
    from conformance.oracle.client import JavaClient

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
_NOWHERE = -1


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
            self.records = WithoutKey.records // 8  # enough for what is judged exactly

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

    def cluster(self, java: "JavaClient") -> Any:
        """The topic's metadata for a real client."""
        # Imported here so that the suite's other half works without a JVM.
        from conformance.oracle.objects import java_cluster  # noqa: PLC0415

        leaderless = [number for number, leader in self.partitions if leader is None]
        return java_cluster(java, {TOPIC: [number for number, _ in self.partitions]}, leaderless)

    def port_class(self, client: ClientVersion, implementation: Any) -> Any:
        """The port's class with the name of the real client's."""
        name = client.class_of(self.behaviour).rpartition(".")[2]
        return getattr(getattr(implementation, client.port), name)

    def port_cluster(self, implementation: Any) -> Any:
        """The topic's metadata for the Python port."""
        return implementation.Cluster(
            implementation.PartitionInfo(TOPIC, number, leader)
            for number, leader in self.partitions
        )

    def measure(self, block: Block, inputs: Records, answers: Answers) -> Measures:
        """Where records went, which choice followed which, and what moved without being free."""
        places = self._places(answers)
        free = self.free(inputs)
        free[0] = True
        moved = np.diff(places, prepend=places[0]) != 0
        chosen = places[free]
        known = chosen[chosen >= 0].astype(np.int32)
        count = len(self.available)
        stays = 1 + int(moved.sum())
        return Measures(
            block.records,
            counts={
                **successions(known, count)._asdict(),
                "first": np.bincount(known[:1], minlength=count),
                "astray": np.array([(places < 0).sum()]),
                "moved": np.array([(moved & ~free).sum()]),
                "bound": np.array([(~free).sum()]),
                "stays": np.array([stays]),
            },
            rows={"choices": {block.number: np.bincount(known, minlength=count)}},
        )

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Only available partitions; stays where it must; the free choices; shares."""
        astray = int(totals.counts["astray"][0])
        outcomes = [
            exact_test(
                "available",
                totals.records,
                failures=astray,
                detail=f"{astray:,} of {totals.records:,} records went to partitions that are "
                "not available",
            )
        ]
        if astray:
            return outcomes
        choices = self.choices(totals)
        return outcomes + [one for one in choices if self.all_led or one.kind is Kind.EXACT]

    def choices(self, totals: Measures) -> Sequence[Outcome]:
        """The tests of stays and of free choices."""
        moved, bound = int(totals.counts["moved"][0]), int(totals.counts["bound"][0])
        mean = totals.records / int(totals.counts["stays"][0])
        detail = (
            f"moved on {moved:,} of {bound:,} times where Java stays; "
            f"{mean:.2f} records in a row to one partition"
        )
        return [
            exact_test("stays", bound, failures=moved, detail=detail),
            *self.free_choices(totals),
            memory_test("no memory", totals.counts["triples"]),
            equal_shares_test("choices", totals.table("choices"), totals.records),
        ]

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """The tests of where a free choice goes, if any is free."""
        del totals
        return ()

    def show(self, inputs: Records, event: int) -> str:
        """The record."""
        return f"record {event} of {inputs.sizes[event]} bytes"

    def _places(self, answers: Answers) -> npt.NDArray[np.int64]:
        """Answers as positions among the available partitions; :data:`_NOWHERE` for others."""
        order = np.argsort(self.available)
        ids = np.array(self.available)[order]
        at = np.searchsorted(ids, answers).clip(max=len(ids) - 1)
        places: npt.NDArray[np.int64] = np.where(ids[at] == answers, order[at], _NOWHERE)
        return places


class InTurn(WithoutKey):
    """Each record goes to the next available partition: 2.3.1 without key, and round robin."""

    summary = "each record goes to the next available partition"

    def __init__(self, behaviour: str, partitions: Sequence[Partition] = PARTITIONS) -> None:
        self.behaviour = behaviour  # type: ignore[misc]  # two behaviours, one class
        # RoundRobinPartitioner starts with the first partition, so nothing is random.
        self.exact = behaviour == "round-robin"  # type: ignore[misc]
        super().__init__(partitions)

    def members(self, inputs: Records) -> Mapping[str, Any]:
        """See :class:`WithoutKey`."""
        return {"count": len(inputs.sizes)}

    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """See :class:`WithoutKey`: the whole succession is judged."""
        return np.ones(len(inputs.sizes), np.bool_)

    def choices(self, totals: Measures) -> Sequence[Outcome]:
        """Each in its turn, the first one anywhere."""
        pairs = totals.counts["pairs"]
        next_ones = np.arange(1, len(pairs) + 1) % len(pairs)
        in_turn = int(pairs[np.arange(len(pairs)), next_ones].sum())
        # Where the counter leaves the positive numbers the mask makes it 0: once a block at most.
        last = (2**31 - 1) % len(pairs)
        if next_ones[last] != 0:
            in_turn += min(int(pairs[last, 0]), len(totals.rows["choices"]))
        moves = int(pairs.sum())
        detail = f"{moves - in_turn:,} of {moves:,} records did not go to the next partition"
        outcomes = [exact_test("in turn", moves, failures=moves - in_turn, detail=detail)]
        return (
            outcomes if self.exact else [*outcomes, uniform_test("first", totals.counts["first"])]
        )

    def java(self, client: ClientVersion, java: "JavaClient") -> Sampler:
        """``partition`` of the class that shows the behaviour."""
        # Imported here so that the suite's other half works without a JVM.
        from conformance.oracle.jvm import thread_random_seed  # noqa: PLC0415
        from conformance.oracle.objects import strings  # noqa: PLC0415

        partitioner = java.java_class(client.class_of(self.behaviour))
        helper = java.helper(java_source("Turns"), "Turns")
        cluster, topics = self.cluster(java), strings([TOPIC])

        def sample(block: Block, inputs: Records) -> Answers:
            answers = empty_answers(block.records)
            records = np.zeros(len(inputs.sizes), np.int32)
            with thread_random_seed(block.seed_for(seed_of_java(client))):
                helper.run(partitioner(), topics, cluster, *map(direct_buffer, (records, answers)))
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Any) -> Sampler:
        """The port's class of the same name."""
        partitioner = self.port_class(client, implementation)
        cluster = self.port_cluster(implementation)

        def sample(block: Block, inputs: Records) -> Answers:
            subject = (
                partitioner() if self.exact else partitioner(random=port_random(block, client, 1))
            )
            return np.array([subject.partition(TOPIC, None, cluster) for _ in inputs.sizes])

        return sample


class ByBatch(WithoutKey):
    """3.2.3, and the deprecated classes of 3.8.0: another partition for each new batch."""

    summary = "all records of a batch go together, each new batch to one of the other partitions"

    def __init__(self, behaviour: str, partitions: Sequence[Partition] = PARTITIONS) -> None:
        self.behaviour = behaviour  # type: ignore[misc]  # two behaviours, one class
        super().__init__(partitions)

    def members(self, inputs: Records) -> Mapping[str, Any]:
        """See :class:`WithoutKey`."""
        return {"closes": inputs.closes.tolist()}

    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """See :class:`WithoutKey`: after each closed batch."""
        return np.concatenate([[True], inputs.closes[:-1].astype(np.bool_)])

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """See :class:`WithoutKey`: never the same again, all others alike."""
        pairs = totals.counts["pairs"]
        count = len(pairs)
        stayed, moves = int(np.trace(pairs)), int(pairs.sum())
        detail = f"{stayed:,} of {moves:,} new batches stayed on their partition"
        others = (1 - np.eye(count)) / (count - 1)
        return [
            exact_test("moves on", moves, failures=stayed, detail=detail),
            transitions_test(totals.counts["first"], pairs - np.diag(np.diag(pairs)), others),
        ]

    def java(self, client: ClientVersion, java: "JavaClient") -> Sampler:
        """The partitioner's public methods, called as the producer calls them."""
        # Imported here so that the suite's other half works without a JVM.
        from conformance.oracle.jvm import thread_random_seed  # noqa: PLC0415

        partitioner = java.java_class(client.class_of(self.behaviour))
        helper = java.helper(java_source("StickyRecords"), "StickyRecords")
        cluster = self.cluster(java)

        def sample(block: Block, inputs: Records) -> Answers:
            answers = empty_answers(block.records)
            buffers = [direct_buffer(array) for array in (inputs.closes, answers)]
            with thread_random_seed(block.seed_for(seed_of_java(client))):
                helper.run(partitioner(), TOPIC, cluster, *buffers)
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Any) -> Sampler:
        """The port's class of the same name."""
        partitioner = self.port_class(client, implementation)
        cluster = self.port_cluster(implementation)

        def sample(block: Block, inputs: Records) -> Answers:
            subject = partitioner(random=port_random(block, client, block.records))
            answers = []
            for closes in inputs.closes.tolist():
                partition = subject.partition(TOPIC, None, cluster)
                answers.append(partition)
                if closes:
                    subject.on_new_batch(TOPIC, cluster, partition)
            return np.array(answers)

        return sample


class ByBytes(WithoutKey):
    """3.8.0: a new choice after ``batch.size`` bytes if the batch is ready, or after twice that."""

    behaviour = "built-in"
    summary = "stays for batch.size bytes, up to twice that, then goes anywhere, also nowhere"

    def members(self, inputs: Records) -> Mapping[str, Any]:
        """See :class:`WithoutKey`."""
        return {
            "batch_size": BATCH_SIZE,
            "bytes": inputs.sizes.tolist(),
            "closes": inputs.closes.tolist(),
        }

    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """See :class:`WithoutKey`: KIP-794's rule."""
        free = np.zeros(len(inputs.sizes), np.bool_)
        held, now = 0, True
        pairs = zip(inputs.sizes.tolist(), inputs.closes.tolist(), strict=True)
        for index, (size, closes) in enumerate(pairs):
            free[index] = now
            held += size
            now = (held >= BATCH_SIZE and closes == 1) or held >= 2 * BATCH_SIZE
            held = 0 if now else held
        return free

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """See :class:`WithoutKey`: all alike, the present one too."""
        count = len(self.available)
        alike = np.full((count, count), 1 / count)
        return [transitions_test(totals.counts["first"], totals.counts["pairs"], alike)]

    def java(self, client: ClientVersion, java: "JavaClient") -> Sampler:
        """The package-private methods that ``RecordAccumulator.append`` calls."""
        # Imported here so that the suite's other half works without a JVM.
        from conformance.oracle.jvm import thread_random_seed  # noqa: PLC0415

        driver = JavaBuiltIn(java, BATCH_SIZE, 1)
        cluster = self.cluster(java)

        def sample(block: Block, inputs: Records) -> Answers:
            answers = empty_answers(block.records, 2)
            buffers = [direct_buffer(array) for array in (*inputs, answers)]
            with thread_random_seed(block.seed_for(seed_of_java(client))):
                driver.helper.run(driver.partitioner(), cluster, *buffers)
            return np.ascontiguousarray(answers[:, 0])

        return sample

    def port(self, client: ClientVersion, implementation: Any) -> Sampler:
        """The port's methods of the same names."""
        partitioner = getattr(implementation, client.port).BuiltInPartitioner
        cluster = self.port_cluster(implementation)

        def sample(block: Block, inputs: Records) -> Answers:
            built_in = partitioner(
                TOPIC, BATCH_SIZE, random=port_random(block, client, block.records)
            )
            answers = []
            for size, closes in zip(inputs.sizes.tolist(), inputs.closes.tolist(), strict=True):
                info = built_in.peek(cluster)
                built_in.update_partition_info(info, size, cluster, closes == 1)
                answers.append(info.partition())
            return np.array(answers)

        return sample

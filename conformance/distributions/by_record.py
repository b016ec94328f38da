"""Records without key as each rule of Java's sends them: in turn, by batch, by bytes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.distributions.built_in import BuiltInDriver
from conformance.distributions.samplers import empty_answers, java_draws, port_random
from conformance.distributions.topics import ALL_LED, Topic
from conformance.distributions.without_key import BATCH_SIZE, TOPICS, Records, WithoutKey
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import Answers, Block, Measures, Sampler
from conformance.model.outcome import Outcome
from conformance.model.port import BuiltInRelease, Port, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.objects import direct_buffer
from conformance.statistics.tests import exact_test, uniform_test


class InTurn(WithoutKey):
    """Each record goes to the next available partition: 2.3.1 without key, and round robin."""

    summary = "each record goes to the next available partition"
    tells_bias = ("first",)

    def __init__(
        self, behaviour: str, topics: Sequence[Topic] = ALL_LED, *, interleaved: bool = False
    ) -> None:
        self.behaviour = behaviour  # type: ignore[misc]  # two behaviours, one class
        # RoundRobinPartitioner starts with the first partition, so nothing is random.
        self.exact = behaviour == "round-robin"  # type: ignore[misc]
        super().__init__(topics, interleaved=interleaved)

    def members(self, inputs: Records) -> Mapping[str, Any]:
        return {"count": len(inputs.sizes)}

    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """See :class:`WithoutKey`: the whole succession is judged."""
        return np.ones(len(inputs.sizes), np.bool_)

    def measure_one(self, block: Block, number: int, inputs: Records, answers: Answers) -> Measures:
        """See :class:`WithoutKey`; and whether the counter may have gone back to 0."""
        measures = super().measure_one(block, number, inputs, answers)
        pairs = measures.counts[self.of("pairs", self.topic(block))]
        # Where the counter leaves the positive numbers the mask makes it 0: once at most.
        last = (2**31 - 1) % len(pairs)
        wrapped = last + 1 < len(pairs) and pairs[last, 0] > 0
        measures.counts["wrapped"] = np.array([int(wrapped)])
        return measures

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """See :class:`WithoutKey`: each in its turn, the first one anywhere."""
        tables = self.tables(totals, "pairs")
        moves = sum(int(pairs.sum()) for pairs in tables)
        next_ones = sum(int(np.trace(np.roll(pairs, -1, axis=1))) for pairs in tables)
        missed = moves - next_ones - int(totals.counts["wrapped"][0])
        detail = f"{missed:,} of {moves:,} records did not go to the next partition"
        outcomes = [exact_test("in turn", moves, failures=missed, detail=detail)]
        if not self.exact and self.main:
            outcomes.append(uniform_test("first", totals.counts["first"]))
        return outcomes

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """``partition`` of the class that shows the behaviour."""
        return self.by_partitioner(client, java, "Turns", lambda inputs: (inputs.topics,))

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's class of the same name."""
        partitioner = self.port_class(client, implementation)
        clusters = self.port_clusters(implementation)

        def sample(block: Block, inputs: Records) -> Answers:
            subject = (
                partitioner() if self.exact else partitioner(random=port_random(block, client, 1))
            )
            cluster = clusters[self.topic(block).name]
            names = [TOPICS[number] for number in inputs.topics.tolist()]
            return np.array([subject.partition(name, None, cluster) for name in names])

        return self.afresh(sample)


class ByBatch(WithoutKey):
    """3.2.3, and the deprecated classes of 3.8.0: another partition for each new batch."""

    summary = "all records of a batch go together, each new batch to one of the other partitions"
    may_stay = False

    def __init__(
        self, behaviour: str, topics: Sequence[Topic] = ALL_LED, *, interleaved: bool = False
    ) -> None:
        self.behaviour = behaviour  # type: ignore[misc]  # two behaviours, one class
        super().__init__(topics, interleaved=interleaved)

    def members(self, inputs: Records) -> Mapping[str, Any]:
        return {"closes": inputs.closes.tolist()}

    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """See :class:`WithoutKey`: after each closed batch."""
        return np.concatenate([[True], inputs.closes[:-1].astype(np.bool_)])

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """See :class:`WithoutKey`: never the same again, all others alike."""
        tables = [pairs for pairs in self.tables(totals, "pairs") if len(pairs) > 1]
        stayed = sum(int(np.trace(pairs)) for pairs in tables)
        moves = sum(int(pairs.sum()) for pairs in tables)
        detail = f"{stayed:,} of {moves:,} new batches stayed on their partition"
        return [
            exact_test("moves on", moves, failures=stayed, detail=detail),
            *super().free_choices(totals),
        ]

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """The partitioner's public methods, called as the producer calls them."""
        return self.by_partitioner(
            client, java, "StickyRecords", lambda inputs: (inputs.topics, inputs.closes)
        )

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's class of the same name."""
        partitioner = self.port_class(client, implementation)
        clusters = self.port_clusters(implementation)

        def sample(block: Block, inputs: Records) -> Answers:
            subject = partitioner(random=port_random(block, client, block.records))
            cluster = clusters[self.topic(block).name]
            answers = []
            for closes, number in zip(inputs.closes.tolist(), inputs.topics.tolist(), strict=True):
                partition = subject.partition(TOPICS[number], None, cluster)
                answers.append(partition)
                if closes:
                    subject.on_new_batch(TOPICS[number], cluster, partition)
            return np.array(answers)

        return self.afresh(sample)


class ByBytes(WithoutKey):
    """3.8.0: a new choice after ``batch.size`` bytes if the batch is ready, or after twice that."""

    behaviour = "built-in"
    summary = "stays for batch.size bytes, up to twice that, then goes anywhere, also nowhere"

    def members(self, inputs: Records) -> Mapping[str, Any]:
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

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """The package-private methods that ``RecordAccumulator.append`` calls."""
        driver = BuiltInDriver(java, BATCH_SIZE, 1)
        clusters = self.clusters(java)

        def sample(block: Block, inputs: Records) -> Answers:
            cluster, answers = clusters[self.topic(block).name], empty_answers(block.records)
            with java_draws(block, client):
                for topic in range(len(TOPICS)):  # each has a partitioner of its own
                    mine = inputs.of(topic)
                    both = empty_answers(len(mine.sizes), 2)
                    buffers = [direct_buffer(one) for one in (mine.sizes, mine.closes, both)]
                    driver.helper.run(driver.partitioner(), cluster, *buffers)
                    answers[inputs.topics == topic] = both[:, 0]
            return answers

        return self.afresh(sample)

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's methods of the same names."""
        release: BuiltInRelease = release_of(implementation, client)
        partitioner = release.BuiltInPartitioner
        clusters = self.port_clusters(implementation)

        def sample(block: Block, inputs: Records) -> Answers:
            random = port_random(block, client, block.records)
            built_in = [partitioner(name, BATCH_SIZE, random=random) for name in TOPICS]
            cluster, answers = clusters[self.topic(block).name], []
            for size, closes, topic in zip(*(column.tolist() for column in inputs), strict=True):
                info = built_in[topic].peek(cluster)
                built_in[topic].update_partition_info(info, size, cluster, closes == 1)
                answers.append(info.partition())
            return np.array(answers)

        return self.afresh(sample)

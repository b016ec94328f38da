"""The built-in partitioner under load: are partitions chosen by the room in their queues?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from conformance.distributions.built_in import BuiltInDriver
from conformance.distributions.samplers import asked, empty_answers, java_draws, port_random
from conformance.model.client_version import ClientVersion
from conformance.model.distribution import (
    Answers,
    Ask,
    Block,
    Distribution,
    IntArray,
    Measures,
    Sampler,
    tally,
)
from conformance.model.outcome import Outcome
from conformance.model.port import BuiltIn, BuiltInRelease, Port, RandomInts, release_of
from conformance.model.program import LoadedClient
from conformance.oracle.objects import direct_buffer, strings
from conformance.statistics.tests import pooled_test, rows_test

PARTITIONS = 5
DRAWS = 32
"""Choices between two changes of the load stats."""
RANDOM_VECTORS = 64
RACKS = ("a", "b", "a", None, "a")
"""Of the partitions' leaders, for those that look at them."""
_TOPIC = "t"


@dataclass(frozen=True)
class LoadVector:
    """Load stats: batches waiting per partition, of which only the first ``length`` count."""

    queues: tuple[int, ...]
    ids: tuple[int, ...]
    length: int
    partitions: int = PARTITIONS
    """Of the topic."""

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The probability of each partition by KIP-794: max + 1 - queue, in proportion.

        When nothing was left out and all queues are alike the load does not matter, and every
        partition of the topic is as likely, also one that the stats do not mention.
        """
        counted = np.array(self.queues[: self.length])
        if self.length == len(self.queues) and (counted == counted[0]).all():
            return np.full(self.partitions, 1 / self.partitions)
        weights: npt.NDArray[np.float64] = np.zeros(self.partitions)
        weights[list(self.ids[: self.length])] = counted.max() + 1 - counted
        weights /= weights.sum()
        return weights

    @property
    def racks(self) -> list[str | None]:
        """The racks of the queues' leaders, which nobody looks at."""
        return [None] * len(self.queues)

    def flat(self) -> list[int]:
        """As the Java helper reads it."""
        return [self.length, len(self.queues), *self.queues, *self.ids]

    def __str__(self) -> str:
        return f"queues {' '.join(map(str, self.queues))}"


WORKED_EXAMPLES = (
    LoadVector((8, 3, 14, 8, 5), (0, 1, 2, 3, 4), 5),
    LoadVector((8, 3, 14), (0, 1, 2), 3),
    LoadVector((1, 4, 3), (2, 4, 0), 3),
)
"""Cumulative tables 7 19 20 27 37, 7 19 20 and 4 5 7 (docs/behaviours.md)."""


def load_vectors() -> tuple[LoadVector, ...]:
    """The worked examples, then random ones; a third of them shortened, partitions in any order."""
    generator = np.random.Generator(np.random.PCG64(794))
    vectors = list(WORKED_EXAMPLES)
    for number in range(RANDOM_VECTORS):
        count = int(generator.integers(2, PARTITIONS + 1))
        length = int(generator.integers(1, count + 1)) if number % 3 == 0 else count
        longest = int(generator.choice([1, 4, 20]))
        queues = generator.integers(0, longest + 1, count)
        ids = generator.permutation(PARTITIONS)[:count]
        vectors.append(LoadVector(tuple(queues.tolist()), tuple(ids.tolist()), length))
    return tuple(vectors)


VECTORS = load_vectors()


class Adaptive(Distribution):
    """``BuiltInPartitioner`` while its load stats change every few choices."""

    name = "adaptive"
    summary = "a partition is chosen in proportion to max + 1 - queue, as the queues change"
    behaviour = "adaptive"
    records = 5_000_000
    block_records = 8192
    least = 16 * block_records  # the rarest choice under the rarest load stats comes often enough
    whole_blocks = True
    cost = 1.3
    vectors: ClassVar[Sequence[LoadVector]] = VECTORS
    worked: ClassVar[Sequence[LoadVector]] = WORKED_EXAMPLES
    """Those of :attr:`vectors`, its first ones, that are also judged by themselves."""
    partitions: ClassVar = PARTITIONS
    """Of the topic."""

    def inputs(self, block: Block) -> IntArray:
        """The number of the load vector of each group of choices (records / DRAWS)."""
        generator = block.generator("load")
        return generator.integers(0, len(self.vectors), block.records // DRAWS)

    def java(self, client: ClientVersion, java: LoadedClient) -> Sampler:
        """``updatePartitionLoadStats``, then choice after choice."""
        driver = self.driver(java)
        vectors = [vector.flat() for vector in self.vectors]
        racks = [strings(vector.racks) for vector in self.vectors]

        def sample(block: Block, inputs: IntArray) -> Answers:
            answers = empty_answers(block.records)
            groups = inputs.astype(np.int32)
            with java_draws(block, client):
                driver.helper.choices(
                    *(driver.maker, driver.partitioner()),
                    *(driver.cluster, vectors, racks),
                    *(direct_buffer(groups), DRAWS, direct_buffer(answers)),
                )
            return answers

        return sample

    def port(self, client: ClientVersion, implementation: Port) -> Sampler:
        """The port's methods of the same names."""
        new = self.new_on_port(client, implementation)
        infos = [
            implementation.PartitionInfo(_TOPIC, number, number, RACKS[number % len(RACKS)])
            for number in range(self.partitions)
        ]
        cluster = implementation.Cluster(infos)

        def sample(block: Block, inputs: IntArray) -> Answers:
            built_in = new(port_random(block, client, block.records + 1))
            answers = []
            for group in inputs.tolist():
                self.load_on_port(built_in, self.vectors[group])
                for _ in range(DRAWS):
                    # Twice the batch size, which is 1: moves on whatever the switch says.
                    built_in.update_partition_info(built_in.peek(cluster), 2, cluster, False)
                    answers.append(built_in.peek(cluster).partition())
            return np.array(answers)

        return sample

    def driver(self, java: LoadedClient) -> BuiltInDriver:
        """What makes the real client's partitioner."""
        return BuiltInDriver(java, 1, self.partitions)

    def new_on_port(
        self, client: ClientVersion, implementation: Port
    ) -> Callable[[RandomInts], BuiltIn]:
        """Makes the port's partitioner of a source of randomness."""
        release: BuiltInRelease = release_of(implementation, client)
        return lambda random: release.BuiltInPartitioner(_TOPIC, 1, random=random)

    def load_on_port(self, built_in: Any, vector: LoadVector) -> None:
        """Install load stats, of which the port keeps the array."""
        built_in.update_partition_load_stats(list(vector.queues), vector.ids, vector.length)

    def testee(self, client: ClientVersion, ask: Ask) -> Sampler:
        """See :class:`Distribution`; all load vectors, and which of them comes when."""
        loads = [
            {"queues": list(one.queues), "ids": list(one.ids), "length": one.length}
            for one in self.vectors
        ]
        question = {
            "partitions": [[number, number] for number in range(self.partitions)],
            "loads": loads,
            "choices": DRAWS,
        }

        def sample(block: Block, inputs: IntArray) -> Answers:
            members = {**question, "order": inputs.tolist()}
            return asked(ask, self.behaviour, client, block, members)

        return sample

    def measure(self, block: Block, inputs: IntArray, answers: Answers) -> Measures:
        """Choices of each partition under each load vector."""
        tally(answers, PARTITIONS)
        cells = np.repeat(inputs, DRAWS) * PARTITIONS + answers
        counts = tally(cells, len(self.vectors) * PARTITIONS)
        return Measures(block.records, {"choices": counts.reshape(-1, PARTITIONS)})

    def judge(self, totals: Measures) -> Sequence[Outcome]:
        """Each vector's frequencies, each worked example's, and each partition's share overall."""
        choices = totals.counts["choices"]
        shares = np.array([vector.shares for vector in self.vectors])
        return [
            rows_test("weights", choices, shares),
            pooled_test("partitions", choices, shares),
            *self.worked_tests(choices, shares),
        ]

    def worked_tests(self, choices: IntArray, shares: npt.NDArray[np.float64]) -> list[Outcome]:
        """The worked examples by themselves."""
        return [
            rows_test(str(vector), choices[[row]], shares[[row]])
            for row, vector in enumerate(self.worked)
        ]

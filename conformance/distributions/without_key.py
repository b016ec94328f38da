"""Records without key, as anybody sees them: a partition for each, and nothing of what is inside.

A port in another language has randomness of its own and shows only where records go. What a
version of Java may do there is a rule that says, from the records alone, where a choice was free;
so everything else must stay (or come in turn), and the free choices have a distribution. The rule
is held against the real client in the same run.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.distributions.samplers import asked, empty_answers, java_draws
from conformance.distributions.sticky import pairs_of, successions
from conformance.distributions.topics import ALL_LED, Topic, round_of
from conformance.java.sources import java_source
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
from conformance.oracle.objects import direct_buffer, java_cluster, strings
from conformance.statistics.tests import (
    SMALLEST_EXPECTED,
    equal_shares_test,
    exact_test,
    furthest,
    memory_test,
    rows_test,
    uniform_test,
)

TOPICS = ("t", "u")
"""Most distributions have records of the first one only."""
BATCH_SIZE = 1000
SMALLEST_RECORD = 300
LARGEST_RECORD = 1299
CLOSES = 0.4
"""How often a batch is closed after a record."""
_PARTS = 16
"""Into how many the choices of a block are cut, to compare the shares of many parts. Only two
choices of some 200 then lie beside each other in two parts, which is next to nothing."""


class Records(NamedTuple):
    """The records of a block: bytes (int32), and whether a batch is closed after each (uint8).

    ``topics`` (int32) has the number of each one's topic.
    """

    sizes: npt.NDArray[np.int32]
    closes: npt.NDArray[np.uint8]
    topics: npt.NDArray[np.int32]

    def of(self, topic: int) -> "Records":
        """Those of one topic."""
        return Records(*(column[self.topics == topic] for column in self))


class WithoutKey(Distribution):
    """Records without key; a subclass is a rule of where choices are free.

    A block is about one of the topics, and of one conversation or of several.
    """

    records = 1_048_576
    block_records = 8192
    whole_blocks = True
    tells_bias: ClassVar[Sequence[str]] = ("transitions", "choices")
    may_stay: ClassVar = True
    """Whether a free choice may be the partition that it was."""

    def __init__(self, topics: Sequence[Topic] = ALL_LED, *, interleaved: bool = False) -> None:
        self.topics = tuple(topics)
        self._round = round_of(self.topics)
        self._interleaved = interleaved
        all_led = not self.topics[0].leaderless
        self.main = all_led and not interleaved
        told = "two topics" if interleaved else "by record" if all_led else "leaders missing"
        self.name = f"{self.behaviour}/{told}"
        if not self.main:
            # As many blocks as above would be as many fresh starts: a second each for some testees.
            self.records = WithoutKey.records // 8

    def topic(self, block: Block) -> Topic:
        """The topic of a block."""
        return self.topics[self._round[block.number % len(self._round)]]

    def inputs(self, block: Block) -> Records:
        """Sizes of 300 to 1299 bytes, all alike; a batch is closed two times out of five."""
        generator = block.generator("records")
        sizes = generator.integers(SMALLEST_RECORD, LARGEST_RECORD + 1, block.records)
        closes = generator.random(block.records) < CLOSES
        topics = generator.integers(0, 1 + self._interleaved, block.records)
        return Records(sizes.astype(np.int32), closes.astype(np.uint8), topics.astype(np.int32))

    @abstractmethod
    def members(self, inputs: Records) -> Mapping[str, Any]:
        """What a question to a testee says of the records."""

    @abstractmethod
    def free(self, inputs: Records) -> npt.NDArray[np.bool_]:
        """Before which records of a conversation the partition is chosen anew."""

    def conversations(self, block: Block, inputs: Records) -> Iterator[tuple[Block, Records]]:
        """The parts of a block that start afresh, each with a seed of its own."""
        count = self.topic(block).conversations
        parts = zip(*(np.array_split(column, count) for column in inputs), strict=True)
        for number, part in enumerate(parts):
            records = Records(*part)
            yield replace(block, records=len(part[0]), seed=(*block.seed, number)), records

    def afresh(self, sample: Callable[[Block, Records], Any]) -> Sampler:
        """Answers a block, one conversation after the other."""

        def whole(block: Block, inputs: Records) -> Answers:
            return np.concatenate([sample(*part) for part in self.conversations(block, inputs)])

        return whole

    def testee(self, client: ClientVersion, ask: Ask) -> Sampler:
        def sample(block: Block, inputs: Records) -> Answers:
            question = {"partitions": self.topic(block).partitions, **self.members(inputs)}
            if self._interleaved:
                question["topics"] = inputs.topics.tolist()
            return asked(ask, self.behaviour, client, block, question)

        return self.afresh(sample)

    def clusters(self, java: LoadedClient) -> Mapping[str, Any]:
        """The topics' metadata for a real client."""
        return {
            topic.name: java_cluster(
                java,
                {name: [at for at, _ in topic.partitions] for name in TOPICS},
                topic.leaderless,
            )
            for topic in self.topics
        }

    def by_partitioner(
        self,
        client: ClientVersion,
        java: LoadedClient,
        helper: str,
        columns: Callable[[Records], Sequence[npt.NDArray[Any]]],
    ) -> Sampler:
        """How a real client's public partitioner answers.

        It is called by the Java class ``helper``, which is told the topics and ``columns``, which
        have numbers for each record.
        """
        topics = strings(TOPICS)
        partitioner = java.java_class(client.class_of(self.behaviour))
        run = java.helper(java_source(helper), helper).run
        clusters = self.clusters(java)

        def sample(block: Block, inputs: Records) -> Answers:
            answers = empty_answers(block.records)
            buffers = map(direct_buffer, (*columns(inputs), answers))
            with java_draws(block, client):
                run(partitioner(), topics, clusters[self.topic(block).name], *buffers)
            return answers

        return self.afresh(sample)

    def port_class(self, client: ClientVersion, implementation: Port) -> Any:
        """The port's class with the name of the real client's."""
        name = client.class_of(self.behaviour).rpartition(".")[2]
        return getattr(release_of(implementation, client), name)

    def port_clusters(self, implementation: Port) -> Mapping[str, Any]:
        """The topics' metadata for the Python port."""
        return {
            topic.name: implementation.Cluster(
                implementation.PartitionInfo(name, number, leader)
                for name in TOPICS
                for number, leader in topic.partitions
            )
            for topic in self.topics
        }

    def measure(self, block: Block, inputs: Records, answers: Answers) -> Measures:
        """See :meth:`measure_one`, for each conversation and each topic of it."""
        measures, at = Measures(), 0
        for number, (part, records) in enumerate(self.conversations(block, inputs)):
            mine = answers[at : at + part.records]
            for topic in range(1 + self._interleaved):
                one = replace(part, records=int((records.topics == topic).sum()))
                row = number * (1 + self._interleaved) + topic
                chosen = mine[records.topics == topic]
                measures.add(self.measure_one(one, row, records.of(topic), chosen))
            at += part.records
        return measures

    def measure_one(self, block: Block, number: int, inputs: Records, answers: Answers) -> Measures:
        """Where records went, which choice followed which, and what moved without being free.

        ``number`` is that of the conversation (and topic) in its block.
        A choice that is not available says nothing of how available ones are chosen: the
        successions that it is part of are left out. First choices are too few to judge where
        leaders are missing, and on all topics but the first.
        """
        topic = self.topic(block)
        places = topic.places(answers)
        free = self.free(inputs)
        free[0] = True
        moved = np.concatenate([[False], answers[1:] != answers[:-1]])
        chosen, count = places[free], len(topic.available)
        of_topic = {"pairs": pairs_of(chosen, count + 1)[:count, :count]}
        if topic.remembered:
            triples = successions(chosen, count + 1).triples
            of_topic["triples"] = triples[:count, :count, :count]
        if self.main and topic is self.topics[0]:
            of_topic["first"] = topic.tally(chosen[:1])
        parts = np.array_split(chosen, _PARTS // topic.conversations)
        row = (block.number * len(TOPICS) * topic.conversations + number) * len(parts)
        return Measures(
            block.records,
            counts={
                **{self.of(what, topic): counts for what, counts in of_topic.items()},
                "astray": np.array([(places == count).sum()]),
                "moved": np.array([(moved & ~free).sum()]),
                "bound": np.array([(~free).sum()]),
                "stays": np.array([1 + moved.sum()]),
            },
            rows={
                self.of("choices", topic): {
                    row + at: topic.tally(part) for at, part in enumerate(parts)
                }
            },
        )

    def of(self, what: str, topic: Topic) -> str:
        """What the counts of a topic are called."""
        return what if topic is self.topics[0] else f"{what} of {topic.name}"

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

    def tables(self, totals: Measures, what: str) -> list[IntArray]:
        """The counts of that name of each topic, the first one first."""
        none = np.zeros((1, 1), np.int64)
        return [totals.counts.get(self.of(what, topic), none) for topic in self.topics]

    def free_choices(self, totals: Measures) -> Sequence[Outcome]:
        """The tests of where free choices go; a subclass adds those of its rule."""
        choosing = [one for one in self.topics if len(one.available) > 2 - self.may_stay]
        none = np.zeros((1, 1, 1), np.int64)
        memory = [
            memory_test("no memory", totals.counts.get(self.of("triples", topic), none))
            for topic in choosing
            if topic.remembered
        ]
        choices = []
        for topic in (one for one in choosing if not one.wide):
            name = self.of("choices", topic)
            table = totals.table(name) if name in totals.rows else np.zeros((1, 2))
            choices.append(equal_shares_test("choices", table, int(table.sum())))
        return [self._transitions(totals, choosing), furthest(memory), furthest(choices)]

    def _transitions(self, totals: Measures, choosing: Sequence[Topic]) -> Outcome:
        """Whether it goes from each partition where it may go, all alike, and at first anywhere.

        Where there are too many partitions to look at each: by how many places it went on.
        """
        outcomes = []
        for topic in choosing:
            count = len(topic.available)
            may = 1.0 - np.eye(count) * (not self.may_stay)
            pairs = totals.counts.get(self.of("pairs", topic), np.zeros((count, count), np.int64))
            pairs, shares = pairs * (may > 0), may / may.sum(axis=1, keepdims=True)
            if topic.wide:
                turned = np.array([np.roll(row, -at) for at, row in enumerate(pairs)])
                pairs, shares = turned.sum(axis=0, keepdims=True), shares[:1]
            outcomes.append(rows_test("transitions", pairs, shares, both_sides=True))
        if "first" in totals.counts:
            outcomes.append(uniform_test("transitions", totals.counts["first"]))
        return furthest(outcomes)

    def show(self, inputs: Records, event: int) -> str:
        """The record."""
        return f"record {event} of {inputs.sizes[event]} bytes"

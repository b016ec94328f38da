"""Testees that are wrong by the hundred thousand."""

# Each fault overrides the one method that it spoils, and seldom needs all that it is given.
# ruff: noqa: RUF012

import random
from typing import Any

from tests.testees.broken.honest import FAULTS, Honest, Message, fault


class Recorded(Honest):
    """Takes keys by the hundred thousand, too."""

    behaviours = {"keyed": {"mode": "exact", "records": True}}

    def records(self, message: Message) -> list[Any]:
        return self.spoil(super().records(message))

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return partitions


FAULTS["honest records"] = Recorded


@fault("too few partitions")
class TooFewPartitions(Recorded):
    """Leaves the last record out."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return partitions[:-1]


@fault("too many partitions")
class TooManyPartitions(Recorded):
    """Answers a record too many."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions, 0]


@fault("no such partition")
class NoSuchPartition(Recorded):
    """Sends the last record to a partition that does not exist."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions[:-1], 99]


@fault("negative partition")
class NegativePartition(Recorded):
    """Sends the last record to partition -1."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions[:-1], -1]


@fault("one key astray")
class OneKeyAstray(Recorded):
    """Sends one record of each message to the next partition."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [*partitions[:-1], partitions[-1] ^ 1]


@fault("records could not be tried")
class RecordsNotTried(Recorded):
    """Says that it takes records, and then does not."""

    def reply(self, message: Message) -> Message:
        if message["type"] == "records":
            why = "records are not written yet"
            return {"type": "partitions", "id": message["id"], "could not try": why}
        return super().reply(message)


class Statistical(Recorded):
    """Has randomness of its own."""

    behaviours = {"sticky": {"mode": "statistical"}}


FAULTS["honest statistical"] = Statistical


class OfTwoTopics(Statistical):
    """Can be asked for records of two topics."""

    behaviours = {"sticky": {"mode": "statistical", "topics": True}}


FAULTS["honest topics"] = OfTwoTopics


@fault("one state for all topics")
class OneForAll(OfTwoTopics):
    """Does not look at the topic."""

    def records(self, message: Message) -> list[Any]:
        return super().records({**message, "topics": None})


@fault("always the same partition")
class AlwaysTheSame(Statistical):
    """Sends every batch to one partition."""

    def spoil(self, partitions: list[Any]) -> list[Any]:
        return [0] * len(partitions)


@fault("partitions without leader")
class WithoutLeader(Statistical):
    """Does not look at leaders."""

    def records(self, message: Message) -> list[Any]:
        led = [[number, 0] for number, _ in message["partitions"]]
        return super().records({**message, "partitions": led})


@fault("moves within a batch")
class MovesWithinABatch(Statistical):
    """Chooses anew for each record."""

    def records(self, message: Message) -> list[Any]:
        return super().records({**message, "closes": [1] * len(message["closes"])})


@fault("one seed")
class OneSeed(Statistical):
    """Gives its generator the same seed each time that it is started."""

    def greet(self) -> None:
        random.seed(7)
        super().greet()


@fault("statistical without distribution")
class NothingToSample(Statistical):
    """Has randomness of its own where Java has none."""

    behaviours = {"murmur2": {"mode": "statistical"}}

"""Histories of a producer; see ``behaviours/producing/producer.py`` for their words."""

from functools import cache
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.model.case import Case, Operation
from conformance.strategies.metadata import metadata_histories, renamed
from conformance.strategies.producing.choices import (
    choices_of_steps,
    with_more_partitions,
    with_moved_leaders,
    with_nodes_in_one_bucket,
)
from conformance.strategies.producing.producer_configs import USUAL_PERCENT, producer_configs
from conformance.strategies.producing.producer_steps import (
    ERRORS,
    MISMATCH,
    NO_ANSWERS,
    RETRIABLE,
    TOO_LARGE,
    UNKNOWN_TOPIC,
    ProducerSteps,
)

_PAUSES: Final = (0, 0, 0, 1, 1, 5, 10, 20, 49, 50, 51, 100, 120, 1000)
_KINDS: Final = (
    *("send",) * 8,
    *("pass",) * 6,
    *("respond",) * 5,
    *("trip",) * 6,
    *("burst", "burst", "again", "again", "late", "late", "parts", "parts"),
    *("queues", "queues", "queues"),
    *("flight", "flight", "flight", *("unresolved",) * 10),
    *("forgotten", "forgotten", "forgotten", "wrap", "wrap", *("lost",) * 3),
    *("fatal", "fatal", "metadata", "arrive", "arrive", "arrive", "expire"),
    *("flush", "end flush", "close", "force close"),
)
_IDEMPOTENT: Final = {
    **dict.fromkeys(("burst", "queues", "late"), "unresolved"),
    "again": "forgotten",
}
"""What an idempotent producer does instead, of which there is more to see in it."""
_NOT_IDEMPOTENT: Final = {"wrap": "burst", "forgotten": "again", "fatal": "parts"}
_SPREAD: Final = 0x1234
"""Hypothesis likes the smallest and largest numbers, which would often refuse an id for good."""
_SHORT: Final = (2, 3, 4)
"""Steps of some histories, which otherwise hardly ever have so few."""
_LAST_EPOCH: Final = 20
"""A ``where`` for which an id comes with the last epoch."""
_ID_NOT_ANSWERED: Final = 100
"""A ``how`` for which a request for an id is not answered in its pass."""
_QUEUES: Final = 6
_FULL: Final = (3, 6, 12)
"""Partitions that fill a Java map for so many to the last key before it grows."""


@cache
@st.composite
def producer_cases(draw: DrawFn, *, partitioners: tuple[str, ...]) -> Case:
    """Records, passes of the sender's loop and answers to its requests, on one clock.

    ``partitioners`` are classes that can be chosen instead of the built-in partitioner.
    """
    config, names = draw(producer_configs(partitioners))
    history = renamed(draw(metadata_histories(topics=len(names))), names)
    known = [one for one in history if one] or [[(names[0], [[0, 0], [1, 1]])]]
    metadata = with_moved_leaders(known)
    metadata[-1] = with_more_partitions(metadata[-1], min(_FULL))
    operations = draw(choices_of_steps(_KINDS, _PAUSES))
    if operations[0]["draw"][1] % 4 == 1:
        metadata = with_nodes_in_one_bucket(metadata)
    scenarios = ProducerScenarios(config, names, metadata)
    return {"config": config, "metadata": [*metadata], "steps": scenarios.steps(operations)}


class ProducerScenarios(ProducerSteps):
    """Several steps at once, which reach what single ones hardly would."""

    def steps(self, operations: list[Operation]) -> list[Operation]:
        """See above; first, a batch of more than its size, if it is thought to be compressed so."""
        if self._config["estimated_percent"] != USUAL_PERCENT:
            self._parts(operations[0])
        steps = super().steps(operations)
        kind, length = operations[0]["where"] % 64, operations[0]["how"] % len(_SHORT)
        return steps[: _SHORT[length]] if kind == 63 else steps

    def _operation(self, kind: str, chosen: Operation) -> None:
        others = _IDEMPOTENT if self._config["idempotence"] else _NOT_IDEMPOTENT
        super()._operation(others.get(kind, kind), chosen)

    def _burst(self, chosen: Operation) -> None:
        """Records one after the other, as the partitioner likes, or for one partition each."""
        for number in range(2 + chosen["how"] % 6):
            where = self._along(chosen, number) if chosen["how"] // 8 % 2 else chosen["where"]
            self._steps.append(self._send({**chosen, "where": where}))

    def _trip(self, chosen: Operation) -> None:
        """A record, or a few; they linger, leave, and are answered."""
        for number in range(1 + chosen["how"] % 4):
            where = self._along(chosen, number) if chosen["how"] // 32 % 2 else chosen["where"]
            self._steps.append(self._send({**chosen, "where": where}))
        self._pass_time(self._config["linger_ms"])
        self._pass(chosen, reachable=True)
        self._respond(chosen)

    def _again(self, chosen: Operation) -> None:
        """A batch that is sent again and again, with newer ones behind it."""
        self._steps.append(self._send(chosen))
        self._pass_time(self._config["linger_ms"])
        for number in range(2 + chosen["how"] % 3):
            self._pass(chosen, reachable=True)
            if chosen["how"] // 32 % 2:
                self._steps.append(self._send(chosen))
            self._respond(chosen, RETRIABLE[(chosen["where"] + number) % len(RETRIABLE)])
            self._epoch += chosen["how"] // 64 % 4 == number
            self._pass(chosen)
            self._pass_time((self._config["retry_backoff_max_ms"], 60, 119)[number % 3])

    def _late(self, chosen: Operation) -> None:
        """A batch in flight that runs out of time, and an answer after that."""
        for number in range(1 + chosen["how"] % 2):
            self._steps.append(self._send({**chosen, "where": self._along(chosen, number)}))
        moves = self._config["max_in_flight"] == 1 and chosen["how"] // 256 % 2
        if moves:
            self._send_there(chosen)
        sent = self._steps[-1]
        self._pass_time(self._config["linger_ms"])
        self._pass(chosen, reachable=True)
        if chosen["how"] // 32 % 2:
            self._steps.append(self._send(chosen))
        self._pass_time(self._config["delivery_timeout_ms"] + chosen["where"] % 3 - 1)
        self._pass(chosen)
        if moves:
            self._move_on(chosen, sent)
        if chosen["how"] // 64 % 4:
            self._respond(chosen, None if chosen["how"] // 64 % 4 == 1 else 0)

    def _move_on(self, chosen: Operation, sent: Operation) -> None:
        """Another record for its partition, whose leader before has not answered yet."""
        self._known = 0 if self._known else len(self._metadata) - 1
        where = {name: sent[name] for name in ("topic", "partition")}
        self._steps.append({**self._send({**chosen, "how": 0}), **where})
        self._pass_time(self._config["linger_ms"])
        self._pass(chosen, reachable=True)

    def _parts(self, chosen: Operation) -> None:
        """A batch that is too large for its broker, and whose parts may be, too."""
        if self._config["idempotence"]:
            self._settle(chosen)
        else:
            self._steps.append({"op": "flush"})
        if self._config["estimated_percent"] == USUAL_PERCENT:
            for number in range(2 + chosen["how"] % 3):
                self._send_there({**chosen, "size": (chosen["size"] % 64 + 16 * number) % 256})
        else:
            for number in range(self._config["batch_size"] // 32):
                self._send_there(chosen)
                self._steps[-1]["size"] = 20 + chosen["size"] * number % 32
        self._pass_time(self._config["linger_ms"])
        self._leave(chosen)
        if chosen["how"] // 32 % 2:
            self._send_there(chosen)
        for code in (TOO_LARGE, TOO_LARGE if chosen["how"] // 64 % 2 else 0, 0):
            self._respond(chosen, code, 0)
            self._leave(chosen)
        self._respond(chosen)
        self._steps.append({"op": "end flush"})

    def _queues(self, chosen: Operation) -> None:
        """Batches for each partition of a topic, while nodes cannot be sent to; then for some."""
        where, how = chosen["where"], chosen["how"]
        known = self._metadata[self._known]
        topic, partitions = known[where % len(known)] if known else (self._names[0], [])
        for at, (number, _) in enumerate(partitions[:_QUEUES]):
            for _ in range(1 + (how >> at) % 2 + (where >> at) % 2):
                step = self._send({**chosen, "where": 0, "how": 0})
                self._steps.append({**step, "topic": topic, "partition": number})
        if how // 1024 % 4:
            self._pass_time(self._config["linger_ms"])
        self._pass({**chosen, "how": how | 3})
        self._pass_time(self._config["availability_timeout_ms"] + how // 4096 % 3)
        self._pass({**chosen, "how": how | 3})
        self._pass({**chosen, "how": how | 3})  # only now loads leave out what was late
        for _ in range(3):
            step = self._send({**chosen, "where": 1, "how": 0})
            self._steps.append({**step, "topic": topic, "partition": None})
        self._pass(chosen, reachable=True)

    def _lost(self, chosen: Operation) -> None:
        """A request for several partitions that fails as a whole, and its batches one by one."""
        how, where = chosen["how"], chosen["where"]
        if how // 64 % 2:
            self._known = len(self._metadata) - 1  # in which there are enough of them
        led = [
            (leader, topic, at)
            for topic, parts in self._metadata[self._known]
            for at, leader in parts
            if leader is not None
        ]
        leader = led[where % len(led)][0] if led else None
        of_leader = [(topic, at) for node, topic, at in led if node == leader]
        self._settle(chosen)
        fitting = [most for most in _FULL if most <= len(of_leader)] or [len(of_leader)]
        for topic, partition in of_leader[: fitting[how % len(fitting)]]:
            step = self._send({**chosen, "how": 0})
            self._steps.append({**step, "topic": topic, "partition": partition})
        self._leave(chosen)
        self._respond(chosen, number=0, outcome=(MISMATCH, MISMATCH, *NO_ANSWERS)[how // 4 % 5])
        self._steps.append({"op": "end flush"})

    def _arrive(self, chosen: Operation) -> None:
        """A record whose topic or partition is not known yet; metadata come, or none do."""
        how, where = chosen["how"], chosen["where"]
        topic = self._names[where % len(self._names)]
        counts = [len(dict(known).get(topic, [])) for known in self._metadata]
        self._known = counts.index(min(counts))
        step = {**self._send({**chosen, "how": 0}), "topic": topic}
        step["partition"] = min(counts) if min(counts) or how % 2 else None
        block = self._config["max_block_ms"]
        coming = [counts.index(max(counts))]
        if how // 2 % 4 == 0:
            coming.insert(0, where // 8 % len(counts))
        error = self._error(topic, how)
        late = how // 8 % 4 == 3 or (error and how // 8 % 2)
        for number, known in enumerate(coming[: how // 32 % 8]):
            at = block - where // 4 % 2 + number if late else min(5, block - 1) + number
            step["arrivals"].append([self._now + max(0, at), known, *error])
        self._steps.append(step)
        if error:
            # What was told once must not be told again, of this topic or another.
            soon = [self._now + min(5, max(0, block - 1)), coming[-1]]
            again = {**step, "topic": error[1]}
            if how // 2 % 2:
                self._steps.append({**again, "metadata": coming[-1], "arrivals": []})
            self._steps.append({**again, "arrivals": [soon]})
        self._known = coming[-1]
        self._pass_time(min(block, 20))

    def _error(self, topic: str, how: int) -> list[str]:
        """What metadata tell of the topic, or of another, beside its partitions."""
        unauthorized, invalid = ERRORS
        kind = (unauthorized, invalid, unauthorized, None, unauthorized, None)[how // 256 % 6]
        return [] if kind is None else [kind, UNKNOWN_TOPIC if how // 4096 % 2 else topic]

    def _expire(self, chosen: Operation) -> None:
        """Time passes until a batch that could not be sent has none left."""
        self._steps.append(self._send(chosen))
        self._pass({**chosen, "how": 3, "where": 0xFFFF})
        self._pass_time(self._config["delivery_timeout_ms"] + chosen["how"] % 3 - 1)
        self._pass({**chosen, "how": 3, "where": 0xFFFF})

    def _settle(self, chosen: Operation) -> None:
        """Begin to flush when hardly anything is on its way that may be taken for what follows."""
        self._steps.append({"op": "flush"})
        self._pass({**chosen, "how": chosen["how"] ^ _SPREAD}, reachable=True)
        for _ in range(3):
            self._leave(chosen)
            self._respond(chosen, 0, 0)

    def _leave(self, chosen: Operation) -> None:
        """A pass for which no broker is out of reach, or refuses an id."""
        self._pass({**chosen, "how": 0}, reachable=True)

    def _there(self, chosen: Operation, beside: int = 0) -> tuple[str, int]:
        """One partition, which can be sent to if any can; ``beside``: or another of its leader."""
        known = self._metadata[self._known]
        led = [
            (leader, (topic, at))
            for topic, parts in known
            for at, leader in parts
            if leader is not None and at < len(parts)  # Kafka counts from 0
        ]
        if not led:
            return self._names[0], 0
        first = led[chosen["where"] % len(led)]
        same = [at for leader, at in led if leader == first[0]]
        return same[(same.index(first[1]) + beside) % len(same)]

    def _send_there(self, chosen: Operation, beside: int = 0) -> None:
        topic, partition = self._there(chosen, beside)
        step = self._send({**chosen, "how": 0})
        self._steps.append({**step, "topic": topic, "partition": partition})

    def _flight(self, chosen: Operation) -> None:
        """Several batches of a partition on their way, whose answers come in any order."""
        how, where = chosen["how"], chosen["where"]
        count = 2 + how % 3
        self._settle(chosen)
        for number in range(count):
            for _ in range(1 + (where >> 8 + number & 1)):
                self._send_there(chosen)
            self._leave(chosen)
        for number in range(count):
            fatal = (87, 47)[where // 8 % 2]
            retriable = RETRIABLE[where % 5]
            code = (None, retriable, 45, 59, 0, 6, TOO_LARGE, fatal)[how >> 3 * number & 7]
            self._respond(chosen, code, where >> number & 1)
            if how // 8192 % 2:
                self._leave(chosen)
        for _ in range(count):
            self._pass_time(self._config["retry_backoff_max_ms"])
            self._leave(chosen)
            self._respond(chosen, (0, 0, 45, 59)[how // 2048 % 4], 0)
        self._steps.append({"op": "end flush"})

    def _unresolved(self, chosen: Operation) -> None:
        """A batch that runs out of time after it was sent: nobody knows whether it has arrived.

        Others of its partition, which are younger, may be on their way.
        """
        how, where = chosen["how"], chosen["where"]
        count, most = 1 + how % 3, self._config["delivery_timeout_ms"]
        younger = (0, 1, most // 4, most // 4)[how // 4 % 4]
        self._settle(chosen)
        for _ in range(count):
            self._send_there(chosen)
            self._leave(chosen)
            self._pass_time(younger)
        self._respond(chosen, RETRIABLE[how // 16 % len(RETRIABLE)], 0)
        if how // 256 % 2:
            self._pass_time(min(self._config["retry_backoff_max_ms"], most // 8))
            self._leave(chosen)
        self._pass_time(most - count * younger)
        self._send_there(chosen)
        if where // 1024 % 2:
            self._send_there(chosen, beside=1)
        self._leave(chosen)
        for number in range(count):
            if how // 4096 >> number & 1:
                self._send_there(chosen)
                self._leave(chosen)
            code = (0, 45, 59, None, 45, 6, 45, 0)[how // 512 + 3 * number & 7]
            self._respond(chosen, code, where >> number & 1)
            self._leave(chosen)
        self._leave(chosen)
        self._steps.append({"op": "end flush"})

    def _forgotten(self, chosen: Operation) -> None:
        """A broker that knows no producer any more, and may have lost what it had of this one."""
        how = chosen["how"]
        records, count = 1 + how % 2, 1 + how // 2 % 3
        self._settle(chosen)
        offset = 1000 * (len(self._steps) + 1)
        for _ in range(records):
            self._send_there(chosen)
        self._leave(chosen)
        self._respond(chosen, 0, 0, offset=offset)
        for _ in range(count):
            self._send_there(chosen)
            self._leave(chosen)
        end = offset + records
        start = (-1, 0, end - 1, end - 1, end, end, end + 1, 2**20)[how // 8 % 8]
        for number in range(count):
            code = (59, 59, 45, 0)[how >> 2 * number + 6 & 3]
            self._respond(chosen, code, 0, start=start)
            if how // 4096 % 2:
                self._leave(chosen)
        for _ in range(count):
            self._pass_time(self._config["retry_backoff_max_ms"])
            self._leave(chosen)
            self._respond(chosen, (0, 0, 59, 45)[how // 8192 % 4], 0, start=start)
        self._steps.append({"op": "end flush"})

    def _wrap(self, chosen: Operation) -> None:
        """A partition whose sequences are about to begin anew."""
        where, how = chosen["where"], chosen["how"]
        topic, partition = self._there(chosen)
        count = 2**31 - 1 - (1, 2, 1, 3)[where // 64 % 4]
        self._settle(chosen)
        self._send_there(chosen)  # its sequences begin with 0 as soon as it has an id
        self._leave(chosen)
        self._respond(chosen, 0, 0)
        self._steps.append({"op": "skip", "topic": topic, "partition": partition, "count": count})
        for _ in range(1 + how % 3):
            for _ in range(1 + how // 4 % 4):
                self._send_there(chosen)
            self._leave(chosen)
        for number in range(1 + how % 3):
            self._respond(chosen, (0, 0, 6, TOO_LARGE)[how >> 2 * number + 5 & 3], 0)
        self._leave(chosen)
        self._steps.append({"op": "end flush"})

    def _fatal(self, chosen: Operation) -> None:
        """An id is on its way, because all epochs are used up, when all is over for good."""
        self._settle({**chosen, "where": _LAST_EPOCH})
        for _ in range(2):
            self._send_there(chosen)
            self._leave(chosen)
        self._respond(chosen, 87, 0)
        self._pass({**chosen, "how": _ID_NOT_ANSWERED}, reachable=True)
        self._respond(chosen, 31, 0)
        self._leave(chosen)
        self._send_there(chosen)
        self._leave(chosen)

"""Brokers: which partitions they lead, how long they take for a request, when they stand still.

A broker serves one request at a time, in the order in which they arrive: what comes meanwhile waits
in its queue. So it is known when a request is sent when it will have been served.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Final

import numpy as np

from conformance.errors import UsageError
from conformance.simulation.quantities import (
    MILLISECOND,
    NEVER,
    SECOND,
    Micros,
    duration_of,
    exact_text,
    numbers_text,
)
from python_impl.cluster import Cluster, PartitionInfo
from python_impl.hash_order import hash_of_topic_partition, in_hash_order

TOPIC: Final = "t"
"""The name of the one topic; the order of its partitions in a client depends on it."""
MOST_PARTITIONS: Final = 10_000
MOST_BROKERS: Final = 1_000
_DRAWN_AT_ONCE: Final = 1024


@dataclass(frozen=True, slots=True)
class Service:
    """How long a broker takes for a request: always so long, or so long on average.

    ``times_us``, if there are any, are what it takes for one request after the other, such as
    times that were measured; after the last one they begin anew.
    """

    mean_us: Micros
    exponential: bool = False
    times_us: Sequence[Micros] = ()

    def __str__(self) -> str:
        return f"{'exp:' if self.exponential else ''}{exact_text(self.mean_us, MILLISECOND)}ms"


@dataclass(frozen=True, slots=True)
class Stop:
    """A broker serves nothing from one time until another (microseconds)."""

    start_us: Micros
    end_us: Micros

    def __str__(self) -> str:
        end = "for good" if self.end_us >= NEVER else f"to {exact_text(self.end_us, SECOND)} s"
        return f"from {exact_text(self.start_us, SECOND)} s {end}"


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """Brokers 0, 1, 2 ...

    ``leaders`` are the brokers that lead partitions 0, 1, 2 ...; without them brokers lead in turn:
    broker 0 leads partitions 0, ``brokers``, and so on. ``network_us`` is the way to a broker, and
    the way back. Raises :class:`UsageError` for what cannot be.
    """

    partitions: int = 10
    brokers: int = 4
    service: Service = Service(2000)
    slow: Mapping[int, Service] = field(default_factory=dict)
    stops: Mapping[int, Sequence[Stop]] = field(default_factory=dict)
    network_us: Micros = 1000
    leaders: Sequence[int] = ()

    def __post_init__(self) -> None:
        for option, number, most in (
            ("--partitions", self.partitions, MOST_PARTITIONS),
            ("--brokers", self.brokers, MOST_BROKERS),
        ):
            if not 1 <= number <= most:
                raise UsageError(f"{option} is {number:,}.", f"There can be 1 to {most:,}.")
        if self.leaders and len(self.leaders) != self.partitions:
            raise UsageError(
                f"--leaders names {len(self.leaders):,}, and --partitions is {self.partitions:,}.",
                "Name one broker for each partition, or change --partitions.",
            )
        named = {"--slow": self.slow, "--stopped": self.stops, "--leaders": self.leaders}
        for option, brokers in named.items():
            for broker in brokers:
                if broker >= self.brokers:
                    raise UsageError(
                        f"{option}: there is no broker {broker}.",
                        f"There are brokers 0 to {self.brokers - 1} (--brokers {self.brokers}).",
                    )

    def leader(self, partition: int) -> int:
        """The broker that leads a partition."""
        return self.leaders[partition] if self.leaders else partition % self.brokers

    def check_named(self) -> None:
        """Raise :class:`UsageError` for a broker of which something is said, and that leads none.

        No record goes there: who asks what it does to a producer would be told "nothing".
        """
        idle = set(self.idle)
        leading = numbers_text([one for one in range(self.brokers) if one not in idle])
        for option, named in (("--slow", self.slow), ("--stopped", self.stops)):
            for broker in named:
                if broker in idle:
                    raise UsageError(
                        f"{option}: broker {broker} leads no partition, so it gets no records.",
                        f"Name one that leads some ({leading}), or say otherwise who leads what: "
                        "--partitions, --brokers, --leaders.",
                    )

    @property
    def idle(self) -> list[int]:
        """The brokers that lead no partition."""
        leading = {*map(self.leader, range(self.partitions))}
        return [broker for broker in range(self.brokers) if broker not in leading]

    def metadata(self) -> Cluster:
        """What the producer knows: partitions in the order in which a real client keeps them."""
        in_order = in_hash_order(
            range(self.partitions),
            lambda partition: hash_of_topic_partition((TOPIC, partition)),
            capacity=self.partitions,
        )
        return Cluster(PartitionInfo(TOPIC, one, self.leader(one)) for one in in_order)


def address_of(broker: int) -> tuple[str, int, str | None]:
    """Host, port and rack, by which a client puts brokers in some order; none of them is used."""
    del broker
    return "localhost", 0, None


class Broker:
    """A broker's queue on simulated time."""

    def __init__(
        self, service: Service, stops: Sequence[Stop], random: np.random.Generator
    ) -> None:
        self._stops = sorted(stops, key=lambda stop: stop.start_us)
        self._next_service = _services(service, random)
        self._free_us: Micros = 0
        self._busy_us: Micros = 0
        self._served: deque[tuple[Micros, Micros]] = deque()

    def serve(self, arrived_us: Micros, now_us: Micros) -> Micros:
        """When a request that arrives at that time has been served; :data:`NEVER` if never."""
        began = max(arrived_us, self._free_us)
        if began >= NEVER:
            return NEVER
        ended = self._worked(began, self._next_service())
        while self._served and self._served[0][1] <= now_us:
            start, end = self._served.popleft()
            self._busy_us += end - start
        self._served.append((began, ended))
        self._free_us = ended
        return ended

    def busy_us(self, now_us: Micros) -> Micros:
        """How long it has served until now, or stood still over a request."""
        recently = sum(max(0, min(end, now_us) - start) for start, end in self._served)
        return self._busy_us + recently

    def running_from(self, at_us: Micros) -> Micros:
        """The first time from then on at which it does not stand still."""
        return self._worked(at_us, 0)

    def _worked(self, at_us: Micros, left_us: Micros) -> Micros:
        """When work that begins at a time is done: it rests while the broker stands still."""
        for stop in self._stops:
            if stop.end_us <= at_us:
                continue
            if stop.start_us > at_us + left_us or (left_us and stop.start_us == at_us + left_us):
                break
            left_us -= max(0, stop.start_us - at_us)
            at_us = max(at_us, stop.end_us)
            if at_us >= NEVER:
                return NEVER
        return at_us + left_us


def _services(service: Service, random: np.random.Generator) -> Callable[[], Micros]:
    """Answers how long the next request takes."""
    if service.times_us:
        return cycle(service.times_us).__next__
    if not service.exponential:
        return lambda: service.mean_us
    drawn: list[Micros] = []

    def draw() -> Micros:
        if not drawn:
            times = random.exponential(service.mean_us, _DRAWN_AT_ONCE)
            drawn.extend(np.rint(times).astype(np.int64).tolist()[::-1])
        return drawn.pop()

    return draw


def service_of(option: str, text: str) -> Service:
    """``2ms`` or ``exp:2ms``; raises :class:`UsageError`."""
    plain = text.removeprefix("exp:")
    return Service(duration_of(option, plain), exponential=plain != text)


def slow_brokers(texts: Sequence[str]) -> dict[int, Service]:
    """``0=50ms`` for broker 0; raises :class:`UsageError`."""
    found: dict[int, Service] = {}
    for text in texts:
        broker, service = _broker_and("--slow", text, "0=50ms or 0=exp:50ms")
        if broker in found:
            raise UsageError(f"--slow names broker {broker} twice.", "Name it once.")
        found[broker] = service_of("--slow", service)
    return found


def leaders_of(text: str | None) -> tuple[int, ...]:
    """``0,0,1,2``: the brokers that lead partitions 0 to 3; raises :class:`UsageError`."""
    if text is None:
        return ()
    found = [part.strip() for part in text.split(",")]
    for part in found:
        if re.fullmatch(r"\d{1,9}", part) is None:
            raise UsageError(
                f"--leaders: {part!r} is no broker.",
                "Write a broker's number for each partition, such as 0,0,1,2.",
            )
    return tuple(map(int, found))


def stopped_brokers(texts: Sequence[str]) -> dict[int, list[Stop]]:
    """``1=2s..5s`` for broker 1, ``1=2s..`` without end; raises :class:`UsageError`."""
    found: dict[int, list[Stop]] = {}
    for text in texts:
        broker, times = _broker_and("--stopped", text, "1=2s..5s")
        start, dots, end = times.partition("..")
        if not dots:
            raise UsageError(
                f"--stopped {text}: {times!r} is no stretch of time.",
                "Write from when until when, such as 1=2s..5s; 1=2s.. is for good.",
            )
        stop = Stop(
            duration_of("--stopped", start),
            duration_of("--stopped", end) if end else NEVER,
        )
        if stop.end_us <= stop.start_us:
            raise UsageError(f"--stopped {text} ends before it starts.", "Write it like 1=2s..5s.")
        found.setdefault(broker, []).append(stop)
    return found


def _broker_and(option: str, text: str, example: str) -> tuple[int, str]:
    match = re.fullmatch(r"(\d{1,9})=(.+)", text.strip())
    if match is None:
        raise UsageError(
            f"{option}: {text!r} names no broker.", f"Write a broker's number first: {example}."
        )
    return int(match[1]), match[2]

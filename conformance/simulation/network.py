"""The producer's connections to the brokers: how many requests are on their way, and until when.

Follows ``org.apache.kafka.clients.NetworkClient``: a node takes
``max.in.flight.requests.per.connection`` requests at a time; a request without an answer in
``request.timeout.ms`` ends its connection, and with it all requests on it.
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from conformance.simulation.brokers import Broker
from conformance.simulation.quantities import MILLISECOND, NEVER, Micros
from python_impl.producer.produce_request import (
    NoResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from python_impl.producer.record_accumulator import NEVER as NEVER_MS

RECONNECT_US: Final = 50 * MILLISECOND
"""``reconnect.backoff.ms``, of which the default is taken."""

Response = ProduceResponse | NoResponse
Sent = Callable[[ProduceRequest, Micros], object]
"""Told a request that is sent, and when its answer will come."""
Answered = Callable[[ProduceRequest, Response], None]


class _Flight:
    """A request that was sent and has not ended."""

    __slots__ = ("ended", "request", "timed_out")

    def __init__(self, request: ProduceRequest, timed_out: bool) -> None:
        self.request = request
        self.timed_out = timed_out
        """Whether it will be: its answer comes too late."""
        self.ended = False


class _Node:
    """The connection to a broker."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.in_flight: deque[_Flight] = deque()
        self.usable_from_us: Micros = 0
        self.most_in_flight = 0


class Network:
    """A :class:`KafkaClient` on simulated time; all connections are there from the start.

    ``answered`` is told of answers by :meth:`deliver`, in the order of time.
    """

    def __init__(
        self,
        brokers: list[Broker],
        *,
        way_us: Micros,
        max_in_flight: int,
        request_timeout_ms: int,
        told_sent: Sent,
    ) -> None:
        self.now_us: Micros = 0
        """The time, which the loop sets."""
        self.sent = 0
        """How many requests were sent."""
        self.timed_out = 0
        """How many of them were given up, for want of an answer."""
        self.written_in_vain = 0
        """Records of requests that a broker served although the producer had given them up."""
        self.woken = False
        """Whether the producer woke its sender since somebody last set this to False."""
        self._nodes = [_Node(broker) for broker in brokers]
        self._way_us = way_us
        self._max_in_flight = max_in_flight
        # Java gives up when more than that has passed.
        self._patience_us = (request_timeout_ms + 1) * MILLISECOND
        self._events: list[tuple[Micros, int, _Flight]] = []
        self._offsets: dict[int, int] = {}
        self._told_sent = told_sent

    # What the sender asks.

    def ready(self, node: int, now_ms: int) -> bool:
        """See :class:`KafkaClient`."""
        del now_ms
        known = self._nodes[node]
        return self.now_us >= known.usable_from_us and len(known.in_flight) < self._max_in_flight

    def poll_delay_ms(self, node: int, now_ms: int) -> int:
        """See :class:`KafkaClient`: a connection that is full is woken by its answers."""
        del now_ms
        usable_us = self._nodes[node].usable_from_us
        if self.now_us >= usable_us or usable_us >= NEVER:
            return NEVER_MS
        return -(-(usable_us - self.now_us) // MILLISECOND)

    def send(self, request: ProduceRequest, now_ms: int) -> None:
        """See :class:`KafkaClient`."""
        del now_ms
        node = self._nodes[request.node]
        served_us = node.broker.serve(self.now_us + self._way_us)
        answer_us = served_us + self._way_us if served_us < NEVER else NEVER
        if not request.expects_response:
            answer_us = self.now_us
        given_up_us = self.now_us + self._patience_us
        flight = _Flight(request, answer_us > given_up_us)
        node.in_flight.append(flight)
        node.most_in_flight = max(node.most_in_flight, len(node.in_flight))
        self.sent += 1
        ends_us = min(answer_us, given_up_us)
        heappush(self._events, (ends_us, self.sent, flight))
        self._told_sent(request, ends_us)

    def wakeup(self) -> None:
        """See :class:`KafkaClient`: the loop wakes the sender, by what a send answers."""
        self.woken = True

    # What happens meanwhile.

    @property
    def next_event_us(self) -> Micros:
        """When the next request ends; :data:`NEVER` without any."""
        return self._events[0][0] if self._events else NEVER

    def deliver(self, answered: Answered) -> bool:
        """Tell of all requests that end by now; answers whether there was any."""
        any_ended = False
        while self._events and self._events[0][0] <= self.now_us:
            flight = heappop(self._events)[2]
            if flight.ended:
                continue
            any_ended = True
            if flight.timed_out:
                self._disconnect(self._nodes[flight.request.node], answered)
            else:
                self._end(flight, self._answer(flight.request), answered)
        return any_ended

    def in_flight(self, node: int) -> int:
        """How many requests to a node have not ended."""
        return len(self._nodes[node].in_flight)

    def most_in_flight(self, node: int) -> int:
        """The most there ever were at a time."""
        return self._nodes[node].most_in_flight

    def _disconnect(self, node: _Node, answered: Answered) -> None:
        """End a connection; a new one needs a broker that answers."""
        usable_us = node.broker.running_from(self.now_us + RECONNECT_US + self._way_us)
        node.usable_from_us = min(NEVER, usable_us + self._way_us)
        for flight in [*node.in_flight]:
            self.timed_out += 1
            if node.usable_from_us < NEVER:
                self.written_in_vain += sum(one.record_count for one in flight.request.batches)
            self._end(flight, NoResponse(disconnected=True, timed_out=True), answered)

    def _end(self, flight: _Flight, response: Response, answered: Answered) -> None:
        flight.ended = True
        self._nodes[flight.request.node].in_flight.remove(flight)
        answered(flight.request, response)

    def _answer(self, request: ProduceRequest) -> Response:
        if not request.expects_response:
            return NoResponse()
        partitions = {}
        for batch in sorted(request.batches, key=lambda one: one.partition):
            offset = self._offsets.get(batch.partition, 0)
            self._offsets[batch.partition] = offset + batch.record_count
            partitions[batch.topic, batch.partition] = PartitionResponse(0, offset)
        return ProduceResponse(partitions)

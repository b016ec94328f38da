"""The producer's connections to the brokers: how many requests are on their way, and until when.

Follows ``org.apache.kafka.clients.NetworkClient``: a node takes
``max.in.flight.requests.per.connection`` requests at a time; a request without an answer in
``request.timeout.ms`` ends its connection, and with it all requests on it. Java looks for such
requests only when it wakes: by an answer, by a batch that is opened or full, by its timer, or when
it has polled for ``request.timeout.ms``.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import Final

from conformance.simulation.brokers import TOPIC, Broker
from conformance.simulation.partition_log import PartitionLog
from conformance.simulation.quantities import MILLISECOND, NEVER, Micros
from python_impl.producer.produce_request import (
    NoResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from python_impl.producer.producer_batch import ProducerBatch
from python_impl.producer.producer_id import InitProducerIdRequest, InitProducerIdResponse
from python_impl.producer.record_accumulator import NEVER as NEVER_MS

RECONNECT_US: Final = 50 * MILLISECOND
"""``reconnect.backoff.ms``, of which the default is taken."""

Request = ProduceRequest | InitProducerIdRequest
Response = ProduceResponse | NoResponse | InitProducerIdResponse
Sent = Callable[[ProduceRequest], object]
"""Told a request that is sent."""
Answered = Callable[[Request, Response], object]


class _Flight:
    """A request that was sent and has not ended."""

    __slots__ = ("number", "overdue_us", "request", "responses")

    def __init__(
        self,
        number: int,
        request: ProduceRequest,
        responses: Mapping[int, PartitionResponse],
        overdue_us: Micros,
    ) -> None:
        self.number = number
        """Of its request: they are counted as they are sent."""
        self.request = request
        self.responses = responses
        """What the broker makes of each partition's batch; nothing if it never serves them."""
        self.overdue_us = overdue_us
        """From when on it is given up when the sender wakes."""


class _Node:
    """The connection to a broker."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.in_flight: deque[_Flight] = deque()
        self.usable_from_us: Micros = 0
        self.most_in_flight = 0


class Network:
    """An :class:`IdempotentClient` on simulated time; all connections are there from the start.

    A producer id is there as soon as it is asked for.

    ``answered`` is told of answers by :meth:`deliver`, in the order of time, and of requests that
    get none by :meth:`give_up`.
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
        self.written_twice = 0
        """Records that a broker wrote once more, after the producer had given up the first time."""
        self.given_ids = 0
        """How many producer ids there have been: 0, 1, 2 ..."""
        self.logs: dict[int, PartitionLog] = defaultdict(PartitionLog)
        """Each partition's, as far as anything was sent to it."""
        self.polled_us: Micros = 0
        """When the sender last went to sleep, which the loop sets."""
        self.woken = False
        """Whether the producer woke its sender since somebody last set this to False."""
        self._nodes = [_Node(broker) for broker in brokers]
        self._way_us = way_us
        self._max_in_flight = max_in_flight
        # Java gives up when more than that has passed.
        self._patience_us = (request_timeout_ms + 1) * MILLISECOND
        # When the request of that number is answered, if it still is in flight.
        self._answers: list[tuple[Micros, int]] = []
        self._flights: OrderedDict[int, _Flight] = OrderedDict()
        # Batches that a broker has, and of which the producer does not know it; by their id().
        self._in_doubt: dict[int, ProducerBatch] = {}
        self._waits_for_id: list[tuple[InitProducerIdRequest, InitProducerIdResponse]] = []
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

    def send(self, request: Request, now_ms: int) -> None:
        """See :class:`IdempotentClient`."""
        if isinstance(request, InitProducerIdRequest):
            self._waits_for_id.append((request, self.send_and_receive(request, now_ms)))
            return
        node = self._nodes[request.node]
        served_us = node.broker.serve(self.now_us + self._way_us, self.now_us)
        answer_us = served_us + self._way_us if served_us < NEVER else NEVER
        if not request.expects_response:
            answer_us = self.now_us
        responses = self._appended(request) if served_us < NEVER else {}
        self.sent += 1
        flight = _Flight(self.sent, request, responses, self.now_us + self._patience_us)
        node.in_flight.append(flight)
        node.most_in_flight = max(node.most_in_flight, len(node.in_flight))
        if answer_us < NEVER:
            heappush(self._answers, (answer_us, flight.number))
        self._flights[flight.number] = flight
        self._told_sent(request)

    def _appended(self, request: ProduceRequest) -> dict[int, PartitionResponse]:
        """What becomes of each partition's batch: a broker serves in the order of arrival."""
        responses = {}
        for batch in sorted(request.batches, key=lambda one: one.partition):
            appended = self.logs[batch.partition].append(batch)
            if appended.is_written and self._in_doubt.get(id(batch)) is batch:
                self.written_twice += batch.record_count
            responses[batch.partition] = appended.response
        return responses

    def least_loaded_node(self, now_ms: int) -> int | None:
        """See :class:`IdempotentClient`: any node, for an id takes no time."""
        del now_ms
        return 0

    def connect(self, node: int, now_ms: int) -> bool:
        """See :class:`IdempotentClient`: likewise."""
        del node, now_ms
        return True

    def send_and_receive(
        self, request: InitProducerIdRequest, now_ms: int
    ) -> InitProducerIdResponse:
        """See :class:`IdempotentClient`: the next id."""
        del request, now_ms
        self.given_ids += 1
        return InitProducerIdResponse(0, self.given_ids - 1, 0)

    def sleep(self, ms: int) -> None:
        """See :class:`IdempotentClient`: never asked, since a request for an id never fails."""
        raise NotImplementedError(ms)

    def wakeup(self) -> None:
        """See :class:`KafkaClient`: the loop wakes the sender, by what a send answers."""
        self.woken = True

    # What happens meanwhile.

    @property
    def next_event_us(self) -> Micros:
        """When the sender wakes because of a request; :data:`NEVER` without any."""
        if self._waits_for_id:
            return self.now_us
        if not self._flights:
            return NEVER
        answers = self._answers
        while answers and answers[0][1] not in self._flights:
            heappop(answers)
        # Whatever was sent before it went to sleep is overdue when it has slept for so long.
        slept_us = self.polled_us + self._patience_us
        return min(slept_us, answers[0][0]) if answers else slept_us

    def deliver(self, answered: Answered) -> bool:
        """Tell of all answers until now; whether the sender wakes because of a request."""
        wakes = self.next_event_us <= self.now_us
        while self._waits_for_id:
            answered(*self._waits_for_id.pop(0))
        while self._answers and self._answers[0][0] <= self.now_us:
            flight = self._flights.get(heappop(self._answers)[1])
            if flight is not None:
                self._end(flight, self._answer(flight), answered)
        return wakes

    def give_up(self, answered: Answered) -> None:
        """The sender is awake: end the connections on which an answer is overdue."""
        while self._flights:
            oldest = next(iter(self._flights.values()))
            if oldest.overdue_us > self.now_us:
                break
            self._disconnect(self._nodes[oldest.request.node], answered)

    def in_flight(self, node: int) -> int:
        """How many requests to a node have not ended."""
        return len(self._nodes[node].in_flight)

    def most_in_flight(self, node: int) -> int:
        """The most there ever were at a time."""
        return self._nodes[node].most_in_flight

    def _disconnect(self, node: _Node, answered: Answered) -> None:
        """End a connection, after which its node is out of reach for a while.

        A new connection takes ``reconnect.backoff.ms``, a round trip to open it, and one for an
        ``ApiVersionsRequest``, which the broker must answer.
        """
        asked_us = self.now_us + RECONNECT_US + 3 * self._way_us
        usable_us = node.broker.running_from(asked_us)
        node.usable_from_us = min(NEVER, usable_us + self._way_us)
        known = self._in_doubt.items()
        self._in_doubt = {key: batch for key, batch in known if not batch.is_done}
        for flight in [*node.in_flight]:
            self.timed_out += 1
            for batch in flight.request.batches:
                response = flight.responses.get(batch.partition)
                if response is not None and response.code == 0:
                    self._in_doubt[id(batch)] = batch
            self._end(flight, NoResponse(disconnected=True, timed_out=True), answered)

    def _end(self, flight: _Flight, response: Response, answered: Answered) -> None:
        del self._flights[flight.number]
        self._nodes[flight.request.node].in_flight.remove(flight)
        answered(flight.request, response)

    def _answer(self, flight: _Flight) -> Response:
        if not flight.request.expects_response:
            return NoResponse()
        return ProduceResponse({(TOPIC, at): one for at, one in flight.responses.items()})

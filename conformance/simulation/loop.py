"""The discrete-event loop: the application's thread, the sender's thread, and answers.

What is simulated is what the threads wait for; their own work takes no time, but for what a
scenario says that the sender takes for a request. At each moment answers come first, then the
application sends what is due, then the sender makes its passes.
"""

import random
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final, NamedTuple

import numpy as np

from conformance.simulation.brokers import TOPIC, Broker, address_of
from conformance.simulation.measures import Batch, Measures, Record, Sink
from conformance.simulation.memory import WatchedPool, watched_pool
from conformance.simulation.network import Network, Request, Response
from conformance.simulation.partitioners import partitioner_of
from conformance.simulation.payload import Payload
from conformance.simulation.quantities import MILLISECOND, NEVER, Micros
from conformance.simulation.scenario import Scenario
from python_impl.errors import JavaError
from python_impl.producer.kafka_producer import Sent
from python_impl.producer.produce_request import ProduceRequest, ProduceResponse
from python_impl.producer.producer_id import InitProducerIdRequest, InitProducerIdResponse
from python_impl.producer.producer_metadata import ProducerMetadata
from python_impl.producer.producer_settings import ProducerSettings
from python_impl.records.builder import MemoryRecordsBuilder
from python_impl.records.sized_builder import SizedRecordsBuilder

_FAR_MS: Final = 10**15
"""A wait of so many ms is one without end."""


class Chance(NamedTuple):
    """What a producer leaves to chance: partitions by int32, the length of backoffs by 0 to 1."""

    int32: Callable[[], int]
    unit: Callable[[], float]


Call = tuple[Record, bytes | None, bytes]
"""A record, its key and its value."""


class _Blocked:
    """A send that waits for memory: the application's thread does nothing else."""

    def __init__(
        self, call: Call, partition: int | None, since_us: Micros, until_us: Micros
    ) -> None:
        self.call = call
        self.partition = partition
        """Which one it is for, if that has been settled."""
        self.since_us = since_us
        self.until_us = until_us


Tell = Callable[[int, Micros | None], None]
"""Is told, now and then, how many records more have come, and the simulated time if it is known."""
_STEPS_UNTOLD: Final = 1024
"""After so many moments somebody who watches is told the time, though no records have come."""


def tell_nobody(more: int, now_us: Micros | None) -> None:
    """A :data:`Tell` for a run that nobody watches."""
    del more, now_us


class Simulation:
    """One run of a scenario; ``sink`` is told of each record that has ended."""

    def __init__(
        self, scenario: Scenario, sink: Sink | None = None, tell: Tell = tell_nobody
    ) -> None:
        seeds = np.random.SeedSequence(scenario.seed)
        generators = [np.random.default_rng(one) for one in seeds.spawn(2)]
        settings = scenario.producer_settings()
        cluster = scenario.cluster
        self.brokers = [
            Broker(
                cluster.slow.get(broker, cluster.service),
                cluster.stops.get(broker, ()),
                np.random.default_rng([scenario.seed, broker]),
            )
            for broker in range(cluster.brokers)
        ]
        self.measures = Measures(cluster, settings.linger_ms * MILLISECOND, sink)
        self.network = Network(
            self.brokers,
            way_us=cluster.network_us,
            max_in_flight=settings.max_in_flight_requests_per_connection,
            request_timeout_ms=settings.request_timeout_ms,
            told_sent=self._requested,
        )
        compressed = settings.compression_type != "none"
        self._payload = Payload(scenario.random_share, compressed=compressed, random=generators[1])
        self._arrivals = self._each_arrival(scenario, settings, generators[0], tell)
        self._tell = tell
        self._max_block_us = settings.max_block_ms * MILLISECOND
        self.until_us = scenario.until_us
        self._request_us = scenario.request_us
        kind = scenario.producer_class
        self.pool: WatchedPool = watched_pool(kind.pool_class)(
            settings.buffer_memory, max(1, settings.batch_size)
        )
        chance = self._chance(scenario.seed)
        self._partitioner = partitioner_of(scenario.release, scenario.settings, chance.int32)
        self._producer = kind(
            settings,
            ProducerMetadata(cluster.metadata(), address=address_of),
            self.network,
            partitioner=self._partitioner,
            random=chance.int32,
            jitter=chance.unit,
            pool=self.pool,
            builder=MemoryRecordsBuilder if compressed else SizedRecordsBuilder,
        )
        self._now_us: Micros = 0
        # Before any record comes, an idempotent producer asks for its id.
        self._wake_us: Micros = 0 if settings.idempotent else NEVER
        self._sender_free_us: Micros = 0
        """Until then the sender works on what it has sent, and sees no answer."""
        self._blocked: _Blocked | None = None
        self.behind = 0
        """Records that came, when time was over, behind a send that was blocked."""
        self._next: tuple[Micros, bytes | None, int] | None = next(self._arrivals, None)

    def _chance(self, seed: int) -> Chance:
        draws = random.Random(seed)
        return Chance(lambda: draws.getrandbits(32) - 2**31, draws.random)

    @staticmethod
    def _each_arrival(
        scenario: Scenario, settings: ProducerSettings, generator: np.random.Generator, tell: Tell
    ) -> Iterator[tuple[Micros, bytes | None, int]]:
        for block in scenario.load.blocks(generator):
            if None in block.keys:  # of a trace nobody knows it before
                scenario.check_choice(settings)
            yield from zip(*block, strict=True)
            tell(len(block.times), block.times[-1])

    @property
    def has_ended(self) -> bool:
        """Whether all records have, and all requests."""
        return (
            not self.expects_records
            and not self.is_blocked
            and self.network.next_event_us == NEVER
            and not self.measures.on_their_way
        )

    @property
    def expects_records(self) -> bool:
        """Whether any are still to come."""
        return self._next is not None

    @property
    def is_blocked(self) -> bool:
        """Whether the application's thread waits for memory."""
        return self._blocked is not None

    def run(self) -> None:
        """Let time pass until all has ended, or no time is left."""
        for number in count():
            now_us = min(self._sender_us(), self._application_us())
            if number % _STEPS_UNTOLD == _STEPS_UNTOLD - 1:
                self._tell(0, self._now_us)
            if now_us > self.until_us or now_us >= NEVER or self.has_ended:
                self._end()
                return
            self._set_time(now_us)
            self._step(now_us)

    def _end(self) -> None:
        """Count what waits when time is over: a send that is blocked, and those behind it."""
        if not self.has_ended:
            self._set_time(self.until_us)
        if self._blocked is not None:
            self.measures.blocked_sends += 1
            self.measures.blocked_us += self.until_us - self._blocked.since_us
            while self._next is not None and self._next[0] <= self.until_us:
                arrived_us, key, size = self._next
                self._next = next(self._arrivals, None)
                self.measures.record(arrived_us, size + len(key or b""))
                self.behind += 1
        self.measures.tell_sink()

    def _set_time(self, now_us: Micros) -> None:
        self._now_us = self.network.now_us = self.measures.now_us = now_us

    def _step(self, now_us: Micros) -> None:
        """All that happens at one moment, and records that come until anything else happens."""
        wakes = max(self._sender_free_us, self._wake_us) <= now_us
        if self._sender_free_us <= now_us:
            wakes = self.network.deliver(self._answered) or wakes
        others_us = min(self._sender_us(), self.until_us)
        wakes = self._application(0 if wakes else others_us) or wakes
        while wakes and self._now_us >= self._sender_free_us:
            self.network.give_up(self._answered)
            self._passes()
            # Batches that ran out of time may have left memory for a send that waits.
            wakes = self._blocked is not None and self._application()
        if wakes:
            self._wake_us = self._now_us  # it sees to that when it is free

    # The sender's thread.

    def _sender_us(self) -> Micros:
        """When the sender does something next, unless the application wakes it before."""
        return max(self._sender_free_us, min(self.network.next_event_us, self._wake_us))

    def _requested(self, request: ProduceRequest) -> list[Batch]:
        """A request is sent; answers its batches as they are known here."""
        return self.measures.sent(request)

    def _pass(self, now_ms: int) -> int:
        """One pass; answers for how long nothing else will be sent (ms)."""
        return self._producer.run_once(now_ms)

    def _answered(self, request: Request, response: Response) -> JavaError | None:
        """Give the sender a response. Returns the error that this raises, if any.

        Java's ``NetworkClient.completeResponses`` only logs such an error, and goes on.
        """
        sender, now_ms = self._producer.sender, self._now_us // MILLISECOND
        try:
            if isinstance(request, InitProducerIdRequest):
                assert not isinstance(response, ProduceResponse)  # each has its own
                sender.handle_init_producer_id_response(request, response)
            else:
                assert not isinstance(response, InitProducerIdResponse)
                self.measures.answered(request)
                sender.handle_produce_response(request, response, now_ms)
        except JavaError as error:
            return error
        return None

    def _passes(self) -> None:
        """Passes of the sender until nothing more is sent; then it sleeps until it is woken."""
        now_ms = self._now_us // MILLISECOND
        while True:
            before = self.network.sent
            poll_ms = self._pass(now_ms)
            sent = self.network.sent - before
            if sent and self._request_us:
                self._sender_free_us = self._now_us + sent * self._request_us
                self._wake_us = self._now_us  # its next pass comes when it is free
                break
            if poll_ms or not sent:
                self._wake_us = self._woken_us(poll_ms)
                break
        self.network.polled_us = self._now_us
        self.measures.look(self.pool.used)

    def _woken_us(self, poll_ms: int) -> Micros:
        """When a wait ends; Java would look again at once until its clock has moved on."""
        return NEVER if poll_ms >= _FAR_MS else self._now_us + max(1, poll_ms) * MILLISECOND

    # The application's thread.

    def _application_us(self) -> Micros:
        """When the application does something next, unless memory comes before."""
        if self._blocked is not None:
            return self._blocked.until_us
        return NEVER if self._next is None else max(self._next[0], self._now_us)

    def _application(self, before_us: Micros = 0) -> bool:
        """Send what is due; answers whether that wakes the sender.

        Until it does, also what comes before a time at which something else happens.
        """
        wakes = False
        while True:
            if self._blocked is not None:
                if not self.pool.has_memory and self._now_us < self._blocked.until_us:
                    return wakes
                wakes = self._try_again(self._blocked) or wakes
                continue
            if self._next is None:
                return wakes
            next_us = self._next[0]
            if next_us > self._now_us:
                if wakes or next_us >= before_us:
                    return wakes
                self._set_time(next_us)
            wakes = self._send_next(*self._next) or wakes

    def _send_next(self, arrived_us: Micros, key: bytes | None, size: int) -> bool:
        self._next = next(self._arrivals, None)
        record = self.measures.record(arrived_us, size + len(key or b""))
        return self._send((record, key, self._payload.of_size(size)), None)

    def _try_again(self, blocked: _Blocked) -> bool:
        self._blocked = None
        if self._partitioner is not None:
            self._partitioner.trying_again = True
        wakes = self._send(blocked.call, blocked)
        if self._partitioner is not None:
            self._partitioner.trying_again = False
        if self._blocked is None:
            self.measures.blocked_sends += 1
            self.measures.blocked_us += self._now_us - blocked.since_us
        return wakes

    def _send(self, call: Call, blocked: _Blocked | None) -> bool:
        """Send a record, or once more one that was blocked; whether that wakes the sender."""
        partition, called_ms = None, None
        if blocked is not None:
            # Java takes a record's time before it waits for memory.
            partition, called_ms = blocked.partition, blocked.since_us // MILLISECOND
        try:
            sent = self._offer(call, partition, called_ms)
        except JavaError as error:
            self.measures.refused(call[0], error)
            return False
        if sent.result is not None:
            # Java's own word is also true if others wait before the record's batch.
            is_full = sent.result.batch_is_full and self._producer.accumulator.last_is_full(
                TOPIC, sent.result.partition
            )
            self.measures.taken(call[0], sent.result, is_full=is_full)
            return sent.result.new_batch_created or sent.result.batch_is_full
        assert sent.error is not None  # there is either
        self._not_taken(call, sent.partition, sent.error, blocked)
        return False

    def _offer(self, call: Call, partition: int | None, called_ms: int | None) -> Sent:
        """Ask the producer to send; ``called_ms`` is when it was first asked, if before."""
        record, key, value = call
        now_ms = self._now_us // MILLISECOND
        return self._producer.send(
            *(TOPIC, partition, key, value),
            now_ms=now_ms,
            timestamp=called_ms,
            completed=record,
        )

    def _not_taken(
        self, call: Call, partition: int, error: JavaError, blocked: _Blocked | None
    ) -> None:
        """A record without memory waits for it, up to ``max.block.ms``; any other is refused."""
        if blocked is None:
            chosen = None if self._partitioner is None else partition
            until_us = self._now_us + self._max_block_us
            blocked = _Blocked(call, chosen, self._now_us, until_us)
        if isinstance(error, self.pool.exhausted) and self._now_us < blocked.until_us:
            self._blocked = blocked
        else:
            self.pool.stop_waiting()
            self.measures.refused(call[0], error)

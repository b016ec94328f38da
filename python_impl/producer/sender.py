"""The loop that sends what a producer has collected, and learns what became of it.

Follows ``org.apache.kafka.clients.producer.internals.Sender`` (3.8.0) without transactions; others
are in :mod:`.partition_sender` and :mod:`.late_returning_sender`. Time is an argument, in ms. The
loop polls its connections after a pass in Java; here the caller does, for as long as it answers.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, cast

from ..errors import (
    JavaApiError,
    JavaError,
    JavaIllegalStateError,
    JavaKafkaError,
    JavaTimeoutError,
)
from ..hash_order import (
    hash_of_node,
    hash_of_topic_partition,
    in_hash_order,
)
from .produce_request import (
    KafkaClient,
    NoResponse,
    PartitionResponse,
    ProduceRequest,
    ProduceResponse,
)
from .producer_batch import ProducerBatch
from .producer_id import IdempotentClient, InitProducerIdRequest, InitProducerIdResponse
from .producer_id_requests import ProducerIdRequests
from .producer_metadata import ProducerMetadata
from .protocol_errors import (
    DUPLICATE_SEQUENCE_NUMBER,
    INVALID_RECORD,
    MESSAGE_TOO_LARGE,
    NETWORK_EXCEPTION,
    PROTOCOL_ERRORS,
    REQUEST_TIMED_OUT,
    UNKNOWN_SERVER_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
)
from .record_accumulator import NEVER, ReadyCheckResult
from .transaction_manager import TransactionManager

_Partition = tuple[str, int]


class Sender:
    """One pass after another (3.8.0).

    ``max_in_flight`` of 1 keeps a partition's batches in order: none is sent before the one before
    has ended. ``retries`` limits how often a batch is sent again. Sizes are bytes, times ms. With
    ``transactions`` the producer is idempotent, and ``client`` an :class:`.IdempotentClient`.
    """

    errors: ClassVar[Mapping[int, ProtocolError]] = PROTOCOL_ERRORS
    ids_class: ClassVar[type[ProducerIdRequests]] = ProducerIdRequests

    def __init__(
        self,
        client: KafkaClient,
        metadata: ProducerMetadata,
        accumulator: Any,
        *,
        max_in_flight: int,
        max_request_size: int,
        acks: int,
        retries: int,
        request_timeout_ms: int,
        retry_backoff_ms: int,
        transactions: TransactionManager | None,
    ) -> None:
        self._client = client
        self._metadata = metadata
        self._accumulator = accumulator
        self._keeps_order = max_in_flight == 1
        self._max_request_size = max_request_size
        self._acks = acks
        self._retries = retries
        self._request_timeout_ms = request_timeout_ms
        self._in_flight: dict[_Partition, list[ProducerBatch]] = {}
        # Partitions that had batches in flight at most, before one was added and after.
        self._most_before = self._most_in_flight = 0
        self.running = True
        self._transactions = transactions
        self._ids: ProducerIdRequests | None = None
        if transactions is not None:
            owner = cast(IdempotentClient, client), metadata, transactions
            self._ids = self.ids_class(*owner, retry_backoff_ms, self._abort_batches)

    # One pass.

    def run_once(self, now_ms: int) -> int:
        """Send what is ready to nodes that are; answers for how long nothing else will be (ms).

        An idempotent producer sends nothing before it has an id.
        """
        if self._ids is not None:
            now_ms, poll_ms = self._ids.turn(now_ms)
            if poll_ms is not None:
                return poll_ms
        return self._send_producer_data(now_ms)

    def _send_producer_data(self, now_ms: int) -> int:
        result = self._ready(now_ms)
        for topic in result.unknown_leader_topics:
            self._metadata.add(topic)
        if result.unknown_leader_topics:
            self._metadata.request_update()
        nodes, not_ready_ms = self._reachable(result.ready_nodes, now_ms)
        batches = self._drain(nodes, now_ms)
        for node in in_hash_order(batches, int):
            self._add_in_flight(batches[node])
        self._expire(now_ms)
        poll_ms = min(result.next_ready_check_delay_ms, not_ready_ms)
        poll_ms = max(0, min(poll_ms, self._accumulator.next_expiry_time_ms - now_ms))
        for node in in_hash_order(batches, int):
            if batches[node]:
                self._send(node, batches[node], now_ms)
        return 0 if nodes else poll_ms

    def _ready(self, now_ms: int) -> ReadyCheckResult:
        metadata = self._metadata
        result: ReadyCheckResult = self._accumulator.ready(
            metadata.cluster, now_ms, metadata.leader_epoch
        )
        return result

    def _drain(self, nodes: Sequence[int], now_ms: int) -> dict[int, list[ProducerBatch]]:
        metadata, most = self._metadata, self._max_request_size
        drained: dict[int, list[ProducerBatch]] = self._accumulator.drain(
            metadata.cluster, nodes, most, now_ms, metadata.leader_epoch
        )
        return drained

    def _reachable(self, nodes: Sequence[int], now_ms: int) -> tuple[list[int], int]:
        """The nodes that can be sent to now, and how long to wait for one that cannot."""
        reachable = []
        not_ready_ms = NEVER
        for node in self._in_order(nodes):
            ready = self._client.ready(node, now_ms)
            self._note_latency(node, now_ms, ready)
            if ready:
                reachable.append(node)
            else:
                not_ready_ms = min(not_ready_ms, self._client.poll_delay_ms(node, now_ms))
        return reachable, not_ready_ms

    def _in_order(self, nodes: Sequence[int]) -> list[int]:
        """Nodes in the order of a Java set."""
        return in_hash_order(nodes, lambda node: hash_of_node(node, *self._metadata.address(node)))

    def _note_latency(self, node: int, now_ms: int, ready: bool) -> None:
        self._accumulator.update_node_latency_stats(node, now_ms, ready)

    def _add_in_flight(self, batches: Sequence[ProducerBatch]) -> None:
        for batch in batches:
            self._most_before = max(self._most_before, len(self._in_flight))
            self._in_flight.setdefault((batch.topic, batch.partition), []).append(batch)
            self._most_in_flight = max(self._most_in_flight, len(self._in_flight))
            if self._keeps_order:
                self._accumulator.mute_partition(batch.topic, batch.partition)

    def _send(self, node: int, batches: Sequence[ProducerBatch], now_ms: int) -> None:
        request = ProduceRequest(node, self._acks, self._request_timeout_ms, batches)
        for batch in batches:
            batch.in_flight = True
        self._client.send(request, now_ms)

    # Batches that run out of time.

    def _expire(self, now_ms: int) -> None:
        """End what has waited for ``delivery.timeout.ms``: what is queued, then what is in flight.

        Nobody knows whether a broker has the latter.
        """
        self._accumulator.reset_next_batch_expiry_time()
        in_flight = self._expired_in_flight(now_ms)
        for batch in self._accumulator.expired_batches(now_ms):
            self._fail(batch, JavaTimeoutError("a batch has not been sent in time"))
            self._mark_unresolved(batch)
        for batch in in_flight:
            self._fail_in_flight(batch, JavaTimeoutError("a batch has not been answered in time"))
            self._mark_unresolved(batch)

    def _mark_unresolved(self, batch: ProducerBatch) -> None:
        if self._transactions is not None and batch.in_retry:
            self._transactions.mark_sequence_unresolved(batch)

    def _expired_in_flight(self, now_ms: int) -> list[ProducerBatch]:
        expired: list[ProducerBatch] = []
        for at in self._in_flight_in_order():
            batches = self._in_flight[at]
            while batches and batches[0].has_reached_delivery_timeout(
                self._accumulator.delivery_timeout_ms, now_ms
            ):
                expired.append(batches.pop(0))
                if expired[-1].is_done:
                    raise JavaIllegalStateError("a batch in flight has ended before")
            if batches:
                self._accumulator.maybe_update_next_expiry(batches[0])
            else:
                del self._in_flight[at]
        return expired

    def _in_flight_in_order(self) -> list[_Partition]:
        """Partitions in Java's order; ``computeIfAbsent`` fills a map's buckets in front."""
        added = reversed(self._in_flight)
        return in_hash_order(
            added, hash_of_topic_partition, most=self._most_before, grows_late=True
        )

    @property
    def in_flight_count(self) -> int:
        """How many batches were sent and have not ended."""
        return sum(map(len, self._in_flight.values()))

    # Answers.

    def handle_init_producer_id_response(
        self, request: InitProducerIdRequest, response: InitProducerIdResponse | NoResponse
    ) -> None:
        """What became of a request for a producer id."""
        if self._transactions is not None:
            self._transactions.handle_init_producer_id_response(request, response)

    def handle_produce_response(
        self, request: ProduceRequest, response: ProduceResponse | NoResponse, now_ms: int
    ) -> None:
        """What became of a request."""
        batches = {(batch.topic, batch.partition): batch for batch in request.batches}
        if isinstance(response, ProduceResponse):
            for at, answered in response.partitions.items():
                throttled_ms = now_ms + response.throttle_ms
                self._complete_or_retry(batches[at], answered, now_ms, throttled_ms)
            return
        error = self._error_without_response(response)
        answer = PartitionResponse(0 if error is None else error.code)
        for at in in_hash_order(batches, hash_of_topic_partition, capacity=len(batches)):
            self._complete_or_retry(batches[at], answer, now_ms, 0)

    def _error_without_response(self, response: NoResponse) -> ProtocolError | None:
        if response.timed_out:
            return REQUEST_TIMED_OUT
        if response.disconnected:
            return NETWORK_EXCEPTION
        return UNSUPPORTED_VERSION if response.version_mismatch else None

    def _complete_or_retry(
        self, batch: ProducerBatch, response: PartitionResponse, now_ms: int, throttled_ms: int
    ) -> None:
        batch.in_flight = False
        if response.code == 0:
            self._complete(batch, response)
        else:
            error = self.errors.get(response.code, UNKNOWN_SERVER_ERROR)
            self._split_retry_or_fail(batch, response, error, now_ms)
        if self._keeps_order:
            self._unmute(batch.topic, batch.partition, throttled_ms)

    def _split_retry_or_fail(
        self, batch: ProducerBatch, response: PartitionResponse, error: ProtocolError, now_ms: int
    ) -> None:
        if error is MESSAGE_TOO_LARGE and batch.record_count > 1 and not batch.is_done:
            # What was split counts no attempt.
            if self._transactions is not None:
                self._transactions.remove_in_flight_batch(batch)
            self._accumulator.split_and_reenqueue(batch)
            self._let_go(batch)
            return
        if self._can_retry(batch, response, error, now_ms):
            self._retry(batch, now_ms)
        elif error is DUPLICATE_SEQUENCE_NUMBER:
            # The broker has it, and does not remember where.
            self._complete(batch, response)
        else:
            # Once retries are used up, nobody knows whether the broker has it.
            adjusts = batch.attempts < self._retries
            self._fail_by_response(batch, response, error, adjusts=adjusts)
        if error.invalid_metadata:
            self._metadata.request_update()

    def _can_retry(
        self, batch: ProducerBatch, response: PartitionResponse, error: ProtocolError, now_ms: int
    ) -> bool:
        timeout_ms = self._accumulator.delivery_timeout_ms
        return (
            not batch.has_reached_delivery_timeout(timeout_ms, now_ms)
            and batch.attempts < self._retries
            and not batch.is_done
            and self._may_succeed(batch, response, error)
        )

    def _may_succeed(
        self, batch: ProducerBatch, response: PartitionResponse, error: ProtocolError
    ) -> bool:
        if self._transactions is None:
            return error.retriable
        return self._transactions.can_retry(batch, response, error)

    def _retry(self, batch: ProducerBatch, now_ms: int) -> None:
        self._accumulator.reenqueue(batch, now_ms)
        self._remove_in_flight(batch)

    def _complete(self, batch: ProducerBatch, response: PartitionResponse) -> None:
        if self._transactions is not None:
            self._transactions.handle_completed_batch(batch, response)
        self._release(batch, batch.complete(response.base_offset))

    def _fail_by_response(
        self,
        batch: ProducerBatch,
        response: PartitionResponse,
        error: ProtocolError,
        *,
        adjusts: bool,
    ) -> None:
        """Tell each record its own error where the broker says which ones are wrong (KIP-467)."""
        if not response.record_errors:
            self._fail(batch, error.exception(), adjusts=adjusts)
            return
        # Of a single one the batch's error is known to be its own.
        own = error if len(response.record_errors) == 1 else INVALID_RECORD
        refused = {place: own.exception() for place in response.record_errors}
        others = JavaKafkaError("Failed to append record because it was part of a refused batch")
        self._fail(
            batch, error.exception(), lambda place: refused.get(place, others), adjusts=adjusts
        )

    def _fail(
        self,
        batch: ProducerBatch,
        error: JavaApiError,
        error_of: Callable[[int], JavaKafkaError] | None = None,
        *,
        adjusts: bool = False,
    ) -> None:
        """End a batch with an error, or with one for each record.

        With ``adjusts`` it is known that no broker has it, so that its sequences are free.
        """
        is_end = batch.complete_exceptionally(error, error_of)
        if is_end:
            self._note_failure(batch, error, adjusts)
        self._release(batch, is_end)

    def _note_failure(self, batch: ProducerBatch, error: JavaApiError, adjusts: bool) -> None:
        if self._transactions is not None:
            # What goes wrong with it is only logged.
            with suppress(JavaError):
                self._transactions.handle_failed_batch(batch, error, adjusts)

    def _abort_batches(self, error: JavaError) -> None:
        if self._accumulator.has_incomplete:
            self._accumulator.abort_batches(error)

    def _fail_in_flight(self, batch: ProducerBatch, error: JavaApiError) -> None:
        """The same of a batch whose request may still be read."""
        self._fail(batch, error)

    def _release(self, batch: ProducerBatch, is_end: bool) -> None:
        """What a batch holds is returned at its end, not at an answer that comes after it."""
        if is_end:
            self._let_go(batch)

    def _let_go(self, batch: ProducerBatch) -> None:
        self._remove_in_flight(batch)
        self._accumulator.deallocate(batch)

    def _remove_in_flight(self, batch: ProducerBatch) -> None:
        at = batch.topic, batch.partition
        batches = self._in_flight.get(at)
        if batches is None:
            return
        batches[:] = [one for one in batches if one is not batch]
        if not batches:
            del self._in_flight[at]

    def _unmute(self, topic: str, partition: int, throttled_ms: int) -> None:
        del throttled_ms
        self._accumulator.unmute_partition(topic, partition)

    # The end.

    def initiate_close(self) -> None:
        """Take no more records; passes go on until all is sent."""
        self._accumulator.close()
        self.running = False
        self._client.wakeup()

    def force_close(self) -> None:
        """Take no more records, and give up what has not ended."""
        self.initiate_close()
        self._accumulator.abort_incomplete_batches()

"""The sender of 2.3.1 and 3.2.3, which chooses no partitions.

Follows ``org.apache.kafka.clients.producer.internals.Sender`` of these versions; what they have in
common with later ones is in :mod:`.sender`.
"""

from collections.abc import Callable, Sequence

from ..errors import JavaApiError, JavaKafkaError
from ..hash_order import hash_of_topic_partition, in_hash_order
from .produce_request import NoResponse, PartitionResponse, ProduceRequest, ProduceResponse
from .producer_batch import ProducerBatch
from .producer_id_requests import BlockingProducerIdRequests
from .protocol_errors import (
    NETWORK_EXCEPTION,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    PROTOCOL_ERRORS_2_3,
    PROTOCOL_ERRORS_3_2,
    ProtocolError,
)
from .record_accumulator import ReadyCheckResult
from .resetting_transaction_manager import ResettingTransactionManager
from .sender import Sender


class PartitionSender(Sender):
    """The same in 3.2.3, which neither chooses partitions nor tells time-outs from lost nodes."""

    errors = PROTOCOL_ERRORS_3_2

    def _ready(self, now_ms: int) -> ReadyCheckResult:
        result: ReadyCheckResult = self._accumulator.ready(self._metadata.cluster, now_ms)
        return result

    def _drain(self, nodes: Sequence[int], now_ms: int) -> dict[int, list[ProducerBatch]]:
        drained: dict[int, list[ProducerBatch]] = self._accumulator.drain(
            self._metadata.cluster, nodes, self._max_request_size, now_ms
        )
        return drained

    def _note_latency(self, node: int, now_ms: int, ready: bool) -> None:
        """Nobody asks for it."""

    def _error_without_response(self, response: NoResponse) -> ProtocolError | None:
        if response.timed_out:
            return NETWORK_EXCEPTION
        return super()._error_without_response(response)

    def _fail(
        self,
        batch: ProducerBatch,
        error: JavaApiError,
        error_of: Callable[[int], JavaKafkaError] | None = None,
        *,
        adjusts: bool = False,
    ) -> None:
        """End a batch; its sequences are looked at first, even if it had ended before."""
        if self._transactions is not None:
            self._transactions.handle_failed_batch(batch, error, adjusts)
        self._release(batch, batch.complete_exceptionally(error, error_of))

    def _in_flight_in_order(self) -> list[tuple[str, int]]:
        """The same of a map that was filled by ``put``, which adds to the end of a bucket."""
        return in_hash_order(self._in_flight, hash_of_topic_partition, most=self._most_in_flight)


class ThrottledSender(PartitionSender):
    """The same in 2.3.1, which knows fewer errors, and leaves a node alone if it says so."""

    errors = PROTOCOL_ERRORS_2_3
    ids_class = BlockingProducerIdRequests
    _transactions: ResettingTransactionManager | None

    def _fail_by_response(
        self,
        batch: ProducerBatch,
        response: PartitionResponse,
        error: ProtocolError,
        *,
        adjusts: bool,
    ) -> None:
        del response
        self._fail(batch, error.exception(), adjusts=adjusts)

    def _may_succeed(
        self, batch: ProducerBatch, response: PartitionResponse, error: ProtocolError
    ) -> bool:
        return error.retriable or super()._may_succeed(batch, response, error)

    def _retry(self, batch: ProducerBatch, now_ms: int) -> None:
        """Send a batch again, unless the producer has got another id since."""
        if self._transactions is None or self._transactions.owns(batch):
            super()._retry(batch, now_ms)
        else:
            self._fail(batch, OUT_OF_ORDER_SEQUENCE_NUMBER.exception())

    def handle_produce_response(
        self, request: ProduceRequest, response: ProduceResponse | NoResponse, now_ms: int
    ) -> None:
        """The same of an answer that was parsed into a map, which has an order of its own."""
        if isinstance(response, ProduceResponse):
            parts = response.partitions
            ordered = {at: parts[at] for at in in_hash_order(parts, hash_of_topic_partition)}
            response = ProduceResponse(ordered, response.throttle_ms)
        super().handle_produce_response(request, response, now_ms)

    def force_close(self) -> None:
        """Take no more records, wait for no id, and give up what has not ended."""
        if isinstance(self._ids, BlockingProducerIdRequests):
            self._ids.waits = False
        super().force_close()

    def _unmute(self, topic: str, partition: int, throttled_ms: int) -> None:
        self._accumulator.unmute_partition(topic, partition, throttled_ms)

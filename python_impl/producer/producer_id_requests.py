"""How the sender of an idempotent producer comes by a producer id, before it sends anything.

Follows ``Sender.runOnce`` and ``Sender.maybeSendAndPollTransactionalRequest`` (3.8.0), and
``Sender.maybeWaitForProducerId`` (2.3.1), without transactions.
"""

from collections.abc import Callable
from typing import NamedTuple

from ..errors import JavaError
from .produce_request import NoResponse
from .producer_id import (
    IdempotentClient,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProducerIdAndEpoch,
)
from .producer_metadata import ProducerMetadata
from .protocol_errors import UNKNOWN_SERVER_ERROR, UNSUPPORTED_VERSION
from .resetting_transaction_manager import ResettingTransactionManager
from .transaction_manager import AUTHORIZATION_ERRORS, TransactionManager

AbortBatches = Callable[[JavaError], None]
"""Gives up all batches with an error."""


class Turn(NamedTuple):
    """Whose turn it is: the sender's for its batches, at a time (ms), if ``poll_ms`` is None.

    Otherwise nothing is sent in this pass, and nothing will be for ``poll_ms``.
    """

    now_ms: int
    poll_ms: int | None = None


class ProducerIdRequests:
    """The requests of 3.8.0, whose answers come while the sender goes on. Times are ms."""

    def __init__(
        self,
        client: IdempotentClient,
        metadata: ProducerMetadata,
        transactions: TransactionManager,
        retry_backoff_ms: int,
        abort_batches: AbortBatches,
    ) -> None:
        self._client = client
        self._metadata = metadata
        self._transactions = transactions
        self._retry_backoff_ms = retry_backoff_ms
        self._abort_batches = abort_batches

    def turn(self, now_ms: int) -> Turn:
        """What a pass does before it looks for batches."""
        transactions = self._transactions
        transactions.maybe_resolve_sequences()
        error = transactions.last_error
        if transactions.has_fatal_error:
            if error is not None:
                self._abort_batches(error)
            return Turn(now_ms, self._retry_backoff_ms)
        if (
            transactions.has_abortable_error
            and error is not None
            and error.java_class in AUTHORIZATION_ERRORS
        ):
            self._abort_batches(error)
            transactions.transition_to_uninitialized()
            return Turn(now_ms, 0)
        transactions.bump_epoch_and_reset_id_if_needed()
        return Turn(now_ms, self._ask(now_ms))

    def _ask(self, now_ms: int) -> int | None:
        transactions, client = self._transactions, self._client
        if transactions.has_request_in_flight:
            return self._retry_backoff_ms
        request = transactions.next_request()
        if request is None:
            return None
        node = client.least_loaded_node(now_ms)
        if node is None:
            transactions.retry(request)
            return self._retry_backoff_ms
        if not client.connect(node, now_ms):
            self._wait()
            transactions.retry(request)
            return 0
        if request.is_retry:
            client.sleep(self._retry_backoff_ms)
        request.node = node
        client.send(request, now_ms)
        transactions.has_request_in_flight = True
        return self._retry_backoff_ms

    def _wait(self) -> None:
        self._client.sleep(self._retry_backoff_ms)
        self._metadata.request_update()


class BlockingProducerIdRequests(ProducerIdRequests):
    """Those of 2.3.1, in which a pass waits until it has an id, or never will."""

    _transactions: ResettingTransactionManager

    def turn(self, now_ms: int) -> Turn:
        """What a pass does before it looks for batches."""
        transactions = self._transactions
        transactions.reset_producer_id_if_needed()
        while self.waits and not transactions.has_producer_id and not transactions.has_fatal_error:
            if self._await(now_ms):
                break
            self._wait()
            now_ms += self._retry_backoff_ms
        if transactions.has_fatal_error or not transactions.has_producer_id:
            if transactions.last_error is not None:
                self._abort_batches(transactions.last_error)
            return Turn(now_ms, self._retry_backoff_ms)
        return Turn(now_ms)

    waits = True
    """Until the producer is closed by force."""

    def _await(self, now_ms: int) -> bool:
        """Ask one node; answers whether it is settled."""
        transactions, client = self._transactions, self._client
        node = client.least_loaded_node(now_ms)
        if node is None or not client.connect(node, now_ms):
            return False
        response = client.send_and_receive(InitProducerIdRequest(node), now_ms)
        if isinstance(response, NoResponse):
            if response.version_mismatch:
                transactions.transition_to_fatal_error(UNSUPPORTED_VERSION.exception())
            return response.version_mismatch
        return self._settle(response)

    def _settle(self, response: InitProducerIdResponse) -> bool:
        transactions = self._transactions
        if response.code == 0:
            given = response.producer_id, response.producer_epoch
            transactions.producer_id_and_epoch = ProducerIdAndEpoch(*given)
            return True
        error = transactions.errors.get(response.code, UNKNOWN_SERVER_ERROR)
        if not error.retriable:
            transactions.transition_to_fatal_error(error.exception())
        return not error.retriable

"""The sender of 4.4.0, which returns a batch's memory when its request has ended.

Follows ``org.apache.kafka.clients.producer.internals.Sender`` of that version; what it has in
common with 3.8.0 is in :mod:`.sender`.
"""

from collections.abc import Sequence

from ..errors import JavaApiError, JavaError
from ..hash_order import hash_of_fenceable_node, in_hash_order
from .producer_batch import ProducerBatch
from .protocol_errors import PROTOCOL_ERRORS_4_4
from .sender import Sender


class LateReturningSender(Sender):
    """The same in 4.4.0: a buffer is returned when its request has ended, not when a batch has."""

    errors = PROTOCOL_ERRORS_4_4

    def _in_order(self, nodes: Sequence[int]) -> list[int]:
        return in_hash_order(
            nodes, lambda node: hash_of_fenceable_node(node, *self._metadata.address(node))
        )

    def _release(self, batch: ProducerBatch, is_end: bool) -> None:
        if is_end:
            self._let_go(batch)
        else:
            self._accumulator.return_buffer(batch)

    def _abort_batches(self, error: JavaError) -> None:
        if self._accumulator.has_incomplete:
            self._accumulator.abort_batches(error)
            self._in_flight.clear()

    def _fail_in_flight(self, batch: ProducerBatch, error: JavaApiError) -> None:
        if batch.complete_exceptionally(error):
            self._note_failure(batch, error, adjusts=False)
            self._remove_in_flight(batch)
            self._accumulator.forget(batch)

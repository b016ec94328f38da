"""Sequence numbers up to 2.4: when in doubt, a producer asks for a new id.

Follows ``org.apache.kafka.clients.producer.internals.TransactionManager`` of 2.3.1 without
transactions.
"""

from ..errors import JavaError
from .produce_request import PartitionResponse
from .producer_batch import ProducerBatch
from .producer_id import NO_PRODUCER_ID_AND_EPOCH
from .protocol_errors import (
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    PROTOCOL_ERRORS_2_3,
    UNKNOWN_PRODUCER_ID,
    ProtocolError,
)
from .transaction_manager import EarlierTransactionManager
from .txn_partition_map import Partition, TxnPartitionMap, by_sequence


class ResettingTransactionManager(EarlierTransactionManager):
    """The state of an idempotent producer of 2.3.1; all its partitions share one epoch."""

    errors = PROTOCOL_ERRORS_2_3

    def _new_partitions(self) -> TxnPartitionMap:
        return TxnPartitionMap(by_sequence)

    def fail_with_error(self) -> None:
        """A record is taken, and given up with the next pass of the sender."""

    def handle_refused_record(self, error: JavaError) -> None:
        """A record that is not taken ends nothing."""

    def owns(self, batch: ProducerBatch) -> bool:
        """Whether a batch was sent under the id that it has now."""
        return batch.producer_id_and_epoch == self.producer_id_and_epoch

    def reset_producer_id_if_needed(self) -> None:
        """Forget the id if nobody knows whether a batch of a partition has arrived."""
        for at in [at for at in self._unresolved if not self.has_in_flight_batches(at)]:
            if not self._is_next_sequence(at, self.sequence_number(at)):
                self._reset_producer_id()
                return
            del self._unresolved[at]

    def _reset_producer_id(self) -> None:
        self.producer_id_and_epoch = NO_PRODUCER_ID_AND_EPOCH
        self._partitions.reset()
        self._unresolved.clear()

    def has_stale_producer_id_and_epoch(self, at: Partition) -> bool:
        """Never: a new id begins with no partitions at all."""
        del at
        return False

    def has_in_flight_batches(self, at: Partition) -> bool:
        """Whether batches with a sequence have not ended."""
        entry = self._partitions.find(at)
        return entry is not None and entry.has_in_flight_batches

    def handle_completed_batch(self, batch: ProducerBatch, response: PartitionResponse) -> None:
        """A broker has it; what it has of another id is of no account."""
        if self.owns(batch):
            super().handle_completed_batch(batch, response)

    def handle_failed_batch(
        self, batch: ProducerBatch, error: JavaError, adjust_sequences: bool
    ) -> None:
        """It has failed; with ``adjust_sequences`` those after it move up."""
        self.maybe_transition_to_error_state(error)
        if not self.owns(batch):
            return
        if error.java_class in (
            OUT_OF_ORDER_SEQUENCE_NUMBER.java_class,
            UNKNOWN_PRODUCER_ID.java_class,
        ):
            self._reset_producer_id()
            return
        self.remove_in_flight_batch(batch)
        entry = self._partitions.find(batch.at)
        if adjust_sequences and entry is not None:
            entry.adjust_sequences_due_to_failed_batch(batch)

    def can_retry(
        self, batch: ProducerBatch, response: PartitionResponse, error: ProtocolError
    ) -> bool:
        """Whether a batch may be sent once more; the caller asks first if its error is retriable.

        If a broker has removed all that it had of a partition, its sequences begin with 0 again.
        """
        if not self.owns(batch):
            return False
        if error is OUT_OF_ORDER_SEQUENCE_NUMBER:
            return not self.has_unresolved_sequence(batch.at) and (
                batch.sequence_has_been_reset
                or not self._is_next_sequence(batch.at, batch.base_sequence)
            )
        if error is not UNKNOWN_PRODUCER_ID:
            return False
        if response.log_start_offset == -1 or batch.sequence_has_been_reset:
            return True
        entry = self._partitions.find(batch.at)
        last = -1 if entry is None else entry.last_acked_offset
        if last < response.log_start_offset:
            current = self.producer_id_and_epoch
            self._partitions.get(batch.at).start_sequences_at_beginning(current, rewrites=False)
            return True
        return False

"""What makes a producer idempotent: its id, its epoch and its sequence numbers.

Follows ``org.apache.kafka.clients.producer.internals.TransactionManager`` of 3.8.0 without
transactions. What 2.3.1 does is in :mod:`.resetting_transaction_manager`.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from typing import ClassVar, Final

from ..errors import JavaError, JavaIllegalStateError, JavaKafkaError
from ..int32 import int32
from .produce_request import NoResponse, PartitionResponse
from .producer_batch import INVALID_OFFSET, ProducerBatch
from .producer_id import (
    MOST_EPOCHS,
    NO_PRODUCER_ID_AND_EPOCH,
    InitProducerIdRequest,
    InitProducerIdResponse,
    ProducerIdAndEpoch,
)
from .protocol_errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    INVALID_PRODUCER_EPOCH,
    INVALID_PRODUCER_ID_MAPPING,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    PRODUCER_FENCED,
    PROTOCOL_ERRORS,
    PROTOCOL_ERRORS_3_2,
    PROTOCOL_ERRORS_4_4,
    TRANSACTION_ABORTABLE,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    UNKNOWN_PRODUCER_ID,
    UNKNOWN_SERVER_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
)
from .txn_partition_map import (
    NO_LAST_ACKED_SEQUENCE,
    Partition,
    TxnPartitionMap,
    by_id_and_sequence,
)

AUTHORIZATION_ERRORS: Final = {
    CLUSTER_AUTHORIZATION_FAILED.java_class,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED.java_class,
}
_FATAL: Final = {
    *AUTHORIZATION_ERRORS,
    PRODUCER_FENCED.java_class,
    UNSUPPORTED_VERSION.java_class,
}
_TOLD_AS_THEY_ARE: Final = {PRODUCER_FENCED.java_class, INVALID_PRODUCER_EPOCH.java_class}
_OUT_OF_ORDER: Final = {OUT_OF_ORDER_SEQUENCE_NUMBER.java_class, UNKNOWN_PRODUCER_ID.java_class}
"""In Java the second is a kind of the first."""


class State(Enum):
    """Where a producer is on its way to an id, as far as one without transactions goes."""

    UNINITIALIZED = "UNINITIALIZED"
    INITIALIZING = "INITIALIZING"
    READY = "READY"
    ABORTABLE_ERROR = "ABORTABLE_ERROR"
    FATAL_ERROR = "FATAL_ERROR"


_COMES_FROM: Final[Mapping[State, Collection[State]]] = {
    State.UNINITIALIZED: (State.READY, State.ABORTABLE_ERROR),
    State.INITIALIZING: (State.UNINITIALIZED,),
    State.READY: (State.INITIALIZING,),
    State.ABORTABLE_ERROR: (State.ABORTABLE_ERROR, State.INITIALIZING),
    State.FATAL_ERROR: tuple(State),
}
"""From which states it gets into each."""


class TransactionManager:
    """The state of an idempotent producer (3.8.0).

    When it cannot know whether a broker has a batch, it takes the next epoch, in which sequences
    begin with 0 again (KIP-360).
    """

    errors: ClassVar[Mapping[int, ProtocolError]] = PROTOCOL_ERRORS
    fatal: ClassVar[Collection[str]] = _FATAL
    """Errors, by their classes in Java, after which a producer never sends again."""

    def __init__(self) -> None:
        self.poisons_state_on_invalid_transition = True
        """Whether what is impossible ends it for good, as on Java's I/O thread (KAFKA-14831)."""
        self.producer_id_and_epoch = NO_PRODUCER_ID_AND_EPOCH
        self.last_error: JavaError | None = None
        self.has_request_in_flight = False
        """Whether a request for an id is on its way."""
        self._state = State.UNINITIALIZED
        self._partitions = self._new_partitions()
        self._unresolved: dict[Partition, int] = {}
        self._to_rewrite: set[Partition] = set()
        self._epoch_bump_required = False
        self._pending: list[InitProducerIdRequest] = []

    def _new_partitions(self) -> TxnPartitionMap:
        return TxnPartitionMap(by_id_and_sequence)

    # Its state.

    @property
    def has_producer_id(self) -> bool:
        """Whether a broker gave it an id."""
        return self.producer_id_and_epoch.is_valid

    @property
    def has_fatal_error(self) -> bool:
        """Whether it will never send anything again."""
        return self._state is State.FATAL_ERROR

    @property
    def has_abortable_error(self) -> bool:
        """Whether it has to give up what it has before it goes on."""
        return self._state is State.ABORTABLE_ERROR

    def fail_with_error(self) -> None:
        """What a record meets that is sent in spite of an error; raises that, or one that names it.

        As ``maybeAddPartition`` does, after the record was appended.
        """
        if not (self.has_fatal_error or self.has_abortable_error):
            return
        error = self.last_error
        if isinstance(error, JavaIllegalStateError) or (
            error is not None and error.java_class in _TOLD_AS_THEY_ARE
        ):
            raise error
        raise JavaKafkaError("Cannot execute transactional method because we are in an error state")

    def transition_to_fatal_error(self, error: JavaError) -> None:
        """Never send anything again."""
        self._transition_to(State.FATAL_ERROR, error)

    def transition_to_uninitialized(self) -> None:
        """Begin anew."""
        self._transition_to(State.UNINITIALIZED)

    def _transition_to(self, target: State, error: JavaError | None = None) -> None:
        if self._state not in _COMES_FROM[target]:
            invalid = JavaIllegalStateError(
                f"Invalid transition attempted from state {self._state.name} to state {target.name}"
            )
            if self.poisons_state_on_invalid_transition:
                self._state, self.last_error = State.FATAL_ERROR, invalid
            raise invalid
        self._state, self.last_error = target, error

    # Its id.

    def bump_epoch_and_reset_id_if_needed(self) -> None:
        """Take the next epoch if one is wanted; ask for an id if there is none."""
        if self._epoch_bump_required:
            self._bump_epoch()
        if self._state is not State.INITIALIZING and not self.has_producer_id:
            self._transition_to(State.INITIALIZING)
            self._pending.append(InitProducerIdRequest())

    def _bump_epoch(self) -> None:
        producer_id, epoch = self.producer_id_and_epoch
        if epoch == MOST_EPOCHS:
            self.producer_id_and_epoch = NO_PRODUCER_ID_AND_EPOCH
            self._transition_to(State.UNINITIALIZED)
        else:
            self.producer_id_and_epoch = ProducerIdAndEpoch(producer_id, epoch + 1)
        for at in self._to_rewrite:
            entry = self._partitions.get(at)
            entry.start_sequences_at_beginning(self.producer_id_and_epoch, rewrites=True)
            self._unresolved.pop(at, None)
        self._to_rewrite.clear()
        self._epoch_bump_required = False

    def _request_epoch_bump(self, at: Partition) -> None:
        self._epoch_bump_required = True
        self._to_rewrite.add(at)

    def next_request(self) -> InitProducerIdRequest | None:
        """A request that is to be sent, once."""
        return self._pending.pop(0) if self._pending else None

    def retry(self, request: InitProducerIdRequest) -> None:
        """Send a request once more."""
        request.is_retry = True
        self._pending.append(request)

    def handle_init_producer_id_response(
        self, request: InitProducerIdRequest, response: InitProducerIdResponse | NoResponse
    ) -> None:
        """What became of a request for an id."""
        self.has_request_in_flight = False
        if isinstance(response, NoResponse):
            if response.disconnected or response.timed_out:
                self.retry(request)
            else:
                self.transition_to_fatal_error(UNSUPPORTED_VERSION.exception())
            return
        if response.code == 0:
            given = response.producer_id, response.producer_epoch
            self.producer_id_and_epoch = ProducerIdAndEpoch(*given)
            self._transition_to(State.READY)
            return
        error = self.errors.get(response.code, UNKNOWN_SERVER_ERROR)
        if self._retries_for_id(error):
            self.retry(request)
        else:
            self._handle_no_producer_id(error)

    def _retries_for_id(self, error: ProtocolError) -> bool:
        return error.retriable

    def _handle_no_producer_id(self, error: ProtocolError) -> None:
        if error.java_class in AUTHORIZATION_ERRORS:
            self._transition_to(State.ABORTABLE_ERROR, error.exception())
        elif error in (INVALID_PRODUCER_EPOCH, PRODUCER_FENCED):
            self.transition_to_fatal_error(PRODUCER_FENCED.exception())
        elif error is TRANSACTION_ABORTABLE:
            self._transition_to(State.ABORTABLE_ERROR, error.exception())
        else:
            self.transition_to_fatal_error(
                JavaKafkaError(f"Unexpected error in InitProducerIdResponse; {error.name}")
            )

    # Sequences of batches that are drained.

    def has_stale_producer_id_and_epoch(self, at: Partition) -> bool:
        """Whether a partition's sequences are those of another id or epoch."""
        entry = self._partitions.get_or_create(at)
        return self.producer_id_and_epoch != entry.producer_id_and_epoch

    def maybe_update_producer_id_and_epoch(self, at: Partition) -> None:
        """Begin with 0 in a new epoch, once all of the old one have ended."""
        if self.has_stale_producer_id_and_epoch(at) and not self.has_in_flight_batches(at):
            entry = self._partitions.get(at)
            entry.start_sequences_at_beginning(self.producer_id_and_epoch, rewrites=True)

    def sequence_number(self, at: Partition) -> int:
        """The next sequence (int32) of a partition."""
        return self._partitions.get_or_create(at).next_sequence

    def increment_sequence_number(self, at: Partition, increment: int) -> None:
        """That many records have got one; 0 comes after 2**31 - 1."""
        self._partitions.get(at).increment_sequence(increment)

    def add_in_flight_batch(self, batch: ProducerBatch) -> None:
        """A batch has got its sequence."""
        if not batch.has_sequence:
            raise JavaIllegalStateError("Can't track a batch when its sequence is not set.")
        self._partitions.get(batch.at).add_in_flight_batch(batch)

    def remove_in_flight_batch(self, batch: ProducerBatch) -> None:
        """A batch has ended."""
        if self.has_in_flight_batches(batch.at):
            self._partitions.get(batch.at).remove_in_flight_batch(batch)

    def has_in_flight_batches(self, at: Partition) -> bool:
        """Whether batches with a sequence have not ended."""
        return self._partitions.get_or_create(at).has_in_flight_batches

    def first_in_flight(self, at: Partition) -> ProducerBatch | None:
        """The first of these batches."""
        entry = self._partitions.find(at)
        return None if entry is None else entry.first_in_flight

    # Sequences of batches that have ended.

    def handle_completed_batch(self, batch: ProducerBatch, response: PartitionResponse) -> None:
        """A broker has it."""
        entry = self._partitions.find(batch.at)
        if entry is not None:
            entry.last_acked_sequence = max(entry.last_acked_sequence, batch.last_sequence)
        self._update_last_acked_offset(batch, response)
        self.remove_in_flight_batch(batch)

    def _update_last_acked_offset(self, batch: ProducerBatch, response: PartitionResponse) -> None:
        if response.base_offset == INVALID_OFFSET:
            return
        entry = self._partitions.get_or_create(batch.at)
        last = response.base_offset + batch.record_count - 1
        entry.last_acked_offset = max(entry.last_acked_offset, last)

    def handle_failed_batch(
        self, batch: ProducerBatch, error: JavaError, adjust_sequences: bool
    ) -> None:
        """It has failed; with ``adjust_sequences`` no broker has it, for certain."""
        self.maybe_transition_to_error_state(error)
        self.remove_in_flight_batch(batch)
        if self.has_fatal_error:
            return
        if error.java_class in _OUT_OF_ORDER or adjust_sequences:
            self._request_epoch_bump(batch.at)

    def maybe_transition_to_error_state(self, error: JavaError) -> None:
        """Never send anything again, if it is an error after which nothing can be sent."""
        if error.java_class in self.fatal:
            self.transition_to_fatal_error(error)

    def handle_refused_record(self, error: JavaError) -> None:
        """A record was not taken, for an error that its callback is told."""
        self.maybe_transition_to_error_state(error)

    def mark_sequence_unresolved(self, batch: ProducerBatch) -> None:
        """Nobody knows whether a broker has that batch: let no other get a sequence meanwhile."""
        following = int32(batch.last_sequence + 1)
        known = self._unresolved.get(batch.at)
        self._unresolved[batch.at] = following if known is None else max(known, following)

    def has_unresolved_sequence(self, at: Partition) -> bool:
        """Whether that is so for a partition."""
        return at in self._unresolved

    def maybe_resolve_sequences(self) -> None:
        """Once all batches of a partition have ended, it is known; or the next epoch is taken."""
        for at in [at for at in self._unresolved if not self.has_in_flight_batches(at)]:
            if not self._is_next_sequence(at, self.sequence_number(at)):
                self._request_epoch_bump(at)
            del self._unresolved[at]

    def _is_next_sequence(self, at: Partition, sequence: int) -> bool:
        entry = self._partitions.find(at)
        last = NO_LAST_ACKED_SEQUENCE if entry is None else entry.last_acked_sequence
        return int32(sequence - last) == 1

    def can_retry(
        self, batch: ProducerBatch, response: PartitionResponse, error: ProtocolError
    ) -> bool:
        """Whether a batch may be sent once more; a wish for another epoch is noted."""
        if error is UNKNOWN_PRODUCER_ID:
            self._note_unknown_producer_id(batch, response)
            return True
        if error is OUT_OF_ORDER_SEQUENCE_NUMBER:
            self._note_out_of_order(batch)
            return True
        return error.retriable

    def _note_unknown_producer_id(self, batch: ProducerBatch, response: PartitionResponse) -> None:
        """The broker has forgotten it; one that knows no start of its log is asked again."""
        if response.log_start_offset != -1 and not batch.sequence_has_been_reset:
            self._request_epoch_bump(batch.at)

    def _note_out_of_order(self, batch: ProducerBatch) -> None:
        if not self.has_unresolved_sequence(batch.at):
            if batch.sequence_has_been_reset or not self._is_next_sequence(
                batch.at, batch.base_sequence
            ):
                return  # it came before another one that is tried again
            self._request_epoch_bump(batch.at)
        elif batch.base_sequence == self._unresolved[batch.at]:
            self._request_epoch_bump(batch.at)


class EarlierTransactionManager(TransactionManager):
    """The same of 3.2.3: a producer that is not authorized will never be."""

    errors = PROTOCOL_ERRORS_3_2

    def __init__(self) -> None:
        super().__init__()
        self.poisons_state_on_invalid_transition = False

    def _retries_for_id(self, error: ProtocolError) -> bool:
        return error.code in (COORDINATOR_LOAD_IN_PROGRESS.code, CONCURRENT_TRANSACTIONS.code)

    def _handle_no_producer_id(self, error: ProtocolError) -> None:
        if error.java_class in AUTHORIZATION_ERRORS:
            self.transition_to_fatal_error(error.exception())
        else:
            super()._handle_no_producer_id(error)


class LaterTransactionManager(TransactionManager):
    """The same of 4.4.0, which knows more errors, and gets over fewer."""

    errors = PROTOCOL_ERRORS_4_4
    fatal = (*_FATAL, INVALID_PRODUCER_ID_MAPPING.java_class)

"""What an idempotent producer's queues do with sequence numbers.

Follows ``RecordAccumulator.insertInSequenceOrder``, ``shouldStopDrainBatchesForPartition`` and
``drainBatchesForOneNode`` (2.3.1 to 4.4.0).
"""

from collections import deque

from ..errors import JavaIllegalStateError
from .producer_batch import ProducerBatch
from .transaction_manager import TransactionManager


def stops_drain(transactions: TransactionManager, first: ProducerBatch) -> bool:
    """Whether the first batch of a queue must not be sent now, nor any of its node after it."""
    if transactions.has_fatal_error or not transactions.has_producer_id:
        return True
    at = first.at
    if not first.has_sequence:
        if transactions.has_in_flight_batches(at) and transactions.has_stale_producer_id_and_epoch(
            at
        ):
            # In a new epoch it would be written before those of the old one.
            return True
        return transactions.has_unresolved_sequence(at)
    # What is sent again is sent alone, in order.
    in_flight = transactions.first_in_flight(at)
    return in_flight is not None and in_flight.base_sequence != first.base_sequence


def give_sequence(transactions: TransactionManager, batch: ProducerBatch) -> None:
    """Number a batch's records when it is sent for the first time; never again, it may be there."""
    if batch.has_sequence:
        return
    at = batch.at
    transactions.maybe_update_producer_id_and_epoch(at)
    sequence = transactions.sequence_number(at)
    batch.set_producer_state(transactions.producer_id_and_epoch, sequence)
    transactions.increment_sequence_number(at, batch.record_count)
    transactions.add_in_flight_batch(batch)


def insert_in_sequence_order(
    transactions: TransactionManager, queue: deque[ProducerBatch], batch: ProducerBatch
) -> None:
    """Put a batch back, behind those of lower sequences.

    Raises :class:`JavaIllegalStateError` for one that has no sequence or is not tracked.
    """
    if not batch.has_sequence:
        raise JavaIllegalStateError(
            "Trying to re-enqueue a batch which doesn't have a sequence even though idempotency is "
            "enabled."
        )
    if transactions.first_in_flight(batch.at) is None:
        raise JavaIllegalStateError(
            "We are re-enqueueing a batch which is not tracked as part of the in flight requests. "
            f"batch.topicPartition: {batch.at}; batch.baseSequence: {batch.base_sequence}"
        )
    place = 0
    for waiting in queue:
        if not waiting.has_sequence or waiting.base_sequence >= batch.base_sequence:
            break
        place += 1
    queue.insert(place, batch)

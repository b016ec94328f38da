"""Millions of choices in a few hundredths of a second: what the simulated subjects run on.

A rule is a table (before, present, next) of the bounds between which the 32 random bits of a
choice lie. The walks are compiled, because a thousand repetitions have to end while somebody
waits.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from conformance.distributions import built_in, drains

Bounds = npt.NDArray[np.uint64]
Bits = npt.NDArray[np.uint32]
Counts = npt.NDArray[np.int64]


def bounds(rule: npt.NDArray[np.float64]) -> Bounds:
    """The table of a rule: the probability of each next partition (before, present, next)."""
    upto = np.cumsum(rule, axis=2)[:, :, :-1]
    return np.round(upto * 2**32).astype(np.uint64)


@njit(inline="always")
def _next(row: Bounds, bits: np.uint32) -> int:
    partition = 0
    for bound in row:
        partition += np.uint64(bits) >= bound
    return partition


@njit
def walk_batches(
    table: Bounds, bits: Bits, sizes: npt.NDArray[np.int8]
) -> tuple[Counts, Counts, Counts]:
    """Batches of a sticky partitioner, given the bits of each choice and the batches' sizes.

    ``bits`` and ``sizes`` (blocks, batches). Returns pairs and triples of partitions, and by
    block the batches and the records of each.
    """
    k = table.shape[0]
    triples = np.zeros((k, k, k), np.int64)
    pairs = np.zeros((k, k), np.int64)
    batches, records = np.zeros((len(bits), k), np.int64), np.zeros((len(bits), k), np.int64)
    for block in range(len(bits)):
        before, present = 0, np.int64(bits[block, 0]) * k >> 32
        batches[block, present] += 1
        records[block, present] += sizes[block, 0]
        for batch in range(1, bits.shape[1]):
            following = _next(table[before, present], bits[block, batch])
            batches[block, following] += 1
            records[block, following] += sizes[block, batch]
            pairs[present, following] += 1
            if batch > 1:
                triples[before, present, following] += 1
            before, present = present, following
    return pairs, triples, batches, records


@njit
def walk_appends(
    table: Bounds,
    bits: Bits,
    sizes: npt.NDArray[np.int16],
    ready: npt.NDArray[np.bool_],
    stays_counted: int,
) -> tuple[Counts, Counts, Counts, Counts, Counts]:
    """Records of a built-in partitioner, given their sizes and whether the batch is ready.

    ``bits`` (blocks, choices), ``sizes`` and ``ready`` (blocks, records). Returns the counted
    stays of each partition, their pairs, triples and bytes; and by block each one's bytes.
    """
    k = table.shape[0]
    chosen, lengths = np.zeros(k, np.int64), np.zeros(built_in.LONGEST + 1, np.int64)
    pairs, triples = np.zeros((k, k), np.int64), np.zeros((k, k, k), np.int64)
    amounts = np.zeros((len(sizes), k), np.int64)
    for block in range(len(sizes)):
        stays, held = 0, 0
        earlier, before, present = 0, 0, np.int64(bits[block, 0]) * k >> 32
        for record in range(sizes.shape[1]):
            held += sizes[block, record]
            if held < built_in.BATCH_SIZE or not (
                ready[block, record] or held >= 2 * built_in.BATCH_SIZE
            ):
                continue
            amounts[block, present] += held
            if stays < stays_counted:
                chosen[present] += 1
                lengths[held] += 1
                if stays > 0:
                    pairs[before, present] += 1
                if stays > 1:
                    triples[earlier, before, present] += 1
            stays, held = stays + 1, 0
            following = _next(table[before, present], bits[block, stays])
            earlier, before, present = before, present, following
        amounts[block, present] += held
    return chosen, pairs, triples, lengths, amounts


@njit
def walk_producer(
    table: Bounds,
    bits: Bits,
    values: npt.NDArray[np.int32],
    orders: npt.NDArray[np.int32],
    by_batch: bool,
) -> tuple[Counts, Counts]:
    """Records of a producer whose batches are sent in some order: bytes and runs by block.

    ``values`` and ``orders`` (blocks, records) are :class:`~conformance.distributions.drains.
    Traffic`. Moves on by bytes, as the built-in partitioner does, or ``by_batch``, whenever a
    record needs a new batch, as 2.4's sticky partitioner did.
    """
    k = table.shape[0]
    amounts = np.zeros((len(values), k), np.int64)
    runs = np.zeros((len(values), k), np.int64)
    for block in range(len(values)):
        latest = -1
        # Of a partition's queue only its length and its last batch are ever looked at.
        queued, last = np.zeros(k, np.int64), np.zeros(k, np.int64)
        closed = np.zeros(k, np.bool_)
        chosen, produced, before, present = 1, 0, 0, np.int64(bits[block, 0]) * k >> 32
        for record in range(values.shape[1]):
            size = values[block, record] + drains._RECORD_OVERHEAD
            moved = False
            while True:
                is_open = queued[present] > 0 and not closed[present]
                is_open = is_open and last[present] < drains.BATCH_SIZE
                fits = is_open and last[present] + size <= drains.BATCH_SIZE
                if not fits:
                    closed[present] = True
                # By batch it moves once for a record, and whatever it finds there will do.
                moves = not moved if by_batch else produced >= drains.BATCH_SIZE
                if fits or not moves:
                    break
                moved, produced = True, 0
                following = _next(table[before, present], bits[block, chosen])
                chosen, before, present = chosen + 1, present, following
            if not fits:
                queued[present] += 1
                last[present], closed[present] = drains.BATCH_OVERHEAD, False
                appended = size + drains.BATCH_OVERHEAD
            else:
                appended = size
            last[present] += size
            amounts[block, present] += appended
            runs[block, present] += present != latest
            latest = present
            produced += appended
            order = orders[block, record]
            leaving = present if order == drains.OWN else order
            full = last[present] >= drains.BATCH_SIZE
            enough = (produced >= drains.BATCH_SIZE and full) or produced >= 2 * drains.BATCH_SIZE
            if enough and not by_batch:
                produced = 0
                following = _next(table[before, present], bits[block, chosen])
                chosen, before, present = chosen + 1, present, following
            if leaving >= 0 and queued[leaving] > 0:
                queued[leaving] -= 1
    return amounts, runs

"""Every record accounted for: what the client was told, against what is on the brokers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conformance.experiments.logs import Found, LogBatch
from conformance.experiments.told import Records, SentBatch
from conformance.text import counted

_OFFSETS = 2**40
"""More than a partition of an experiment ever has."""


@dataclass(frozen=True, slots=True)
class Account:
    """Counts of records; all but the first three are 0 where nothing is wrong."""

    sent: int
    delivered: int
    """Whose callbacks told an offset."""
    found: int
    """Of this run, on the brokers, each copy counted."""
    failed: int
    """Whose callbacks told an error, or whose ``send()`` threw one."""
    unanswered: int
    """Without any callback."""
    lost: int
    """Delivered, and on no broker."""
    doubled: int
    """Copies beyond the first: of a retry after an answer that never came."""
    misplaced: int
    """Delivered and there, but not at the partition and offset that the callback told."""
    written_though_failed: int
    """Failed, and on a broker all the same."""
    foreign: int
    """Records of somebody else, or with a number that was never sent."""
    errors: Mapping[str, int]
    """Failed records by the class of the exception."""

    @property
    def is_clean(self) -> bool:
        """Whether each record was delivered, and is exactly once where its callback said."""
        return not any(number for _, number in self._wrong())

    @property
    def nothing_lost(self) -> bool:
        """Whether each record that was delivered is where its callback said."""
        return not (self.lost or self.misplaced or self.unanswered)

    def told(self) -> str:
        """What is wrong, in words; empty if nothing is."""
        parts = [f"{number:,} {what}" for what, number in self._wrong() if number]
        if self.errors:
            kinds = ", ".join(f"{name} {number:,}" for name, number in self.errors.items())
            parts.append(f"errors: {kinds}")
        return f"of {counted(self.sent, 'record')} {'; '.join(parts)}" if parts else ""

    def _wrong(self) -> Iterator[tuple[str, int]]:
        yield "lost", self.lost
        yield "doubled", self.doubled
        yield "elsewhere than the callback said", self.misplaced
        yield "failed", self.failed
        yield "failed and written all the same", self.written_though_failed
        yield "without a callback", self.unanswered
        yield "of somebody else", self.foreign


def account(records: Records, found: Found) -> Account:
    """Compare a run's records with what was read back of its topic."""
    sent = len(records.called)
    ours = (found.number >= 0) & (found.number < sent)
    copies = np.bincount(found.number[ours], minlength=sent)
    delivered = records.delivered
    failed = records.error >= 0
    there = copies > 0
    kinds = Counter(records.error[failed].tolist())
    return Account(
        sent=sent,
        delivered=int(delivered.sum()),
        found=int(ours.sum()),
        failed=int(failed.sum()),
        unanswered=int((~failed & ~delivered).sum()),
        lost=int((delivered & ~there).sum()),
        doubled=int(np.maximum(copies - 1, 0).sum()),
        misplaced=int((delivered & there & ~_in_place(records, found)).sum()),
        written_though_failed=int((failed & there).sum()),
        foreign=int((~ours).sum()),
        errors={records.errors[which]: number for which, number in kinds.items()},
    )


def _in_place(records: Records, found: Found) -> npt.NDArray[np.bool_]:
    """Of each record of the run whether it is at the place that its callback told."""
    places = found.partition.astype(np.int64) * _OFFSETS + found.offset
    order = np.argsort(places, kind="stable")
    wanted = records.partition.astype(np.int64) * _OFFSETS + records.offset
    if not len(places):
        return np.zeros(len(wanted), np.bool_)
    at = np.minimum(np.searchsorted(places[order], wanted), len(places) - 1)
    nearest = order[at]
    numbers = np.arange(len(wanted))
    is_there: npt.NDArray[np.bool_] = (places[nearest] == wanted) & (
        found.number[nearest] == numbers
    )
    return is_there


def same_records(one: Found, other: Found) -> bool:
    """Whether two readings of a topic have the same numbers at the same places."""
    return _rows(one) == _rows(other)


def _rows(found: Found) -> set[tuple[int, int, int]]:
    columns = (found.partition.tolist(), found.offset.tolist(), found.number.tolist())
    return set(zip(*columns, strict=True))


def batches_told_apart(sent: Iterable[SentBatch], kept: Iterable[LogBatch]) -> tuple[int, int]:
    """How many kinds of batch only one side knows: sent and not kept, kept and not sent.

    A batch is told by its partition, first record and count. One that was sent again counts once.
    """
    left = {(one.partition, one.first, one.count) for one in sent}
    there = {(one.partition, one.first, one.count) for one in kept}
    return len(left - there), len(there - left)

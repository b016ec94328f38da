"""Where each batch of a history is, as far as its answers tell: what classes of cases ask."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from conformance.model.case import Metadata, Operation
from conformance.model.trace import Answer

_At = tuple[str, int]
_SURE: Final = 0.8
"""By its jitter a backoff is at least that part of its setting."""


@dataclass(slots=True)
class _Batch:
    """A batch that waits, or is on its way."""

    is_part: bool = False
    """Of one that was split."""
    retried_ms: int | None = None
    epoch: int = -1
    """That of its leader when it was sent."""


class Queues:
    """The batches of each partition, the first to leave first."""

    def __init__(self, backoff_ms: int) -> None:
        self._backoff_ms = backoff_ms
        self._waiting: defaultdict[_At, list[_Batch]] = defaultdict(list)
        self._drained: dict[tuple[int, int], tuple[_At, _Batch]] = {}
        self._leaders: Mapping[_At, int | None] = {}
        self._seen: Metadata | None = None

    def has(self, at: _At) -> bool:
        """Whether a partition has batches that wait."""
        return bool(self._waiting[at])

    def appended(self, topic: str, answer: Answer) -> None:
        """A record was taken, perhaps into a new batch."""
        if isinstance(answer, list) and answer[2] and not answer[3]:
            self._waiting[topic, answer[0]].append(_Batch())

    def drain(self, index: int, operation: Operation, answer: Sequence[Any]) -> Iterator[str]:
        """Batches leave."""
        batches = [batch for _, of_node in answer for batch in of_node]
        for number, (topic, partition, *_) in enumerate(batches):
            queue = self._waiting[topic, partition]
            batch = queue.pop(0) if queue else _Batch()
            early = batch.retried_ms is not None and (
                operation["now"] - batch.retried_ms < _SURE * self._backoff_ms
            )
            if early and operation["epoch"] > batch.epoch:
                yield "leader changed"
            batch.epoch = operation["epoch"]
            self._drained[index, number] = (topic, partition), batch

    def retry(self, operation: Operation) -> Iterator[str]:
        """A batch comes back."""
        at, batch = self._drained[operation["of"]["step"], operation["number"]]
        yield "retried"
        if self._waiting[at]:
            yield "retry behind"
        batch.retried_ms = operation["now"]
        self._waiting[at].insert(0, batch)

    def split(self, operation: Operation, parts: int) -> Iterator[str]:
        """A batch comes back in parts."""
        at, batch = self._drained[operation["of"]["step"], operation["number"]]
        yield "split"
        if batch.is_part:
            yield "split of a split"
        self._waiting[at][:0] = [_Batch(is_part=True) for _ in range(parts)]

    def expire(self, batches: Sequence[Sequence[Any]]) -> None:
        """Batches end: those that have waited for longest."""
        for topic, partition, *_ in batches:
            del self._waiting[topic, partition][:1]

    def clear(self) -> None:
        """All batches that wait end."""
        self._waiting.clear()

    def see(self, metadata: Metadata | None) -> Iterator[str]:
        """Metadata as a step sees them."""
        if metadata is self._seen:
            return  # as in most steps
        self._seen = metadata
        leaders = {(topic, at): node for topic, parts in metadata or () for at, node in parts}
        moved = {
            at
            for at, node in leaders.items()
            if None is not node != self._leaders.get(at, node) is not None
        }
        if any(map(self.has, moved)):
            yield "leader moves"
        self._leaders = leaders

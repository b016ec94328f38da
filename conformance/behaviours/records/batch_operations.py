"""The operations on a batch that is being written, each in one place.

What an operation is, and what its members mean, is told in :mod:`.record_batch`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final

from conformance.behaviours.records.contents import LIST, ContentSymbols, port_contents
from conformance.model.case import Operation
from conformance.model.port import Port
from conformance.model.program import Argument, Linker, Program, boolean, integer, long
from conformance.model.trace import Answer
from conformance.model.values import double
from conformance.oracle.internals import BATCH_WRITER
from conformance.oracle.kafka_classes import BYTES

_CONTENTS = (BYTES, BYTES, LIST)


def producer_state(of: Operation) -> tuple[Any, ...]:
    """What a producer gives a batch: id, epoch, sequence, whether it is transactional."""
    return int(of["producer_id"]), of["epoch"], of["sequence"], of["transactional"]


class Performed(ABC):
    """One operation: how it is asked of a real client, and of a port."""

    java_method: str
    """Of ``MemoryRecordsBuilder``."""
    asks: str
    """Of our ``BatchWriter``."""
    types: ClassVar[tuple[str, ...]] = ()

    def link(self, link: Linker) -> int:
        """The method that is called."""
        return link.method(BATCH_WRITER, self.asks, *self.types)

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        """What it is called with."""
        return ()

    @abstractmethod
    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        """The answer of a port's builder."""


class Append(Performed):
    """A record at the next offset, so many times."""

    java_method, asks = "append", "append"
    types = ("int", "long", *_CONTENTS)

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        of = integer(operation["times"]), long(int(operation["timestamp"]))
        return (*of, *contents.arguments(program, operation))

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        contents = port_contents(implementation, operation)
        for _ in range(operation["times"]):
            batch.append(int(operation["timestamp"]), *contents)
        return None


class AppendAt(Performed):
    """A record at a given offset."""

    java_method, asks = "appendWithOffset", "appendAt"
    types = ("long", "long", *_CONTENTS)

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        of = long(int(operation["offset"])), long(int(operation["timestamp"]))
        return (*of, *contents.arguments(program, operation))

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        of = int(operation["offset"]), int(operation["timestamp"])
        return batch.append_with_offset(*of, *port_contents(implementation, operation))


class HasRoom(Performed):
    """Whether one more record fits."""

    java_method, asks = "hasRoomFor", "hasRoomFor"
    types = ("long", *_CONTENTS)

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        timestamp = long(int(operation["timestamp"]))
        return (timestamp, *contents.arguments(program, operation))

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        contents = port_contents(implementation, operation)
        return flag(batch.has_room_for(int(operation["timestamp"]), *contents))


class Marker(Performed):
    """The end of a transaction."""

    java_method, asks = "appendEndTxnMarker", "endTransaction"
    types = ("long", "boolean", "int")

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        timestamp = long(int(operation["timestamp"]))
        return timestamp, boolean(operation["commit"]), integer(operation["coordinator_epoch"])

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        outcomes = implementation.records.ControlRecordType
        outcome = outcomes.COMMIT if operation["commit"] else outcomes.ABORT
        timestamp = int(operation["timestamp"])
        return batch.append_end_txn_marker(timestamp, outcome, operation["coordinator_epoch"])


class ProducerState(Performed):
    """What a batch gets when it is drained."""

    java_method, asks = "setProducerState", "setProducerState"
    types = ("long", "int", "int", "boolean")

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        producer_id, epoch, sequence, transactional = producer_state(operation)
        return long(producer_id), integer(epoch), integer(sequence), boolean(transactional)

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        return batch.set_producer_state(*producer_state(operation))


class Reopen(ProducerState):
    """The same for a closed batch that is sent again."""

    java_method, asks = "reopenAndRewriteProducerState", "reopen"

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        return batch.reopen_and_rewrite_producer_state(*producer_state(operation))


class LastOffset(Performed):
    """Where the batch ends, though no record does."""

    java_method, asks = "overrideLastOffset", "overrideLastOffset"
    types = ("long",)

    def arguments(
        self, program: Program, contents: ContentSymbols, operation: Operation
    ) -> tuple[Argument, ...]:
        return (long(int(operation["offset"])),)

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        return batch.override_last_offset(int(operation["offset"]))


class Plain(Performed):
    """An operation that takes nothing."""

    def __init__(self, java_method: str, of: Callable[[Any], Answer]) -> None:
        self.java_method = self.asks = java_method
        self._of = of

    def perform(self, implementation: Port, batch: Any, operation: Operation) -> Answer:
        return self._of(batch)


def flag(value: Any) -> Any:
    """A boolean as Java's are emitted; anything else as it is, for it is no answer of Java's."""
    return int(value) if isinstance(value, bool) else value


OPERATIONS: Final[dict[str, Performed]] = {
    "append": Append(),
    "append at": AppendAt(),
    "has room": HasRoom(),
    "marker": Marker(),
    "producer state": ProducerState(),
    "reopen": Reopen(),
    "last offset": LastOffset(),
    "close for appends": Plain(
        "closeForRecordAppends", lambda batch: batch.close_for_record_appends()
    ),
    "abort": Plain("abort", lambda batch: batch.abort()),
    "build": Plain("build", lambda batch: batch.build()),
    "ratio": Plain("compressionRatio", lambda batch: double(batch.compression_ratio)),
}
"""By the ``op`` of a step."""

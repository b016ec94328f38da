"""Who sees a record on its way through a producer: interceptors, and its callback.

Follows ``ProducerInterceptors`` and ``KafkaProducer.AppendCallbacks`` (2.3.1 to 4.4.0).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from ..errors import JavaApiError, JavaError
from .producer_record import UNKNOWN_PARTITION, ProducerRecord

Completed = Callable[[int, int, JavaError | None], None]
"""Told a record's partition (-1: none), its offset (int64; -1 with an error), and the error."""


class Interceptor(Protocol):
    """Sees each record before anything else does, and its end before its callback does.

    What it raises changes nothing, as in Java.
    """

    def on_send(self, record: ProducerRecord | None) -> ProducerRecord | None:
        """The record to be sent instead; the next interceptor sees that one.

        None, as of one that forgets to answer, is no record. If the last one hands that on, nothing
        is sent.
        """

    def on_acknowledgement(
        self, topic: str | None, partition: int | None, offset: int, error: Exception | None
    ) -> None:
        """A record has ended: where it is, or why it is nowhere; topic None if there was none."""


def intercepted(
    interceptors: Sequence[Interceptor], record: ProducerRecord
) -> ProducerRecord | None:
    """What the interceptors make of a record, one after the other."""
    handed_on: ProducerRecord | None = record
    for interceptor in interceptors:
        with suppress(Exception):
            handed_on = interceptor.on_send(handed_on)
    return handed_on


class Call:
    """A record on its way: what is told of it, and where it goes, as soon as that is known.

    Its topic is None if the last interceptor handed on no record.
    """

    def __init__(
        self,
        topic: str | None,
        partition: int | None,
        completed: Completed | None,
        interceptors: Sequence[Interceptor],
    ) -> None:
        self.topic = topic
        self.partition = UNKNOWN_PARTITION if partition is None else partition
        self._completed = completed
        self._interceptors = interceptors

    def set_partition(self, partition: int) -> None:
        """It goes there."""
        self.partition = partition

    def on_completion(self, offset: int, error: JavaError | None) -> None:
        """The end of a record that was taken."""
        self.acknowledge(offset, error)
        if self._completed is not None:
            self._completed(self.partition, offset, error)

    def refuse(self, error: Exception) -> None:
        """The end of a record that was not taken; its callback is told if Java does."""
        if self._completed is not None and isinstance(error, JavaApiError):
            self._completed(self.partition, -1, error)
        self.acknowledge(-1, error)

    def acknowledge(self, offset: int, error: Exception | None) -> None:
        """Tell the interceptors."""
        partition = None if self.topic is None else self.partition
        for interceptor in self._interceptors:
            with suppress(Exception):
                interceptor.on_acknowledgement(self.topic, partition, offset, error)

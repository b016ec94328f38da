"""A partitioner and interceptors that do with the next record what a case says.

For a real client see ``ProducerPlugins.java``.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.behaviours.producing.accumulator_runs import outcome_of
from conformance.model.case import Operation
from conformance.strategies.producing.producer_steps import NO_RECORD, THROWS


class PortPlugins:
    """Those of a port's producer; ``tell`` is called with what they are told."""

    def __init__(self, errors: Any, tell: Callable[[list[Any]], None]) -> None:
        self._errors = errors
        self._tell = tell
        self._replacements: list[Any] = []
        self._answers: list[int | None] = []
        self._latest: Any = None
        """The latest record, whoever replaced it: the first interceptor may hand on none."""

    def begin(self, operation: Operation) -> None:
        """A record is about to be sent."""
        self._replacements = [*operation.get("replacements", ())]
        self._answers = [*operation.get("answers", ())]

    def interceptors(self) -> tuple[Any, Any]:
        """Two of them, of which one is told of acknowledgements."""
        return self, _Silent(self)

    # A partitioner, which answers its last answer again and again.

    def partition(self, topic: str, key: bytes | None, cluster: Any) -> int:
        """The partition of a record."""
        del topic, key, cluster
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is None:
            raise self._refusal()
        return answer

    def on_new_batch(self, topic: str, cluster: Any, previous: int) -> None:
        """A batch is about to be opened."""
        del topic, cluster
        self._tell(["new batch", previous])

    # Interceptors.

    def on_send(self, record: Any) -> Any:
        """The record, or another, or none."""
        if record is not None:
            self._latest = record
        replacement = self._replacements.pop(0) if self._replacements else None
        if replacement is None:
            return record
        if replacement == THROWS:
            raise self._refusal()
        if replacement == NO_RECORD:
            return None
        return replace(self._latest, **replacement, headers=(), timestamp=None)

    def on_acknowledgement(self, topic: Any, partition: Any, offset: int, error: Any) -> None:
        """A record has ended."""
        del topic
        self._tell(["acknowledged", partition, outcome_of(offset, error)])

    def _refusal(self) -> Exception:
        refusal: Exception = self._errors.JavaIllegalStateError("told to")
        return refusal


class _Silent:
    """An interceptor of which nothing is seen but what it does to records."""

    def __init__(self, plugins: PortPlugins) -> None:
        self.on_send = plugins.on_send

    def on_acknowledgement(self, *told: Any) -> None:
        """A record has ended."""

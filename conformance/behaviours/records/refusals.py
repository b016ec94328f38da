"""What cannot be read: whether it is refused, and why, in words that every client knows."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from conformance.model.port import Port
from conformance.model.trace import Answer

REFUSED, END = "refused", "end"
REASONS: Final = {
    "CORRUPT_MESSAGE": "its size or magic is none that a batch has, or its checksum is wrong",
    "UNSUPPORTED_FOR_MESSAGE_FORMAT": "a message of format 0 or 1, which the suite leaves out",
    "UNSUPPORTED_COMPRESSION_TYPE": "its attributes name a codec that there is not",
    "INVALID_RECORD": "its records are not what it says, or cannot be decompressed",
}
"""Why a batch is refused. The last stands for both, for which of them a reader meets first depends
on its buffers."""
_REASON_OF: Final = {
    "org.apache.kafka.common.errors.CorruptRecordException": "CORRUPT_MESSAGE",
    "org.apache.kafka.common.errors.UnsupportedForMessageFormatException": (
        "UNSUPPORTED_FOR_MESSAGE_FORMAT"
    ),
    "java.lang.IllegalArgumentException": "UNSUPPORTED_COMPRESSION_TYPE",
    "org.apache.kafka.common.InvalidRecordException": "INVALID_RECORD",
}
"""By the class that a port's error names."""


def unless_refused(call: Callable[[], Answer]) -> Answer:
    """The answer, or that it was refused: by an error that names its counterpart in Java."""
    answer, java_class = _or_error(call)
    return answer if java_class is None else REFUSED


def _or_error(call: Callable[[], Answer]) -> tuple[Answer, str | None]:
    """The answer, or the class that an error names as its counterpart in Java."""
    try:
        return call(), None
    except Exception as error:
        java_class: str | None = getattr(error, "java_class", None)
        if java_class is None:
            raise
        return None, java_class


def refusals(implementation: Port, data: bytes) -> Answer:
    """Why each batch is refused, which the class of the port's error says."""
    seen: list[Answer] = []

    def look() -> None:
        for batch in implementation.records.read_batches(data):
            seen.append(_reason(partial(_checked, batch)))

    seen.append(_reason(look) or END)
    return seen


def _checked(batch: Any) -> None:
    batch.ensure_valid()
    for _ in batch:
        pass


def _reason(call: Callable[[], Answer]) -> str | None:
    _, java_class = _or_error(call)
    return None if java_class is None else _REASON_OF.get(java_class, java_class)

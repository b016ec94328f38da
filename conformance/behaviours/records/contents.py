"""What records have in common in cases, programs and labels: key, value, headers.

A header is ``[key, value]``, its key text, its value bytes or null; headers of null are null.
64-bit numbers are decimal strings.
"""

from collections.abc import Iterator
from typing import Any, Final

from conformance.model.case import Case, Operation
from conformance.model.dimension import Dimension, numbers
from conformance.model.port import Port
from conformance.model.program import NULL, Argument, Linker, Program, slot
from conformance.model.ways import Member
from conformance.oracle.kafka_classes import (
    BYTES,
    COMMON,
    COMPRESSION_TYPE,
    RECORDS_BUILDER,
    STRING,
)
from conformance.utf16 import has_lone_surrogate, utf16

LIST: Final = "java.util.List"
ALL_CODECS: Final = (Member(RECORDS_BUILDER), Member(COMPRESSION_TYPE, "ZSTD"))
"""What a jar needs that can be asked about every codec."""

CONTENT_CLASSES: Final = {
    "null key": "a record without key",
    "empty key": "a key of no bytes",
    "null value": "a record without value",
    "empty value": "a value of no bytes",
    "headers": "a record with headers",
    "null header value": "a header without value",
    "half a character": "a header's key with a lone surrogate, which Java miscounts",
    "null headers": "headers of null, which are refused",
}
"""Classes of what a record holds, each with its meaning."""

_STARTS: Final = (0, 1, 63, 64, 65, 127, 128, 8192)


def _lengths(name: str) -> Any:
    def values(case: Case) -> Iterator[int]:
        return (len(step[name]) for step in case["steps"] if step.get(name) is not None)

    return values


def _header_counts(case: Case) -> Iterator[int]:
    return (len(step["headers"]) for step in case["steps"] if step.get("headers") is not None)


KEY: Final = numbers("key", "bytes of a record's key", _STARTS, _lengths("key"))
VALUE: Final = numbers("value", "bytes of a record's value", _STARTS, _lengths("value"))
HEADERS: Final = numbers(
    "headers",
    "headers of a record",
    (0, 1, 2, 3, 63, 64, 65),
    _header_counts,
)


def header_key_lengths(case: Case) -> Iterator[int]:
    """The lengths of all headers' keys, in UTF-16 units."""
    for step in case["steps"]:
        for key, _ in step.get("headers") or ():
            yield len(utf16(key)) // 2


HEADER_KEY: Final = numbers(
    "header key",
    "UTF-16 units of a header's key",
    (0, 1, 2, 63, 64, 65, 127, 8191),
    header_key_lengths,
)

CONTENT_DIMENSIONS: Final[tuple[Dimension, ...]] = (KEY, VALUE, HEADERS, HEADER_KEY)


def content_labels(operation: Operation) -> Iterator[str]:
    """The classes of :data:`CONTENT_CLASSES` that a record belongs to."""
    for name in ("key", "value"):
        if operation[name] is None:
            yield f"null {name}"
        elif not operation[name]:
            yield f"empty {name}"
    headers = operation["headers"]
    if headers is None:
        yield "null headers"
        return
    if headers:
        yield "headers"
    if any(value is None for _, value in headers):
        yield "null header value"
    if any(has_lone_surrogate(key) for key, _ in headers):
        yield "half a character"


class ContentSymbols:
    """How a program makes headers."""

    def __init__(self, link: Linker) -> None:
        self._header = link.constructor(f"{COMMON}.header.internals.RecordHeader", STRING, BYTES)

    def arguments(self, program: Program, operation: Operation) -> tuple[Argument, ...]:
        """Key, value and a list of headers."""
        headers = operation["headers"]
        if headers is None:
            made = NULL
        else:
            rows: list[tuple[Argument, ...]] = [
                (program.text(key), program.data(value)) for key, value in headers
            ]
            made = slot(program.each(self._header, rows, columns=2))
        return program.data(operation["key"]), program.data(operation["value"]), made


def port_contents(implementation: Port, operation: Operation) -> tuple[Any, Any, Any]:
    """The same for a port."""
    headers = operation["headers"]
    make = implementation.records.RecordHeader
    made = None if headers is None else [make(key, value) for key, value in headers]
    return operation["key"], operation["value"], made

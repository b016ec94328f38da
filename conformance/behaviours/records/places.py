"""Where two long answers about batches differ first, in a word or two: the name of a field.

A difference is named by it, so that a known one of a library hides no other.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

from conformance.behaviours.records.refusals import END, REFUSED
from conformance.model.trace import Answer

_FIELDS: Final = (
    ("base offset", 8),
    ("length", 4),
    ("leader epoch", 4),
    ("magic", 1),
    ("CRC", 4),
    ("attributes", 2),
    ("last offset delta", 4),
    ("base timestamp", 8),
    ("max timestamp", 8),
    ("producer id", 8),
    ("producer epoch", 2),
    ("base sequence", 4),
    ("count", 4),
)
"""The header of a batch, each with its number of bytes."""
_FOLLOWING: Final = ("length", "CRC")
"""Fields that differ wherever anything else does."""
_OF_CONSUMED: Final = ("offset", "timestamp", "key", "value", "headers")
_OF_RECORD: Final = ("offset", "timestamp", "sequence", "key", "value", "headers")
_OF_COLUMNS: Final = (*_OF_RECORD, "producer id", "producer epoch", "transactional", "control")
_RECORDS: Final = "records"
_PARTS: Final = 5
"""Of a compressed batch: length, CRC, header, framing, records."""
_NOT_REFUSED = "not refused"
"""One of the two refuses what the other reads: damage that is read as data is the worse one."""


def place_in_batch(expected: Answer, answered: Answer) -> str:
    """The first field of two batches that differs: bytes, or parts as a compressed one is shown."""
    if isinstance(expected, bytes) and isinstance(answered, bytes):
        one, other = (_fields(batch, _FIELDS) for batch in (expected, answered))
        return _first(one, other) or _first(one, other, _FOLLOWING)
    if _is_in_parts(expected) and _is_in_parts(answered):
        left = [field for field in _FIELDS if field[0] not in _FOLLOWING]
        one, other = (
            {
                **_fields(header, left),
                "framing": is_framed,
                _RECORDS: records,
                "length": is_whole,
                "CRC": is_right,
            }
            for is_whole, is_right, header, is_framed, records in (expected, answered)
        )
        return _first(one, other) or _first(one, other, _FOLLOWING)
    return ""


def _is_in_parts(answer: Answer) -> bool:
    """Whether it is a compressed batch as it is shown; a testee may answer any list."""
    return isinstance(answer, list) and len(answer) == _PARTS and isinstance(answer[2], bytes)


def _fields(batch: bytes, fields: Sequence[tuple[str, int]]) -> dict[str, Any]:
    found, at = {}, 0
    for name, size in fields:
        found[name] = batch[at : at + size]
        at += size
    return {**found, _RECORDS: batch[at:]}


def _first(one: dict[str, Any], other: dict[str, Any], names: Sequence[str] = ()) -> str:
    wanted = names or [name for name in one if name not in _FOLLOWING]
    return next((name for name in wanted if one[name] != other[name]), "")


def place_in_reading(operation: str, expected: Answer, answered: Answer) -> str:
    """The first column, or member of a batch, that two readers answered otherwise."""
    if not (isinstance(expected, list) and isinstance(answered, list)):
        return ""
    columns = {"records": _OF_CONSUMED, "columns": _OF_COLUMNS}.get(operation)
    if columns is not None:
        return _place_in_rows(columns, expected, answered)
    for one, other in zip_longest(expected, answered):
        if one != other:
            if operation == "refusals":
                return _place_in_reasons(one, other)
            return _place_in_member(one, other)
    return ""


def _place_in_reasons(one: Answer, other: Answer) -> str:
    """Of two reasons for which something is refused; null and "end" are none."""
    refuses, other_refuses = (isinstance(of, str) and of != END for of in (one, other))
    if refuses and other_refuses:
        return "reason"
    return _NOT_REFUSED if refuses else REFUSED if other_refuses else ""


def _place_in_member(one: Answer, other: Answer) -> str:
    """Where two batches, as they were read, differ."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return _refusal(one, other)
    members, others = (
        {name: value for name, value in batch.get("map", ()) if isinstance(name, str)}
        for batch in (one, other)
    )
    for name, value in members.items():
        if value != others.get(name):
            if name == _RECORDS and isinstance(others.get(name), list):
                return _place_in_rows(_OF_RECORD, value, others[name])
            return name
    return ""


def _place_in_rows(columns: Sequence[str], rows: Answer, others: Answer) -> str:
    for row, other in zip_longest(rows, others):
        if row == other:
            continue
        if REFUSED in (row, other):
            return _refusal(row, other)
        if not isinstance(row, list) or not isinstance(other, list):
            return "number of records"
        named = zip(columns, zip_longest(row, other), strict=False)
        return next((name for name, (one, two) in named if one != two), "")
    return ""


def _refusal(one: Answer, other: Answer) -> str:
    if REFUSED not in (one, other):
        return ""
    return _NOT_REFUSED if one == REFUSED else REFUSED

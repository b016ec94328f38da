"""How many bytes of a case a message carries, and cases cut to what one can hold."""

from collections.abc import Iterator
from typing import Any, Final

from conformance.model.case import Case, Operation

BYTES_OF_A_CASE: Final = 4 * 2**20
"""Keys, values and batches in a case, all steps together; a line has twice as many characters, and
must stay short."""
_LENGTH_OF_CUT: Final = 100
_MEMBERS: Final = ("key", "value", "data")


def bytes_of(case: Case) -> int:
    """How many bytes its keys, values, headers and batches have, each as often as it is there."""
    return sum(map(len, _all_bytes(case)))


def longest_bytes(case: Case) -> int:
    """The length of its longest key, value, header or batch."""
    return max(map(len, _all_bytes(case)), default=0)


def with_bytes_that_fit(case: Case) -> Case:
    """Long ones are kept while there is room; the later ones lose all but their beginning."""
    if bytes_of(case) <= BYTES_OF_A_CASE:
        return case
    cutter = _Cutter(case)
    return {**case, "steps": [cutter.cut(operation) for operation in case["steps"]]}


class _Cutter:
    """Cuts what is long once there is no more room."""

    def __init__(self, case: Case) -> None:
        short = sum(min(_LENGTH_OF_CUT, len(value)) for value in _all_bytes(case))
        self._room = BYTES_OF_A_CASE - short

    def cut(self, operation: Operation) -> Operation:
        changed: dict[str, Any] = {
            name: self._short(operation[name])
            for name in _MEMBERS
            if isinstance(operation.get(name), bytes)
        }
        if operation.get("headers"):
            changed["headers"] = [
                [key, None if value is None else self._short(value)]
                for key, value in operation["headers"]
            ]
        return {**operation, **changed}

    def _short(self, value: bytes) -> bytes:
        more = len(value) - _LENGTH_OF_CUT
        if more > self._room:
            return value[:_LENGTH_OF_CUT]
        self._room -= max(0, more)
        return value


def _all_bytes(case: Case) -> Iterator[bytes]:
    for operation in case["steps"]:
        of_headers = (value for _, value in operation.get("headers") or ())
        for value in (*(operation.get(name) for name in _MEMBERS), *of_headers):
            if isinstance(value, bytes):
                yield value

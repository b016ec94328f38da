"""What varies in the keys of cases."""

from collections.abc import Iterator
from typing import Final

from conformance.model.case import Case
from conformance.model.dimension import numbers


def keys_of(case: Case) -> Iterator[bytes]:
    """The keys of a case's steps, without nulls."""
    for operation in case["steps"]:
        if operation.get("key") is not None:
            yield operation["key"]


KEY_LENGTH: Final = numbers(
    "key length",
    "bytes of a key",
    (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 256, 257),
    lambda case: map(len, keys_of(case)),
)

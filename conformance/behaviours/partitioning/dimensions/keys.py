"""What varies in the keys of cases."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from conformance.model.case import Case, Operation
from conformance.model.dimension import Dimension, numbers


def keys_of(case: Case) -> Iterator[bytes]:
    """The keys of a case's steps, without nulls."""
    for operation in case["steps"]:
        if operation.get("key") is not None:
            yield operation["key"]


_UP_TO_17: Final = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17)
_LENGTHS: Final = (*_UP_TO_17, 31, 32, 33, 127, 128, 129, 255, 256, 257)
_LONGER: Final = (1023, 1024, 1025, 4095, 4096, 4097, 8191, 65535, 65536, 65537)

KEY_LENGTH: Final = numbers(
    "key length",
    "bytes of a key",
    (*_LENGTHS, *_LONGER, 2**20, 2**20 + 1),
    lambda case: map(len, keys_of(case)),
)

_LAST: Final = ("NUL", "0xff", "0x80 or more", "below 0x80")


def _last(byte: int) -> str:
    if byte in (0, 0xFF):
        return "0xff" if byte else "NUL"
    return "0x80 or more" if byte >= 0x80 else "below 0x80"


KEY_TAIL: Final = Dimension(
    "key's tail",
    "bytes after the last whole word, and what the last of them is",
    ("none", *(f"{size}, {last}" for size in (1, 2, 3) for last in _LAST)),
    lambda case: (
        f"{len(key) % 4}, {_last(key[-1])}" if len(key) % 4 else "none" for key in keys_of(case)
    ),
)


def _nuls(key: bytes) -> Iterator[str]:
    if key and not any(key):
        yield "nothing else"
    elif 0 in key:
        if 0 in key.strip(b"\0"):
            yield "inside"
        for at, place in ((0, "in front"), (-1, "behind")):
            if key[at] == 0:
                yield place


NULS: Final = Dimension(
    "NULs",
    "where a key has bytes of 0",
    ("in front", "inside", "behind", "nothing else"),
    lambda case: (place for key in keys_of(case) for place in _nuls(key)),
)


def _alike(case: Case) -> Iterator[str]:
    for one, two in pairwise(keys_of(case)):
        if one == two:
            yield "equal"
        elif len(one) == len(two):
            differing = [at for at in range(len(one)) if one[at] != two[at]][:2]
            if len(differing) == 1:
                places = {0: "but for the first byte", len(one) - 1: "but for the last byte"}
                yield places.get(differing[0], "but for a byte inside")
        elif one.startswith(two) or two.startswith(one):
            yield "a prefix"
        elif one.endswith(two) or two.endswith(one):
            yield "a suffix"


KEYS_ALIKE: Final = Dimension(
    "keys alike",
    "a key and the one before it",
    (
        *("equal", "but for the first byte", "but for a byte inside", "but for the last byte"),
        *("a prefix", "a suffix"),
    ),
    _alike,
)


def _asked_again(case: Case) -> Iterator[str]:
    seen: dict[bytes, list[Operation]] = {}
    for operation in case["steps"]:
        if operation["op"] == "partition":
            topic, snapshot = operation["topic"], operation["metadata"]
            for before in seen.get(operation["key"], ()):
                same = before["topic"] == topic
                if before["metadata"] == snapshot:
                    yield "in the same place" if same else "in another topic"
                else:
                    yield "with other metadata" if same else "in another topic later"
            seen.setdefault(operation["key"], []).append(operation)


ASKED_AGAIN: Final = Dimension(
    "asked again",
    "where a key is asked once more in the same case",
    ("in the same place", "in another topic", "with other metadata", "in another topic later"),
    _asked_again,
)

BARE_COUNT: Final = numbers(
    "bare count",
    "partitions that partitionForKey is told",
    (
        *(-(2**31), -(2**31) + 1, -(2**16) - 1, -(2**16), -257, -256, -255, -2, -1),
        *(0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 127, 128, 129, 255, 256, 257, 2**15, 2**15 + 1),
        *(2**16, 2**16 + 1, 2**31 - 1),
    ),
    lambda case: (
        operation["partitions"] for operation in case["steps"] if "partitions" in operation
    ),
)

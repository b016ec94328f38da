"""The order in which Java goes through a map: what looks arbitrary there is the same each time.

Follows ``java.util.HashMap`` (Java 8 to 21) as ``org.apache.kafka.common.utils.CopyOnWriteMap``
fills it, one key more in each copy.
"""

from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from .int32 import int32

K = TypeVar("K")
V = TypeVar("V")

_FIRST_CAPACITY: Final = 16
_LOAD_FACTOR: Final = 0.75


def hash_of_text(text: str) -> int:
    """``String.hashCode``: over UTF-16 code units."""
    units = text.encode("utf-16-be", "surrogatepass")
    hashed = 0
    for at in range(0, len(units), 2):
        hashed = 31 * hashed + int.from_bytes(units[at : at + 2], "big") & 0xFFFFFFFF
    return int32(hashed)


def hash_of_topic_partition(topic: str, partition: int) -> int:
    """``TopicPartition.hashCode``."""
    return int32(31 * (31 + partition) + hash_of_text(topic))


class CopyOnWriteMap(Generic[K, V]):
    """A map that only grows until it is cleared; ``hash_of`` answers a key's ``hashCode``.

    Up to seven keys of one bucket keep the order in which they came, as in Java; Java makes a tree
    of more, which this does not.
    """

    def __init__(self, hash_of: Callable[[K], int]) -> None:
        self._hash_of = hash_of
        self._values: dict[K, V] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """The value of a key, or None."""
        return self._values.get(key)

    def items(self) -> Iterator[tuple[K, V]]:
        """Keys and values, in Java's order."""
        return iter(self._values.items())

    def compute_if_absent(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, which is made if there is none."""
        if key not in self._values:
            value = make()
            buckets = _capacity(len(self._values)) - 1
            keys = sorted((*self._values, key), key=lambda one: self._bucket(one) & buckets)
            before = {**self._values, key: value}
            self._values = {one: before[one] for one in keys}
        return self._values[key]

    def clear(self) -> None:
        """Take all keys out."""
        self._values = {}

    def _bucket(self, key: K) -> int:
        hashed = self._hash_of(key) & 0xFFFFFFFF
        return hashed ^ hashed >> 16


def _capacity(before: int) -> int:
    """Buckets of a copy of so many keys, to which one more was added."""
    capacity = _FIRST_CAPACITY
    if before:
        capacity = 1 << (int(before / _LOAD_FACTOR + 1) - 1).bit_length()
    return capacity * 2 if before + 1 > capacity * _LOAD_FACTOR else capacity

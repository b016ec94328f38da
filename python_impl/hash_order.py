"""The order in which Java goes through a map: what looks arbitrary there is the same each time.

Follows ``java.util.HashMap`` (Java 8 to 21) as ``org.apache.kafka.common.utils.CopyOnWriteMap``
fills it, one key more in each copy.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeVar

from .int32 import int32

K = TypeVar("K")
V = TypeVar("V")

_FIRST_CAPACITY: Final = 16
_LOAD_FACTOR: Final = 0.75
_LONGEST_CHAIN: Final = 8
_FIRST_WITH_TREES: Final = 64
_HASH_OF_FALSE: Final = 1237


@lru_cache(maxsize=4096)  # a client asks for few topics' and hosts' again and again
def hash_of_text(text: str) -> int:
    """``String.hashCode``: over UTF-16 code units."""
    units = text.encode("utf-16-be", "surrogatepass")
    hashed = 0
    for at in range(0, len(units), 2):
        hashed = 31 * hashed + int.from_bytes(units[at : at + 2], "big") & 0xFFFFFFFF
    return int32(hashed)


def hash_of_topic_partition(at: tuple[str, int]) -> int:
    """``TopicPartition.hashCode``."""
    topic, partition = at
    return int32(31 * (31 + partition) + hash_of_text(topic))


def hash_of_node(node: int, host: str, port: int, rack: str | None) -> int:
    """``Node.hashCode`` up to 3.9."""
    hashed = 31 + hash_of_text(host)
    for part in (node, port, 0 if rack is None else hash_of_text(rack)):
        hashed = 31 * hashed + part
    return int32(hashed)


def hash_of_fenceable_node(node: int, host: str, port: int, rack: str | None) -> int:
    """The same from 4.0 on, of a node that is not fenced."""
    return int32(31 * hash_of_node(node, host, port, rack) + _HASH_OF_FALSE)


def in_hash_order(
    keys: Iterable[K],
    hash_of: Callable[[K], int],
    *,
    capacity: int = 0,
    most: int = 0,
    grows_late: bool = False,
) -> list[K]:
    """Keys in the order of a ``HashMap`` to which they were added one by one, each once.

    ``capacity`` is what the map was made for, and ``most`` how many keys it had at a time before
    some were removed, if it was or had more than the map needs. A map that ``grows_late`` is filled
    by ``computeIfAbsent``, which looks whether it is too full before it adds a key, not after that:
    ``most`` then is how many keys it had at most when it was asked.
    """
    added = list(keys)
    if len(added) < 2:
        return added
    buckets = 1 << (capacity - 1).bit_length() if capacity else _FIRST_CAPACITY
    if not grows_late:
        buckets = _grown_by_chains(added, hash_of, buckets)
    needed = most if grows_late else max(len(added), most)
    while needed > int(buckets * _LOAD_FACTOR):
        buckets *= 2
    return sorted(added, key=lambda key: _spread(hash_of(key)) & buckets - 1)


def _grown_by_chains(keys: list[K], hash_of: Callable[[K], int], buckets: int) -> int:
    """How many buckets a table has, at least, when it has these keys, which came in this order.

    Follows ``HashMap.treeifyBin``: a ninth key in one bucket doubles a table of less than 64. In a
    larger one they become a tree, which is not ported; so nobody looks at keys beyond that.
    """
    if len(keys) <= _LONGEST_CHAIN:
        return buckets
    came: list[int] = []
    for key in keys:
        if buckets >= _FIRST_WITH_TREES:
            break
        hashed = _spread(hash_of(key))
        came.append(hashed)
        if sum(not (one ^ hashed) & buckets - 1 for one in came) > _LONGEST_CHAIN:
            buckets *= 2
        if len(came) > int(buckets * _LOAD_FACTOR):  # later chains are of this larger table
            buckets *= 2
    return buckets


def _spread(hashed: int) -> int:
    hashed &= 0xFFFFFFFF
    return hashed ^ hashed >> 16


class CopyOnWriteMap(dict[K, V]):
    """A map in Java's order that grows by :meth:`compute_if_absent` alone, until it is cleared.

    It is not copied, so nobody may go through it meanwhile. ``hash_of`` answers a key's
    ``hashCode``. No value is None. Keys of one bucket keep the order in which they came. So they
    do in Java, but for nine or more in one of 64 buckets, which become a tree.
    """

    def __init__(self, hash_of: Callable[[K], int]) -> None:
        super().__init__()
        self._hash_of = hash_of

    def compute_if_absent(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, which is made if there is none."""
        known = self.get(key)
        if known is None:
            known = make()
            buckets = _grown_by_chains([*self, key], self._hash_of, _capacity(len(self))) - 1
            pairs = sorted(
                (*self.items(), (key, known)), key=lambda pair: self._bucket(pair[0]) & buckets
            )
            self.clear()
            self.update(pairs)
        return known

    def _bucket(self, key: K) -> int:
        return _spread(self._hash_of(key))


def _capacity(before: int) -> int:
    """Buckets of a copy of so many keys, to which one more was added."""
    capacity = _FIRST_CAPACITY
    if before:
        capacity = 1 << (int(before / _LOAD_FACTOR + 1) - 1).bit_length()
    return capacity * 2 if before + 1 > capacity * _LOAD_FACTOR else capacity

"""Which partition a key goes to: the same in every client version."""

from ..errors import JavaNullPointerError
from ..int32 import remainder, to_positive
from ..murmur2 import murmur2


def partition_for_key(key: bytes | None, num_partitions: int) -> int:
    """The partition of a serialized key among ``num_partitions`` (an int32).

    Follows ``BuiltInPartitioner.partitionForKey`` (3.8.0), which is what
    ``DefaultPartitioner.partition`` computes for a key in 2.3.1 and 3.2.3. The answer is an
    *index modulo the count* of partitions, leaderless ones included, whatever their ids.

    Raises :class:`JavaNullPointerError` for a key of None and
    :class:`JavaArithmeticError` for zero partitions.
    """
    if key is None:
        raise JavaNullPointerError("a null key has no hash; the sticky paths handle it")
    return remainder(to_positive(murmur2(key)), num_partitions)

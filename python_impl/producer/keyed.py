"""Which partition a key goes to: the same in every client version."""

from ..errors import JavaNullPointerError
from ..int32 import check_int32, remainder, to_positive
from ..murmur2 import murmur2


def partition_for_key(key: bytes | None, num_partitions: int) -> int:
    """The partition of a serialized key among ``num_partitions`` (an int32).

    Follows ``BuiltInPartitioner.partitionForKey`` (3.8.0), which is what
    ``DefaultPartitioner.partition`` computes for a key in 2.3.1 and 3.2.3. The answer is an
    *index modulo the count* of partitions, leaderless ones included, whatever their ids.

    Raises :class:`JavaNullPointerError` for a key of None, :class:`JavaArithmeticError` for
    zero partitions, ``TypeError`` or ``ValueError`` for a count that is no int32.
    """
    if key is None:
        raise JavaNullPointerError("a null key has no hash; the sticky paths handle it")
    count = check_int32("num_partitions", num_partitions)
    return remainder(to_positive(murmur2(key)), count)

"""A record that may name its partition, and what the producer makes of it."""

from dataclasses import dataclass
from typing import Any

from ..cluster import Cluster, known
from ..errors import JavaIllegalArgumentError
from ..int32 import check_int32
from ..records.record import Headers
from .keyed import partition_for_key

UNKNOWN_PARTITION = -1
"""``RecordMetadata.UNKNOWN_PARTITION``: whoever appends the record chooses a partition."""


@dataclass(frozen=True, slots=True)
class ProducerRecord:
    """What a producer is told of a record: topic, partition (int32) or None, key, value, headers.

    ``timestamp`` is in ms; None is the time at which the record is sent. Key and value are what
    the producer's serializers take, or bytes or None.

    Raises what :func:`check_record` does.
    """

    topic: str | None
    partition: int | None = None
    key: Any = None
    value: Any = None
    headers: Headers = ()
    timestamp: int | None = None

    def __post_init__(self) -> None:
        check_record(self.topic, self.partition, self.timestamp)


def check_record(topic: str | None, partition: int | None, timestamp: int | None) -> None:
    """Raise if there is no such record.

    Follows the constructor of ``ProducerRecord`` (2.3.1 to 3.8.0): raises
    :class:`JavaIllegalArgumentError` for a topic of None, a negative partition or timestamp,
    ``TypeError`` or ``ValueError`` for a partition that is no int32.
    """
    if topic is None:
        raise JavaIllegalArgumentError("Topic cannot be null.")
    if timestamp is not None and timestamp < 0:
        raise JavaIllegalArgumentError(
            f"Invalid timestamp: {timestamp}. Timestamp should always be non-negative or null."
        )
    if partition is not None and check_int32("partition", partition) < 0:
        raise JavaIllegalArgumentError(
            f"Invalid partition: {partition}. Partition number should always be non-negative or "
            "null."
        )


def partition_of_record(record: ProducerRecord, cluster: Cluster | None) -> int:
    """The partition that a record names; else its key's; else :data:`UNKNOWN_PARTITION`.

    Follows ``KafkaProducer.partition``, as it is in 3.8.0 without ``partitioner.class``; of a
    record with partition or key the default partitioner of 2.3.1 and 3.2.3 makes the same. A
    partition that is named is handed on as it is: neither the key nor the metadata is looked at.
    Whether the topic has that many partitions is asked before, by ``waitOnMetadata``.

    Raises :class:`JavaNullPointerError` and :class:`JavaArithmeticError` as
    :func:`partition_for_key` does, and where a key meets null metadata.
    """
    if record.partition is not None:
        return record.partition
    if record.key is None:
        return UNKNOWN_PARTITION
    return partition_for_key(record.key, len(known(cluster).partitions_for_topic(record.topic)))

"""The header of a record batch of magic 2, and what follows from it.

Follows ``org.apache.kafka.common.record.DefaultRecordBatch`` (2.3.1 to 4.4.0). All numbers are
big-endian; the checksum is CRC-32C of everything from the attributes on.
"""

import operator
import struct
from dataclasses import dataclass
from enum import Enum
from typing import Final

import google_crc32c

from ..int32 import INT32_MAX, int32
from .record import Headers, record_size_upper_bound

MAGIC: Final = 2
RECORD_BATCH_OVERHEAD: Final = 61
"""Bytes of a batch before its records."""
LOG_OVERHEAD: Final = 12
"""Bytes of base offset and length, which the length does not count."""
NO_TIMESTAMP: Final = -1
NO_PRODUCER_ID: Final = -1
NO_PRODUCER_EPOCH: Final = -1
NO_SEQUENCE: Final = -1
NO_PARTITION_LEADER_EPOCH: Final = -1

TO_CRC: Final = struct.Struct(">qiib")
CRC: Final = struct.Struct(">I")
FROM_ATTRIBUTES: Final = struct.Struct(">hiqqqhii")
_JAVA_TYPES: Final = {"h": ("short", 15), "i": ("int", 31), "q": ("long", 63)}
"""By the letter that stands for it in a format: its name, and its bits without the sign."""

TIMESTAMP_TYPE: Final = 0x08
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
DELETE_HORIZON: Final = 0x40


class TimestampType(Enum):
    """Who sets the time of records: the producer, or the broker that appends them."""

    CREATE_TIME = "CreateTime"
    LOG_APPEND_TIME = "LogAppendTime"


@dataclass(frozen=True, slots=True)
class BatchHeader:
    """What a batch says of itself. Times are in ms; -1 stands for none."""

    base_offset: int
    last_offset_delta: int
    compression: int
    """The id of the codec, 0 to 4."""
    timestamp_type: TimestampType
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    is_transactional: bool
    is_control_batch: bool
    partition_leader_epoch: int
    records: int
    """How many."""
    has_delete_horizon: bool = False
    """Whether the base timestamp is the time from which on tombstones may be removed (KIP-534)."""

    @property
    def attributes(self) -> int:
        """The bits of codec, type of time, transaction, control and delete horizon."""
        return (
            self.compression
            | (TIMESTAMP_TYPE if self.timestamp_type is TimestampType.LOG_APPEND_TIME else 0)
            | (TRANSACTIONAL if self.is_transactional else 0)
            | (CONTROL if self.is_control_batch else 0)
            | (DELETE_HORIZON if self.has_delete_horizon else 0)
        )

    def with_records(self, data: bytes) -> bytes:
        """The bytes of the batch; ``data`` are its records, compressed as the header says."""
        size = RECORD_BATCH_OVERHEAD + len(data) - LOG_OVERHEAD
        rest = FROM_ATTRIBUTES.pack(
            self.attributes,
            self.last_offset_delta,
            self.base_timestamp,
            self.max_timestamp,
            self.producer_id,
            self.producer_epoch,
            self.base_sequence,
            self.records,
        )
        begin = TO_CRC.pack(self.base_offset, size, self.partition_leader_epoch, MAGIC)
        crc = google_crc32c.extend(google_crc32c.value(rest), data)
        return b"".join((begin, CRC.pack(crc), rest, data))


def estimate_batch_size_upper_bound(
    key: bytes | None, value: bytes | None, headers: Headers | None
) -> int:
    """Bytes of a batch with one record, at most (``estimateBatchSizeUpperBound``).

    A producer takes no smaller buffer for the record. Compression is not looked at.
    """
    return RECORD_BATCH_OVERHEAD + record_size_upper_bound(key, value, headers)


def check_numbers(types: str, **numbers: int) -> list[int]:
    """The numbers as Python's, for NumPy's do not compute as these do.

    Java's types must hold them: ``h`` is a short, ``i`` an int, ``q`` a long, a letter for each.
    ``TypeError`` or ``ValueError`` names the first that is no number or is beyond its type.
    """
    try:
        struct.pack(f">{types}", *numbers.values())  # quick, but does not say which
    except struct.error:
        for letter, (name, value) in zip(types, numbers.items(), strict=True):
            _check_number(letter, name, value)
    return list(map(operator.index, numbers.values()))


def _check_number(letter: str, name: str, value: int) -> None:
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} is an int, not {value!r}")
    number, (java_type, bits) = operator.index(value), _JAVA_TYPES[letter]
    if not -(2**bits) <= number < 2**bits:
        raise ValueError(
            f"{name} is a Java {java_type}, from -2^{bits} to 2^{bits} - 1, not {number}"
        )


def increment_sequence(sequence: int, increment: int) -> int:
    """The sequence number (int32) so many records later; after 2^31 - 1 comes 0."""
    sequence, increment = operator.index(sequence), operator.index(increment)
    if sequence > int32(INT32_MAX - increment):
        return int32(increment - (INT32_MAX - sequence) - 1)
    return int32(sequence + increment)


def decrement_sequence(sequence: int, decrement: int) -> int:
    """The sequence number (int32) so many records before; before 0 comes 2^31 - 1."""
    sequence, decrement = operator.index(sequence), operator.index(decrement)
    if sequence < decrement:
        return int32(INT32_MAX - (decrement - sequence) + 1)
    return int32(sequence - decrement)

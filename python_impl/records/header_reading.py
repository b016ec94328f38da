"""The header of a batch as it is read, and what follows from it.

Follows ``org.apache.kafka.common.record.DefaultRecordBatch`` (2.3.1 to 4.4.0).
"""

from dataclasses import dataclass
from typing import Final

from ..errors import JavaCorruptRecordError
from .batch import (
    CONTROL,
    CRC,
    DELETE_HORIZON,
    FROM_ATTRIBUTES,
    NO_SEQUENCE,
    RECORD_BATCH_OVERHEAD,
    TIMESTAMP_TYPE,
    TO_CRC,
    TRANSACTIONAL,
    BatchHeader,
    TimestampType,
    increment_sequence,
)
from .varints import int64

_ATTRIBUTES: Final = TO_CRC.size + CRC.size
CODEC: Final = 0x07


@dataclass(frozen=True, slots=True)
class ReadHeader(BatchHeader):
    """What a batch says of itself, which need not be true."""

    @property
    def last_offset(self) -> int:
        """The offset (int64) at which the batch ends; compaction may have taken that record."""
        return int64(self.base_offset + self.last_offset_delta)

    @property
    def last_sequence(self) -> int:
        """The sequence number (int32) of its last record, or -1."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment_sequence(self.base_sequence, self.last_offset_delta)

    @property
    def delete_horizon_ms(self) -> int | None:
        """From when on a broker may drop tombstones and markers; brokers write it since 3.1."""
        return self.base_timestamp if self.has_delete_horizon else None


def read_header(data: bytes) -> ReadHeader:
    """The header of a batch; :class:`JavaCorruptRecordError` if ``data`` is shorter than one."""
    if len(data) < RECORD_BATCH_OVERHEAD:
        raise JavaCorruptRecordError(f"{len(data)} bytes are no header of a record batch")
    base_offset, _, leader_epoch, _ = TO_CRC.unpack_from(data)
    attributes, last_offset_delta, base_timestamp, max_timestamp, *producer, records = (
        FROM_ATTRIBUTES.unpack_from(data, _ATTRIBUTES)
    )
    by_broker = attributes & TIMESTAMP_TYPE
    return ReadHeader(
        base_offset=base_offset,
        last_offset_delta=last_offset_delta,
        compression=attributes & CODEC,
        timestamp_type=TimestampType.LOG_APPEND_TIME if by_broker else TimestampType.CREATE_TIME,
        base_timestamp=base_timestamp,
        max_timestamp=max_timestamp,
        producer_id=producer[0],
        producer_epoch=producer[1],
        base_sequence=producer[2],
        is_transactional=bool(attributes & TRANSACTIONAL),
        is_control_batch=bool(attributes & CONTROL),
        partition_leader_epoch=leader_epoch,
        records=records,
        has_delete_horizon=bool(attributes & DELETE_HORIZON),
    )

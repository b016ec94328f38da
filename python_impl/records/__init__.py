"""Record batches of magic 2: their sizes, their bytes, and a producer's estimates of both.

Ports of ``org.apache.kafka.common.record``, the same in 2.3.1 to 4.4.0. What differs is in the
module of each release: ``MemoryRecordsBuilder``, which writes a batch, and
``CompressionRatioEstimator``.
"""

from .batch import (
    RECORD_BATCH_OVERHEAD,
    TimestampType,
    decrement_sequence,
    estimate_batch_size_upper_bound,
    increment_sequence,
)
from .builder import ControlRecordType
from .record import RecordHeader, record_size, record_size_upper_bound
from .varints import size_of_varint, size_of_varlong, varint, varlong

__all__ = [
    "RECORD_BATCH_OVERHEAD",
    "ControlRecordType",
    "RecordHeader",
    "TimestampType",
    "decrement_sequence",
    "estimate_batch_size_upper_bound",
    "increment_sequence",
    "record_size",
    "record_size_upper_bound",
    "size_of_varint",
    "size_of_varlong",
    "varint",
    "varlong",
]

"""Record batches of magic 2: their sizes, their bytes, and a producer's estimates of both.

Ports of ``org.apache.kafka.common.record``, the same in 2.3.1 to 4.4.0. What differs is in the
module of each release: ``CompressionRatioEstimator``. ``MemoryRecordsBuilder``, which writes a
batch, is there, too, but is the same for all: it takes what the newest does.
"""

from typing import TYPE_CHECKING, Any

from .batch import (
    RECORD_BATCH_OVERHEAD,
    TimestampType,
    decrement_sequence,
    estimate_batch_size_upper_bound,
    increment_sequence,
)
from .control_record import ControlRecordType
from .header_reading import ReadHeader
from .reader import MAX_BATCH_BYTES, Record, RecordBatch, read_batches
from .record import RecordHeader, record_size, record_size_upper_bound
from .sized_builder import SizedRecordsBuilder
from .varints import size_of_varint, size_of_varlong, varint, varlong

if TYPE_CHECKING:
    from .column_writer import write_records
    from .segment import TornSegmentWarning, read_records, read_segment
    from .segment_columns import PLAIN_SCHEMA, SCHEMA

__all__ = [
    "MAX_BATCH_BYTES",
    "PLAIN_SCHEMA",
    "RECORD_BATCH_OVERHEAD",
    "SCHEMA",
    "ControlRecordType",
    "ReadHeader",
    "Record",
    "RecordBatch",
    "RecordHeader",
    "SizedRecordsBuilder",
    "TimestampType",
    "TornSegmentWarning",
    "decrement_sequence",
    "estimate_batch_size_upper_bound",
    "increment_sequence",
    "read_batches",
    "read_records",
    "read_segment",
    "record_size",
    "record_size_upper_bound",
    "size_of_varint",
    "size_of_varlong",
    "varint",
    "varlong",
    "write_records",
]


def __getattr__(name: str) -> Any:
    # Columns need NumPy and Arrow, which take a while to import.
    if name in ("TornSegmentWarning", "read_records", "read_segment"):
        from . import segment  # noqa: PLC0415

        return getattr(segment, name)
    if name in ("PLAIN_SCHEMA", "SCHEMA"):
        from . import segment_columns  # noqa: PLC0415

        return getattr(segment_columns, name)
    if name == "write_records":
        from .column_writer import write_records  # noqa: PLC0415

        return write_records
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Kafka's classes that have been called something else since some release."""

from collections.abc import Mapping
from typing import Final

from conformance.oracle.kafka_classes import COMMON

MOVED: Final[Mapping[str, str]] = {
    # 2.4
    f"{COMMON}.record.BufferSupplier": f"{COMMON}.utils.BufferSupplier",
    # 4.3
    **{
        f"{COMMON}.record.{name}": f"{COMMON}.record.internal.{name}"
        for name in (
            "AbstractRecords",
            "CompressionRatioEstimator",
            "CompressionType",
            "ControlRecordType",
            "DefaultRecord",
            "DefaultRecordBatch",
            "EndTransactionMarker",
            "MemoryRecords",
            "MemoryRecordsBuilder",
            "Record",
            "RecordBatch",
        )
    },
    # 4.4
    f"{COMMON}.utils.BufferSupplier": f"{COMMON}.utils.internals.BufferSupplier",
    f"{COMMON}.utils.ByteBufferOutputStream": f"{COMMON}.utils.internals.ByteBufferOutputStream",
    f"{COMMON}.utils.ByteUtils": f"{COMMON}.utils.internals.ByteUtils",
    f"{COMMON}.utils.CloseableIterator": f"{COMMON}.utils.internals.CloseableIterator",
    f"{COMMON}.utils.LogContext": f"{COMMON}.utils.internals.LogContext",
}
"""Classes that the suite asks for by their first names, and what they have been called since."""
